"""The real clock, set by the database: nodes agree on leases although their machines may not.

It counts on from when it was set last, and does not look at the machine's clock again: one that is
set an hour ahead would have every lease run out and every task time out.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial

from holdfast.core.values import Instant
from holdfast.ports.clock import Clock

_TOLERATED = 20_000
"""Microseconds. A smaller difference is none: the clock is not moved for the delays of a busy event loop."""


async def set_by_database(clock: Clock, read: Callable[[], Awaitable[Instant]]) -> None:
    """Set the clock to what `read` answers.

    The answer is from some moment between question and reply. Taken for the middle of the round trip, it is
    wrong by at most half of it, however slow the line is.
    """
    clock.catch_up()
    asked = clock.now()
    there = await read()
    clock.catch_up()  # so that the round trip includes the time that the machine slept
    half = (clock.now() - asked) // 2
    clock.set_to(Instant(there + half), within=half)


def _counting_sleep() -> Callable[[], int] | None:
    """A counter that goes on while the machine sleeps, as time.monotonic does not, if there is one."""
    # On macOS it is the clock of that name, and what Python calls monotonic is another.
    name = "CLOCK_MONOTONIC" if sys.platform == "darwin" else "CLOCK_BOOTTIME"
    clock = getattr(time, name, None)
    return None if clock is None else partial(time.clock_gettime_ns, clock)


class SystemClock:
    def __init__(
        self,
        count: Callable[[], int] = time.monotonic_ns,
        count_with_sleep: Callable[[], int] | None = _counting_sleep(),  # noqa: B008  # the same for all
    ) -> None:
        """Both count nanoseconds; the second also those that the machine slept."""
        self._count = count
        self._count_with_sleep = count_with_sleep
        self._offset = time.time_ns() // 1000 - self.elapsed()
        self._slept = self._sleep_so_far()

    def set_to(self, there: Instant, within: int = 0) -> None:
        self.catch_up()  # what the machine slept is in `there`, and must not be added once more
        difference = there - self.now()
        if abs(difference) > max(within, _TOLERATED):
            self._offset += difference

    def catch_up(self) -> None:
        slept = self._sleep_so_far()
        if slept - self._slept > _TOLERATED:
            self._offset += slept - self._slept
            self._slept = slept

    def _sleep_so_far(self) -> int:
        """Microseconds, and some constant."""
        return 0 if self._count_with_sleep is None else self._count_with_sleep() // 1000 - self.elapsed()

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
