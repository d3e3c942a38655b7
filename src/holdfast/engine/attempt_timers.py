"""Watching attempts: their limits, their heartbeats, and when they have run long enough to be shown."""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Callable, Iterable

from holdfast.core.names import written_span
from holdfast.core.values import Instant, Payload, later
from holdfast.engine.alarms import Alarms
from holdfast.engine.resident import LiveAttempt, Stage
from holdfast.engine.tuning import Tuning
from holdfast.ports.clock import Clock
from holdfast.ports.executor import Attempt


class AttemptTimers:
    """Limits are counted in elapsed time: what a clock is set to says nothing about how long a task runs."""

    def __init__(self, clock: Clock, tuning: Tuning, on_wake: Callable[[], None]) -> None:
        self._clock = clock
        self._limits = Alarms()
        self._show_after = tuning.show_after // dt.timedelta(microseconds=1)
        self._on_wake = on_wake
        self._expired: list[tuple[LiveAttempt, str]] = []
        self._unshown: deque[tuple[int, LiveAttempt]] = deque()
        """Running attempts that the store does not know to be running, with when to tell it."""

    def limit_wait(self, attempt: LiveAttempt, allowed: dt.timedelta) -> None:
        self._limit(attempt, allowed, f"waited longer than {written_span(allowed)} for a free slot")

    def started(self, attempt: LiveAttempt, now: Instant) -> None:
        attempt.started_at = now
        self._unshown.append((now + self._show_after, attempt))
        if attempt.alarms is not None:
            for alarm in attempt.alarms:
                alarm.cancel()
            attempt.alarms = None
        options = attempt.options
        if options.timeout is not None:
            self._limit(attempt, options.timeout, f"ran longer than {written_span(options.timeout)}")
        if options.heartbeat is not None:
            self._expect_heartbeat(attempt, self._elapsed())

    def beat(self, attempt: Attempt, details: Payload | None) -> None:
        """What executors call when an attempt says that it is alive."""
        if not isinstance(attempt, LiveAttempt) or attempt.stage is not Stage.RUNNING:
            return
        attempt.heartbeat_at = self._elapsed()
        if details is None:
            return
        attempt.heartbeat_details = details
        if attempt.is_shown:
            attempt.is_shown = False
            self._unshown.append((self._clock.now() + self._show_after, attempt))
            self._on_wake()

    def _elapsed(self) -> Instant:
        return Instant(self._clock.elapsed())

    def _limit(self, attempt: LiveAttempt, allowed: dt.timedelta, why: str) -> None:
        def expire() -> None:
            self._expired.append((attempt, why))
            self._on_wake()

        attempt.alarms = [*(attempt.alarms or ()), self._limits.set(later(self._elapsed(), allowed), expire)]

    def _expect_heartbeat(self, attempt: LiveAttempt, since: Instant) -> None:
        allowed = attempt.options.heartbeat
        assert allowed is not None

        def check() -> None:
            heard = attempt.heartbeat_at or since
            if later(heard, allowed) > self._elapsed():
                self._expect_heartbeat(attempt, heard)
            else:
                self._expired.append((attempt, f"was silent for longer than {written_span(allowed)}"))
                self._on_wake()

        attempt.alarms = [*(attempt.alarms or ()), self._limits.set(later(since, allowed), check)]

    def next_limit(self) -> Instant | None:
        due = self._limits.next_due()
        return None if due is None else Instant(self._clock.now() + due - self._elapsed())

    def check_limits(self) -> None:
        self._limits.fire_due(self._elapsed())

    def take_expired(self) -> list[tuple[LiveAttempt, str]]:
        expired, self._expired = self._expired, []
        return expired

    def next_show(self) -> Instant | None:
        while self._unshown and self._unshown[0][1].stage is not Stage.RUNNING:
            self._unshown.popleft()
        return Instant(self._unshown[0][0]) if self._unshown else None

    def take_unshown(self, now: Instant) -> Iterable[LiveAttempt]:
        while self._unshown and self._unshown[0][0] <= now:
            _, attempt = self._unshown.popleft()
            if attempt.stage is Stage.RUNNING and not attempt.is_shown:
                yield attempt
