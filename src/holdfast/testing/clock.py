"""A clock that stands still until it is told to move."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable

from holdfast.core.values import Instant, instant, later, moment

START = dt.datetime(2030, 1, 1, tzinfo=dt.UTC)


class ManualClock:
    def __init__(self, start: dt.datetime = START) -> None:
        self._now = instant(start)
        self._waiting: dict[int, tuple[asyncio.Event, Instant | None]] = {}
        self._number = 0
        self.on_wait: Callable[[], None] = lambda: None
        """Called each time a caller begins to wait."""

    def now(self) -> Instant:
        return self._now

    def elapsed(self) -> int:
        return self._now

    def catch_up(self) -> None:
        pass

    def set_to(self, there: Instant, within: int = 0) -> None:
        pass  # only the test sets this clock

    def time(self) -> dt.datetime:
        return moment(self._now)

    async def wait(self, event: asyncio.Event, until: Instant | None) -> None:
        if event.is_set() or (until is not None and until <= self._now):
            await asyncio.sleep(0)
            return
        self._number += 1
        number = self._number
        self._waiting[number] = (event, until)
        self.on_wait()
        try:
            await event.wait()
        finally:
            del self._waiting[number]

    def advance(self, by: dt.timedelta) -> None:
        self.move_to(later(self._now, by))

    def move_to(self, instant: Instant) -> None:
        """Set the clock, but never back. Wakes every waiter that is due by then."""
        self._now = max(self._now, instant)
        for event, until in self._waiting.values():
            if until is not None and until <= self._now:
                event.set()

    def next_due(self) -> Instant | None:
        """The earliest instant that a waiter waits for; None if no waiter has one."""
        return min((until for _, until in self._waiting.values() if until is not None), default=None)
