"""Drops items of streams that are older than the setting `stream_kept_seconds` of their node allows."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from random import Random
from typing import Final, Protocol

from holdfast.core.values import Instant
from holdfast.engine.after_commits import AfterCommits
from holdfast.errors import StoreError

_log = logging.getLogger("holdfast.engine")

_LONGEST: Final = dt.timedelta(minutes=10)
_SHORTEST: Final = dt.timedelta(seconds=1)
_ROWS: Final = 500
"""In one transaction."""
_BITES: Final = 1_000
"""How many to take in one look."""
_PAUSE_SECONDS: Final = 0.05
"""Between two bites, so that others can write."""


class DropsItems(Protocol):
    async def drop_old_items(self, now: Instant, rows: int) -> int: ...


class StreamPruner(AfterCommits):
    def __init__(self, store: DropsItems, dice: Random, kept_for: dt.timedelta) -> None:
        super().__init__(dice, min(max(kept_for / 4, _SHORTEST), _LONGEST), "holdfast stream pruner")
        self._store = store

    async def look(self, now: Instant) -> None:
        try:
            for _ in range(_BITES):
                if await self._store.drop_old_items(now, _ROWS) < _ROWS:
                    return
                await asyncio.sleep(_PAUSE_SECONDS)
        except StoreError as error:
            _log.warning("%s; old items of streams are dropped later", error)
        except Exception:
            _log.exception("old items of streams could not be dropped; it is tried again later")
