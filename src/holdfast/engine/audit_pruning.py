"""Removes rows of the audit log that are older than the setting `audit_kept_seconds` keeps them.

A node does it for its own namespace only: what another namespace keeps is decided there.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from random import Random
from typing import Final

from holdfast.core.values import Instant, later
from holdfast.engine.after_commits import AfterCommits
from holdfast.errors import StoreError
from holdfast.ports.access import AuditRemoval

_log = logging.getLogger("holdfast.engine")

_LONGEST: Final = dt.timedelta(minutes=10)
_SHORTEST: Final = dt.timedelta(seconds=1)
_ROWS: Final = 500
"""In one transaction."""
_BITES: Final = 1_000
"""How many to take in one look."""
_PAUSE_SECONDS: Final = 0.05
"""Between two bites, so that others can write."""


class AuditPruner(AfterCommits):
    def __init__(self, store: AuditRemoval, dice: Random, namespace: str, kept_for: dt.timedelta) -> None:
        super().__init__(dice, min(max(kept_for / 4, _SHORTEST), _LONGEST), "holdfast audit pruner")
        self._store = store
        self._namespace = namespace
        self._kept_for = kept_for

    async def look(self, now: Instant) -> None:
        try:
            before = later(now, -self._kept_for)
            for _ in range(_BITES):
                if await self._store.remove_audit(self._namespace, before, _ROWS) < _ROWS:
                    return
                await asyncio.sleep(_PAUSE_SECONDS)
        except StoreError as error:
            _log.warning("%s; old rows of the audit log are removed later", error)
        except Exception:
            _log.exception("old rows of the audit log could not be removed; it is tried again later")
