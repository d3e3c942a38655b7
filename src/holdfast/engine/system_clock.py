"""The real clock, set by the database: nodes agree on leases although their machines may not.

It counts on from when it was set last, and does not look at the machine's clock again: one that is
set an hour ahead would have every lease run out and every task time out.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from holdfast.core.values import Instant

_TOLERATED = 20_000
"""Microseconds. An answer of the database is about as old as that, so a smaller difference is none."""


def _counter() -> Callable[[], int]:
    """Nanoseconds that count on while a laptop sleeps: its lease has run out when it wakes up."""
    # Not time.monotonic, which stands still meanwhile on Linux and on macOS. On the latter it is the
    # clock of this name that does not.
    for name in ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"):
        clock = getattr(time, name, None)
        if clock is not None:
            return lambda: time.clock_gettime_ns(clock)
    return time.monotonic_ns


class SystemClock:
    def __init__(self, count: Callable[[], int] | None = None) -> None:
        self._count = count or _counter()
        self._offset = time.time_ns() // 1000 - self.elapsed()

    def set_to(self, there: Instant) -> None:
        difference = there - self.now()
        if abs(difference) > _TOLERATED:
            self._offset += difference

    def now(self) -> Instant:
        # Without a call of the NewType: this is asked for every task, more than once.
        return self._count() // 1000 + self._offset  # pyright: ignore[reportReturnType]

    def elapsed(self) -> int:
        return self._count() // 1000

    async def wait(self, event: asyncio.Event, until: Instant | None) -> None:
        if until is None:
            await event.wait()
            return
        delay = (until - self.now()) / 1_000_000
        if delay <= 0 or event.is_set():
            await asyncio.sleep(0)  # others must have their turn however busy we are
            return
        # Setting the event is all a time-out has to do, at a fraction of the cost of wait_for.
        alarm = asyncio.get_running_loop().call_later(delay, event.set)
        try:
            await event.wait()
        finally:
            alarm.cancel()
