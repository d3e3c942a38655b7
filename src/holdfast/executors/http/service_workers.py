"""Which worker of a service is asked next."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from holdfast.ports.executor import ServiceCall
from holdfast.ports.workers import WorkerRecord

FRESH = 0.9
"""Seconds for which an answer of the registry is good."""

_MOST_SERVICES = 10_000

_log = logging.getLogger("holdfast.executors")

_ASKS_BY_ITSELF = ("async", "queue")
"""The type of a worker that takes its work from the queue, and its address."""

Live = Callable[[], Awaitable[Sequence[WorkerRecord]]]


class NoAnswer(NamedTuple):
    """A worker was not reached, or what it said is not of the service: another one may be asked."""

    reason: str
    is_gone: bool = False
    """It is not there, or not any more: it may come back, or another in its place."""


class ServiceWorkers:
    """What the registry said last of the workers that can be called, and what they do for us just now."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._by_service: dict[str, list[WorkerRecord]] = {}
        self._looked_at: float | None = None
        self._look: asyncio.Task[None] | None = None
        """One look for all who ask at the same time."""
        self._last: dict[str, str] = {}
        """By service: the id of the one whose turn it was last."""
        self._calls: Counter[str] = Counter()
        """By id: calls of ours that are under way."""
        self.trouble: Exception | None = None
        """Why the registry could not be asked, if it was so the last time."""

    async def of(self, service: str, without: Collection[str] = ()) -> list[WorkerRecord]:
        """Those that are online, by id, but for the ids in `without`. Never raises: if the registry does not
        answer, what it said before still counts."""
        asked_at = asyncio.get_running_loop().time()
        if self._looked_at is None or asked_at - self._looked_at >= FRESH:
            await self._look_now()
        found = self._others(service, without)
        if not found and without and self._looked_at is not None and self._looked_at < asked_at:
            await self._look_now()  # before there is said to be no other: one may have come just now
            found = self._others(service, without)
        return found

    def _others(self, service: str, without: Collection[str]) -> list[WorkerRecord]:
        return [worker for worker in self._by_service.get(service, ()) if worker.id not in without]

    async def _look_now(self) -> None:
        if self._look is None:
            self._look = asyncio.get_running_loop().create_task(self._look_again())
        # Not awaited itself: an attempt that is cancelled must not cancel it for the others.
        await asyncio.wait([self._look])

    def choose(self, call: ServiceCall, candidates: Sequence[WorkerRecord]) -> WorkerRecord:
        """One of at least one, which are sorted by id."""
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
        if self._look is not None:
            self._look.cancel()
            await asyncio.wait([self._look])

    async def _look_again(self) -> None:
        try:
            found = sorted(await self._live(), key=lambda worker: worker.id)
        except Exception as error:  # the database is away, and may be back the next time
            if self.trouble is None:
                _log.warning("cannot find out which workers there are: %s", error)
            self.trouble = error
        else:
            self.trouble = None
            self._by_service = {}
            for worker in filter(_can_be_called, found):
                for service in dict.fromkeys(worker.services):
                    self._by_service.setdefault(service, []).append(worker)
        finally:
            self._look = None
            self._looked_at = asyncio.get_running_loop().time()


def _can_be_called(worker: WorkerRecord) -> bool:
    return worker.is_online and worker.type not in _ASKS_BY_ITSELF and worker.url not in _ASKS_BY_ITSELF
