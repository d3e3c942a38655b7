"""The journal: the ordered, append-only record of a run, with one step for each time it advanced.

A step is the instant, the events that were fed in, and the commands that came out. It is written as
MessagePack and holds no payloads. Those are stored once, as JSON, in the rows of tasks, messages and
runs, and the step refers to them by number. `history.restore` joins the two again.

Entries are arrays, not maps, to keep a step small. So a new field may only be added at the end of an entry.
Older versions ignore fields that they do not know, but refuse a kind of entry that they do not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias, assert_never, get_args

import msgspec

from holdfast.core.commands import (
    AnswerUpdate,
    AskQuestion,
    CancelChild,
    CancelRun,
    CancelTask,
    CancelTimer,
    CloseQuestion,
    Command,
    CompleteRun,
    ContinueRun,
    ExpectMessage,
    FailRun,
    MarkPatch,
    MarkUndone,
    OpenTask,
    RecordTask,
    ResumeChild,
    ResumeTask,
    ScheduleTask,
    SetState,
    StartChild,
    StartTimer,
)
from holdfast.core.events import (
    CancelRequested,
    ChildEnded,
    DeadlinePassed,
    Event,
    MessageId,
    PromiseAnswered,
    Reopened,
    SignalReceived,
    TaskEnded,
    TimerFired,
    UpdateReceived,
)
from holdfast.core.policies import DEFAULT_OPTIONS, TaskOptions
from holdfast.core.values import Failed, Instant, RunStatus, Succeeded
from holdfast.core.waiting import WaitKind
from holdfast.errors import HoldfastError, JournalCorrupt

# --- entries ----------------------------------------------------------------------------------


class _Entry(msgspec.Struct, frozen=True, array_like=True):
    pass


class TaskHeard(_Entry, frozen=True, tag="t", gc=False):
    seq: int


class ChildHeard(_Entry, frozen=True, tag="c", gc=False):
    seq: int
    has_failed: bool = False
    """How the child had ended then. Its row may differ now, because the child may have been reopened."""


class TimerHeard(_Entry, frozen=True, tag="f", gc=False):
    seq: int


class MessageHeard(_Entry, frozen=True, tag="m", gc=False):
    message: MessageId


class DeadlineHeard(_Entry, frozen=True, tag="d", gc=False):
    deadline: Instant


class ReopenedHeard(_Entry, frozen=True, tag="r", gc=False):
    """The run had ended and was reopened. Steps from `position` up to this one no longer count."""

    position: int
    tasks: int
    timers: int
    children: int
    tasks_again: tuple[int, ...] = ()
    children_again: tuple[int, ...] = ()
    questions: int = 0


class TimersMoved(_Entry, frozen=True, tag="tm", gc=False):
    """The run was paused for so many microseconds, and its open timers are due so much later. The store
    writes this as a step of its own, which no program hears. Versions that do not know this park the run,
    instead of firing the timers early."""

    by: int


Heard: TypeAlias = (
    TaskHeard | ChildHeard | TimerHeard | MessageHeard | DeadlineHeard | ReopenedHeard | TimersMoved
)


class TaskAsked(_Entry, frozen=True, tag="T", gc=False):
    seq: int
    name: str
    options: Any = DEFAULT_OPTIONS
    """TaskOptions. In a step that was read they are not decoded: `read_options` does that. It takes longer
    than the rest of the step, and only tasks that have not ended need it."""
    digest: int | None = None
    """Of the input. None: not known. Journals of 0.4.0 and before have none, here and below."""


class BranchAsked(TaskAsked, frozen=True, tag="B", gc=False):
    """A task whose row has only a part of its input. Versions that do not know this park the run, instead of
    running the task with that part."""

    shares: int = 0
    """The number of the task that the rest is stored with."""


class StepAsked(TaskAsked, frozen=True, tag="F", gc=False):
    """A task whose function the program has. Versions that do not know this park the run, instead of looking
    for a registered task of that name."""


class TaskOpened(_Entry, frozen=True, tag="O", gc=False):
    seq: int
    name: str


class TaskRecorded(_Entry, frozen=True, tag="L", gc=False):
    seq: int
    name: str


class TaskResumed(_Entry, frozen=True, tag="R", gc=False):
    seq: int


class ChildResumed(_Entry, frozen=True, tag="RC", gc=False):
    seq: int


class TaskCancelAsked(_Entry, frozen=True, tag="CT", gc=False):
    seq: int


class TimerAsked(_Entry, frozen=True, tag="W", gc=False):
    seq: int
    due: Instant


class TimerCancelAsked(_Entry, frozen=True, tag="CW", gc=False):
    seq: int


class ChildAsked(_Entry, frozen=True, tag="H", gc=False):
    seq: int
    workflow: str
    detached: bool = False
    id: str | None = None
    digest: int | None = None
    """Of the input."""
    terminated: bool = False


class ChildCancelAsked(_Entry, frozen=True, tag="CH", gc=False):
    seq: int


class StateAsked(_Entry, frozen=True, tag="S", gc=False):
    key: str
    digest: int | None = None
    """Of the value."""


class PatchMarked(_Entry, frozen=True, tag="P", gc=False):
    change_id: str


class UndoneMarked(_Entry, frozen=True, tag="U", gc=False):
    tasks: tuple[int, ...]
    children: tuple[int, ...] = ()


class UpdateAnswered(_Entry, frozen=True, tag="A", gc=False):
    """What the answer was does not count, as with the end of a run: nothing that follows depends on it."""

    message: MessageId
    has_failed: bool = False


class QuestionAsked(_Entry, frozen=True, tag="Q", gc=False):
    """Versions that do not know this park the run, instead of taking an old answer for the new question."""

    seq: int
    name: str


class QuestionClosed(_Entry, frozen=True, tag="CQ", gc=False):
    seq: int


class EndAsked(_Entry, frozen=True, tag="E", gc=False):
    status: RunStatus


class ChapterAsked(_Entry, frozen=True, tag="K", gc=False):
    """The last entry of a chapter: the next step belongs to another one. Versions that do not know this park
    the run, instead of replaying the steps of all chapters as one history."""

    chapter: int
    """The number of the new chapter."""


Requested: TypeAlias = (
    TaskAsked
    | BranchAsked
    | StepAsked
    | TaskOpened
    | TaskRecorded
    | TaskResumed
    | ChildResumed
    | TaskCancelAsked
    | TimerAsked
    | TimerCancelAsked
    | ChildAsked
    | ChildCancelAsked
    | StateAsked
    | PatchMarked
    | UndoneMarked
    | QuestionAsked
    | QuestionClosed
    | EndAsked
    | UpdateAnswered
    | ChapterAsked
)


class MessageAsked(msgspec.Struct, frozen=True, gc=False):
    """The code asked for a signal or a promise."""

    kind: WaitKind
    name: str


EXACT: Final = 1
"""The edition of steps in which every request is recorded, with the digest of its input."""

QUESTIONS: Final = 2
"""The edition of steps in which promises and approvals are recorded as questions. Before, a promise was known
by its name alone, and settled once."""


class StepRecord(msgspec.Struct, frozen=True, array_like=True):
    at: Instant
    heard: tuple[Heard, ...]
    asked: tuple[Requested, ...]
    """Tuples, and entries that the garbage collector does not track: it need not look at the hundred thousand
    steps of a long history."""
    edition: int = 0
    """0 for steps of 0.4.0 and before."""
    messages: list[tuple[int, WaitKind, str]] = []
    """Signals and promises that the code asked for, each with the number of entries in `asked` before it.
    They stand apart because older versions would refuse them among the others."""

    def requests(self) -> tuple[Requested | MessageAsked, ...]:
        """All requests, in the order in which they were made."""
        if not self.messages:
            return self.asked
        requests: list[Requested | MessageAsked] = [*self.asked]
        for before, kind, name in reversed(self.messages):
            requests.insert(before, MessageAsked(kind, name))
        return tuple(requests)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(StepRecord).decode
_REOPENED_TAG: Final = b"\xa1r"
"""How `ReopenedHeard` begins, after the head of its array."""
_SEARCHED_TOGETHER: Final = 1000
"""Steps. To search them one by one would take a tenth of the time of a replay."""


def write_step(at: Instant, events: Sequence[Event], commands: Sequence[Command]) -> bytes:
    heard = list(map(_heard, events))
    entries = list(map(entry_of, commands))
    if MessageAsked not in set(map(type, entries)):
        return _encode((at, heard, entries, QUESTIONS))
    asked: list[Requested] = []
    messages: list[tuple[int, WaitKind, str]] = []
    for entry in entries:
        if isinstance(entry, MessageAsked):
            messages.append((len(asked), entry.kind, entry.name))
        else:
            asked.append(entry)
    return _encode((at, heard, asked, QUESTIONS, messages))


def write_timers_moved(at: Instant, by: int) -> bytes:
    return _encode((at, [TimersMoved(by)], [], EXACT))


def _heard(event: Event) -> Heard:
    match event:
        case TaskEnded():
            return TaskHeard(event.seq)
        case TimerFired():
            return TimerHeard(event.seq)
        case ChildEnded():
            return ChildHeard(event.seq, not isinstance(event.outcome, Succeeded))
        case SignalReceived() | PromiseAnswered() | CancelRequested() | UpdateReceived():
            return MessageHeard(event.message)
        case DeadlinePassed():
            return DeadlineHeard(event.deadline)
        case Reopened():
            return ReopenedHeard(
                event.position,
                event.tasks,
                event.timers,
                event.children,
                event.tasks_again,
                event.children_again,
                event.questions,
            )
        case _:
            assert_never(event)


def entry_of(command: Command) -> Requested | MessageAsked:
    """The journal's entry for a command."""
    match command:
        case ScheduleTask():
            if command.shared is not None:
                return BranchAsked(
                    command.seq, command.name, command.options, command.digest, command.shared.seq
                )
            if command.options.is_step:
                return StepAsked(command.seq, command.name, command.options, command.digest)
            return TaskAsked(command.seq, command.name, command.options, command.digest)
        case CompleteRun():
            return EndAsked(RunStatus.SUCCESS)
        case OpenTask():
            return TaskOpened(command.seq, command.name)
        case RecordTask():
            return TaskRecorded(command.seq, command.name)
        case ResumeTask():
            return TaskResumed(command.seq)
        case ResumeChild():
            return ChildResumed(command.seq)
        case CancelTask():
            return TaskCancelAsked(command.seq)
        case StartTimer():
            return TimerAsked(command.seq, command.due)
        case CancelTimer():
            return TimerCancelAsked(command.seq)
        case StartChild():
            return ChildAsked(
                command.seq,
                command.workflow,
                command.detached,
                command.id,
                command.digest,
                command.terminated,
            )
        case CancelChild():
            return ChildCancelAsked(command.seq)
        case SetState():
            return StateAsked(command.key, command.digest)
        case ExpectMessage():
            return MessageAsked(command.kind, command.name)
        case AskQuestion():
            return QuestionAsked(command.seq, command.name)
        case CloseQuestion():
            return QuestionClosed(command.seq)
        case MarkPatch():
            return PatchMarked(command.change_id)
        case MarkUndone():
            return UndoneMarked(command.tasks, command.children)
        case AnswerUpdate():
            return UpdateAnswered(command.message, isinstance(command.outcome, Failed))
        case FailRun():
            return EndAsked(RunStatus.FAILED)
        case CancelRun():
            return EndAsked(RunStatus.CANCELLED)
        case ContinueRun():
            return ChapterAsked(command.chapter)
        case _:
            assert_never(command)


def read_step(position: int, data: bytes) -> StepRecord:
    try:
        return _decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise JournalCorrupt(position, str(error)) from None


def has_reopening(steps: Sequence[bytes]) -> bool:
    """Whether the run was reopened. It does not decode the steps, unless they look like it."""
    for first in range(0, len(steps), _SEARCHED_TOGETHER):
        some = steps[first : first + _SEARCHED_TOGETHER]
        if _REOPENED_TAG in b"".join(some) and any(
            isinstance(heard, ReopenedHeard)
            for position, data in enumerate(some, first)
            if _REOPENED_TAG in data
            for heard in read_step(position, data).heard
        ):
            return True
    return False


def shift_messages(step: bytes, by: int) -> bytes:
    """The step of a run whose messages have got other numbers, each higher by `by`. Raises JournalCorrupt.

    Entries that this version does not know stay as they are, so a new kind of entry that refers to a message
    must be in `Heard`."""
    try:
        record: list[Any] = msgspec.msgpack.decode(step)
        for entry in record[1]:
            place = _MESSAGE_PLACES.get(entry[0])
            if place is not None and entry[place] is not None:
                entry[place] += by
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, LookupError, TypeError) as error:
        raise JournalCorrupt(None, f"a step cannot be read ({error})") from None
    return _encode(record)


_MESSAGE_PLACES: Final = {
    kind.__struct_config__.tag: kind.__struct_fields__.index("message") + 1
    for kind in get_args(Heard)
    if "message" in kind.__struct_fields__
}
"""Where an entry has the number of a message, by its tag."""


def read_options(asked: TaskAsked) -> TaskOptions:
    """The options of a task in a step that was read. Raises JournalCorrupt."""
    if isinstance(asked.options, TaskOptions):
        return asked.options
    try:
        return msgspec.convert(asked.options, TaskOptions)
    except (msgspec.MsgspecError, HoldfastError) as error:
        raise JournalCorrupt(None, f"the options of task {asked.seq} cannot be read ({error})") from None
