"""The messages of a run, signals and answered promises, and what its code waits for."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable
from typing import TypeVar

from holdfast.core.values import Outcome, Payload
from holdfast.core.waiting import WaitKind, WaitReason

T = TypeVar("T")


class Inbox:
    """Created on first use, because most runs get no messages."""

    __slots__ = ("_loop", "_promises", "_settled", "_signals", "waits")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._signals: dict[str, asyncio.Queue[Payload]] = {}
        self._promises: dict[str, asyncio.Future[Outcome]] = {}
        self._settled: dict[str, Outcome] = {}
        self.waits: Counter[WaitReason] = Counter()
        """What the code waits for."""

    # --- signals

    def queue(self, name: str) -> asyncio.Queue[Payload]:
        queue = self._signals.get(name)
        if queue is None:
            queue = self._signals[name] = asyncio.Queue()
        return queue

    async def next_signal(self, name: str) -> Payload:
        return await self._wait_for(WaitReason(WaitKind.SIGNAL, name), self.queue(name).get())

    def has_signal(self, name: str) -> bool:
        return not self.queue(name).empty()

    def drain_signals(self, name: str) -> list[Payload]:
        queue = self.queue(name)
        return [queue.get_nowait() for _ in range(queue.qsize())]

    # --- promises

    def settle(self, name: str, outcome: Outcome) -> None:
        """The first outcome counts."""
        self._settled.setdefault(name, outcome)
        waiting = self._promises.get(name)
        if waiting is not None and not waiting.done():
            waiting.set_result(outcome)

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
