"""Signals that workflow code sends to other runs: each is a step that the node sends with its own connection.

The id of the message is the id of the step's task. So an attempt that is made again, after a crash or a
broken connection, adds no second message.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Final, Protocol

import msgspec

from holdfast.authoring.code.handles import TaskHandle
from holdfast.authoring.code.steps import StepBody
from holdfast.core.codec import Codec
from holdfast.core.names import is_name
from holdfast.core.policies import STEP_OPTIONS, Retry
from holdfast.core.values import Payload
from holdfast.errors import NotOpen, RunNotFound, StoreFull, StoreUnavailable, WrongType, show
from holdfast.ports.signals import SignalSender

SIGNAL_OPTIONS: Final = msgspec.structs.replace(
    STEP_OPTIONS,
    # For as long as the store is away. The node writes nothing meanwhile either.
    retry=Retry(
        max_attempts=1_000_000,
        first_delay=dt.timedelta(milliseconds=200),
        max_delay=dt.timedelta(seconds=10),
        only_on=(StoreUnavailable, StoreFull),
    ),
)


class HasRunId(Protocol):
    """A child, or a run that a client has started."""

    @property
    def id(self) -> str: ...


def checked_run_id(run: Any, namespace: str) -> str:
    """Raises WrongType, and RunNotFound if no run can have the id."""
    id: Any = run if isinstance(run, str) else getattr(run, "id", None)
    if not isinstance(id, str) or issubclass(type(run), TaskHandle):
        raise WrongType("a run", f"expected a child or the id of a run, got {show(run)}")
    if not is_name(id):
        raise RunNotFound(id, namespace)
    return str.__str__(id)


def signal_body(
    sender: SignalSender | None, run: str, name: str, payload: Payload, uid: str, codec: Codec
) -> StepBody:
    async def send() -> None:
        if sender is None:
            raise NotOpen
        await sender.send_signal(run, name, payload, uid)

    return StepBody(f"signal {name}", send, Any, codec)
