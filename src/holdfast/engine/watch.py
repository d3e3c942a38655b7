"""Watching attempts: their limits, their heartbeats, and when they have run long enough to be shown."""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Callable, Iterable

from holdfast.core.values import Instant, Payload, later
from holdfast.engine.alarms import Alarms
from holdfast.engine.resident import Flight, Stage
from holdfast.engine.tuning import Tuning
from holdfast.ports.clock import Clock
from holdfast.ports.executor import Attempt


class Watch:
    def __init__(self, clock: Clock, alarms: Alarms, tuning: Tuning, on_wake: Callable[[], None]) -> None:
        self._clock = clock
        self._alarms = alarms
        self._show_after = tuning.show_after // dt.timedelta(microseconds=1)
        self._on_wake = on_wake
        self._expired: list[tuple[Flight, str]] = []
        self._unshown: deque[tuple[int, Flight]] = deque()
        """Running attempts that the store does not know to be running, with when to tell it."""

    def queued(self, flight: Flight, now: Instant, allowed: dt.timedelta) -> None:
        self._limit(flight, later(now, allowed), f"waited longer than {allowed} for a free slot")

    def started(self, flight: Flight, now: Instant) -> None:
        flight.started_at = now
        self._unshown.append((now + self._show_after, flight))
        if flight.alarms is not None:
            for alarm in flight.alarms:
                self._alarms.call_off(alarm)
            flight.alarms = None
        options = flight.options
        if options.timeout is not None:
            self._limit(flight, later(now, options.timeout), f"ran longer than {options.timeout}")
        if options.heartbeat is not None:
            self._expect_heartbeat(flight, now)

    def beat(self, attempt: Attempt, details: Payload | None) -> None:
        """What executors call when an attempt says that it is alive."""
        if not isinstance(attempt, Flight) or attempt.stage is not Stage.RUNNING:
            return
        now = attempt.beat_at = self._clock.now()
        if details is None:
            return
        attempt.heartbeat_details = details
        if attempt.is_shown:
            attempt.is_shown = False
            self._unshown.append((now + self._show_after, attempt))
            self._on_wake()

    def _limit(self, flight: Flight, due: Instant, why: str) -> None:
        def expire() -> None:
            self._expired.append((flight, why))
            self._on_wake()

        flight.alarms = [*(flight.alarms or ()), self._alarms.set(due, expire)]

    def _expect_heartbeat(self, flight: Flight, since: Instant) -> None:
        allowed = flight.options.heartbeat
        assert allowed is not None

        def check() -> None:
            heard = flight.beat_at or since
            if later(heard, allowed) > self._clock.now():
                self._expect_heartbeat(flight, heard)
            else:
                self._expired.append((flight, f"was silent for longer than {allowed}"))
                self._on_wake()

        flight.alarms = [*(flight.alarms or ()), self._alarms.set(later(since, allowed), check)]

    def take_expired(self) -> list[tuple[Flight, str]]:
        expired, self._expired = self._expired, []
        return expired

    def next_show(self) -> Instant | None:
        while self._unshown and self._unshown[0][1].stage is not Stage.RUNNING:
            self._unshown.popleft()
        return Instant(self._unshown[0][0]) if self._unshown else None

    def take_unshown(self, now: Instant) -> Iterable[Flight]:
        while self._unshown and self._unshown[0][0] <= now:
            _, flight = self._unshown.popleft()
            if flight.stage is Stage.RUNNING and not flight.is_shown:
                yield flight
