"""How to open a run again that has ended: from where, and what to try once more.

What was recorded stays recorded. A retry goes back to just before the failure that ended the run:
tasks that succeeded keep their results, those that failed or were cancelled are tried again under
their old numbers (and so their old idempotency keys), and whatever the run asked for after that
point is struck out, its numbers never to be used again.

That is for code, which can be brought to a place only by running it up to there. A program made of data has
no need to forget anything: all that succeeded stays, and the rest is tried again.
"""

from __future__ import annotations

from typing import NamedTuple

from holdfast.core.events import MessageId, Reopened
from holdfast.core.history import check_counts, read_steps, steps_that_count
from holdfast.core.journal import (
    ChildAsked,
    ChildCancelAsked,
    ChildHeard,
    EndAsked,
    MessageHeard,
    ReopenedHeard,
    StepRecord,
    TaskAsked,
    TaskCancelAsked,
    TaskHeard,
    TaskOpened,
    TaskRecorded,
    TimerAsked,
    UndoneMarked,
)
from holdfast.core.records import History, MessageKind
from holdfast.core.values import RunKey, RunStatus, TaskStatus, task_id


class ReopeningPlan(NamedTuple):
    event: Reopened
    tasks: list[int]
    """To be tried again."""
    messages: list[MessageId]
    """To be read again."""
    children: list[RunKey]
    """Runs to be retried first."""
    open_children: list[RunKey]
    """Runs that go on, unless the end of this one has cancelled them: `is_being_cancelled`."""
    overtaken: list[MessageId]
    """Cancellations that the run never read: it had come to its end by itself."""


def plan_reopening(history: History, kind: str = "code") -> ReopeningPlan:
    """`kind` is that of its workflow. Raises JournalCorrupt."""
    if kind == "code":
        return _plan_for_code(history)
    records = read_steps(history)
    steps = [record for _, record in steps_that_count(records)]
    undone = _undone_in_flow(steps) if kind == "flow" else _undone_in_dag(steps, records)
    return _plan_for_data(history, records, *undone)


def _undone_in_dag(steps: list[StepRecord], records: list[StepRecord]) -> tuple[set[int], set[int]]:
    """Every task and child that did not succeed: all of them have a part in how it ended."""
    asked = [each for record in steps for each in record.asked]
    tasks = {each.seq for each in asked if isinstance(each, TaskAsked)}
    children = {each.seq for each in asked if isinstance(each, ChildAsked)}
    return tasks, children - _heard_well(records)


def _undone_in_flow(steps: list[StepRecord]) -> tuple[set[int], set[int]]:
    """Those that it has ended with. Whatever failed before was dealt with: the flow went on."""
    tasks, children = _open_after(steps)
    for asked in steps[-1].asked if steps else ():
        if isinstance(asked, UndoneMarked):
            tasks, children = tasks.union(asked.tasks), children.union(asked.children)
    return tasks, children


def _plan_for_data(
    history: History, records: list[StepRecord], tasks: set[int], children: set[int]
) -> ReopeningPlan:
    for task in history.tasks:
        check_counts(task)
    tasks_again = [task.seq for task in history.tasks if task.seq in tasks and task.status in _UNDONE_TASK]
    again = [child for child in history.children if child.seq in children]
    event = Reopened(
        len(records), *_next_numbers(records), tuple(tasks_again), tuple(child.seq for child in again)
    )
    return ReopeningPlan(
        event,
        tasks_again,
        [],
        [child.key for child in again if child.status.is_undone],
        [child.key for child in again if not child.status.is_final],
        [it.id for it in history.messages if it.taken is None and it.kind is MessageKind.CANCEL],
    )


def _heard_well(records: list[StepRecord]) -> set[int]:
    """The children that were heard to have succeeded. A retry that was broken off may have opened others."""
    heard = [each for record in records for each in record.heard if isinstance(each, ChildHeard)]
    return {each.seq for each in heard if not each.has_failed}


_UNDONE_TASK = frozenset({TaskStatus.FAILED, TaskStatus.CANCELLED})


def _plan_for_code(history: History) -> ReopeningPlan:
    records = read_steps(history)
    counted = steps_that_count(records)
    position = _turning_point(history, counted)
    before = [record for at, record in counted if at < position]
    tasks, children = _open_after(before)
    for task in history.tasks:
        check_counts(task)
    return ReopeningPlan(
        Reopened(position, *_next_numbers(records)),
        [task.seq for task in history.tasks if task.seq in tasks and task.status in _UNDONE_TASK],
        [
            message.id
            for message in history.messages
            if message.taken is not None
            and message.taken >= position
            and message.kind not in (MessageKind.CANCEL, MessageKind.CHILD)
        ],
        [child.key for child in history.children if child.seq in children and child.status.is_undone],
        [
            child.key
            for child in history.children
            if child.seq in children & _attached(before) and not child.status.is_final
        ],
        [it.id for it in history.messages if it.taken is None and it.kind is MessageKind.CANCEL],
    )


def is_being_cancelled(history: History) -> bool:
    """Whether a run has been told to end, or will be, and has not ended yet."""
    cancels = [message for message in history.messages if message.kind is MessageKind.CANCEL]
    if history.run.status.is_final or not cancels:
        return False
    if any(message.taken is None for message in cancels):
        return True
    # A retry of its own has struck out the step that heard the others, or has gone on from there.
    heard: set[MessageId] = set()
    for position, step in steps_that_count(read_steps(history)):
        for each in step.heard:
            if isinstance(each, MessageHeard):
                heard.add(each.message)
            elif isinstance(each, ReopenedHeard) and each.position == position:
                heard.clear()
    return any(message.id in heard for message in cancels)


def goes_by_end_of(parent: History, seq: int) -> bool:
    """Whether the parent has heard how its child number `seq` ended, or will, and may replay that."""
    if parent.run.status not in (RunStatus.FAILED, RunStatus.CANCELLED):
        return not parent.run.status.is_final
    steps = steps_that_count(read_steps(parent))
    return any(
        isinstance(heard, ChildHeard) and heard.seq == seq for _, step in steps for heard in step.heard
    )


def _turning_point(history: History, counted: list[tuple[int, StepRecord]]) -> int:
    """The position of the step that brought the end: a failed task, a cancellation, or else the last."""
    if not counted:
        return 0
    last, final = counted[-1]
    if not any(isinstance(asked, EndAsked) for asked in final.asked):
        return last + 1  # it was cancelled while it was parked: no step of its own brought the end
    # A cancellation that the code has survived did not.
    was_cancelled = history.run.status is RunStatus.CANCELLED
    cancels = {it.id for it in history.messages if was_cancelled and it.kind is MessageKind.CANCEL}
    cause = history.run.failure.task if history.run.failure else None
    failed = {task.seq for task in history.tasks if task_id(task.run, task.seq) == cause}
    for position, record in counted:
        for heard in record.heard:
            if isinstance(heard, TaskHeard) and heard.seq in failed:
                return position
            if isinstance(heard, MessageHeard) and heard.message in cancels:
                return position
    return last


def _open_after(steps: list[StepRecord]) -> tuple[set[int], set[int]]:
    """The tasks and children that were asked for, but not ended or cancelled, in these steps."""
    tasks: set[int] = set()
    children: set[int] = set()
    for step in steps:
        tasks -= {heard.seq for heard in step.heard if isinstance(heard, TaskHeard)}
        children -= {heard.seq for heard in step.heard if isinstance(heard, ChildHeard)}
        for asked in step.asked:
            match asked:
                case TaskAsked():
                    tasks.add(asked.seq)
                case TaskCancelAsked():
                    tasks.discard(asked.seq)
                case ChildAsked():
                    children.add(asked.seq)
                case ChildCancelAsked():
                    children.discard(asked.seq)
                case _:
                    pass
    return tasks, children


def _attached(steps: list[StepRecord]) -> set[int]:
    """Children that end with their parent."""
    asked = (asked for step in steps for asked in step.asked)
    return {it.seq for it in asked if isinstance(it, ChildAsked) and not it.detached}


def _next_numbers(records: list[StepRecord]) -> tuple[int, int, int]:
    tasks = timers = children = 0
    for record in records:
        for asked in record.asked:
            match asked:
                case TaskAsked() | TaskOpened() | TaskRecorded():
                    tasks = max(tasks, asked.seq + 1)
                case TimerAsked():
                    timers = max(timers, asked.seq + 1)
                case ChildAsked():
                    children = max(children, asked.seq + 1)
                case _:
                    pass
    return tasks, timers, children
