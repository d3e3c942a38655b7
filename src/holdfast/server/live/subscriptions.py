"""What a subscriber is still to be told. It is bounded: who does not keep up is let go."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import islice
from typing import Final

from holdfast.server.live import sse

MOST_EVENTS: Final = 20_000
MOST_BYTES: Final = 6 * 1024 * 1024
"""Subscribers who are told the same share the bytes."""
QUIET_SECONDS: Final = 15.0
"""Something is written so often, so that proxies do not close the connection and dead clients are noticed."""

LAGGED: Final = sse.event("lagged", {"hint": "read faster; come back with the header Last-Event-ID"})


_TURN_SECONDS: Final = 0.01
_AT_ONCE: Final = 10
_TURNS: Final = 120
"""Everybody has its turn within so many. What comes meanwhile is written together."""
_REST: Final = 3
_LONGEST_REST_SECONDS: Final = 0.03
"""After a turn, nobody writes for so many times its length."""
_WRITTEN_AT_ONCE: Final = 256 * 1024
_TURN_BYTES: Final = 1024 * 1024


class Turns:
    """Lets subscribers write in turn. Otherwise a thousand of them would write a few bytes each, after every
    commit, and the engine would wait for the event loop."""

    def __init__(self) -> None:
        self._waiting: dict[Subscription, None] = {}
        self._timer: asyncio.Handle | None = None

    def wait(self, subscription: Subscription) -> None:
        self._waiting.setdefault(subscription)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        if not self._waiting:
            self._timer = None
            return
        size = 0
        for each in [*islice(self._waiting, max(_AT_ONCE, len(self._waiting) // _TURNS))]:
            del self._waiting[each]
            size += each.wake()
            if size > _TURN_BYTES:
                break
        # Those that were woken are in the loop's queue already, so this is called when they have written.
        loop = asyncio.get_running_loop()
        self._timer = loop.call_soon(self._rest, loop.time())

    def _rest(self, began: float) -> None:
        """Leave most of the time to others."""
        loop = asyncio.get_running_loop()
        pause = min(_LONGEST_REST_SECONDS, max(_TURN_SECONDS, _REST * (loop.time() - began)))
        self._timer = loop.call_later(pause, self._next)


class Subscription:
    """A queue from the reader of the store to one client. Nothing waits for room in it."""

    def __init__(self, turns: Turns, *, is_packed: bool = False) -> None:
        """`is_packed`: its client is sent the chunks packed."""
        self._turns = turns
        self._is_packed = is_packed
        self._chunks: deque[sse.Chunk] = deque()
        self._events = 0
        self._bytes = 0
        """How much is to be written."""
        self._changed = asyncio.Event()
        self._is_open = True
        self._quiet_since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_crowded(self) -> bool:
        return self._events > MOST_EVENTS // 2 or self._bytes > MOST_BYTES // 2

    def put(self, chunk: sse.Chunk) -> bool:
        """False: there was no room, and the subscriber is let go, or it was before. It does not get what
        waits: it will ask for that again."""
        if not self._is_open:
            return False
        if self._events + chunk.events > MOST_EVENTS or self._bytes + self._size_of(chunk) > MOST_BYTES:
            self._chunks.clear()
            self._events = self._bytes = 0
            self.finish(LAGGED)
            return False
        self._add(chunk)
        return True

    def remark(self, text: str) -> None:
        """A comment. It counts as an event, so that many of them do not make the queue grow."""
        self.put(sse.Chunk(sse.comment(text)))

    def finish(self, last: bytes) -> None:
        """The subscriber is told what waits, this, and nothing else."""
        if self._is_open:
            self._is_open = False
            self._add(sse.Chunk(last))

    async def next(self) -> list[sse.Chunk] | None:
        """What to write now: nothing if nothing came for a while, None if that was all."""
        if not self._chunks and not self._is_open:
            return None
        self._quiet_since = asyncio.get_running_loop().time()
        if self._timer is None:
            self._look_again()
        await self._changed.wait()
        self._changed.clear()
        return self._take()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look_again(self) -> None:
        """One timer for all that is written in a while: a timer for each write costs more than the write."""
        loop = asyncio.get_running_loop()
        end = self._quiet_since + QUIET_SECONDS
        if loop.time() >= end:
            self._changed.set()
            end = loop.time() + QUIET_SECONDS
        self._timer = loop.call_at(end, self._look_again)

    def _take(self) -> list[sse.Chunk]:
        """As much as may be written in one turn."""
        some: list[sse.Chunk] = []
        size = 0
        while self._chunks and (not some or size + self._size_of(self._chunks[0]) <= _WRITTEN_AT_ONCE):
            chunk = self._chunks.popleft()
            some.append(chunk)
            size += self._size_of(chunk)
            self._events -= chunk.events
        self._bytes -= size
        if self._chunks:
            self._turns.wait(self)
        return some

    def wake(self) -> int:
        """How much it will write."""
        self._changed.set()
        return min(self._bytes, _WRITTEN_AT_ONCE)

    def _add(self, chunk: sse.Chunk) -> None:
        self._chunks.append(chunk)
        self._events += chunk.events
        self._bytes += self._size_of(chunk)
        self._turns.wait(self)

    def _size_of(self, chunk: sse.Chunk) -> int:
        return len(chunk.packed.data if self._is_packed else chunk.data)
