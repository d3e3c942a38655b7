"""All messages that a run has got."""

from __future__ import annotations

from holdfast.core.events import MessageId
from holdfast.core.records import PostedMessage
from holdfast.core.values import RunKey
from holdfast.testing.simulation.database import run_inline
from holdfast.testing.simulation.simulation import Simulation

_ALL = 10_000


def all_messages(simulation: Simulation, run: RunKey) -> list[PostedMessage]:
    """With those of earlier chapters and those of the store, which the history of a later chapter has not."""
    return run_inline(simulation.store.list_messages(simulation.namespace, run, MessageId(0), _ALL))
