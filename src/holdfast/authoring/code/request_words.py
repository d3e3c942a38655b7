"""Requests of workflow code in the words of messages."""

from __future__ import annotations

from holdfast.authoring.code.recorded_requests import AnyRequest
from holdfast.core import journal
from holdfast.core.values import moment


def words(request: AnyRequest | None) -> str:
    """A request, as messages name it."""
    match request:
        case None:
            return "nothing more"
        case journal.StepAsked():
            return f"step {request.name!r}"
        case journal.TaskAsked():
            return f"task {request.name!r}"
        case journal.TaskRecorded():
            return f"side effect {request.name!r}"
        case journal.TimerAsked():
            return f"a timer until {moment(request.due).isoformat()}"
        case journal.ChildAsked():
            kind = "detached child" if request.detached else "child"
            kind = "child to be terminated with its parent" if request.terminated else kind
            return f"{kind} {request.workflow!r}" + (f" with id {request.id!r}" if request.id else "")
        case journal.TaskCancelAsked():
            return f"the cancellation of task {request.seq}"
        case journal.TimerCancelAsked():
            return f"the cancellation of timer {request.seq}"
        case journal.ChildCancelAsked():
            return f"the cancellation of child {request.seq}"
        case journal.QuestionAsked():
            return f"question {request.name!r}"
        case journal.QuestionClosed():
            return f"the end of question {request.seq}"
        case journal.MessageAsked():
            return f"{request.kind} {request.name!r}"
        case journal.StateAsked():
            return f"a change of state {request.key!r}"
        case journal.UpdateAnswered():
            return f"the answer to update {request.message}" + (" (an error)" if request.has_failed else "")
        case journal.EndAsked():
            return f"the end of the run ({request.status})"
        case journal.ChapterAsked():
            return "to go on as a new chapter"
        case _:
            return type(request).__name__


def both_in_words(recorded: AnyRequest | None, asked: AnyRequest | None) -> tuple[str, str]:
    """Two requests that differ. If their words are the same, their arguments differ."""
    then, now = words(recorded), words(asked)
    if then != now:
        return then, now
    return (
        then,
        f"{now} with {'another value' if isinstance(asked, journal.StateAsked) else 'other arguments'}",
    )


def rename_hint(recorded: AnyRequest | None, asked: AnyRequest | None) -> str | None:
    """What to do if a task or a child seems to have another name, with the same arguments."""
    match recorded, asked:
        case journal.StepAsked(), journal.StepAsked():
            return (
                f"if {recorded.name!r} was renamed, keep its recorded name; otherwise restore the old code "
                "or guard the change with context().patched(...)"
            )
        case (journal.StepAsked(), _) | (_, journal.StepAsked()):
            return None
        case journal.TaskAsked(), journal.TaskAsked():
            pair = "task", recorded.name, asked.name
        case journal.ChildAsked(), journal.ChildAsked():
            pair = "workflow", recorded.workflow, asked.workflow
        case _:
            return None
    kind, then, now = pair
    if then == now or recorded.seq != asked.seq or recorded.digest != asked.digest:
        return None
    return (
        f"if {then!r} was renamed, keep its recorded name: @{kind}(name={then!r}); otherwise restore the old "
        "code or guard the change with context().patched(...)"
    )
