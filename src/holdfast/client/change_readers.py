"""Watchers are woken when something was committed, on whatever node that happens.

The engine of this process tells of its own commits. The store tells of the commits of others, which announce
them only while somebody watches: so nodes are told that somebody does, every few seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from holdfast.ports.changes import ChangeStore
from holdfast.ports.store_life import CHANGES, StoreLife

_TELL_EVERY: Final = 10.0
"""Seconds. Nodes go on announcing for longer than this."""


class ChangeReaders:
    def __init__(self, store: StoreLife) -> None:
        self._store = store
        self._readers: list[asyncio.Event] = []
        self._stop: Callable[[], None] | None = None
        self._told_at = -_TELL_EVERY

    @contextmanager
    def reading(self) -> Generator[asyncio.Event]:
        """An event that is set when something may have been committed."""
        changed = asyncio.Event()
        if self._stop is None:
            self._stop = self._store.listen(self.wake, CHANGES)
        self._readers.append(changed)
        try:
            yield changed
        finally:
            self._readers.remove(changed)
            if not self._readers:
                self._stop()
                self._stop = None

    def wake(self) -> None:
        for changed in self._readers:
            changed.set()

    async def tell_watched(self, store: ChangeStore) -> None:
        """Once in a while, for all watchers of this process."""
        now = asyncio.get_running_loop().time()
        if now >= self._told_at + _TELL_EVERY:
            self._told_at = now
            await store.tell_watched()
