"""Questions in the model: which one an answer is for, one answer after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.questions import ClosedQuestion, QuestionRecord, may_answer, read_details, wrong_with
from holdfast.core.records import MessageKind
from holdfast.core.values import Instant, Payload, RunKey
from holdfast.ports.commits import Commit, NewMessage
from holdfast.ports.runs import (
    NotAllowedToAnswer,
    NotAskedFor,
    PostAnswer,
    PostResult,
    QuestionFilter,
    UnfitAnswer,
)

if TYPE_CHECKING:
    from tests.differential.tables import Tables

SETTLEMENTS = (MessageKind.RESOLVED, MessageKind.REJECTED)


class QuestionRow(NamedTuple):
    namespace: str
    name: str
    details: Payload
    asked_at: Instant
    closed_at: Instant | None = None
    is_answered: int = 0
    message: int | None = None


class Place:
    """Where an answer goes. No number: it is kept until the run asks."""

    def __init__(self, name: str, number: int | None) -> None:
        self.name, self.number = name, number


def place_answer(tables: Tables, message: NewMessage) -> Place | PostAnswer:
    run = message.run
    of_run = {number: row for (key, number), row in sorted(tables.questions.items()) if key == run}
    if message.question is not None:
        row = of_run.get(message.question)
        if row is None:
            return _not_asked(tables, run)
        if row.is_answered:
            return PostResult.SETTLED
        return PostResult.CLOSED if row.closed_at is not None else _answer(message, message.question, row)
    named = {number: row for number, row in of_run.items() if row.name == message.name}
    taken = {row.message for row in tables.questions.values()}
    ahead = [
        it
        for it in tables.mail(run)
        if it.kind in SETTLEMENTS and it.name == message.name and it.question is None and it.id not in taken
    ]
    unread = sum(it.taken is None for it in ahead)
    for number in [number for number, row in named.items() if row.closed_at is None][unread:]:
        return _answer(message, number, named[number])
    if ahead:
        return PostResult.SETTLED
    last = named[max(named)] if named else None
    is_over = last is not None and last.is_answered and read_details(last.details).same
    if message.is_ahead and not is_over:
        return Place(message.name, None)
    if last is not None:
        return PostResult.SETTLED if last.is_answered else PostResult.CLOSED
    return _not_asked(tables, run)


def _answer(message: NewMessage, number: int, row: QuestionRow) -> Place | PostAnswer:
    details = read_details(row.details)
    if not may_answer(details, message.by or ""):
        return NotAllowedToAnswer(row.name, details.by or ())
    why = wrong_with(details, message.payload) if message.kind is MessageKind.RESOLVED else None
    return Place(row.name, number) if why is None else UnfitAnswer(row.name, why)


def _not_asked(tables: Tables, run: RunKey) -> NotAskedFor:
    names = {row.name for (key, _), row in tables.questions.items() if key == run and row.closed_at is None}
    return NotAskedFor(tuple(sorted(names)), bool(tables.steps(run)))


def write_questions(tables: Tables, commit: Commit) -> None:
    for row in commit.questions:
        new = QuestionRow(commit.namespace, row.name, row.details, row.asked_at)
        known = tables.questions.get((row.run, row.number), new)
        tables.questions[row.run, row.number] = known._replace(details=row.details)


def close_questions(tables: Tables, commit: Commit) -> None:
    for row in commit.closed:
        known = tables.questions.get((row.run, row.number))
        if known is not None:
            tables.questions[row.run, row.number] = known._replace(
                closed_at=row.closed_at if known.closed_at is None else known.closed_at,
                is_answered=max(known.is_answered, int(row.message is not None)),
                message=known.message if row.message is None else row.message,
            )
    for unasked in commit.unasked:
        close_all(tables, unasked.run, unasked.closed_at)


def close_all(tables: Tables, run: RunKey, now: Instant) -> None:
    for at, row in list(tables.questions.items()):
        if at[0] == run and row.closed_at is None:
            tables.questions[at] = row._replace(closed_at=now)


def reopen(tables: Tables, run: RunKey, number: int) -> None:
    row = tables.questions.get((run, number))
    if row is not None and not row.is_answered:
        tables.questions[run, number] = row._replace(closed_at=None)


def list_closed(tables: Tables, namespace: str, limit: int) -> list[ClosedQuestion]:
    found: list[ClosedQuestion] = []
    for (key, number), row in tables.questions.items():
        run = tables.run(namespace, key)
        if row.closed_at is None or run is None:
            continue
        mail = [it for it in tables.mail(key) if it.kind in SETTLEMENTS]
        answers = [
            it for it in mail if it.id == row.message or (row.message is None and it.question == number)
        ]
        last = max(answers, key=lambda it: it.id, default=None)
        said = (None,) * 5
        if last is not None:
            by, at = tables.posted[last.id]
            said = (last.kind, last.payload, by, at, last.comment)
        found.append(
            ClosedQuestion(key, run.id, run.workflow, number, row.name, row.details, row.closed_at, *said)
        )
    found.sort(key=lambda it: (it.closed_at, it.run, it.number), reverse=True)
    return found[:limit]


def list_questions(tables: Tables, namespace: str, which: QuestionFilter) -> list[QuestionRecord]:
    found = [
        QuestionRecord(key, run.id, run.workflow, number, row.name, row.details, row.asked_at)
        for (key, number), row in tables.questions.items()
        if row.closed_at is None and (run := tables.run(namespace, key)) is not None
    ]
    found = [
        it
        for it in found
        if which.run in (None, it.run)
        and (which.workflow in (None, it.workflow) or which.run is not None)
        and (which.by is None or may_answer(read_details(it.details), which.by))
    ]
    found.sort(key=lambda it: (it.number,) if which.run is not None else (it.asked_at, it.run, it.number))
    if which.after is not None:
        at, key, number = which.after
        found = [
            it
            for it in found
            if (it.number > number if which.run else (it.asked_at, it.run, it.number) > (at, key, number))
        ]
    return found[: which.limit]
