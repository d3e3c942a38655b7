"""Removes changes that nobody needs any more: they are kept for the setting `watch_kept_seconds`, and up to
`watch_bytes`.

It looks after a commit, now and then. So a node that has nothing to do sends nothing. Each node that works
looks, and short-lived ones do with some chance, so it is done as often as changes are written.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from random import Random
from typing import Final, Protocol

from holdfast.core.values import Instant, later
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


class ChangePruner:
    def __init__(self, store: RemovesChanges, dice: Random, kept_for: dt.timedelta, bytes: int) -> None:
        self._store = store
        self._dice = dice
        self._kept_for = kept_for
        self._bytes = bytes
        self._every = min(max(kept_for / 4, _SHORTEST), _LONGEST)
        self._look_at: Instant | None = None
        self._task: asyncio.Task[None] | None = None

    def note_commit(self, now: Instant) -> None:
        if self._look_at is None:
            # At a random time, so that the nodes of a fleet do not look together.
            self._look_at = later(now, self._every * self._dice.random())
        if now >= self._look_at and (self._task is None or self._task.done()):
            self._look_at = later(now, self._every)
            self._task = asyncio.create_task(self.look(now), name="holdfast change pruner")

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

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
