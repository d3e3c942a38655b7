"""Restores a run from its rows: the events to replay, and the tasks, timers and children still open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from holdfast.core.events import (
    CancelRequested,
    ChildEnded,
    Event,
    MessageId,
    PromiseAnswered,
    Reopened,
    SignalReceived,
    TaskEnded,
    TimerFired,
)
from holdfast.core.journal import (
    EXACT,
    ChildAsked,
    ChildCancelAsked,
    ChildHeard,
    MessageAsked,
    MessageHeard,
    ReopenedHeard,
    Requested,
    StepRecord,
    TaskAsked,
    TaskCancelAsked,
    TaskHeard,
    TaskOpened,
    TaskRecorded,
    TaskResumed,
    TimerAsked,
    TimerCancelAsked,
    TimerHeard,
    read_step,
)
from holdfast.core.policies import TaskOptions
from holdfast.core.records import ChildRecord, History, MessageKind, MessageRecord, TaskRecord
from holdfast.core.values import (
    NULL,
    Cancelled,
    Failed,
    Failure,
    Instant,
    Outcome,
    Payload,
    RunStatus,
    Succeeded,
    TaskStatus,
    is_instant,
)
from holdfast.errors import JournalCorrupt

_MOST = 2**31 - 1
"""The largest integer that fits the columns of both databases."""


class Step(NamedTuple):
    at: Instant
    events: list[Event]
    asked: list[Requested | MessageAsked]
    is_exact: bool = True
    """Whether `asked` has every request, with the digests of inputs. Steps of 0.4.0 and before do not."""


class UnsettledTask(NamedTuple):
    record: TaskRecord
    options: TaskOptions


class Past(msgspec.Struct):
    """A run as its journal has it: the steps to replay, and what was still open after the last one."""

    steps: list[Step] = []
    position: int = 0
    """The position of the next step to be written."""
    local: dict[int, Outcome] = {}
    """Outcomes of tasks that the program recorded itself, by task number."""
    tasks: dict[int, UnsettledTask] = {}
    held_back: dict[int, UnsettledTask] = {}
    """Tasks to try again once the program asks for it (`ResumeTask`)."""
    timers: dict[int, Instant] = {}
    children: dict[int, ChildRecord | None] = {}
    """Open children. None: the id belonged to another run, so the child was never started."""
    attached: set[int] = set()
    """The open children to cancel when the run ends."""
    unheard: list[Event] = []
    """Events since the last step, in order."""
    stale: list[MessageId] = []
    """Unread messages of children that are no longer open: the run cancelled them before they ended."""


NOTHING = Past()
"""The past of a run that has not begun."""


def task_outcome(record: TaskRecord) -> Outcome:
    """How a task ended, from its row. Raises JournalCorrupt if the row is not final."""
    match record.status:
        case TaskStatus.SUCCESS:
            return Succeeded(record.output or NULL)
        case TaskStatus.CANCELLED | TaskStatus.SKIPPED:
            return Cancelled()
        case TaskStatus.FAILED:
            return Failed(record.failure or _unknown_failure())
        case _:
            raise JournalCorrupt(
                None, f"task {record.seq} ended, says the journal, but its row is {record.status}"
            )


def cancellation(reason: str) -> Failure:
    """The failure that the row of a cancelled run keeps; `run_outcome` reads it."""
    return Failure(type="cancelled", message=reason)


def run_outcome(status: RunStatus, output: Payload | None, failure: Failure | None) -> Outcome:
    """How a run ended, from its row. Raises JournalCorrupt if the row is not final."""
    match status:
        case RunStatus.SUCCESS:
            return Succeeded(output or NULL)
        case RunStatus.FAILED:
            return Failed(failure or _unknown_failure())
        case RunStatus.CANCELLED:
            return Cancelled(failure.message if failure else "")
        case _:
            raise JournalCorrupt(None, f"a child ended, says the journal, but its row is {status}")


def _unknown_failure() -> Failure:
    return Failure(type="holdfast.errors:HoldfastError", message="the failure was not recorded")


def check_counts(task: TaskRecord) -> None:
    """Raises JournalCorrupt if the counts are impossible. Counting on from them, the store's columns would
    overflow."""
    if not 1 <= task.attempt < _MOST or not 0 <= task.lost < _MOST or not 0 <= task.forgiven < _MOST:
        raise JournalCorrupt(None, f"the counts of attempts of task {task.seq} are out of range")


def message_event(message: MessageRecord) -> Event:
    """The event for a signal, an answered promise or a cancellation.

    A payload that is not as expected is read as text: a message that cannot be read would block its run for
    ever. Raises JournalCorrupt for other kinds; a CHILD message needs the child's row.
    """
    match message.kind:
        case MessageKind.SIGNAL:
            return SignalReceived(message.id, message.name, message.payload)
        case MessageKind.RESOLVED:
            return PromiseAnswered(message.id, message.name, Succeeded(message.payload))
        case MessageKind.REJECTED:
            return PromiseAnswered(message.id, message.name, Failed(_read_failure(message.payload)))
        case MessageKind.CANCEL:
            return CancelRequested(message.id, _read_text(message.payload))
        case MessageKind.CHILD:
            raise JournalCorrupt(
                None, f"message {message.id} is about a child, but the journal has it as another kind"
            )
        case MessageKind.TASK:
            raise JournalCorrupt(
                None, f"message {message.id} is about a task, but the journal has it as another kind"
            )
        case MessageKind.UNKNOWN:
            raise JournalCorrupt(None, f"message {message.id} is of a kind that this version does not know")


_LONGEST_NUMBER = 10
"""In digits. int() raises another error for thousands of digits."""


def child_number(message: MessageRecord) -> int:
    """The number of the child that a CHILD message is about. Raises JournalCorrupt."""
    return _number_in(message, "child")


def task_number(message: MessageRecord) -> int:
    """The number of the task that a TASK message is about. Raises JournalCorrupt."""
    return _number_in(message, "task")


def _number_in(message: MessageRecord, what: str) -> int:
    if not message.name.isdecimal() or len(message.name) > _LONGEST_NUMBER:
        raise JournalCorrupt(None, f"message {message.id} names {what} {message.name!r}, not a number")
    return int(message.name)


def _read_failure(payload: Payload) -> Failure:
    try:
        return msgspec.json.decode(payload, type=Failure)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Failure(type="builtins:ValueError", message=_read_text(payload))


def _read_text(payload: Payload) -> str:
    try:
        return msgspec.json.decode(payload, type=str)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return payload.decode(errors="replace")


def read_steps(history: History) -> list[StepRecord]:
    """Raises JournalCorrupt."""
    if history.damage is not None:
        raise JournalCorrupt(None, history.damage)
    return [read_step(position, data) for position, data in enumerate(history.steps)]


def steps_that_count(records: list[StepRecord]) -> list[tuple[int, StepRecord]]:
    """The steps with their positions, without those that a later reopening struck out."""
    counted: list[tuple[int, StepRecord]] = []
    for position, record in enumerate(records):
        for heard in record.heard:
            if isinstance(heard, ReopenedHeard):
                counted = [step for step in counted if step[0] < heard.position]
        counted.append((position, record))
    return counted


def restore(history: History) -> Past:
    """Join the journal with the rows it refers to. Raises JournalCorrupt."""
    return _Restorer(history).restore()


class _Restorer:
    def __init__(self, history: History) -> None:
        self._history = history
        self._tasks = {task.seq: task for task in history.tasks}
        self._messages = {message.id: message for message in history.messages}
        self._children = {child.seq: child for child in history.children}
        self._options: dict[int, TaskOptions] = {}
        self._attached: set[int] = set()
        self._tasks_again: dict[int, int] = {}
        """Tasks that failed and were tried again, with the position of the last step that reopened them."""
        self._children_again: dict[int, int] = {}
        self._past = Past()
        self._told = {child_number(it): it.id for it in history.messages if _is_unread_child(it)}
        """Unread messages that a child has ended, by its number."""

    def restore(self) -> Past:
        past = self._past
        records = read_steps(self._history)
        past.position = len(records)
        self._check(records)
        counted = steps_that_count(records)
        self._find_again(counted)
        for position, record in counted:
            events = [self._event(position, heard) for heard in record.heard]
            past.steps.append(Step(record.at, events, record.requests(), record.edition >= EXACT))
            self._close(position, events)
            for asked in record.asked:
                self._open(position, asked)
        past.unheard = list(self._unheard())
        past.stale = [id for seq, id in self._told.items() if seq not in past.children]
        return past

    def _check(self, records: list[StepRecord]) -> None:
        """Raises JournalCorrupt for rows that no step asked for, and for impossible instants and numbers.
        Otherwise a later commit, with the rows of a thousand other runs, would be refused by the store."""
        asked = [(position, each) for position, record in enumerate(records) for each in record.asked]
        tasks = {each.seq for _, each in asked if isinstance(each, (TaskAsked, TaskOpened, TaskRecorded))}
        children = {each.seq for _, each in asked if isinstance(each, ChildAsked)}
        for seq in [*(self._tasks.keys() - tasks), *(self._children.keys() - children)]:
            raise JournalCorrupt(None, f"there is a row for number {seq}, which no step has asked for")
        for position, record in enumerate(records):
            if not is_instant(record.at):
                raise JournalCorrupt(position, f"its instant {record.at} is out of range")
            for heard in record.heard:
                if isinstance(heard, ReopenedHeard) and not 0 <= heard.position <= position:
                    raise JournalCorrupt(position, f"it goes back to step {heard.position}")
        for position, each in asked:
            if isinstance(each, TimerAsked) and not is_instant(each.due):
                raise JournalCorrupt(position, f"its timer is due at {each.due}, which is out of range")
            if not 0 <= getattr(each, "seq", 0) < _MOST:
                raise JournalCorrupt(position, f"it asks for a number that is out of range: {each}")
        for task in self._tasks.values():
            check_counts(task)
            if task.due_at is not None and not is_instant(task.due_at):
                raise JournalCorrupt(None, f"task {task.seq} is due at {task.due_at}, which is out of range")

    def _find_again(self, counted: list[tuple[int, StepRecord]]) -> None:
        for position, record in counted:
            for heard in record.heard:
                if isinstance(heard, ReopenedHeard):
                    self._tasks_again.update(dict.fromkeys(heard.tasks_again, position))
                    self._children_again.update(dict.fromkeys(heard.children_again, position))

    def _open(self, position: int, asked: Requested) -> None:
        past = self._past
        match asked:
            case TaskAsked():
                past.tasks[asked.seq] = UnsettledTask(self._task(position, asked.seq), asked.options)
                self._options[asked.seq] = asked.options
            case TaskRecorded():
                past.local[asked.seq] = task_outcome(self._task(position, asked.seq))
            case TaskResumed():
                held = past.held_back.pop(asked.seq, None)
                if held is None:
                    raise JournalCorrupt(position, f"it resumes task {asked.seq}, which is not held back")
                past.tasks[asked.seq] = held
            case TaskCancelAsked():
                past.tasks.pop(asked.seq, None)
            case TimerAsked():
                past.timers[asked.seq] = asked.due
            case TimerCancelAsked():
                past.timers.pop(asked.seq, None)
            case ChildAsked():
                past.children[asked.seq] = self._children.get(asked.seq)
                if not asked.detached:
                    past.attached.add(asked.seq)
            case ChildCancelAsked():
                past.children.pop(asked.seq, None)
            case _:
                pass  # state, patches, ends and opened tasks leave nothing open for the engine

    def _open_again(self, position: int, event: Reopened) -> None:
        for seq in event.tasks_again:
            if seq not in self._options:
                raise JournalCorrupt(position, f"it tries task {seq} again, which was never asked for")
            self._past.tasks.pop(seq, None)
            self._past.held_back[seq] = UnsettledTask(self._task(position, seq), self._options[seq])
        for seq in event.children_again:
            self._past.children[seq] = self._children.get(seq)

    def _close(self, position: int, events: Iterable[Event]) -> None:
        for event in events:
            match event:
                case TaskEnded():
                    self._past.tasks.pop(event.seq, None)
                case TimerFired():
                    self._past.timers.pop(event.seq, None)
                case ChildEnded():
                    self._past.children.pop(event.seq, None)
                case Reopened():
                    self._open_again(position, event)
                case _:
                    pass

    def _event(self, position: int, heard: object) -> Event:
        match heard:
            case TaskHeard():
                if self._tasks_again.get(heard.seq, -1) > position:
                    return TaskEnded(heard.seq, Failed(TRIED_AGAIN))
                return TaskEnded(heard.seq, task_outcome(self._task(position, heard.seq)))
            case ChildHeard():
                child = self._children.get(heard.seq)
                was_opened = child is not None and not child.status.is_undone
                if self._children_again.get(heard.seq, -1) > position or (heard.has_failed and was_opened):
                    return ChildEnded(heard.seq, Failed(TRIED_AGAIN))
                return ChildEnded(heard.seq, self._child_outcome(heard.seq))
            case TimerHeard():
                return TimerFired(heard.seq)
            case MessageHeard():
                message = self._messages.get(heard.message)
                if message is None:
                    raise JournalCorrupt(position, f"it refers to message {heard.message}, which is gone")
                return message_event(message)
            case ReopenedHeard():
                return Reopened(
                    heard.position,
                    heard.tasks,
                    heard.timers,
                    heard.children,
                    heard.tasks_again,
                    heard.children_again,
                )
            case _:
                raise JournalCorrupt(position, f"unknown entry {heard!r}")

    def _unheard(self) -> Iterable[Event]:
        """Recorded outcomes and messages that no step has heard: after a reopening, by others, or left
        for a step that never came. Tasks and children are in the order in which they ended."""
        tasks = [task.record for task in self._past.tasks.values() if task.record.status.is_final]
        for record in sorted(tasks, key=lambda task: (task.finished_at or 0, task.seq)):
            yield TaskEnded(record.seq, task_outcome(record))
        children = self._past.children.items()
        ended = [seq for seq, child in children if child is None or child.status.is_final]
        for seq in sorted(ended, key=lambda seq: self._told.get(seq, 0)):
            yield ChildEnded(seq, self._child_outcome(seq), self._told.get(seq))
        for message in self._history.messages:
            if message.taken is None and message.kind not in (MessageKind.CHILD, MessageKind.TASK):
                yield message_event(message)

    def _child_outcome(self, seq: int) -> Outcome:
        child = self._children.get(seq)
        if child is None:
            return Failed(CHILD_EXISTS)
        return run_outcome(child.status, child.output, child.failure)

    def _task(self, position: int, seq: int) -> TaskRecord:
        record = self._tasks.get(seq)
        if record is None:
            raise JournalCorrupt(position, f"it refers to task {seq}, which is gone")
        return record


def _is_unread_child(message: MessageRecord) -> bool:
    return message.kind is MessageKind.CHILD and message.taken is None


TRIED_AGAIN = Failure(
    type="holdfast.errors:TaskError",
    message="it failed, and was tried again when the run was retried",
)
"""Stands for how a task or child ended before the retry. Its row has only the later end."""

CHILD_EXISTS = Failure(
    type="holdfast.errors:RunExists",
    message="the id of this child belongs to another run; give the child another id",
)
