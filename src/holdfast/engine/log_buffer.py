"""The log lines of attempts on their way into the store.

Lines are written with the commit that ends their attempt, and a few times a second before that, so that
they can be read while it runs.
"""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Iterable, Sequence

from holdfast.core.log_lines import LimitedLog, OutputLine
from holdfast.core.values import Instant, later
from holdfast.engine.inbox import EngineInbox
from holdfast.engine.resident import LiveAttempt, Stage
from holdfast.ports.clock import Clock
from holdfast.ports.executor import Attempt


class LogBuffer:
    def __init__(self, clock: Clock, every: dt.timedelta, limit: int, inbox: EngineInbox) -> None:
        self._clock = clock
        self._every = every
        self._limit = limit
        self._inbox = inbox
        self._queue: deque[tuple[Instant, LiveAttempt]] = deque()
        """Attempts that have lines to write, and when to write them."""

    def log(self, attempt: Attempt, lines: Sequence[OutputLine]) -> None:
        """Executors call this. An attempt that was given up may still log its last lines."""
        if not isinstance(attempt, LiveAttempt) or attempt.resident.is_gone:
            return
        log = attempt.log
        if log is None:
            log = attempt.log = LimitedLog(self._limit)
        log.add(lines)
        if not log.is_queued and log.has_more(is_over=attempt.stage is Stage.CLOSED):
            log.is_queued = True
            if not self._queue:
                self._inbox.wake()  # so that the loop waits no longer than until these lines are due
            self._queue.append((later(self._clock.now(), self._every), attempt))

    def next_due(self) -> Instant | None:
        return self._queue[0][0] if self._queue else None

    def take_due(self, now: Instant) -> Iterable[LiveAttempt]:
        while self._queue and self._queue[0][0] <= now:
            _, attempt = self._queue.popleft()
            if attempt.log is not None:
                attempt.log.is_queued = False
                has_more = attempt.log.has_more(is_over=attempt.stage is Stage.CLOSED)
                if has_more and not attempt.resident.is_gone:
                    yield attempt
