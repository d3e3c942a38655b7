"""Commands: what a program asks for. They are named in the imperative and carried out after the commit.

`seq` counts per kind: the third task of a run is task 2, however many timers it started before. On replay
the program asks again and takes the same numbers. A request that differs from the recorded one is an error.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from holdfast.core.events import MessageId
from holdfast.core.policies import DEFAULT_OPTIONS, TaskOptions
from holdfast.core.run_options import RunTerms
from holdfast.core.shared_inputs import SharedInput
from holdfast.core.values import Failed, Failure, Instant, Outcome, Payload, Succeeded
from holdfast.core.waiting import WaitKind

NO_INPUT = Payload(b"{}")


class ScheduleTask(msgspec.Struct, frozen=True, gc=False):
    seq: int
    name: str
    input: Payload
    options: TaskOptions = DEFAULT_OPTIONS
    digest: int | None = None
    """Of the input, for replay."""
    shared: SharedInput | None = None
    """The rest of the input. It is stored with the task whose number it has."""


class OpenTask(msgspec.Struct, frozen=True):
    """Show a task that no executor runs. The program itself waits for a person, a child or a time, and
    records the outcome with `RecordTask`."""

    seq: int
    name: str
    input: Payload


class RecordTask(msgspec.Struct, frozen=True):
    """Journal the outcome of a task that no executor runs. The program has already done it (a local side
    effect), has opened it before (`OpenTask`), or skips it; the outcome of a skipped task is Cancelled."""

    seq: int
    name: str
    outcome: Outcome
    is_open: bool = False
    """`OpenTask` asked for it before."""
    input: Payload = NO_INPUT
    """Not used if the task is open: `OpenTask` gave the input."""


class ResumeTask(msgspec.Struct, frozen=True):
    """Run a task again that `Reopened` named. Until then the engine holds it back."""

    seq: int


class ResumeChild(msgspec.Struct, frozen=True):
    """Let a child go on that `Reopened` named. Until then the engine holds it back."""

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
    """None: the version that the starting node has."""
    id: str | None
    """None: the child is known only by its key, which is derived from the parent's key and `seq`."""
    input: Payload
    detached: bool = False
    """A detached child is not cancelled when its parent ends."""
    digest: int | None = None
    """Of the input, for replay."""
    terms: RunTerms | None = None
    """None: it has the priority of its parent, and nothing else."""
    terminated: bool = False
    """It is terminated when its parent ends, not cancelled."""


class CancelChild(msgspec.Struct, frozen=True):
    seq: int


class SetState(msgspec.Struct, frozen=True):
    key: str
    value: Payload | None
    """None deletes the key."""
    digest: int | None = None
    """Of the value, for replay."""


class ExpectMessage(msgspec.Struct, frozen=True):
    """Journal that the code has asked for a signal or a promise, so that replay can compare it."""

    kind: WaitKind
    name: str


class AnswerUpdate(msgspec.Struct, frozen=True):
    message: MessageId
    outcome: Succeeded | Failed


class AskQuestion(msgspec.Struct, frozen=True):
    """Ask the world outside for a value: a promise, a question to a person, an approval."""

    seq: int
    name: str
    details: Payload = NO_INPUT
    """`QuestionDetails`, for those who answer."""


class CloseQuestion(msgspec.Struct, frozen=True):
    """Nobody waits for the answer any more. An answer that comes later is refused, or dropped."""

    seq: int
    message: int | None = None
    """The message that answered it, if that was sent to no question in particular."""


class MarkPatch(msgspec.Struct, frozen=True):
    change_id: str


class MarkUndone(msgspec.Struct, frozen=True):
    """Name the tasks and children that a retry of this run must try again. A program asks for this if it may
    have dealt with some of the failures already."""

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


class ContinueRun(msgspec.Struct, frozen=True):
    """End this chapter, and go on as a new one: from the start of the code, with another input and without
    the history of this chapter. Always the last command of a chapter."""

    chapter: int
    """The number of the new chapter. The first one of a run is 0."""
    input: Payload
    tasks: int
    """The numbers of tasks, timers and children go on from these, so that none is used twice."""
    timers: int
    children: int
    state: bytes | None
    """The state that the new chapter begins with, as a JSON object. None: it is empty."""
    unread: tuple[int, ...]
    """Messages that this chapter has heard, and that are for the next one."""
    questions: bytes | None = None
    """`QuestionsOfChapter`, as JSON."""


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
    | ExpectMessage
    | AskQuestion
    | CloseQuestion
    | MarkPatch
    | MarkUndone
    | AnswerUpdate
    | EndRun
    | ContinueRun
)
