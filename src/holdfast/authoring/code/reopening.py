"""How a run of a code workflow is reopened: from just before the failure that ended it.

Code can only get to a place by running up to it. Tasks that succeeded keep their results. Tasks that failed
or were cancelled are tried again under their old numbers, and so with their old idempotency keys. Later
requests are struck out, and their numbers are never used again.
"""

from __future__ import annotations

from holdfast.core.events import Reopened
from holdfast.core.history import NO_EVENTS, check_counts, read_steps, steps_that_count
from holdfast.core.journal import (
    ChildAsked,
    DeadlineHeard,
    EndAsked,
    MessageHeard,
    QuestionAsked,
    QuestionClosed,
    StepRecord,
    TaskHeard,
)
from holdfast.core.questions import read_chapter
from holdfast.core.records import History, MessageKind
from holdfast.core.reopening import (
    UNDONE_TASK,
    ReopeningPlan,
    next_numbers,
    open_after,
    overtaken_messages,
)
from holdfast.core.values import RunStatus, task_id

_DEADLINE_EXCEEDED = "holdfast.errors:DeadlineExceeded"
_NOT_AGAIN = NO_EVENTS | {MessageKind.CANCEL}
"""Messages that have had their effect: a retried run must not be cancelled, terminated or paused by them."""


def plan_reopening(history: History) -> ReopeningPlan:
    """Raises JournalCorrupt."""
    records = read_steps(history)
    counted = steps_that_count(records, history.chapter.first_position)
    position = _reopening_position(history, counted)
    before = [record for at, record in counted if at < position]
    tasks, children = open_after(before)
    for task in history.tasks:
        check_counts(task)
    return ReopeningPlan(
        _reopened(position, records, history),
        [task.seq for task in history.tasks if task.seq in tasks and task.status in UNDONE_TASK],
        [
            message.id
            for message in history.messages
            if message.taken is not None and message.taken >= position and message.kind not in _NOT_AGAIN
        ],
        [child.key for child in history.children if child.seq in children and child.status.is_undone],
        [
            child.key
            for child in history.children
            if child.seq in children & _attached(before) and not child.status.is_final
        ],
        overtaken_messages(history),
        holds_children=False,
        questions=_open_questions(history, before),
    )


def _reopened(position: int, records: list[StepRecord], history: History) -> Reopened:
    tasks, timers, children, questions = next_numbers(records, history.chapter)
    return Reopened(position, tasks, timers, children, questions=questions)


def _open_questions(history: History, steps: list[StepRecord]) -> list[int]:
    """The questions that these steps asked or found open, and neither closed nor heard an answer to."""
    answered = {it.id: it.question for it in history.messages if it.question is not None}
    found_open = read_chapter(history.chapter.questions).open
    questions: dict[int, None] = {question.number: None for question in found_open}
    for step in steps:
        for heard in step.heard:
            if isinstance(heard, MessageHeard) and heard.message in answered:
                questions.pop(answered[heard.message], None)
        for asked in step.asked:
            if isinstance(asked, QuestionAsked):
                questions[asked.seq] = None
            elif isinstance(asked, QuestionClosed):
                questions.pop(asked.seq, None)
    return list(questions)


def _reopening_position(history: History, counted: list[tuple[int, StepRecord]]) -> int:
    """The position of the step that led to the end: a failed task, a cancellation, a deadline, or the last
    step."""
    if not counted:
        return history.chapter.first_position
    last, final = counted[-1]
    told = [at for at, record in counted if any(isinstance(it, DeadlineHeard) for it in record.heard)]
    if told and history.run.failure is not None and history.run.failure.type == _DEADLINE_EXCEEDED:
        return told[0]  # what its code did after that was to clean up
    if not any(isinstance(asked, EndAsked) for asked in final.asked):
        return last + 1  # it was cancelled while it was parked, so no step ended it
    # If the run did not end as cancelled, its code survived the cancellation.
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


def _attached(steps: list[StepRecord]) -> set[int]:
    """Children that are cancelled when their parent ends."""
    asked = (asked for step in steps for asked in step.asked)
    return {it.seq for it in asked if isinstance(it, ChildAsked) and not it.detached}
