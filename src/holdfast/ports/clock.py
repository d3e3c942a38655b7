"""The clock that the engine reads and waits on. A test or a simulator passes its own."""

from __future__ import annotations

import asyncio
from typing import Protocol

from holdfast.core.values import Instant


class Clock(Protocol):
    def now(self) -> Instant:
        """The current time, for leases and for every stored instant. The clock may be set, also back."""
        ...

    def elapsed(self) -> int:
        """Microseconds since an arbitrary start, for measuring durations on this machine. This counter is
        never set, and it stands still while the machine sleeps."""
        ...

    def catch_up(self) -> None:
        """Add the time that the machine slept. Call this before the time decides whether a lease has run
        out. `now` does not check for sleep, because that costs too much to do for every task."""
        ...

    def set_to(self, there: Instant, within: int = 0) -> None:
        """Set this clock to the database's, which shows `there` now, give or take `within` microseconds.

        Nothing changes if the two clocks differ by no more than `within`."""
        ...

    async def wait(self, event: asyncio.Event, until: Instant | None) -> None:
        """Return when `event` is set or `until` has come, whichever is first. None: there is no timeout."""
        ...
