"""Time and waiting, as the engine sees them. A test or a simulator puts its own in their place."""

from __future__ import annotations

import asyncio
from typing import Protocol

from holdfast.core.values import Instant


class Clock(Protocol):
    def now(self) -> Instant: ...

    async def wait(self, event: asyncio.Event, until: Instant | None) -> None:
        """Return when `event` is set or the instant has come, whichever is first. None never comes."""
        ...
