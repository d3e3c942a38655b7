"""What runs ask the world outside for, as rows of a commit."""

from __future__ import annotations

from holdfast.core.commands import AskQuestion, CloseQuestion
from holdfast.core.values import Instant
from holdfast.engine.resident import Resident
from holdfast.ports.commits import ClosedQuestion, Commit, NewQuestion, UnaskedRun


def write_question(
    commit: Commit, resident: Resident, command: AskQuestion | CloseQuestion, now: Instant
) -> None:
    run, number = resident.key, command.seq
    if isinstance(command, AskQuestion):
        commit.questions.append(NewQuestion(run, number, command.name, command.details, now))
    else:
        commit.closed.append(ClosedQuestion(run, number, command.message, now))


def close_questions(commit: Commit, resident: Resident, now: Instant) -> None:
    """For a run that ends without its program, which would close its questions."""
    commit.unasked.append(UnaskedRun(resident.key, now))
