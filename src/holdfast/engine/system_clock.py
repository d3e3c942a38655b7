"""The real clock, set by the database: nodes agree on leases although their machines may not."""

from __future__ import annotations

import asyncio
import time

from holdfast.core.values import Instant


class SystemClock:
    def __init__(self) -> None:
        self._offset = 0

    def set_by(self, there: Instant, here: Instant) -> None:
        """Follow a clock that showed `there` when ours showed `here`."""
        self._offset += there - here

    def now(self) -> Instant:
        # Without a call of the NewType: this is asked for every task, more than once.
        return time.time_ns() // 1000 + self._offset  # pyright: ignore[reportReturnType]

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
