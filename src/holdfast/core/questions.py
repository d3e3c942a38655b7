"""Questions: what a run asks the world outside for. A promise, a question to a person and an approval are
questions.

A run counts its questions from 0. A question is open until it is answered, until nobody waits for the answer
any more, or until the run ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import msgspec

from holdfast.core.codec import Codec
from holdfast.core.commands import NO_INPUT
from holdfast.core.events import PromiseAnswered
from holdfast.core.json_schemas import find_mismatch, schema_of
from holdfast.core.names import LONGEST_NAME, checked_name, is_storable
from holdfast.core.sealed import is_sealed, why_sealed
from holdfast.core.values import Instant, Payload, RunKey, Succeeded
from holdfast.errors import BadOption

_MOST_NAMED: Final = 100
_LONGEST_COMMENT: Final = 2_000


class QuestionDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """What those who answer need to know. Stored as JSON."""

    title: str = ""
    """Empty: the name says it all."""
    facts: Any = None
    schema: dict[str, Any] | bool | None = None
    """The JSON schema of the answer. None: any value."""
    by: tuple[str, ...] | None = None
    """Who may answer. None: everybody."""
    same: bool = False
    """Whoever asks for the name again in this run waits for the same answer."""


class OpenOfChapter(NamedTuple):
    number: int
    name: str
    is_same: bool = False


class QuestionsOfChapter(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a chapter of a run begins with. Stored as JSON."""

    next: int = 0
    """The number of the next question, so that none is used twice."""
    open: tuple[OpenOfChapter, ...] = ()
    """Questions of earlier chapters whose answers the code has not got."""


class QuestionRecord(NamedTuple):
    """An open question, as a store lists it."""

    run: RunKey
    run_id: str | None
    workflow: str
    number: int
    name: str
    details: Payload
    asked_at: Instant


class ClosedQuestion(NamedTuple):
    """A question that was answered or given up, as a store lists it."""

    run: RunKey
    run_id: str | None
    workflow: str
    number: int
    name: str
    details: Payload
    closed_at: Instant
    kind: str | None
    """`resolved` or `rejected`. None: nobody has answered it, as are the others."""
    payload: Payload | None
    by: str | None
    answered_at: Instant | None
    comment: str | None


_decode = msgspec.json.Decoder(QuestionDetails).decode
_encode = msgspec.json.Encoder().encode
_decode_chapter = msgspec.json.Decoder(QuestionsOfChapter).decode


def read_details(details: bytes) -> QuestionDetails:
    """Details that cannot be read are empty: a newer version may have written them in another way. The title
    of those that are sealed says so."""
    if is_sealed(details):
        return QuestionDetails(title=why_sealed(details))
    try:
        return _decode(details)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return QuestionDetails()


def read_chapter(questions: bytes | None) -> QuestionsOfChapter:
    return QuestionsOfChapter() if questions is None else _decode_chapter(questions)


def write_chapter(questions: QuestionsOfChapter) -> bytes | None:
    """None: the run has asked nothing yet."""
    return _encode(questions) if questions.next else None


def type_details(type: Any) -> Payload:
    """Of a question that has nothing but a name and a type. A type that JSON schemas cannot describe is
    checked when the code gets the answer."""
    try:
        return Payload(_encode(QuestionDetails(schema=schema_of(type))))
    except BadOption:
        return NO_INPUT


def make_details(
    codec: Codec, what: str, title: str, facts: Any, answer: Any, by: Iterable[str] | str | None
) -> Payload:
    """Raises BadOption, CannotStore, PayloadTooLarge."""
    given = {"facts": facts, "by": checked_answerers(by), "schema": schema_of(answer)}
    fields = {"title": title} | {name: value for name, value in given.items() if value is not None}
    return codec.encode(fields, what)


SAME: Final = Payload(_encode(QuestionDetails(same=True)))


def checked_title(title: Any) -> str:
    """Raises BadOption."""
    return checked_name("the title of a question", title)


def checked_answerers(by: Any) -> list[str] | None:
    """Raises BadOption."""
    if by is None:
        return None
    names: list[Any] = [by] if isinstance(by, str) else list(by) if _is_listed(by) else []
    if not 1 <= len(names) <= _MOST_NAMED or not all(
        isinstance(it, str) and 1 <= len(it) <= LONGEST_NAME and is_storable(it) for it in names
    ):
        raise BadOption("by", by, f"the names of those who may answer, 1 to {_MOST_NAMED}")
    return names


def _is_listed(by: Any) -> bool:
    return isinstance(by, Iterable) and not isinstance(by, (bytes, dict))


def checked_comment(comment: Any) -> str:
    """Raises BadOption."""
    if not isinstance(comment, str) or len(comment) > _LONGEST_COMMENT or not is_storable(comment):
        raise BadOption("comment", comment, f"text of up to {_LONGEST_COMMENT:,} characters")
    return comment


def may_answer(details: QuestionDetails, by: str) -> bool:
    return details.by is None or by in details.by


def wrong_with(details: QuestionDetails, payload: Payload) -> str | None:
    """Where the answer does not fit the schema of the question, and why. None if it does."""
    if details.schema is None:
        return None
    try:
        return find_mismatch(details.schema, msgspec.json.decode(payload))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return "the answer is not JSON"
    except RecursionError:
        return "the answer is nested too deeply"


def unfit(details: Payload, answer: PromiseAnswered) -> str | None:
    """Why an answer is not taken that the store could not check, because it came ahead of its question. None
    if it is."""
    wanted = read_details(details)
    if not may_answer(wanted, answer.by):
        return f"{answer.by!r} is not among those who may answer" if answer.by else "it does not say who"
    return wrong_with(wanted, answer.outcome.payload) if isinstance(answer.outcome, Succeeded) else None
