"""The journal as people and programs read it: each step with its events and requests, by name."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

import msgspec

from holdfast.core import journal
from holdfast.core.journal import Heard, MessageAsked, Requested, read_step
from holdfast.core.values import Instant, moment
from holdfast.errors import JournalCorrupt


class JournalStep(msgspec.Struct, frozen=True):
    """One step of a run: what it was told, and what it asked for then."""

    position: int
    at: dt.datetime | None
    """None: the step cannot be read."""
    events: list[dict[str, Any]]
    """Each has a `kind`, such as `task_ended`, and the numbers that it refers to."""
    requests: list[dict[str, Any]]
    """Each has a `kind`, such as `schedule_task`. Payloads are not here, but in the task, message or run."""
    problem: str | None = None
    """Why the step cannot be read."""


KINDS: Final[dict[type[Any], str]] = {
    journal.TaskHeard: "task_ended",
    journal.ChildHeard: "child_ended",
    journal.TimerHeard: "timer_fired",
    journal.MessageHeard: "message_received",
    journal.DeadlineHeard: "deadline_passed",
    journal.ReopenedHeard: "reopened",
    journal.TimersMoved: "timers_moved",
    journal.TaskAsked: "schedule_task",
    journal.BranchAsked: "schedule_task",
    journal.StepAsked: "schedule_task",
    journal.TaskOpened: "open_task",
    journal.TaskRecorded: "record_task",
    journal.TaskResumed: "resume_task",
    journal.ChildResumed: "resume_child",
    journal.TaskCancelAsked: "cancel_task",
    journal.TimerAsked: "start_timer",
    journal.TimerCancelAsked: "cancel_timer",
    journal.ChildAsked: "start_child",
    journal.ChildCancelAsked: "cancel_child",
    journal.StateAsked: "set_state",
    journal.PatchMarked: "mark_patch",
    journal.UndoneMarked: "mark_undone",
    journal.UpdateAnswered: "answer_update",
    journal.QuestionAsked: "ask_question",
    journal.QuestionClosed: "close_question",
    journal.EndAsked: "end_run",
    journal.ChapterAsked: "continue_run",
    journal.MessageAsked: "expect_message",
}

_LEFT_OUT: Final = {"options", "digest"}
_INSTANTS: Final = {"due", "deadline"}


def view_step(position: int, data: bytes) -> JournalStep:
    try:
        step = read_step(position, data)
        return JournalStep(
            position,
            moment(step.at),
            [_view(heard) for heard in step.heard],
            [_view(request) for request in step.requests()],
        )
    except (JournalCorrupt, OverflowError) as error:
        return JournalStep(position, None, [], [], str(error))


def _view(entry: Heard | Requested | MessageAsked) -> dict[str, Any]:
    facts: dict[str, Any] = {"kind": KINDS[type(entry)]}
    for name in entry.__struct_fields__:
        value = getattr(entry, name)
        if name == "kind":  # what a message is: a signal or a promise
            facts["waits_for"] = value
        elif name in _INSTANTS:
            facts[name] = moment(Instant(value))
        elif name not in _LEFT_OUT and value is not None:
            facts[name] = value
    return facts
