"""Answers to updates, as rows of a commit. The journal does not hear of updates that a program refuses."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.core.commands import AnswerUpdate
from holdfast.core.events import Event
from holdfast.core.records import DONE_BY_STORE
from holdfast.core.updates import UpdateRefusal, write_answer, write_refusal
from holdfast.engine.attempt_recorder import hold
from holdfast.engine.resident import Resident
from holdfast.engine.unheard_mail import UnheardMail
from holdfast.ports.commits import AnsweredUpdate, Commit, TakenMessage


def answer_update(commit: Commit, resident: Resident, command: AnswerUpdate) -> None:
    commit.answered.append(AnsweredUpdate(resident.key, command.message, write_answer(command.outcome)))


def without_refused(events: Sequence[Event], refused: Sequence[UpdateRefusal]) -> list[Event]:
    left_out = {update.message for update in refused}
    return [event for event in events if getattr(event, "message", None) not in left_out]


def answer_refused(
    commit: Commit, mail: UnheardMail, resident: Resident, refused: Sequence[UpdateRefusal]
) -> None:
    hold(commit, resident)
    for update in refused:
        answer = write_refusal(update.failure)
        commit.taken.append(TakenMessage(resident.key, update.message, DONE_BY_STORE))
        commit.answered.append(AnsweredUpdate(resident.key, update.message, answer))
        commit.size += len(answer)
        mail.remove(resident.key, update.message)
