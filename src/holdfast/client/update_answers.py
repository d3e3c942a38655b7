"""Waiting for the answers to updates, on whatever node they are given.

All answers that somebody waits for are looked up in one query: when the engine of this process or the store
tells of answers, and every few seconds in case a notification was lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TypeAlias

from holdfast.core.values import RunKey
from holdfast.errors import NodeStopped, NotOpen, StoreError
from holdfast.ports.clients import WatchedRunStore
from holdfast.ports.runs import UpdateAnswer
from holdfast.ports.store_life import ANSWERED, ENDED

_log = logging.getLogger("holdfast.client")

_POLL_SECONDS = 2.0
_PAUSE_FACTOR = 4
"""The pause after a query is this many times as long as the query took."""

Asked: TypeAlias = tuple[RunKey, str]
"""The run and the message id of an update."""


class UpdateAnswers:
    def __init__(self, store: WatchedRunStore, namespace: str) -> None:
        self._store = store
        self._namespace = namespace
        self._waiting: dict[Asked, list[asyncio.Future[UpdateAnswer | None]]] = {}
        self._changed = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._stop_listening: Callable[[], None] | None = None
        self._refusal: NodeStopped | NotOpen | None = None

    def wait(self, run: RunKey, message_id: str) -> asyncio.Future[UpdateAnswer | None]:
        """A future of the answer, or of the end of the run without one. None: the message is gone. The caller
        may cancel the future."""
        if self._refusal is not None:
            raise self._refusal
        future: asyncio.Future[UpdateAnswer | None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault((run, message_id), []).append(future)
        self._changed.set()
        if self._watcher is None:
            self._stop_listening = self._store.listen(self._changed.set, ANSWERED, ENDED)
            self._watcher = asyncio.create_task(self._watch(), name="holdfast waiters")
        return future

    def wake(self) -> None:
        """There may be answers."""
        if self._waiting:
            self._changed.set()

    def refuse_all(self, error: NotOpen | NodeStopped) -> None:
        self._refusal = error
        for futures in self._waiting.values():
            for future in futures:
                if not future.done():
                    future.set_exception(error)
        self._waiting.clear()

    async def close(self) -> None:
        if self._stop_listening is not None:
            self._stop_listening()
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.gather(self._watcher, return_exceptions=True)
        self.refuse_all(NotOpen())

    async def _watch(self) -> None:
        clock = asyncio.get_running_loop()
        while True:
            timer = clock.call_later(_POLL_SECONDS, self._changed.set)
            await self._changed.wait()
            timer.cancel()
            self._changed.clear()
            began = clock.time()
            asked = self._still_wanted()
            if not asked:
                continue
            try:
                self._settle(asked, await self._store.find_answers(self._namespace, asked))
            except Exception as error:  # if this task died, its waiters would wait for ever
                is_ours = not isinstance(error, StoreError)
                _log.warning("%s; still waiting for %d answers", error, len(asked), exc_info=is_ours)
                await asyncio.sleep(_POLL_SECONDS)
            # A query for thousands of answers is slow, and a busy database notifies all the time.
            await asyncio.sleep(min(_POLL_SECONDS, _PAUSE_FACTOR * (clock.time() - began)))

    def _still_wanted(self) -> list[Asked]:
        for asked, futures in list(self._waiting.items()):
            if all(future.done() for future in futures):
                del self._waiting[asked]
        return list(self._waiting)

    def _settle(self, asked: list[Asked], found: list[UpdateAnswer]) -> None:
        there = {(row.run, row.uid): row for row in found}
        for each in asked:
            row = there.get(each)
            if row is None or row.answer is not None or row.has_ended:
                for future in self._waiting.pop(each, ()):
                    if not future.done():
                        future.set_result(row)
