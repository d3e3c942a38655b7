"""The messages of a run, signals and answers, and what its code waits for."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Generator
from typing import Any, TypeVar

from holdfast.authoring.code.loop import WorkflowTask
from holdfast.authoring.code.open_questions import OpenQuestion, OpenQuestions
from holdfast.core.events import MessageId, PromiseAnswered, SignalReceived
from holdfast.core.questions import QuestionsOfChapter
from holdfast.core.values import Payload
from holdfast.core.waiting import WaitKind, WaitReason

T = TypeVar("T")


class Inbox:
    """Created on first use, because most runs get no messages."""

    __slots__ = (
        "_loop",
        "_promises",
        "_same",
        "_settled",
        "_signals",
        "asking",
        "late",
        "questions",
        "unanswered",
        "unseen",
        "waits",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._signals: dict[str, asyncio.Queue[SignalReceived]] = {}
        self.unseen: dict[MessageId, OpenQuestion | None] = {}
        """Signals and answers that `MessageTask`s have taken, and that the code has not looked at. Answers
        have their questions."""
        self.unanswered: set[MessageId] = set()
        """Updates whose handlers are at work."""
        self.late: list[MessageId] = []
        """For the next chapter: what was unread when the code ended, and what came after that."""
        self.questions = OpenQuestions()
        self.asking: dict[int, asyncio.Task[Any]] = {}
        """The tasks that wait for answers, by the numbers of their questions."""
        self._promises: dict[str, asyncio.Future[PromiseAnswered]] = {}
        """Promises that are known by name: whoever asks for one again waits for the same."""
        self._settled: dict[str, PromiseAnswered] = {}
        self._same: dict[int, str] = {}
        """The names of those of them that are questions, by number."""
        self.waits: Counter[WaitReason] = Counter()
        """What the code waits for."""

    # --- signals

    def unread(self) -> list[MessageId]:
        """Called at the end of a chapter: the messages that the next one must hear. These are the signals
        and answers that the code has not got, the updates that it has not answered, and the answers to
        promises of which it wants the same in all chapters."""
        queues = self._signals.values()
        waiting = [queue.get_nowait().message for queue in queues for _ in range(queue.qsize())]
        shared = [self._settled[name].message for name in self._same.values() if name in self._settled]
        return [*waiting, *self.unseen, *self.unanswered, *shared, *self.questions.unread()]

    def queue(self, name: str) -> asyncio.Queue[SignalReceived]:
        queue = self._signals.get(name)
        if queue is None:
            queue = self._signals[name] = asyncio.Queue()
        return queue

    async def next_signal(self, name: str) -> Payload:
        """To be called in a `MessageTask`."""
        signal = await self._wait_for(WaitReason(WaitKind.SIGNAL, name), self.queue(name).get())
        task = asyncio.current_task()
        if isinstance(task, MessageTask):
            task.message = signal.message
            self.unseen[signal.message] = None
        return signal.payload

    def has_signal(self, name: str) -> bool:
        return not self.queue(name).empty()

    def drain_signals(self, name: str) -> list[Payload]:
        queue = self.queue(name)
        return [queue.get_nowait().payload for _ in range(queue.qsize())]

    # --- questions

    def open(self, name: str, details: Payload) -> tuple[OpenQuestion, PromiseAnswered | None]:
        """A question, and its answer, if that came before the code asked."""
        return self.questions.open(name, details, self._loop.create_future())

    async def answer_to(self, question: OpenQuestion) -> PromiseAnswered:
        """To be called in a `MessageTask`."""
        if question.answer.done():
            return self.take_answer(question)
        await self._wait_for(WaitReason(WaitKind.PROMISE, question.name), question.answer)
        return self.take_answer(question)

    def take_answer(self, question: OpenQuestion) -> PromiseAnswered:
        """The answer, which is there."""
        answer = question.answer.result()
        task = asyncio.current_task()
        if isinstance(task, MessageTask):
            task.message = answer.message
        return answer

    def ask_anew(self, answer: PromiseAnswered) -> OpenQuestion | None:
        """The question with its new number, if the answer does not fit it any more."""
        question = self.questions.ask_anew(answer)
        if question is not None and answer.question in self.asking:
            self.asking[question.seq] = self.asking.pop(answer.question)
        return question

    def settle(self, answer: PromiseAnswered) -> int | None:
        """Returns the number of the question that is answered, if the answer does not name it itself."""
        question = self.questions.take(answer)
        if question is not None:
            if question.seq in self._same:
                self._settle_by_name(answer, self._same[question.seq])
            elif not question.answer.done():
                self.give(question, answer)
            return question.seq if answer.question is None else None
        if answer.question is None:
            if answer.name in self._promises:
                self._settle_by_name(answer, answer.name)
            elif not self.questions.has_name(answer.name):  # else it did not fit
                self.questions.keep(answer)
        return None

    def give(self, question: OpenQuestion, answer: PromiseAnswered) -> None:
        question.answer.set_result(answer)
        self.unseen[answer.message] = question

    def forget(self, question: OpenQuestion) -> None:
        """The code has cancelled the question. If the answer came before that, nobody looks at it."""
        if question.answer.done() and not question.answer.cancelled():
            self.unseen.pop(question.answer.result().message, None)

    def cancelled_questions(self) -> list[int]:
        """Questions that the code has cancelled or that timed out, and whose tasks have not gone on yet."""
        return [seq for seq, task in self.asking.items() if task.done() or task.cancelling()]

    def questions_of_next_chapter(self) -> QuestionsOfChapter:
        """Those whose answers the code has not got, and those that it shares by name."""
        unseen = [question for question in self.unseen.values() if question is not None]
        return self.questions.carry(unseen, self._same)

    # --- promises that are known by name

    def has_promise(self, name: str) -> bool:
        """Whether such a promise was asked for before."""
        return name in self._promises

    def open_promise(self, name: str, question: OpenQuestion | None = None) -> None:
        """`question` is None if it is no question, because an older version asked for it."""
        if name not in self._promises:
            self._promises[name] = self._loop.create_future()
            if question is not None:
                self._same[question.seq] = name
            ahead = self.questions.take_ahead(name)
            if ahead is not None:
                self._settle_by_name(ahead, name)

    def settle_promise(self, name: str, answer: PromiseAnswered) -> None:
        self._settle_by_name(answer, name)

    async def answer_of(self, name: str) -> PromiseAnswered:
        """Wait until the promise is settled."""
        known = self._settled.get(name)
        if known is not None:
            return known
        # Shielded, because other code may wait for the same promise.
        waiting = asyncio.shield(self._promises[name])
        return await self._wait_for(WaitReason(WaitKind.PROMISE, name), waiting)

    def _settle_by_name(self, answer: PromiseAnswered, name: str) -> None:
        """The first answer counts."""
        self._settled.setdefault(name, answer)
        waiting = self._promises[name]
        if not waiting.done():
            waiting.set_result(answer)

    async def _wait_for(self, what: WaitReason, awaited: Awaitable[T]) -> T:
        self.waits[what] += 1
        try:
            return await awaited
        finally:
            self.waits[what] -= 1
            if not self.waits[what]:
                del self.waits[what]


class MessageTask(WorkflowTask):
    """The task that `signal`, `promise` and `ask` of the context return. It takes a message before the code
    looks at it. So it knows whether the code has. Otherwise a chapter that ends now would lose it."""

    __slots__ = ("inbox", "message")
    inbox: Inbox
    message: MessageId | None

    def result(self) -> Any:
        self._note_look()
        return super().result()

    def exception(self) -> BaseException | None:
        error = super().exception()
        if error is not None:  # a TaskGroup asks for the error, and leaves the result to the code
            self._note_look()
        return error

    def __await__(self) -> Generator[Any, None, Any]:
        try:
            result = yield from super().__await__()
        except Exception:
            self._note_look()
            raise
        self._note_look()
        return result

    __iter__ = __await__

    def _note_look(self) -> None:
        if self.done() and self.message is not None:
            self.inbox.unseen.pop(self.message, None)
