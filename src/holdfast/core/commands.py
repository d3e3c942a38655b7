"""Commands: what a program asks for. Requests, in the imperative, carried out after the commit.

`seq` counts per kind: the third task of a run is task 2 whatever timers it started before. On
replay a program asks again, takes the same numbers, and is held to what it asked for then.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from holdfast.core.policies import DEFAULT_OPTIONS, TaskOptions
from holdfast.core.values import Failure, Instant, Outcome, Payload

NO_INPUT = Payload(b"{}")


class ScheduleTask(msgspec.Struct, frozen=True, gc=False):
    seq: int
    name: str
    input: Payload
    options: TaskOptions = DEFAULT_OPTIONS


class OpenTask(msgspec.Struct, frozen=True):
    """Show a task that no executor runs: the program itself waits, for a person, a child or a time, and says
    with `RecordTask` what came of it."""

    seq: int
    name: str
    input: Payload


class RecordTask(msgspec.Struct, frozen=True):
    """Journal the outcome of a task that nobody runs: a local side effect that the program has already done,
    one that it has opened, or one that it skips (whose outcome is Cancelled)."""

    seq: int
    name: str
    outcome: Outcome
    is_open: bool = False
    """It was asked for with `OpenTask`."""
    input: Payload = NO_INPUT
    """What it was about; of one that was opened that has been said."""


class ResumeTask(msgspec.Struct, frozen=True):
    """Begin a task again that `Reopened` has named: its turn has come."""

    seq: int


class ResumeChild(msgspec.Struct, frozen=True):
    """Let a child go on that `Reopened` has named: its turn has come."""

    seq: int


class CancelTask(msgspec.Struct, frozen=True):
    seq: int


class StartTimer(msgspec.Struct, frozen=True):
    seq: int
    due: Instant


class CancelTimer(msgspec.Struct, frozen=True):
    seq: int


class StartChild(msgspec.Struct, frozen=True):
    seq: int
    workflow: str
    version: str | None
    """None: the version that the node which starts it has."""
    id: str | None
    """None: the child has no id but its key, which is derived from the parent's key and `seq`."""
    input: Payload
    detached: bool = False
    """A detached child is not cancelled when its parent ends."""


class CancelChild(msgspec.Struct, frozen=True):
    seq: int


class SetState(msgspec.Struct, frozen=True):
    key: str
    value: Payload | None
    """None deletes the key."""


class MarkPatch(msgspec.Struct, frozen=True):
    change_id: str


class MarkUndone(msgspec.Struct, frozen=True):
    """What the run ends with undone, and a retry is to try again. A flow says so: of what has failed in it,
    some was dealt with."""

    tasks: tuple[int, ...]
    children: tuple[int, ...] = ()


class CompleteRun(msgspec.Struct, frozen=True, gc=False):
    output: Payload


class FailRun(msgspec.Struct, frozen=True):
    failure: Failure


class CancelRun(msgspec.Struct, frozen=True):
    reason: str


EndRun: TypeAlias = CompleteRun | FailRun | CancelRun
"""Always the last command of a run."""

Command: TypeAlias = (
    ScheduleTask
    | OpenTask
    | RecordTask
    | ResumeTask
    | ResumeChild
    | CancelTask
    | StartTimer
    | CancelTimer
    | StartChild
    | CancelChild
    | SetState
    | MarkPatch
    | MarkUndone
    | EndRun
)
