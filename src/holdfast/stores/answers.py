"""Which question an answer is for. This is decided when the answer is posted, and never again.

An answer that names no question gets the oldest open question of its name, and closes it. So two answers
never go to one question, and an answer that comes too late never goes to the next question of the same name.
The runs are locked meanwhile.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec

from holdfast.core.journal import QUESTIONS, read_step
from holdfast.core.questions import may_answer, read_details, wrong_with
from holdfast.core.records import MessageKind
from holdfast.core.sealed import is_sealed, why_sealed
from holdfast.core.values import Instant, RunKey
from holdfast.errors import JournalCorrupt
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import NotAllowedToAnswer, NotAskedFor, PostAnswer, PostResult, UnfitAnswer
from holdfast.stores.database import Row, Transaction

_ANSWERS: Final = frozenset({MessageKind.RESOLVED, MessageKind.REJECTED})
_NAMES_TOLD: Final = 11

Named: TypeAlias = tuple[RunKey, str]
Numbered: TypeAlias = tuple[RunKey, int]


def is_answer(message: NewMessage) -> bool:
    return message.kind in _ANSWERS


def place_answers(
    tx: Transaction, messages: Sequence[NewMessage], now: Instant
) -> list[NewMessage | PostAnswer]:
    """Each answer with the number of its question, or why it is refused. The questions are closed."""
    placer = _Placer(tx, messages)
    placed: list[NewMessage | PostAnswer | None] = [placer.place(message) for message in messages]
    unasked = [message for message, result in zip(messages, placed, strict=True) if result is None]
    if unasked:
        refusals = _Refusals(tx, unasked)
        placed = [
            placer.place_unasked(message, refusals) if result is None else result
            for message, result in zip(messages, placed, strict=True)
        ]
    tx.many("answer_questions", sorted(placer.answered), now)
    return [result for result in placed if result is not None]


class _Question(NamedTuple):
    number: int
    name: str
    details: bytes


class _Last(NamedTuple):
    number: int
    is_answered: bool
    is_same: bool
    """Nobody asks for that name anew."""


class _Placer:
    def __init__(self, tx: Transaction, messages: Sequence[NewMessage]) -> None:
        counts: Counter[Named] = Counter((it.run, it.name) for it in messages if it.question is None)
        self._ahead: dict[Named, int] = {}
        """How many answers of that name the run has still to read that came before it asked. Each of them
        takes an open question then."""
        for run, name, is_unread in tx.many_returning("answers_ahead_of", sorted(counts)):
            self._ahead[run, name] = self._ahead.get((run, name), 0) + bool(is_unread)
        self._open: dict[Named, deque[_Question]] = defaultdict(deque)
        numbered = Counter(it.run for it in messages if it.question is not None)
        wanted = [
            (*named, count + self._ahead.get(named, 0) + numbered[named[0]])
            for named, count in sorted(counts.items())
        ]
        for run, name, *rest in sorted(tx.many_returning("open_questions_named", wanted), key=_by_number):
            number, details = rest
            self._open[run, name].append(_Question(number, name, details))
        for named, unread in self._ahead.items():
            questions = self._open[named]
            for _ in range(min(unread, len(questions))):
                questions.popleft()
        numbers = sorted({(it.run, it.question) for it in messages if it.question is not None})
        found = tx.many_returning("questions_numbered", numbers)
        self._numbered: dict[Numbered, Row] = {(row[0], row[1]): row[2:] for row in found}
        self.answered: set[Numbered] = set()

    def place(self, message: NewMessage) -> NewMessage | PostAnswer | None:
        """None if the run asks for nothing of that name or number."""
        if message.question is not None:
            return self._place_numbered(message, message.question)
        questions = self._open[message.run, message.name]
        while questions and (message.run, questions[0].number) in self.answered:
            questions.popleft()
        return self._answer(message, questions[0]) if questions else None

    def _place_numbered(self, message: NewMessage, number: int) -> NewMessage | PostAnswer | None:
        found = self._numbered.get((message.run, number))
        if found is None:
            return None
        name, details, closed_at, is_answered = found
        if is_answered or (message.run, number) in self.answered:
            return PostResult.SETTLED
        if closed_at is not None:
            return PostResult.CLOSED
        return self._answer(message, _Question(number, name, details))

    def _answer(self, message: NewMessage, question: _Question) -> NewMessage | PostAnswer:
        if is_sealed(question.details):
            return UnfitAnswer(question.name, why_sealed(question.details))
        details = read_details(question.details)
        if not may_answer(details, message.by or ""):
            return NotAllowedToAnswer(question.name, details.by or ())
        why = wrong_with(details, message.payload) if message.kind is MessageKind.RESOLVED else None
        if why is not None:
            return UnfitAnswer(question.name, why)
        self.answered.add((message.run, question.number))
        return msgspec.structs.replace(message, name=question.name, question=question.number)

    def _keep(self, message: NewMessage) -> NewMessage | PostAnswer:
        """The run gets it when it asks."""
        if (message.run, message.name) in self._ahead:
            return PostResult.SETTLED
        self._ahead[message.run, message.name] = 1
        return message

    def place_unasked(self, message: NewMessage, refusals: _Refusals) -> NewMessage | PostAnswer:
        named = (message.run, message.name)
        last = refusals.last.get(named)
        if message.question is None:
            was_answered = last is not None and (
                last.is_answered or (message.run, last.number) in self.answered
            )
            if message.is_ahead and not (was_answered and last is not None and last.is_same):
                return self._keep(message)
            if named in self._ahead or was_answered:
                return PostResult.SETTLED
            if last is not None:
                return PostResult.CLOSED
            if refusals.is_of_old_release(message.run):
                return self._keep(message)
        return refusals.not_asked_for(message.run)


class _Refusals:
    """What is read only if an answer is for something that nobody asks for."""

    def __init__(self, tx: Transaction, messages: Sequence[NewMessage]) -> None:
        names = sorted({(it.run, it.name) for it in messages if it.question is None})
        self.last: dict[Named, _Last] = {
            (run, name): _Last(number, bool(is_answered), read_details(details).same)
            for run, name, number, is_answered, details in tx.many_returning("last_questions_named", names)
        }
        """The last question of each name, which is not open."""
        runs: list[Row] = [(run,) for run in sorted({message.run for message in messages})]
        self._names: dict[RunKey, list[str]] = defaultdict(list)
        for run, name in tx.many_returning("some_open_questions", runs, _NAMES_TOLD):
            self._names[run].append(name)
        self._has_begun: set[RunKey] = set()
        self._is_old: set[RunKey] = set()
        for run, step in tx.many_returning("first_and_last_steps", runs):
            self._has_begun.add(run)
            if not _has_questions(step):
                self._is_old.add(run)

    def is_of_old_release(self, run: RunKey) -> bool:
        """Nobody knows what such a run asks for: its promises are no questions."""
        return run in self._is_old

    def not_asked_for(self, run: RunKey) -> NotAskedFor:
        return NotAskedFor(tuple(sorted(set(self._names[run]))), run in self._has_begun)


def _by_number(row: Row) -> int:
    return row[2]


def _has_questions(step: bytes) -> bool:
    try:
        return read_step(0, step).edition >= QUESTIONS
    except JournalCorrupt:
        return True
