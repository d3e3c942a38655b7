"""Simulated workers that poll the queue for tasks, and sometimes misbehave.

Now and then a worker sends no heartbeat for longer than its lease, or completes an item twice. Crashes and
pauses of its machine come from the plan of faults.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Any, TypeAlias, TypeVar

from holdfast.client.workers import Workers, queue_id
from holdfast.errors import ItemLost, StoreError
from holdfast.ports.workers import QueueItem
from holdfast.testing.simulation.witness import Witness

T = TypeVar("T")

Services: TypeAlias = Mapping[str, Callable[[QueueItem], Any]]
"""The function that does an item, by service. What it raises is reported as the error of the item."""

_BEATS_EVERY = 5.0
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 60.0
_SILENT = 0.1
_TWICE = 0.1
_SLOW = 0.2


class SimulatedPullWorker:
    def __init__(
        self,
        id: str,
        workers: Workers,
        services: Services,
        witness: Witness,
        dice: Random,
        fail: Callable[[str], None],
        note: Callable[[str, str], None],
        longest: float,
    ) -> None:
        self._id = id
        self._workers = workers
        self._services = services
        self._witness = witness
        self._dice = dice
        self._fail = fail
        self._note = note
        self._longest = longest
        """The longest delay before and after an item is done, in seconds. A silent worker takes longer."""

    async def work(self) -> None:
        """Register, and take items for as long as the process lives."""
        names = list(self._services)
        await _insist(lambda: self._workers.register(self._id, "", names))
        pause = _FIRST_PAUSE
        while True:
            item = await _insist(lambda: self._workers.poll(self._id, names))
            if item is None:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                pause = _FIRST_PAUSE
                await self._do(item)

    async def _do(self, item: QueueItem) -> None:
        is_silent = self._dice.random() < _SILENT
        self._note(self._id, f"takes {item.name} {item.seq} #{item.attempt}{' silently' * is_silent}")
        beating = None if is_silent else asyncio.ensure_future(self._beat(item))
        try:
            await self._work_for(5 * self._longest if is_silent else self._longest)
            result, error = self._serve(item)
            await self._work_for(self._longest)
            await self._complete(item, result, error)
        finally:
            if beating is not None:
                beating.cancel()

    async def _work_for(self, longest: float) -> None:
        dice = self._dice
        await asyncio.sleep(longest * dice.random() if dice.random() < _SLOW else 0.01 * dice.random())

    def _serve(self, item: QueueItem) -> tuple[Any, str]:
        error = ""
        result = None
        try:
            result = self._services[item.service](item)
        except Exception as failure:
            error = f"{type(failure).__name__}: {failure}"
        self._witness.saw_item(self._id, item, is_success=not error)
        return result, error

    async def _complete(self, item: QueueItem, result: Any, error: str) -> None:
        """Retry until the completion is accepted or the item is lost. Now and then complete it twice."""
        id = queue_id(item)
        try:
            await _insist(lambda: self._workers.complete(id, result=result, error=error))
        except ItemLost:
            return
        if self._dice.random() < _TWICE:
            try:
                await _insist(lambda: self._workers.complete(id, result="another one"))
            except ItemLost:
                return
            self._fail(f"an item is completed once: {id} was completed again by {self._id}")

    async def _beat(self, item: QueueItem) -> None:
        """Renews the lease on this item, or sends a heartbeat for all items of the worker."""
        while True:
            await asyncio.sleep(_BEATS_EVERY)
            try:
                if self._dice.random() < 0.5:
                    await self._workers.renew(queue_id(item))
                else:
                    await self._workers.heartbeat(self._id)
            except (ItemLost, StoreError):
                pass  # harmless: completing a lost item has no effect


async def _insist(call: Callable[[], Awaitable[T]]) -> T:
    while True:
        try:
            return await call()
        except StoreError:
            await asyncio.sleep(1)
