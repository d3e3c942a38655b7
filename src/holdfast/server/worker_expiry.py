"""Marks workers as offline that have sent no heartbeat for a while. Checks every few seconds."""

from __future__ import annotations

import asyncio
import logging

from holdfast.client.workers import Workers
from holdfast.errors import StoreError

_log = logging.getLogger("holdfast.server")


class WorkerExpiry:
    """Queries the store only while workers are online, as far as this server knows."""

    def __init__(self, workers: Workers, every_seconds: float) -> None:
        self._workers = workers
        self._every_seconds = every_seconds
        self._may_have_workers = asyncio.Event()
        self._may_have_workers.set()  # from before this server was started
        self._checking: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Checks in the background from now on. May be called again."""
        if self._checking is None:
            self._checking = asyncio.create_task(self._check(), name="mark workers that are offline")

    def note_heartbeat(self) -> None:
        self.start()
        self._may_have_workers.set()

    async def stop(self) -> None:
        if self._checking is not None:
            self._checking.cancel()
            await asyncio.gather(self._checking, return_exceptions=True)

    async def _check(self) -> None:
        while True:
            await self._may_have_workers.wait()
            await asyncio.sleep(self._every_seconds)
            # Cleared before the query, so that a heartbeat during the query sets it again.
            self._may_have_workers.clear()
            try:
                online = await self._workers.mark_offline()
            except StoreError as error:
                _log.warning("offline workers could not be marked: %s", error)
                online = 1
            if online:
                self._may_have_workers.set()
