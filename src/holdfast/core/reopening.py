"""Reopening an ended run: what every kind of workflow needs in order to plan it.

Nothing is removed from the journal. Some programs go back to just before the failure that ended the run.
Others keep everything that succeeded and try the rest again. Each kind of workflow makes its own plan
(`authoring/*/reopening.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.core.events import MessageId, Reopened
from holdfast.core.history import check_counts, read_steps, steps_that_count
from holdfast.core.journal import (
    ChildAsked,
    ChildCancelAsked,
    ChildHeard,
    MessageHeard,
    QuestionAsked,
    ReopenedHeard,
    StepRecord,
    TaskAsked,
    TaskCancelAsked,
    TaskHeard,
    TaskOpened,
    TaskRecorded,
    TimerAsked,
)
from holdfast.core.questions import read_chapter
from holdfast.core.records import ACTS, ChapterStart, History, MessageKind
from holdfast.core.values import RunKey, RunStatus, TaskStatus

UNDONE_TASK = frozenset({TaskStatus.FAILED, TaskStatus.CANCELLED})
_OVERTAKEN = ACTS | {MessageKind.CANCEL}


class ReopeningPlan(NamedTuple):
    event: Reopened
    tasks: list[int]
    """Tasks to try again."""
    messages: list[MessageId]
    """Messages to read again."""
    children: list[RunKey]
    """Children to reopen before this run."""
    open_children: list[RunKey]
    """Children that have not ended. Those that are being cancelled must end before the run is reopened."""
    overtaken: list[MessageId]
    """Cancellations and acts of operators that the run never read, because it ended first."""
    holds_children: bool
    """Whether the run decides when each of `children` goes on. Otherwise all of them go on at once."""
    questions: Sequence[int] = ()
    """Questions that are open again."""


def plan_for_data(
    history: History, records: list[StepRecord], tasks: set[int], children: set[int]
) -> ReopeningPlan:
    """Keeps every step. Tries those of the given tasks and children again that did not succeed."""
    for task in history.tasks:
        check_counts(task)
    tasks_again = [task.seq for task in history.tasks if task.seq in tasks and task.status in UNDONE_TASK]
    again = [child for child in history.children if child.seq in children]
    tasks_next, timers_next, children_next, questions_next = next_numbers(records, history.chapter)
    event = Reopened(
        history.next_position,
        tasks_next,
        timers_next,
        children_next,
        tuple(tasks_again),
        tuple(child.seq for child in again),
        questions_next,
    )
    return ReopeningPlan(
        event,
        tasks_again,
        [],
        [child.key for child in again if child.status.is_undone],
        [child.key for child in again if not child.status.is_final],
        overtaken_messages(history),
        holds_children=True,
    )


def overtaken_messages(history: History) -> list[MessageId]:
    """What was to cancel, terminate or pause the run, or to end its backoffs, and came too late for that."""
    return [it.id for it in history.messages if it.taken is None and it.kind in _OVERTAKEN]


def is_being_cancelled(history: History) -> bool:
    """Whether the run has been asked to cancel (it may not have read the message yet) and has not ended."""
    cancels = [message for message in history.messages if message.kind is MessageKind.CANCEL]
    if history.run.status.is_final:
        return False
    if any(it.kind is MessageKind.TERMINATE and it.taken is None for it in history.messages):
        return True
    if not cancels:
        return False
    if any(message.taken is None for message in cancels):
        return True
    # All requests were read. A later retry may have struck out the steps that read them, or gone on after
    # them.
    heard: set[MessageId] = set()
    for position, step in steps_that_count(read_steps(history), history.chapter.first_position):
        for each in step.heard:
            if isinstance(each, MessageHeard):
                heard.add(each.message)
            elif isinstance(each, ReopenedHeard) and each.position == position:
                heard.clear()
    return any(message.id in heard for message in cancels)


def depends_on_end_of(parent: History, seq: int) -> bool:
    """Whether the parent depends on how its child number `seq` ended: it is still running, or it would
    replay that end if it were retried. Children of earlier chapters are forgotten."""
    if seq < parent.chapter.first_child:
        return False
    if parent.run.status not in (RunStatus.FAILED, RunStatus.CANCELLED):
        return not parent.run.status.is_final
    steps = steps_that_count(read_steps(parent), parent.chapter.first_position)
    return any(
        isinstance(heard, ChildHeard) and heard.seq == seq for _, step in steps for heard in step.heard
    )


def open_after(steps: list[StepRecord]) -> tuple[set[int], set[int]]:
    """The tasks and children that these steps asked for and did not see end or cancel."""
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


def next_numbers(records: list[StepRecord], chapter: ChapterStart) -> tuple[int, int, int, int]:
    """The first unused numbers of tasks, timers, children and questions after these steps of a chapter."""
    tasks, timers, children = chapter.first_task, chapter.first_timer, chapter.first_child
    questions = read_chapter(chapter.questions).next
    for record in records:
        for asked in record.asked:
            match asked:
                case TaskAsked() | TaskOpened() | TaskRecorded():
                    tasks = max(tasks, asked.seq + 1)
                case TimerAsked():
                    timers = max(timers, asked.seq + 1)
                case ChildAsked():
                    children = max(children, asked.seq + 1)
                case QuestionAsked():
                    questions = max(questions, asked.seq + 1)
                case _:
                    pass
    return tasks, timers, children, questions
