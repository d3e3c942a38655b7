"""Writing what many callers hand in: in groups, one transaction for each group.

What is handed in while a group is written becomes the next group. So ten thousand items that come at once
take some twenty transactions, and a single item does not wait. They are written in the order in which they
came.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from holdfast.errors import CommitRefused

_MOST_ITEMS = 500
_MOST_BYTES = 1_000_000
"""A larger group would hold up the next commit of an engine that uses the same SQLite file."""
_CLOSE_SECONDS = 5.0

T = TypeVar("T")
A = TypeVar("A")


class _Waiting(NamedTuple, Generic[T, A]):
    item: T
    answer: asyncio.Future[A]


class GroupWriter(Generic[T, A]):
    def __init__(
        self, write: Callable[[Sequence[T]], Awaitable[Sequence[A]]], size: Callable[[T], int], name: str
    ) -> None:
        """`write` returns an answer for each item. If it raises CommitRefused, it has written nothing. `size`
        is the size of an item in bytes, and `name` that of the task that writes."""
        self._write_items = write
        self._size = size
        self._name = name
        self._waiting: deque[_Waiting[T, A]] = deque()
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._writer: asyncio.Task[None] | None = None

    async def write(self, item: T) -> A:
        """If the caller is cancelled, the item is not written, unless its group is already under way."""
        one: _Waiting[T, A] = _Waiting(item, asyncio.get_running_loop().create_future())
        if not self._is_idle.is_set():
            self._waiting.append(one)
            return await one.answer
        # An item that comes alone is written by its caller, without a task. If the store has no threads, as
        # in a test, the event loop makes no turn meanwhile.
        self._is_idle.clear()
        try:
            await self._send([one])
        except asyncio.CancelledError:
            self._write_gathered()
            raise
        self._write_gathered()
        return one.answer.result()

    def hand_in(self, items: Sequence[T]) -> list[asyncio.Future[A]]:
        """Write them soon. If an answer is cancelled before its group is written, its item is left out."""
        loop = asyncio.get_running_loop()
        added: list[_Waiting[T, A]] = [_Waiting(item, loop.create_future()) for item in items]
        self._waiting.extend(added)
        if self._is_idle.is_set():
            self._is_idle.clear()
            self._write_gathered()
        return [one.answer for one in added]

    async def close(self) -> None:
        """Write what waits, for a few seconds at most."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._is_idle.wait(), _CLOSE_SECONDS)

    def _write_gathered(self) -> None:
        if self._waiting:
            self._writer = asyncio.create_task(self._write_all(), name=self._name)
        else:
            self._is_idle.set()

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                if group := self._take_group():
                    await self._send(group)
        finally:
            self._is_idle.set()

    def _take_group(self) -> list[_Waiting[T, A]]:
        group: list[_Waiting[T, A]] = []
        room = _MOST_BYTES
        while self._waiting and len(group) < _MOST_ITEMS:
            one = self._waiting[0]
            size = self._size(one.item)
            if group and size > room:
                break
            self._waiting.popleft()
            if not one.answer.done():
                group.append(one)
                room -= size
        return group

    async def _send(self, group: Sequence[_Waiting[T, A]]) -> None:
        try:
            answers = await self._write_items([one.item for one in group])
        except CommitRefused as error:
            # Nothing was written. Halves find the item whose row is refused, so that the others are written.
            if len(group) == 1:
                _refuse(group, error)
            else:
                middle = len(group) // 2
                await self._send(group[:middle])
                await self._send(group[middle:])
        except Exception as error:
            _refuse(group, error)
        else:
            for one, answer in zip(group, answers, strict=True):
                if not one.answer.done():
                    one.answer.set_result(answer)


def _refuse(group: Sequence[_Waiting[T, A]], error: Exception) -> None:
    for one in group:
        if not one.answer.done():
            one.answer.set_exception(error)
