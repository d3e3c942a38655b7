"""Who reads a stream is woken when the run publishes, on whatever node that happens.

The engine of this process tells of its own commits. The store tells of the commits of others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager

from holdfast.core.values import RunKey
from holdfast.ports.store_life import ENDED, STREAMS, StoreLife, of_stream


class StreamReaders:
    def __init__(self, store: StoreLife) -> None:
        self._store = store
        self._readers: dict[RunKey, list[asyncio.Event]] = {}
        self._stops: dict[RunKey, Callable[[], None]] = {}

    @contextmanager
    def reading(self, run: RunKey) -> Generator[asyncio.Event]:
        """An event that is set when the run may have published something, or may have ended."""
        changed = asyncio.Event()
        if run not in self._readers:
            # One listener for all readers of the run in this process.
            self._stops[run] = self._store.listen(lambda: self.wake([run]), of_stream(run), STREAMS, ENDED)
        readers = self._readers.setdefault(run, [])
        readers.append(changed)
        try:
            yield changed
        finally:
            readers.remove(changed)
            if not readers:
                del self._readers[run]
                self._stops.pop(run)()

    def wake(self, runs: Iterable[RunKey]) -> None:
        if self._readers:
            for run in runs:
                for changed in self._readers.get(run, ()):
                    changed.set()
