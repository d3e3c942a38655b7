"""Chooses which worker of a service is called next."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from holdfast.ports.executor import ServiceCall
from holdfast.ports.workers import WorkerRecord

FRESH_FOR = 0.9
"""Seconds for which an answer of the registry is used again."""

_MOST_SERVICES = 10_000

_log = logging.getLogger("holdfast.executors")

_POLLS_QUEUE = ("async", "queue")
"""The type and the address of a worker that polls the queue and cannot be called."""

ListWorkers = Callable[[], Awaitable[Sequence[WorkerRecord]]]


class NoAnswer(NamedTuple):
    """A worker was not reached, or its response is no answer of the service. Another worker may be called."""

    reason: str
    is_gone: bool = False
    """The worker is not there, or not any more. It may come back, or another one may take its place."""


class ServiceWorkers:
    """The workers that can be called, as the registry last listed them, and our calls in progress."""

    def __init__(self, list_workers: ListWorkers) -> None:
        self._list_workers = list_workers
        self._by_service: dict[str, list[WorkerRecord]] = {}
        self._refreshed_at: float | None = None
        self._refresh_task: asyncio.Task[None] | None = None
        """One read of the registry for all attempts that need it at the same time."""
        self._last: dict[str, str] = {}
        """The id of the worker that was called last, by service."""
        self._calls: Counter[str] = Counter()
        """How many of our calls are in progress, by the id of the worker."""
        self.registry_error: Exception | None = None
        """Why the registry could not be read the last time; None if it could."""

    async def online(self, service: str, exclude: Collection[str] = ()) -> list[WorkerRecord]:
        """Workers of a service, sorted by id, except those with excluded ids. Never raises: if the registry
        cannot be read, its last answer still counts."""
        asked_at = asyncio.get_running_loop().time()
        if self._refreshed_at is None or asked_at - self._refreshed_at >= FRESH_FOR:
            await self._refresh()
        found = self._others(service, exclude)
        if not found and exclude and self._refreshed_at is not None and self._refreshed_at < asked_at:
            await self._refresh()  # another worker may have registered since the last read
            found = self._others(service, exclude)
        return found

    def _others(self, service: str, exclude: Collection[str]) -> list[WorkerRecord]:
        return [worker for worker in self._by_service.get(service, ()) if worker.id not in exclude]

    async def _refresh(self) -> None:
        if self._refresh_task is None:
            self._refresh_task = asyncio.get_running_loop().create_task(self._read_registry())
        # Not awaited directly: an attempt that is cancelled must not cancel it for the others.
        await asyncio.wait([self._refresh_task])

    def choose(self, call: ServiceCall, candidates: Sequence[WorkerRecord]) -> WorkerRecord:
        """One of the candidates. There is at least one, and they are sorted by id."""
        last = self._last.get(call.service, "")
        in_turn = sorted(candidates, key=lambda worker: worker.id <= last)
        chosen = in_turn[0]
        if call.weighted_by_load:
            chosen = min(in_turn, key=lambda worker: worker.load + self._calls[worker.id])
        if len(self._last) >= _MOST_SERVICES:
            self._last.clear()
        self._last[call.service] = chosen.id
        return chosen

    @contextmanager
    def calling(self, worker: WorkerRecord) -> Generator[None]:
        self._calls[worker.id] += 1
        try:
            yield
        finally:
            self._calls[worker.id] -= 1
            if not self._calls[worker.id]:
                del self._calls[worker.id]

    async def close(self) -> None:
        if self._refresh_task is not None:
            self._refresh_task.cancel()
            await asyncio.wait([self._refresh_task])

    async def _read_registry(self) -> None:
        try:
            found = sorted(await self._list_workers(), key=lambda worker: worker.id)
        except Exception as error:  # the database may be back the next time
            if self.registry_error is None:
                _log.warning("cannot find out which workers there are: %s", error)
            self.registry_error = error
        else:
            self.registry_error = None
            self._by_service = {}
            for worker in filter(_can_be_called, found):
                for service in dict.fromkeys(worker.services):
                    self._by_service.setdefault(service, []).append(worker)
        finally:
            self._refresh_task = None
            self._refreshed_at = asyncio.get_running_loop().time()


def _can_be_called(worker: WorkerRecord) -> bool:
    return worker.is_online and worker.type not in _POLLS_QUEUE and worker.url not in _POLLS_QUEUE
