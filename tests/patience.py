"""How long a test waits for something that must happen.

The limit is generous, because the machine may be busy: it only ends a test that would hang.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import inspect
from collections.abc import Callable
from typing import Final

PATIENCE: Final = 60.0
"""Seconds."""
SOON: Final = dt.timedelta(seconds=PATIENCE)


async def until(holds: Callable[[], object]) -> None:
    """Waits for something that no event announces. `holds` may be a coroutine function."""
    async with asyncio.timeout(PATIENCE):
        while not (await answer if inspect.isawaitable(answer := holds()) else answer):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
