"""Waiting until a node is idle: for processes that do what is due and end.

A node is idle when

- no attempt runs or waits for a slot,
- each run in memory only waits: for a time, a message, a child, a worker, or the end of a backoff,
- and the store has nothing due that this node would do: no run of its workflows, no message for its runs, no
  schedule that it can fire, no lease of another node that has run out.

A schedule that the node has failed to fire is not waited for, and neither are messages that a run does not
read. Between two ticks nothing changes in the node, so the question is asked after a tick. The end of an
attempt, an alarm and a notification of the store all make a tick.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from typing import Final

from holdfast.core.values import Instant, NodeId, later
from holdfast.engine.dispatcher import Dispatcher
from holdfast.engine.residents import Residents
from holdfast.engine.run_loader import RunLoader
from holdfast.engine.start_queue import StartQueue
from holdfast.engine.store_poller import StorePoller
from holdfast.ports.clock import Clock

_LOOK_AGAIN: Final = dt.timedelta(milliseconds=100)


class IdleWait:
    def __init__(
        self,
        clock: Clock,
        residents: Residents,
        dispatcher: Dispatcher,
        loader: RunLoader,
        starts: StartQueue,
        poller: StorePoller,
        is_waiting: Callable[[], bool],
    ) -> None:
        """`is_waiting` tells whether the node is between two ticks, and nothing has asked for the next."""
        self._clock = clock
        self._residents = residents
        self._dispatcher = dispatcher
        self._loader = loader
        self._starts = starts
        self._poller = poller
        self._is_waiting = is_waiting
        self._rested: asyncio.Event | None = None
        """Set after each tick. None if nobody waits for the node to be idle."""

    def note_rest(self) -> None:
        """A tick is over."""
        if self._rested is not None:
            self._rested.set()

    async def until_idle(self, node: NodeId, loop: asyncio.Task[None]) -> Instant | None:
        """Wait until the node is idle, or its loop has ended. Returns when the next thing is due; None if
        nothing will be by itself."""
        rested = self._rested = asyncio.Event()
        rested.set()
        loop.add_done_callback(lambda _: rested.set())
        try:
            while not loop.done():
                await rested.wait()
                rested.clear()
                if not self._only_waits():
                    continue
                due = await self._next_due(node)
                if rested.is_set() or not self._only_waits():
                    continue  # something has happened meanwhile
                if due is None or due > self._clock.now():
                    return due
                # The node has not heard of it yet, or cannot have it yet. It must not spin meanwhile.
                await self._clock.wait(asyncio.Event(), later(self._clock.now(), _LOOK_AGAIN))
                self._poller.poll_now()
            return None
        finally:
            self._rested = None

    def _only_waits(self) -> bool:
        """Whether nothing is under way in memory."""
        if not self._is_waiting() or self._dispatcher.running:
            return False
        if self._loader.has_work or self._starts.has_more:
            return False
        return all(resident.is_idle for resident in self._residents)

    async def _next_due(self, node: NodeId) -> Instant | None:
        in_memory = [resident.wake_at for resident in self._residents]
        dues = [*in_memory, await self._poller.next_due(node)]
        return min((due for due in dues if due is not None), default=None)
