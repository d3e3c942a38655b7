"""Remembers an answer for a while, so that many who ask cost the store no more than one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """Belongs to one event loop. One read is under way at a time, whoever asks meanwhile waits for it."""

    def __init__(self, read: Callable[[], Awaitable[T]], seconds: float, patience: float) -> None:
        self._read = read
        self._seconds = seconds
        self._patience = patience
        self._under_way: asyncio.Task[T] | None = None
        self._read_at = 0.0

    async def get(self) -> T:
        """Raises what the read has raised, and TimeoutError if it takes too long. Then it goes on, and who
        asks next waits for the same read: a store that hangs is not asked again and again."""
        task = self._under_way
        if task is None or (task.done() and time.monotonic() >= self._read_at + self._seconds):
            task = self._under_way = asyncio.create_task(self._begin(), name="read for a probe")
        done, _ = await asyncio.wait([task], timeout=self._patience)
        if not done:
            raise TimeoutError
        return task.result()

    async def _begin(self) -> T:
        try:
            return await self._read()
        finally:
            self._read_at = time.monotonic()

    async def close(self) -> None:
        if self._under_way is not None:
            self._under_way.cancel()
            await asyncio.gather(self._under_way, return_exceptions=True)
