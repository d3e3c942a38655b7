"""What a subscriber is still to be told. It is bounded: who does not keep up is let go."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from holdfast.server.live import sse

MOST_EVENTS: Final = 10_000
MOST_BYTES: Final = 2 * 1024 * 1024
QUIET_SECONDS: Final = 15.0
"""Something is written so often, so that proxies do not close the connection and dead clients are noticed."""

LAGGED: Final = sse.event("lagged", {"hint": "read faster; come back with the header Last-Event-ID"})


class Subscription:
    """A queue from the reader of the store to one client. Nothing waits for room in it."""

    def __init__(self) -> None:
        self._chunks: deque[sse.Chunk] = deque()
        self._events = 0
        self._bytes = 0
        self._changed = asyncio.Event()
        self._is_open = True

    @property
    def is_crowded(self) -> bool:
        return self._events > MOST_EVENTS // 2 or self._bytes > MOST_BYTES // 2

    def put(self, chunk: sse.Chunk) -> bool:
        """False: there was no room, and the subscriber is let go, or it was before. It does not get what
        waits: it will ask for that again."""
        if not self._is_open:
            return False
        if self._events + chunk.events > MOST_EVENTS or self._bytes + len(chunk.data) > MOST_BYTES:
            self._chunks.clear()
            self._events = self._bytes = 0
            self.finish(LAGGED)
            return False
        self._add(chunk)
        return True

    def remark(self, text: str) -> None:
        """A comment. It counts as an event, so that many of them do not make the queue grow."""
        self.put(sse.Chunk(sse.comment(text), 1))

    def finish(self, last: bytes) -> None:
        """The subscriber is told what waits, this, and nothing else."""
        if self._is_open:
            self._is_open = False
            self._add(sse.Chunk(last, 1))

    async def next(self) -> bytes | None:
        """What to write now: b"" if nothing came for a while, None if that was all."""
        if not self._chunks:
            if not self._is_open:
                return None
            self._changed.clear()
            timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._changed.set)
            try:
                await self._changed.wait()
            finally:
                timer.cancel()
            if not self._chunks:
                return b""
        chunk = self._chunks.popleft()
        self._events -= chunk.events
        self._bytes -= len(chunk.data)
        return chunk.data

    def _add(self, chunk: sse.Chunk) -> None:
        self._chunks.append(chunk)
        self._events += chunk.events
        self._bytes += len(chunk.data)
        self._changed.set()
