"""The questions of a run that are open, and answers that came before the run asked.

An answer is for the question whose number it has. One without a number came ahead, or from a version that
knew promises by name only: the oldest open question of that name gets it, else it is kept until one is asked.

A question that is open when a chapter ends goes on: the next chapter takes it up by asking for the same name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from holdfast.core.events import MessageId, PromiseAnswered
from holdfast.core.questions import SAME, OpenOfChapter, QuestionsOfChapter, unfit
from holdfast.core.values import Payload


@dataclass(slots=True)
class OpenQuestion:
    seq: int
    name: str
    details: Payload
    answer: asyncio.Future[PromiseAnswered]


class Misfit(NamedTuple):
    """An answer without a number that was not taken."""

    answer: PromiseAnswered
    why: str


class OpenQuestions:
    __slots__ = ("_ahead", "_carried", "_kept", "_open", "_taken_up", "misfits", "next")

    def __init__(self) -> None:
        self.next = 0
        self._open: dict[int, OpenQuestion] = {}
        self._ahead: dict[str, PromiseAnswered] = {}
        self._carried: dict[int, OpenOfChapter] = {}
        """Questions of earlier chapters that this one has not asked yet, by number."""
        self._kept: dict[int, PromiseAnswered] = {}
        """Answers to these, by number."""
        self._taken_up: set[int] = set()
        """Questions of earlier chapters that this one has asked for again."""
        self.misfits: list[Misfit] = []

    def begin_chapter(self, questions: QuestionsOfChapter) -> None:
        self.next = questions.next
        self._carried = {question.number: question for question in questions.open}

    def carry(self, unseen: Iterable[OpenQuestion], same: Mapping[int, str]) -> QuestionsOfChapter:
        """For the next chapter: what is open, the questions whose answers the code has not got, and those
        that it shares by name."""
        found = dict(self._carried)
        found |= {it.seq: OpenOfChapter(it.seq, it.name) for it in [*self._open.values(), *unseen]}
        found |= {seq: OpenOfChapter(seq, name, is_same=True) for seq, name in same.items()}
        return QuestionsOfChapter(self.next, tuple(found[seq] for seq in sorted(found)))

    def unread(self) -> list[MessageId]:
        return [answer.message for answers in (self._ahead, self._kept) for answer in answers.values()]

    def has_name(self, name: str) -> bool:
        return any(question.name == name for question in self._open.values())

    def open(
        self, name: str, details: Payload, answer: asyncio.Future[PromiseAnswered]
    ) -> tuple[OpenQuestion, PromiseAnswered | None]:
        """A question, and the answer that came ahead of it, if there is one. An open question of an earlier
        chapter is taken up; otherwise the question is new."""
        same = details == SAME
        for seq in [it.number for it in self._carried.values() if (it.name, it.is_same) == (name, same)]:
            del self._carried[seq]
            question = OpenQuestion(seq, name, details, answer)
            kept = self._kept.pop(seq, None)
            if kept is None:
                self._taken_up.add(seq)
                break
            # The answer has closed the question. It was for the type and the people of the last chapter.
            if self._fits(question, kept):
                return question, kept
        else:
            seq = self.next
            self.next += 1
            question = OpenQuestion(seq, name, details, answer)
        self._open[seq] = question
        ahead = self._ahead.pop(name, None)
        return question, ahead if ahead is not None and self._fits(question, ahead) else None

    def take(self, answer: PromiseAnswered) -> OpenQuestion | None:
        """The question that is answered, which is closed then. None if there is none: nobody waits for it any
        more, or it is kept."""
        if answer.question is not None:
            if answer.question in self._carried:
                self._kept[answer.question] = answer
            return self._open.pop(answer.question, None)
        for question in self._open.values():
            if question.name == answer.name and self._fits(question, answer):
                return self._open.pop(question.seq)
        return None

    def ask_anew(self, answer: PromiseAnswered) -> OpenQuestion | None:
        """The question that this answer was for, with a new number, if the answer was sent to the chapter
        before, and does not fit what this one asks. The store has closed the old number."""
        number = answer.question
        if number not in self._taken_up or number not in self._open or self._fits(self._open[number], answer):
            return None
        question = self._open.pop(number)
        question.seq = self.next
        self.next += 1
        self._open[question.seq] = question
        return question

    def keep(self, answer: PromiseAnswered) -> None:
        """Until somebody asks. The first one counts."""
        self._ahead.setdefault(answer.name, answer)

    def take_ahead(self, name: str) -> PromiseAnswered | None:
        return self._ahead.pop(name, None)

    def close(self, seq: int) -> bool:
        """Whether it was open."""
        return self._open.pop(seq, None) is not None

    def close_all(self) -> list[int]:
        numbers = [*(seq for seq in self._carried if seq not in self._kept), *self._open]
        self._carried.clear()
        self._open.clear()
        return numbers

    def _fits(self, question: OpenQuestion, answer: PromiseAnswered) -> bool:
        """The store could not check an answer that came ahead of its question."""
        why = unfit(question.details, answer)
        if why is not None:
            self.misfits.append(Misfit(answer, why))
        return why is None
