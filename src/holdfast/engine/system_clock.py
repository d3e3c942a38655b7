"""The real clock, set by the database, so that nodes agree on leases although their machines may not.

Between two settings it counts elapsed time and does not read the machine's clock: if that clock were set an
hour ahead, every lease would run out and every timer would fire.
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
    """A counter that goes on while the machine sleeps, unlike time.monotonic, if the platform has one."""
    # On macOS CLOCK_MONOTONIC counts sleep, and time.monotonic uses another clock.
    name = "CLOCK_MONOTONIC" if sys.platform == "darwin" else "CLOCK_BOOTTIME"
    clock = getattr(time, name, None)
    return None if clock is None else partial(time.clock_gettime_ns, clock)


class SystemClock:
    def __init__(
        self,
        count: Callable[[], int] = time.monotonic_ns,
        count_with_sleep: Callable[[], int] | None = _counting_sleep(),  # noqa: B008  # the same for all
    ) -> None:
        """Both count nanoseconds. The second also counts while the machine sleeps."""
        self._count = count
        self._count_with_sleep = count_with_sleep
        self._offset = time.time_ns() // 1000 - self.elapsed()
        self._slept = self._sleep_so_far()

    def set_to(self, there: Instant, within: int = 0) -> None:
        self.catch_up()  # `there` includes the time the machine slept, which must not be added again
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
        # Returns a plain int: a call of the NewType would cost, and every task asks for the time.
        return self._count() // 1000 + self._offset  # pyright: ignore[reportReturnType]

    def elapsed(self) -> int:
        return self._count() // 1000

    async def wait(self, event: asyncio.Event, until: Instant | None) -> None:
        if until is None:
            await event.wait()
            return
        delay = (until - self.now()) / 1_000_000
        if delay <= 0 or event.is_set():
            await asyncio.sleep(0)  # other tasks must get a turn, however busy the engine is
            return
        # A timer that sets the event costs a fraction of asyncio.wait_for.
        alarm = asyncio.get_running_loop().call_later(delay, event.set)
        try:
            await event.wait()
        finally:
            alarm.cancel()
