"""What runs ask for, as clients see it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec

from holdfast.core.names import checked_name
from holdfast.core.questions import ClosedQuestion, QuestionRecord, read_details
from holdfast.core.records import MessageKind
from holdfast.core.values import RunKey, instant, key_from_text, key_text, moment
from holdfast.errors import BadOption
from holdfast.ports.runs import QuestionFilter


class QuestionInfo(msgspec.Struct, frozen=True):
    """An open question of a run: a promise, a question to a person, an approval."""

    run: str
    """The id of the run."""
    key: str
    """The key of the run."""
    workflow: str
    number: int
    """Each run counts its questions from 0."""
    name: str
    title: str
    facts: Any
    schema: dict[str, Any] | bool | None
    """The JSON schema of the answer. None: any value."""
    by: tuple[str, ...] | None
    """Who may answer. None: everybody."""
    asked_at: dt.datetime


def question_info(record: QuestionRecord) -> QuestionInfo:
    details = read_details(record.details)
    return QuestionInfo(
        record.run_id or key_text(record.run),
        key_text(record.run),
        record.workflow,
        record.number,
        record.name,
        details.title or record.name,
        details.facts,
        details.schema,
        details.by,
        moment(record.asked_at),
    )


class AnsweredQuestion(msgspec.Struct, frozen=True):
    """A question that was answered, or that nobody waits for any more."""

    run: str
    """The id of the run."""
    key: str
    """The key of the run."""
    workflow: str
    number: int
    name: str
    title: str
    answer: str
    """`yes`, `no`, `value` (another one), or `gave_up`: nobody has answered it in time."""
    by: str | None
    """Who has answered, if they said so."""
    at: dt.datetime
    comment: str | None


def answered_question(record: ClosedQuestion) -> AnsweredQuestion:
    return AnsweredQuestion(
        record.run_id or key_text(record.run),
        key_text(record.run),
        record.workflow,
        record.number,
        record.name,
        read_details(record.details).title or record.name,
        _answer(record),
        record.by,
        moment(record.answered_at or record.closed_at),
        record.comment,
    )


def _answer(record: ClosedQuestion) -> str:
    if record.kind is None:
        return "gave_up"
    if record.kind == MessageKind.REJECTED:
        return "no"
    return {b"true": "yes", b"false": "no"}.get(bytes(record.payload or b"").strip(), "value")


def question_filter(
    run: RunKey | None, workflow: str | None, by: str | None, limit: int, after: QuestionInfo | None
) -> QuestionFilter:
    """Raises BadOption."""
    by = None if by is None else checked_name("by", by)
    if after is None:
        return QuestionFilter(run, workflow, by, None, limit)
    key = key_from_text(after.key) if isinstance(after, QuestionInfo) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    if key is None:
        raise BadOption("after", after, "a question, the last one of the page before")
    return QuestionFilter(run, workflow, by, (instant(after.asked_at), key, after.number), limit)
