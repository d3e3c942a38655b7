"""Who is told of changes, and from which reader of the store: one for each namespace, and one for each tag.

A subscriber that comes with an offset reads the store by itself until it is where the tail is, and joins.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Final, NamedTuple

from holdfast.client.client import Client
from holdfast.client.watching import Watching
from holdfast.core.changes import offset_text, read_offset
from holdfast.core.values import RunKey
from holdfast.ports.changes import ChangeFilter
from holdfast.server.live import sse
from holdfast.server.live.pulses import Pulses
from holdfast.server.live.subscriptions import LAGGED, Subscription, Turns
from holdfast.server.live.tails import AWAY, Tail, Wanted
from holdfast.server.problems import Busy

MOST_READERS: Final = 32
"""A change does not say which tags its run has. So conditions with a tag need a reader of their own."""
_LINGER_SECONDS: Final = 5.0
"""A tail that nobody needs is stopped after that: a page that is loaded again finds it running."""
_CATCHING_UP: Final = 32
"""So many subscribers read pages of the store by themselves at a time, and hold a page in memory."""
_BEHIND_SECONDS: Final = 0.02

_EVERYTHING: Final = ChangeFilter()


class Hub:
    """Belongs to one event loop."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._tails: dict[ChangeFilter, Tail] = {}
        self._timers: dict[Tail, asyncio.TimerHandle] = {}
        self._stopping: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(_CATCHING_UP)
        self._turns = Turns()
        self._pulses = Pulses(self._turns)

    async def subscribe(self, which: ChangeFilter, after: str | None) -> Feed:
        """What is told behind the offset, or from now on. Raises OffsetGone, BadOption and Busy."""
        is_shared = which.tag is None and which.since is None and which.before is None
        read = _EVERYTHING if is_shared else which
        wanted = Wanted(which.run, which.workflow, which.status) if is_shared else Wanted()
        tail = self._tail_of(read)
        await tail.wait_until_begun()
        watching = self._client.watching(which)
        if after is None:
            after = tail.offset
        else:
            read_offset(after)
            if not tail.can_join(after):
                await watching.place_of(after)
        return Feed(tail, wanted, watching, after, self._slots, self._turns)

    async def pulses(
        self, run: RunKey | None, after: str | None, *, is_packed: bool
    ) -> AsyncGenerator[list[sse.Chunk]]:
        """What a page is told that may look at a run."""
        tail = self._tail_of(_EVERYTHING)
        await tail.wait_until_begun()
        return self._pulses.chunks(tail, run, after, is_packed=is_packed)

    async def close(self) -> None:
        for tail in [*self._tails.values()]:
            self._stop(tail)
        await asyncio.gather(*self._stopping)

    @property
    def readers(self) -> int:
        return len(self._tails)

    def _tail_of(self, which: ChangeFilter) -> Tail:
        tail = self._tails.get(which)
        if tail is None or not tail.is_running:
            if which != _EVERYTHING and not self._has_room():
                raise Busy(
                    f"{MOST_READERS} different conditions with a tag are watched, and each needs a reader of "
                    "the store; watch without the tag, or share conditions"
                )
            tail = self._tails[which] = Tail(self._client.watching(which), self._wait_and_stop)
        self._wait_and_stop(tail)
        return tail

    def _has_room(self) -> bool:
        """For another reader. Those that nobody needs make room."""
        special = [tail for which, tail in self._tails.items() if which != _EVERYTHING]
        if len(special) >= MOST_READERS:
            for tail in special:
                self._stop_if_empty(tail)
        return sum(which != _EVERYTHING for which in self._tails) < MOST_READERS

    def _wait_and_stop(self, tail: Tail) -> None:
        """Stop it if it has nobody to tell in some seconds."""
        timer = self._timers.pop(tail, None)
        if timer is not None:
            timer.cancel()
        if tail in self._tails.values():
            loop = asyncio.get_running_loop()
            self._timers[tail] = loop.call_later(_LINGER_SECONDS, self._stop_if_empty, tail)

    def _stop_if_empty(self, tail: Tail) -> None:
        self._timers.pop(tail, None)
        if tail.is_empty or not tail.is_running:
            self._stop(tail)

    def _stop(self, tail: Tail) -> None:
        timer = self._timers.pop(tail, None)
        if timer is not None:
            timer.cancel()
        self._tails = {which: each for which, each in self._tails.items() if each is not tail}
        stopping = asyncio.get_running_loop().create_task(tail.stop())
        self._stopping.add(stopping)
        stopping.add_done_callback(self._stopping.discard)


class Feed(NamedTuple):
    """What one subscriber is told. It needs no room before somebody reads it."""

    tail: Tail
    wanted: Wanted
    watching: Watching
    after: str
    slots: asyncio.Semaphore
    turns: Turns

    async def chunks(self, *, is_packed: bool) -> AsyncGenerator[list[sse.Chunk]]:
        """An empty list every second at the latest while nothing is told. `is_packed` says how the chunks
        will be written."""
        subscription = Subscription(self.turns, is_packed=is_packed)
        self.tail.expect()
        try:
            yield [sse.Chunk(sse.comment("from here", self.after))]
            async with contextlib.aclosing(self._catch_up(subscription)) as missed:
                async for chunks in missed:
                    yield chunks
            while (chunks := await subscription.next()) is not None:
                # If nothing came, everything up to here was told. Who is told little comes back from here.
                yield chunks or [sse.Chunk(sse.comment("nothing new", self.tail.offset))]
        finally:
            subscription.close()
            self.tail.leave(self.wanted, subscription)

    async def _catch_up(self, subscription: Subscription) -> AsyncGenerator[list[sse.Chunk]]:
        """What is between the offset and the place from which the tail tells the rest. Joins there."""
        after, tail = self.after, self.tail
        while after > tail.offset and tail.is_running:  # it was told by another process
            yield []
            await asyncio.sleep(_BEHIND_SECONDS)
        if not tail.is_running:
            subscription.finish(LAGGED)
            return
        if tail.can_join(after):
            tail.join(self.wanted, subscription, after)
            return
        async with contextlib.aclosing(self.watching.pages(read_offset(after))) as pages:
            while True:
                async with self.slots:
                    page = await anext(pages)
                    if page is None:
                        yield [sse.Chunk(sse.comment(AWAY))]
                        continue
                    if not tail.is_running:
                        subscription.finish(LAGGED)
                        return
                    reached = min(offset_text(page.place), tail.offset)
                    is_there = tail.can_join(reached)
                    if is_there:
                        tail.join(self.wanted, subscription, reached)
                    # If the page goes further than the tail, the tail tells the rest.
                    changes = (each for each in page.changes if each.offset <= reached)
                    for chunk in sse.chunks_of(map(sse.event_of, changes)):
                        yield [chunk]
                    if is_there:
                        return
                if not page.changes:
                    yield []
