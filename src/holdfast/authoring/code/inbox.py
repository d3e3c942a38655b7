"""The messages of a run, signals and answered promises, and what its code waits for."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Generator
from typing import Any, TypeVar

from holdfast.authoring.code.loop import WorkflowTask
from holdfast.core.events import MessageId, PromiseAnswered, SignalReceived
from holdfast.core.values import Outcome, Payload
from holdfast.core.waiting import WaitKind, WaitReason

T = TypeVar("T")


class Inbox:
    """Created on first use, because most runs get no messages."""

    __slots__ = (
        "_answers",
        "_loop",
        "_promises",
        "_settled",
        "_signals",
        "late",
        "unanswered",
        "unseen",
        "waits",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._signals: dict[str, asyncio.Queue[SignalReceived]] = {}
        self._answers: list[MessageId] = []
        self.unseen: set[MessageId] = set()
        """Signals that `SignalTask`s have taken, and that the code has not looked at."""
        self.unanswered: set[MessageId] = set()
        """Updates whose handlers are at work."""
        self.late: list[MessageId] = []
        """For the next chapter: what was unread when the code ended, and what came after that."""
        self._promises: dict[str, asyncio.Future[Outcome]] = {}
        self._settled: dict[str, Outcome] = {}
        self.waits: Counter[WaitReason] = Counter()
        """What the code waits for."""

    # --- signals

    def unread(self) -> list[MessageId]:
        """Called at the end of a chapter: the messages that the next one must hear. These are the signals
        that the code has not got, the updates that it has not answered, and all answers. A promise is settled
        once, so a chapter that asks for it again gets the same answer."""
        queues = self._signals.values()
        waiting = [queue.get_nowait().message for queue in queues for _ in range(queue.qsize())]
        return [*waiting, *self.unseen, *self.unanswered, *self._answers]

    def queue(self, name: str) -> asyncio.Queue[SignalReceived]:
        queue = self._signals.get(name)
        if queue is None:
            queue = self._signals[name] = asyncio.Queue()
        return queue

    async def next_signal(self, name: str) -> Payload:
        """To be called in a `SignalTask`."""
        signal = await self._wait_for(WaitReason(WaitKind.SIGNAL, name), self.queue(name).get())
        task = asyncio.current_task()
        if isinstance(task, SignalTask):
            task.signal = signal
            self.unseen.add(signal.message)
        return signal.payload

    def has_signal(self, name: str) -> bool:
        return not self.queue(name).empty()

    def drain_signals(self, name: str) -> list[Payload]:
        queue = self.queue(name)
        return [queue.get_nowait().payload for _ in range(queue.qsize())]

    # --- promises

    def settle(self, answer: PromiseAnswered) -> None:
        """The first outcome counts."""
        self._answers.append(answer.message)
        self._settled.setdefault(answer.name, answer.outcome)
        waiting = self._promises.get(answer.name)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer.outcome)

    async def outcome_of(self, name: str) -> Outcome:
        """Wait until the promise is settled."""
        known = self._settled.get(name)
        if known is not None:
            return known
        waiting = self._promises.get(name)
        if waiting is None:
            waiting = self._promises[name] = self._loop.create_future()
        # Shielded, because other code may wait for the same promise.
        return await self._wait_for(WaitReason(WaitKind.PROMISE, name), asyncio.shield(waiting))

    async def _wait_for(self, what: WaitReason, awaited: Awaitable[T]) -> T:
        self.waits[what] += 1
        try:
            return await awaited
        finally:
            self.waits[what] -= 1
            if not self.waits[what]:
                del self.waits[what]


class SignalTask(WorkflowTask):
    """The task that `context().signal` returns. It takes a message before the code looks at it. So it knows
    whether the code has: otherwise a chapter that ends now would lose the message."""

    __slots__ = ("inbox", "signal")
    inbox: Inbox
    signal: SignalReceived | None

    def result(self) -> Any:
        self._note_look()
        return super().result()

    def __await__(self) -> Generator[Any, None, Any]:
        result = yield from super().__await__()
        self._note_look()
        return result

    __iter__ = __await__

    def _note_look(self) -> None:
        if self.done() and self.signal is not None:
            self.inbox.unseen.discard(self.signal.message)
