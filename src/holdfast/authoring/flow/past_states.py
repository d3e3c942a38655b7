"""The shared state that a run of a flow had after a step of its journal, by replay.

The program of a flow only computes: nothing is started, written or sent, and no code of users runs. The
journal of a flow has no digests of what it sets. So the replay goes on to the end, and counts only if it asks
for what the journal has at each step, and ends with the state that is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.authoring.flow.program import FlowProgram
from holdfast.authoring.flow.workflow import read_edition
from holdfast.core.codec import Codec
from holdfast.core.history import read_steps, restore
from holdfast.core.journal import TimersMoved, has_reopening
from holdfast.core.past_states import have_same_values
from holdfast.core.records import Definition, History
from holdfast.core.values import Payload
from holdfast.errors import HoldfastError
from holdfast.ports.flows import CURSOR


def replay_state(
    definition: Definition, history: History, step: int, now: Mapping[str, Payload], codec: Codec
) -> dict[str, Payload] | None:
    """As in the port `Workflows`."""
    if has_reopening(history.steps):
        return None  # what failed before a retry is not known any more, and may have been a part of the state
    try:
        return _replay_state(definition, history, step, now, codec)
    except HoldfastError:  # a definition of a later release, a damaged row, a payload without its key
        return None


def _replay_state(
    definition: Definition, history: History, step: int, now: Mapping[str, Payload], codec: Codec
) -> dict[str, Payload] | None:
    # Programs do not hear that their timers were moved, so the replay has no step for it.
    heard = [not any(isinstance(it, TimersMoved) for it in each.heard) for each in read_steps(history)]
    wanted = sum(heard[: step + 1])
    program = FlowProgram(history.run, read_edition(definition).flow, codec, _pack_child, max_steps=0)
    then: dict[str, Payload] = {}
    for number, _ in enumerate(program.replay(restore(history), pause_after=1), 1):
        if number == wanted:
            then = program.state()
    stored = {key: payload for key, payload in now.items() if key != CURSOR}
    return then if have_same_values(program.state(), stored) else None


def _pack_child(workflow: str, inputs: dict[str, Any]) -> Payload:
    raise AssertionError("a replay packs no inputs: they were accepted then")
