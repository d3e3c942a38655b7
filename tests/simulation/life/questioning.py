"""What users ask of runs (updates), and what they answer to the questions of runs; and what must come of it.

An update is answered once: whoever asks again with the same message id gets the same answer. A question is
answered once: a second answer is refused, and so is one of another type or by somebody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
from tests.simulation.life.answers import ANSWERERS, UPDATE, Inquire, Serve, is_refused
from tests.simulation.life.book import TROUBLE, Book, Reply, insist, seconds
from tests.simulation.life.mail import all_messages
from tests.simulation.life.programs import Script

from holdfast import Run
from holdfast.client.client import Client
from holdfast.client.questions import QuestionInfo
from holdfast.core.records import MessageKind, RunRecord
from holdfast.core.values import key_from_text
from holdfast.errors import (
    BadAnswer,
    MayNotAnswer,
    PromiseClosed,
    PromiseSettled,
    RunEnded,
    RunNotFound,
    UnknownPromise,
    UpdateFailed,
    UpdateRefused,
    UpdateTimedOut,
    UpdateUnanswered,
)

NOT_OPEN = (PromiseSettled, PromiseClosed, UnknownPromise, RunEnded, RunNotFound)


class Update:
    """Sends updates, each again until it is answered, and then once more."""

    def __init__(self, id: str, sender: str, times: int, patience: int) -> None:
        self._id, self._sender, self._times, self._patience = id, sender, times, patience
        self._next = 0

    async def do(self, client: Client, book: Book) -> None:
        while self._next < self._times:
            number = self._next
            try:
                run = await insist(lambda: client.get(self._id))
                await self._ask(run, number, book)
                await self._ask(run, number, book)
            except (RunNotFound, RunEnded, UpdateUnanswered):
                return
            except UpdateRefused as error:
                planned = book.planned[self._id]
                is_other = not _serves(planned.script) or "other start" in planned.harms
                book.claim(is_refused(number) or is_other, f"{self._id} refuses update {number}: {error}")
            except UpdateFailed as error:
                book.claim("TaskLost" in str(error), f"update {number} to {self._id} failed: {error}")
            self._next = number + 1

    async def _ask(self, run: Run[Any], number: int, book: Book) -> None:
        while True:
            try:
                answer = await run.update(
                    UPDATE,
                    self._sender,
                    number,
                    timeout=seconds(20),
                    by=self._sender,
                    message_id=f"{self._sender} {number}",
                )
            except UpdateTimedOut:
                if self._patience <= 0:
                    raise RunEnded(self._id, "updates") from None
                self._patience -= 1
            except TROUBLE:
                await asyncio.sleep(1)
            else:
                first = book.answers.setdefault((run.key, self._sender, number), answer)
                same = f"update {number} of {self._sender} to {self._id} got {first}, and then {answer}"
                book.claim(first == answer and not is_refused(number), same)
                return


class AnswerQuestion:
    """Looks for a question of a run, and answers it: first wrongly, which must be refused, then rightly."""

    def __init__(self, id: str, name: str, value: int, by: str, patience: int) -> None:
        self._id, self._name, self._value, self._by = id, name, value, by
        self._patience = patience

    async def do(self, client: Client, book: Book) -> None:
        while True:
            try:
                found = await insist(lambda: client.questions(run=self._id))
            except RunNotFound:
                found = []
            for question in found:
                if question.name == self._name:
                    await self._answer_wrongly(client, book, question)
                    return await answer(client, book, question, self._value, self._by)
            if self._patience <= 0:
                return
            self._patience -= 1
            await asyncio.sleep(2)

    async def _answer_wrongly(self, client: Client, book: Book, question: QuestionInfo) -> None:
        wrong: list[tuple[Any, str]] = [("many", (question.by or [self._by])[0])]
        wrong += [(-1, "eve")] if question.by is not None else []
        for value, by in wrong:
            try:
                await insist(
                    lambda value=value, by=by: client.resolve(question.key, question.number, value, by=by)
                )
            except (BadAnswer, MayNotAnswer, *NOT_OPEN):
                continue
            book.claim(False, f"{by} has answered {question.name} of {question.run} with {value!r}")


async def answer(client: Client, book: Book, question: QuestionInfo, value: int, by: str) -> None:
    key = key_from_text(question.key)
    assert key is not None
    by = by if question.by is None or by in question.by else question.by[0]
    reply = Reply(key, question.number, question.name, value, by)
    book.replies.append(reply)
    try:
        await client.resolve(question.key, question.number, value, by=by)
    except (*NOT_OPEN, *TROUBLE):
        return  # of trouble the outcome is unknown
    book.accepted.append(reply)
    try:
        await insist(lambda: client.resolve(question.key, question.number, value + 1, by=by))
    except NOT_OPEN:
        return
    book.claim(False, f"question {question.number} of {question.run} was answered twice")


# --- what must come of it


def update_problems(run: RunRecord, found: dict[str, Any], book: Book, *, was_retried: bool) -> Iterator[str]:
    """Each update is handled once, and its answer is what its handler has recorded."""
    assert book.simulation is not None
    updated: list[Any] = found["state"].get("updated", [])
    for message in all_messages(book.simulation, run.key):
        asked = msgspec.json.decode(message.payload) if message.kind is MessageKind.UPDATE else None
        if message.answer is None and asked in updated:
            yield f"it has handled update {asked}, and there is no answer"
    twice = [each for each in updated if updated.count(each) > 1]
    if twice:
        yield f"it has handled updates {twice} more than once"
    for (key, sender, number), (*asked, place) in book.answers.items():
        if key != run.key or was_retried:  # a retry makes steps again, and the first answer stands
            continue
        if asked != [sender, number] or updated[place : place + 1] != [asked]:
            yield f"update {number} of {sender} was answered {asked, place}, and the state has {updated}"


def question_problems(run: RunRecord, found: dict[str, Any], book: Book) -> Iterator[str]:
    """One answer to each question was accepted, and the run has got it."""
    accepted = [reply for reply in book.accepted if reply.run == run.key]
    for number in {reply.question for reply in accepted}:
        replies = [reply for reply in accepted if reply.question == number]
        if len(replies) > 1:
            yield f"several answers to question {number} were accepted: {replies}"
    for key, value in found["state"].items():
        if not key.startswith("asked:"):
            continue
        of_name = [it for it in book.replies if it.run == run.key and it.name == key.removeprefix("asked:")]
        sure = [it for it in of_name if it in accepted]
        if value not in [[it.value, it.by] for it in sure or of_name]:
            yield f"it has got {value} for {key}, and the answer was {sure or of_name}"


def _serves(script: Script | None) -> bool:
    return script is not None and any(isinstance(act, Serve) for act in script.all_acts())


# --- drawing


def draw_update(dice: Random, ids: dict[str, Script | None]) -> Update:
    serving = [id for id, script in ids.items() if _serves(script)]
    id = dice.choice(serving if serving and dice.random() < 0.9 else list(ids))
    return Update(id, f"updater-{dice.getrandbits(30)}", dice.randint(1, 6), dice.choice((0, 3, 20)))


def draw_answer(dice: Random, ids: dict[str, Script | None]) -> AnswerQuestion:
    asked = [
        (id, act.name)
        for id, script in ids.items()
        for act in (script.all_acts() if script else ())
        if isinstance(act, Inquire)
    ]
    id, name = dice.choice(asked or [(dice.choice(list(ids)), "question-none")])
    return AnswerQuestion(id, name, dice.getrandbits(30), dice.choice(ANSWERERS), dice.choice((0, 10, 30)))
