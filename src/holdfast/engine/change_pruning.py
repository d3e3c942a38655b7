"""Removes changes that nobody needs any more: they are kept for the setting `watch_kept_seconds`, and up to
`watch_bytes`."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from random import Random
from typing import Final, Protocol

from holdfast.core.values import Instant, later
from holdfast.engine.after_commits import AfterCommits
from holdfast.errors import StoreError
from holdfast.ports.changes import Removal

_log = logging.getLogger("holdfast.engine")

_LONGEST: Final = dt.timedelta(minutes=1)
_SHORTEST: Final = dt.timedelta(seconds=1)
_MOST_ROWS: Final = 250_000
_BITES: Final = 1_000
"""How many to take in one look."""
_PAUSE_SECONDS: Final = 0.05
"""Between two bites, so that others can write."""


class RemovesChanges(Protocol):
    async def remove_changes(self, before: Instant, bytes: int, rows: int) -> Removal: ...


class ChangePruner(AfterCommits):
    def __init__(self, store: RemovesChanges, dice: Random, kept_for: dt.timedelta, bytes: int) -> None:
        super().__init__(dice, min(max(kept_for / 4, _SHORTEST), _LONGEST), "holdfast change pruner")
        self._store = store
        self._kept_for = kept_for
        self._bytes = bytes

    async def look(self, now: Instant) -> None:
        """Remove what is too old, or too much."""
        try:
            before = later(now, -self._kept_for)
            for _ in range(_BITES):
                if (await self._store.remove_changes(before, self._bytes, _MOST_ROWS)).is_over:
                    return
                await asyncio.sleep(_PAUSE_SECONDS)
        except StoreError as error:
            _log.warning("%s; old changes are removed later", error)
        except Exception:
            _log.exception("old changes could not be removed; it is tried again later")
