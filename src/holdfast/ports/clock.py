"""Time and waiting, as the engine sees them. A test or a simulator puts its own in their place."""

from __future__ import annotations

import asyncio
from typing import Protocol

from holdfast.core.values import Instant


class Clock(Protocol):
    def now(self) -> Instant:
        """What time it is, for leases and for all that is written down. It may be set, also back."""
        ...

    def elapsed(self) -> int:
        """Microseconds since some time or other. Never set: it is for how long something takes here.
        While the machine sleeps it stands still, as everything does."""
        ...

    def catch_up(self) -> None:
        """Find out whether the machine slept, which is too dear to be asked for every task. To be called
        before the time decides whether a lease has run out."""
        ...

    def set_to(self, there: Instant, within: int = 0) -> None:
        """The database's clock, which all nodes go by, shows `there` now, give or take `within` microseconds.

        Nothing is changed by an answer that may be as wrong as this clock is."""
        ...

    async def wait(self, event: asyncio.Event, until: Instant | None) -> None:
        """Return when `event` is set or the instant has come, whichever is first. None never comes."""
        ...
