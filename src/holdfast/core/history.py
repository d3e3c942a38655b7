"""Restores a run from its rows: the events to replay, and the tasks, timers and children still open."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import NamedTuple

import msgspec

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
from holdfast.core.journal import (
    EXACT,
    QUESTIONS,
    ChildAsked,
    ChildCancelAsked,
    ChildHeard,
    DeadlineHeard,
    MessageAsked,
    MessageHeard,
    ReopenedHeard,
    Requested,
    StepAsked,
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
    TimersMoved,
    has_reopening,
    read_options,
    read_step,
)
from holdfast.core.pieces import Pieces, finish
from holdfast.core.policies import TaskOptions
from holdfast.core.records import (
    ACTS,
    FIRST_CHAPTER,
    ChapterStart,
    ChildRecord,
    History,
    MessageKind,
    MessageRecord,
    TaskRecord,
)
from holdfast.core.sealed import is_sealed, opened, why_sealed
from holdfast.core.values import (
    FIRST_INSTANT,
    LAST_INSTANT,
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


class Step(msgspec.Struct, frozen=True, gc=False):
    at: Instant
    events: tuple[Event, ...]
    asked: tuple[Requested | MessageAsked, ...]
    is_exact: bool = True
    """Whether `asked` has every request, with the digests of inputs. Steps of 0.4.0 and before do not."""
    has_questions: bool = True
    """Whether promises and approvals are recorded as questions. Steps of 0.4.0 and before have none."""


class UnsettledTask(NamedTuple):
    record: TaskRecord
    options: TaskOptions


class Past(msgspec.Struct):
    """A run as its journal has it: the steps to replay, and what was still open after the last one."""

    steps: list[Step] = []
    """Replay takes them out as it goes."""
    at: Instant | None = None
    """The time of the last step."""
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
    terminated: set[int] = set()
    """Those of them that are terminated instead."""
    unheard: list[Event] = []
    """Events since the last step, in order."""
    is_overdue: bool = False
    """It has heard that its deadline has passed."""
    stale: list[MessageId] = []
    """Unread messages of children that are no longer open: the run cancelled them before they ended, or they
    are of an earlier chapter."""
    chapter: ChapterStart = FIRST_CHAPTER
    is_only_reopened: bool = False
    """It had ended before its first step, and was retried."""

    @property
    def is_begun(self) -> bool:
        """Whether its first step, or the first one of its chapter, is recorded."""
        return self.position > self.chapter.first_position and not self.is_only_reopened


def task_outcome(record: TaskRecord) -> Outcome:
    """How a task ended, from its row. Raises JournalCorrupt if the row is not final."""
    if not record.status.is_final:
        raise JournalCorrupt(
            None, f"task {record.seq} ended, says the journal, but its row is {record.status}"
        )
    return settled_outcome(record.status, record.output, record.failure)


def settled_outcome(status: TaskStatus, output: Payload | None, failure: Failure | None) -> Outcome:
    if status is TaskStatus.SUCCESS:
        return Succeeded(output or NULL)
    return Failed(failure or _unknown_failure()) if status is TaskStatus.FAILED else Cancelled()


def cancellation(reason: str) -> Failure:
    """The failure that the row of a cancelled run keeps; `run_outcome` reads it."""
    return Failure(type="cancelled", message=reason)


def termination_reason(reason: str, by: str = "") -> str:
    """The reason that the row of a terminated run has."""
    return f"terminated{f' by {by}' if by else ''}{f': {reason}' if reason else ''}"


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
    """The event for a signal, an update, an answered promise or a cancellation.

    A payload that is not as expected is read as text: a message that cannot be read would block its run for
    ever. Raises JournalCorrupt for other kinds; a CHILD message needs the child's row.
    """
    match message.kind:
        case MessageKind.SIGNAL:
            return SignalReceived(message.id, message.name, opened(message.payload))
        case MessageKind.RESOLVED:
            return _answer(message, Succeeded(opened(message.payload)))
        case MessageKind.REJECTED:
            return _answer(message, Failed(_read_failure(opened(message.payload))))
        case MessageKind.CANCEL:
            return CancelRequested(message.id, read_text(message.payload))
        case MessageKind.UPDATE:
            return UpdateReceived(message.id, message.name, opened(message.payload))
        case MessageKind.CHILD:
            raise JournalCorrupt(
                None, f"message {message.id} is about a child, but the journal has it as another kind"
            )
        case MessageKind.TASK:
            raise JournalCorrupt(
                None, f"message {message.id} is about a task, but the journal has it as another kind"
            )
        case (
            MessageKind.TERMINATE
            | MessageKind.PAUSE
            | MessageKind.TRY_NOW
            | MessageKind.RESUME
            | MessageKind.RETRY
        ):
            raise JournalCorrupt(
                None, f"message {message.id} is for the engine, but the journal has it as another kind"
            )
        case MessageKind.UNKNOWN:
            raise JournalCorrupt(None, f"message {message.id} is of a kind that this version does not know")


def _answer(message: MessageRecord, outcome: Outcome) -> PromiseAnswered:
    return PromiseAnswered(
        message.id, message.name, outcome, message.question, message.by or "", message.comment or ""
    )


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
        return Failure(type="builtins:ValueError", message=read_text(payload))


def read_text(payload: Payload) -> str:
    """The text of a message. What is not a JSON text is read as it is."""
    try:
        return msgspec.json.decode(payload, type=str)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return why_sealed(payload) if is_sealed(payload) else payload.decode(errors="replace")


def read_steps(history: History) -> list[StepRecord]:
    """Raises JournalCorrupt."""
    if history.damage is not None:
        raise JournalCorrupt(None, history.damage)
    first = history.chapter.first_position
    return [read_step(position, data) for position, data in enumerate(history.steps, first)]


def steps_that_count(records: list[StepRecord], first: int = 0) -> list[tuple[int, StepRecord]]:
    """The steps with their positions, without those that a later reopening struck out. `first` is the
    position of the first one."""
    counted: list[tuple[int, StepRecord]] = []
    for position, record in enumerate(records, first):
        for heard in record.heard:
            if isinstance(heard, ReopenedHeard):
                counted = [step for step in counted if step[0] < heard.position]
        counted.append((position, record))
    return counted


def _only_reopens(record: StepRecord) -> bool:
    return not record.asked and all(isinstance(heard, ReopenedHeard) for heard in record.heard)


def restore(history: History) -> Past:
    """Join the journal with the rows it refers to. Raises JournalCorrupt."""
    return finish(restore_in_pieces(history, len(history.steps) + 1))


def restore_in_pieces(history: History, steps: int) -> Pieces[Past]:
    """As `restore`. It may pause after so many steps, and again after as many."""
    return _Restorer(history).restore(steps)


class _Restorer:
    def __init__(self, history: History) -> None:
        self._history = history
        self._tasks = {task.seq: task for task in history.tasks}
        self._outcomes = self._known_outcomes = history.outcomes
        """How tasks ended. `_known_outcomes` are those that hold for every step: none, if a task was tried
        again."""
        self._messages = {message.id: message for message in history.messages}
        self._children = {child.seq: child for child in history.children}
        self._requests: dict[int, TaskAsked] = {}
        """Of all tasks that were asked for, if any was tried again."""
        self._open_tasks: dict[int, TaskAsked] = {}
        """Tasks that were asked for and not heard to end, in the order of the requests."""
        self._held_tasks: dict[int, TaskAsked] = {}
        self._asked_tasks: set[int] = set()
        self._asked_children: set[int] = set()
        self._tasks_again: dict[int, int] = {}
        """Tasks that failed and were tried again, with the position of the last step that reopened them."""
        self._children_again: dict[int, int] = {}
        self._first = history.chapter.first_position
        self._past = Past(chapter=history.chapter)
        self._told = {child_number(it): it.id for it in history.messages if _is_unread_child(it)}
        """Unread messages that a child has ended, by its number."""

    def restore(self, pause_after: int) -> Pieces[Past]:
        past = self._past
        if self._history.damage is not None:
            raise JournalCorrupt(None, self._history.damage)
        past.position = self._history.next_position
        counted = yield from self._steps_that_count(pause_after)
        steps, add_step = past.steps, past.steps.append
        for position, record in counted:
            if not record.asked and self._move_timers(position, record):
                continue
            at, events = record.at, self._hear(position, record)
            asked = record.requests() if record.messages else record.asked
            edition = record.edition
            add_step(Step(at, events, asked, edition >= EXACT, edition >= QUESTIONS))
            if not len(steps) % pause_after:
                yield
        if steps:
            past.at = steps[-1].at
        self._check_rows()
        past.tasks, past.held_back = self._unsettled(self._open_tasks), self._unsettled(self._held_tasks)
        past.unheard = list(self._unheard())
        past.stale = [id for seq, id in self._told.items() if seq not in past.children]
        return past

    def _steps_that_count(self, pause_after: int) -> Pieces[Iterable[tuple[int, StepRecord]]]:
        steps = self._history.steps
        if not has_reopening(steps):
            return enumerate(map(read_step, count(self._first), steps), self._first)
        records: list[StepRecord] = []
        for position, data in enumerate(steps, self._first):
            records.append(read_step(position, data))
            self._check_heard(position, records[-1])
            if position % pause_after == pause_after - 1:
                yield
        self._past.is_only_reopened = not self._history.chapter.number and all(map(_only_reopens, records))
        counted = steps_that_count(records, self._first)
        standing = {position for position, _ in counted}
        for position, record in enumerate(records, self._first):
            for asked in record.asked if position not in standing else ():
                self._check_asked(position, asked)
        self._find_again(counted)
        return counted

    def _hear(self, position: int, record: StepRecord) -> tuple[Event, ...]:
        """The events of a step. Keeps account of what is open after it."""
        if not FIRST_INSTANT <= record.at <= LAST_INSTANT:
            raise JournalCorrupt(position, f"its instant {record.at} is out of range")
        outcomes = self._known_outcomes
        # Nearly all events and requests are about tasks that are settled. `_event` and `_open` do the same
        # for all others, but take three times as long.
        events: list[Event] = []
        for heard in record.heard:
            if type(heard) is TaskHeard and (seq := heard.seq) in outcomes:
                self._open_tasks.pop(seq, None)
                event = TaskEnded(seq, outcomes[seq])
            else:
                event = self._event(position, heard)
            events.append(event)
        for asked in record.asked:
            if (type(asked) is TaskAsked or type(asked) is StepAsked) and (seq := asked.seq) in outcomes:
                self._asked_tasks.add(seq)
                self._open_tasks[seq] = asked
            else:
                self._check_asked(position, asked)
                self._open(position, asked)
        return tuple(events)

    def _move_timers(self, position: int, record: StepRecord) -> bool:
        """Whether the step only says that the open timers are due later. Programs do not hear that."""
        for heard in record.heard:
            if type(heard) is not TimersMoved:
                return False
            if heard.by < 0:
                raise JournalCorrupt(position, f"it moves timers by {heard.by}")
            timers = self._past.timers
            timers.update({seq: Instant(min(due + heard.by, LAST_INSTANT)) for seq, due in timers.items()})
        return bool(record.heard)

    def _check_heard(self, position: int, record: StepRecord) -> None:
        for heard in record.heard:
            if type(heard) is ReopenedHeard and not self._first <= heard.position <= position:
                raise JournalCorrupt(position, f"it goes back to step {heard.position}")

    def _check_asked(self, position: int, asked: Requested) -> None:
        """Raises JournalCorrupt for impossible instants and numbers. Otherwise a later commit, with the rows
        of a thousand other runs, would be refused by the store."""
        seq = getattr(asked, "seq", 0)
        if not 0 <= seq < _MOST:
            raise JournalCorrupt(position, f"it asks for a number that is out of range: {asked}")
        match asked:
            case TaskAsked() | TaskOpened() | TaskRecorded():
                self._asked_tasks.add(seq)
            case ChildAsked():
                self._asked_children.add(seq)
            case TimerAsked() if not is_instant(asked.due):
                raise JournalCorrupt(position, f"its timer is due at {asked.due}, which is out of range")
            case _:
                pass

    def _check_rows(self) -> None:
        """Raises JournalCorrupt for rows that no step asked for, and for impossible instants and numbers."""
        for rows, asked in (
            (self._outcomes, self._asked_tasks),
            (self._tasks, self._asked_tasks),
            (self._children, self._asked_children),
        ):
            if not rows.keys() <= asked:
                seq = min(rows.keys() - asked)
                raise JournalCorrupt(None, f"there is a row for number {seq}, which no step has asked for")
        for task in self._tasks.values():
            check_counts(task)
            if task.due_at is not None and not is_instant(task.due_at):
                raise JournalCorrupt(None, f"task {task.seq} is due at {task.due_at}, which is out of range")

    def _find_again(self, counted: list[tuple[int, StepRecord]]) -> None:
        for position, record in counted:
            for heard in record.heard:
                if type(heard) is ReopenedHeard:
                    self._tasks_again.update(dict.fromkeys(heard.tasks_again, position))
                    self._children_again.update(dict.fromkeys(heard.children_again, position))
        if self._tasks_again:
            self._known_outcomes = {}

    def _open(self, position: int, asked: Requested) -> None:
        past = self._past
        match asked:
            case TaskAsked():
                self._require_task(position, asked.seq)
                self._open_tasks[asked.seq] = asked
                if self._tasks_again:
                    self._requests[asked.seq] = asked
            case TaskRecorded():
                past.local[asked.seq] = self._task_outcome(position, asked.seq)
            case TaskResumed():
                held = self._held_tasks.pop(asked.seq, None)
                if held is None:
                    raise JournalCorrupt(position, f"it resumes task {asked.seq}, which is not held back")
                self._open_tasks[asked.seq] = held
            case TaskCancelAsked():
                self._open_tasks.pop(asked.seq, None)
            case TimerAsked():
                past.timers[asked.seq] = asked.due
            case TimerCancelAsked():
                past.timers.pop(asked.seq, None)
            case ChildAsked():
                past.children[asked.seq] = self._children.get(asked.seq)
                if not asked.detached:
                    past.attached.add(asked.seq)
                if asked.terminated:
                    past.terminated.add(asked.seq)
            case ChildCancelAsked():
                past.children.pop(asked.seq, None)
            case _:
                pass  # state, patches, questions, ends and opened tasks leave nothing open for the engine

    def _open_again(self, position: int, event: Reopened) -> None:
        self._past.is_overdue = False  # it may have another deadline now
        for seq in event.tasks_again:
            if seq not in self._requests:
                raise JournalCorrupt(position, f"it tries task {seq} again, which was never asked for")
            self._open_tasks.pop(seq, None)
            self._require_task(position, seq)
            self._held_tasks[seq] = self._requests[seq]
        for seq in event.children_again:
            self._past.children[seq] = self._children.get(seq)

    def _event(self, position: int, heard: object) -> Event:
        match heard:
            case TaskHeard():
                self._open_tasks.pop(heard.seq, None)
                if self._tasks_again.get(heard.seq, -1) > position:
                    return TaskEnded(heard.seq, Failed(TRIED_AGAIN))
                return TaskEnded(heard.seq, self._task_outcome(position, heard.seq))
            case ChildHeard():
                self._past.children.pop(heard.seq, None)
                child = self._children.get(heard.seq)
                was_opened = child is not None and not child.status.is_undone
                if self._children_again.get(heard.seq, -1) > position or (heard.has_failed and was_opened):
                    return ChildEnded(heard.seq, Failed(TRIED_AGAIN))
                return ChildEnded(heard.seq, self._child_outcome(heard.seq))
            case TimerHeard():
                self._past.timers.pop(heard.seq, None)
                return TimerFired(heard.seq)
            case MessageHeard():
                message = self._messages.get(heard.message)
                if message is None:
                    raise JournalCorrupt(position, f"it refers to message {heard.message}, which is gone")
                return message_event(message)
            case DeadlineHeard():
                self._past.is_overdue = True
                return DeadlinePassed(heard.deadline)
            case ReopenedHeard():
                reopened = Reopened(
                    heard.position,
                    heard.tasks,
                    heard.timers,
                    heard.children,
                    heard.tasks_again,
                    heard.children_again,
                    heard.questions,
                )
                self._open_again(position, reopened)
                return reopened
            case _:
                raise JournalCorrupt(position, f"unknown entry {heard!r}")

    def _unheard(self) -> Iterable[Event]:
        """Recorded outcomes and messages that no step has heard: after a reopening, by others, or left
        for a step that never came. Children are in the order in which they ended."""
        for seq in self._open_tasks:
            if seq in self._outcomes:
                yield TaskEnded(seq, self._outcomes[seq])
            elif self._tasks[seq].status.is_final:
                yield TaskEnded(seq, task_outcome(self._tasks[seq]))
        children = self._past.children.items()
        ended = [seq for seq, child in children if child is None or child.status.is_final]
        for seq in sorted(ended, key=lambda seq: self._told.get(seq, 0)):
            yield ChildEnded(seq, self._child_outcome(seq), self._told.get(seq))
        for message in self._history.messages:
            if message.taken is None and message.kind not in NO_EVENTS:
                yield message_event(message)

    def _child_outcome(self, seq: int) -> Outcome:
        child = self._children.get(seq)
        if child is None:
            return Failed(CHILD_EXISTS)
        return run_outcome(child.status, child.output, child.failure)

    def _task_outcome(self, position: int, seq: int) -> Outcome:
        outcome = self._outcomes.get(seq)
        if outcome is None:
            self._require_task(position, seq)
            outcome = task_outcome(self._tasks[seq])
        return outcome

    def _require_task(self, position: int, seq: int) -> None:
        if seq not in self._outcomes and seq not in self._tasks:
            raise JournalCorrupt(position, f"it refers to task {seq}, which is gone")

    def _unsettled(self, tasks: dict[int, TaskAsked]) -> dict[int, UnsettledTask]:
        return {
            seq: UnsettledTask(self._tasks[seq], read_options(asked))
            for seq, asked in tasks.items()
            if seq in self._tasks
        }


NO_EVENTS = ACTS | {MessageKind.CHILD, MessageKind.TASK}
"""Messages that no program hears as they are."""


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
