"""What reaches a run from outside: signals and promises, and who in it waits for them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable
from typing import TypeVar

from holdfast.core.values import Outcome, Payload

T = TypeVar("T")


class Inbox:
    """What came from outside, and who waits for it. Most runs never need one."""

    __slots__ = ("promises", "settled", "signals", "waits")

    def __init__(self) -> None:
        self.signals: dict[str, asyncio.Queue[Payload]] = {}
        self.promises: dict[str, asyncio.Future[Outcome]] = {}
        self.settled: dict[str, Outcome] = {}
        self.waits: Counter[str] = Counter()

    def queue(self, name: str) -> asyncio.Queue[Payload]:
        queue = self.signals.get(name)
        if queue is None:
            queue = self.signals[name] = asyncio.Queue()
        return queue

    async def wait_for(self, what: str, awaited: Awaitable[T]) -> T:
        """Await it, and say so meanwhile."""
        self.waits[what] += 1
        try:
            return await awaited
        finally:
            self.waits[what] -= 1
            if not self.waits[what]:
                del self.waits[what]
