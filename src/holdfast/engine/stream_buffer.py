"""Attempts that have published items, until the next commit takes the items.

Items are written with the next commit, and with the commit that ends their attempt. While items keep coming,
there is such a commit every few milliseconds, and each has what came since the last one: a few rows.
"""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Iterable

from holdfast.core.stream_items import UnwrittenItems
from holdfast.core.values import Instant, later
from holdfast.engine.inbox import EngineInbox
from holdfast.engine.resident import LiveAttempt, Stage
from holdfast.engine.tick_budget import TickBudget
from holdfast.ports.clock import Clock
from holdfast.ports.executor import Attempt


class StreamBuffer:
    def __init__(self, clock: Clock, every: dt.timedelta, inbox: EngineInbox) -> None:
        self._clock = clock
        self._every = every
        self._inbox = inbox
        self._queue: deque[LiveAttempt] = deque()
        self._due: Instant | None = None
        """When to write what the attempts in the queue have published."""
        self._last = Instant(0)

    def publish(self, attempt: Attempt, items: UnwrittenItems) -> None:
        """Executors call this when an attempt has published something. What an attempt publishes after it was
        given up is dropped, as its result is."""
        if not isinstance(attempt, LiveAttempt) or attempt.stage is Stage.CLOSED or attempt.resident.is_gone:
            items.close()
            return
        attempt.published = items
        self._queue.append(attempt)
        if self._due is None:
            # At once, if there was nothing for a while. A clock that was set back must not make them wait.
            now = self._clock.now()
            self._due = min(max(now, later(self._last, self._every)), later(now, self._every))
            self._inbox.wake()

    def next_due(self) -> Instant | None:
        return self._due

    def take_due(self, now: Instant, budget: TickBudget) -> Iterable[LiveAttempt]:
        if self._due is None or self._due > now:
            return
        self._last = now
        for _ in range(len(self._queue)):
            if budget.is_spent():
                break  # the next tick takes the others
            attempt = self._queue.popleft()
            if attempt.stage is not Stage.CLOSED and not attempt.resident.is_gone:
                yield attempt
            else:
                attempt.published.close()
        self._due = now if self._queue else None
