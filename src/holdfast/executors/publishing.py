"""Items that a running task has published. To await them is to wait until the engine has taken them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from typing import Any

from holdfast.core.stream_items import UnwrittenItems


class AwaitableItems(UnwrittenItems):
    """Belongs to the event loop that it is awaited on. On other threads awaiting does not wait: there,
    `publish` itself has waited."""

    __slots__ = ("_thread", "_waiting")

    def __init__(self, thread: int) -> None:
        super().__init__()
        self._thread = thread
        self._waiting: list[asyncio.Future[None]] = []

    def __await__(self) -> Generator[Any, None, None]:
        while self.are_many and threading.get_ident() == self._thread:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            yield from turn

    def note_taken(self) -> None:
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.done():
                each.set_result(None)
