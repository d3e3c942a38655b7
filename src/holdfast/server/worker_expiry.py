"""Has workers that have fallen silent known as offline, every few seconds."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator

from holdfast.client.workers import Workers
from holdfast.errors import StoreError

_log = logging.getLogger("holdfast.server")


class WorkerExpiry:
    """Asks the store only while there are workers online, as far as anyone has said."""

    def __init__(self, workers: Workers, every_seconds: float) -> None:
        self._workers = workers
        self._every_seconds = every_seconds
        self._someone_is_there = asyncio.Event()
        self._someone_is_there.set()  # they may be from before this server was started

    def heard(self) -> None:
        """A worker has said that it lives."""
        self._someone_is_there.set()

    @contextlib.asynccontextmanager
    async def at_work(self) -> AsyncGenerator[None]:
        marking = asyncio.create_task(self._mark(), name="mark workers that are offline")
        try:
            yield
        finally:
            marking.cancel()
            await asyncio.gather(marking, return_exceptions=True)

    async def _mark(self) -> None:
        while True:
            await self._someone_is_there.wait()
            await asyncio.sleep(self._every_seconds)
            # Before it is asked: whoever comes while the store answers is not to be missed.
            self._someone_is_there.clear()
            try:
                online = await self._workers.mark_offline()
            except StoreError as error:
                _log.warning("workers were not marked: %s", error)
                online = 1
            if online:
                self._someone_is_there.set()
