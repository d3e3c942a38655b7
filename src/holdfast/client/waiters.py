"""Waiting for runs to end, wherever they run.

The engine of this process tells when a run of its own has ended. For all others the store is asked:
once for all of them together, when it says that something has changed, and now and then in case a
notification was lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec

from holdfast.core.history import run_outcome
from holdfast.core.values import Failure, Outcome, Payload, RunKey, Succeeded
from holdfast.errors import NotOpen, StoreError
from holdfast.ports.store import EndedRun, Store

_log = logging.getLogger("holdfast.client")

_POLL_SECONDS = 2.0
_REMEMBERED = 10_000
_SMALL = 512
_Waiter: TypeAlias = tuple["asyncio.Future[Any]", Callable[[Outcome], Any]]
_decode_failure = msgspec.json.Decoder(Failure).decode


class Waiters:
    def __init__(self, store: Store, namespace: str, is_local: Callable[[RunKey], bool]) -> None:
        self._store = store
        self._namespace = namespace
        self._is_local = is_local
        """Whether the engine of this process has the run, and so will tell of its end."""
        self._waiting: dict[RunKey, list[_Waiter]] = {}
        self._recent: dict[RunKey, Payload] = {}
        """Small results of runs that ended here lately, the oldest first."""
        self._changed = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._stop_listening: Callable[[], None] | None = None
        self._is_closed = False

    def wait(self, run: RunKey, convert: Callable[[Outcome], Any]) -> asyncio.Future[Any]:
        """What `convert` makes of the run's outcome, when it has one. The caller may cancel the future.

        A future and not a coroutine: whoever waits for ten thousand runs need not make ten thousand tasks.
        """
        if self._is_closed:
            raise NotOpen
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        output = self._recent.get(run)
        if output is not None:
            _settle(future, convert, Succeeded(output))
            return future
        waiters = self._waiting.get(run)
        if waiters is None:
            self._waiting[run] = [(future, convert)]
        else:
            waiters.append((future, convert))
        if not self._is_local(run):
            self._changed.set()
        if self._watcher is None:
            self._stop_listening = self._store.listen(self._changed.set)
            self._watcher = asyncio.create_task(self._watch(), name="holdfast waiters")
        return future

    def ended(self, runs: Sequence[EndedRun]) -> None:
        """What the engine of this process calls after the commit that ended them."""
        for row in runs:
            if row.run in self._waiting:
                failure = None if row.failure is None else _decode_failure(row.failure)
                self._tell(row.run, run_outcome(row.status, row.output, failure))
            elif row.output is not None and len(row.output) <= _SMALL:
                self._remember(row.run, row.output)

    def _remember(self, run: RunKey, output: Payload) -> None:
        """Many a run is over before anyone asks for its result, who then need not ask the store.

        Only successes: nothing can happen to those any more, where a failed run can be tried again.
        """
        self._recent[run] = output
        if len(self._recent) > _REMEMBERED:
            del self._recent[next(iter(self._recent))]

    async def close(self) -> None:
        self._is_closed = True
        if self._stop_listening is not None:
            self._stop_listening()
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.gather(self._watcher, return_exceptions=True)
        for waiters in self._waiting.values():
            for future, _ in waiters:
                if not future.done():
                    future.set_exception(NotOpen())
        self._waiting.clear()

    def _tell(self, run: RunKey, outcome: Outcome) -> None:
        for future, convert in self._waiting.pop(run, ()):
            if not future.done():
                _settle(future, convert, outcome)

    def _drop_cancelled(self) -> None:
        for run, waiters in list(self._waiting.items()):
            waiting = [waiter for waiter in waiters if not waiter[0].done()]
            if waiting:
                self._waiting[run] = waiting
            else:
                del self._waiting[run]

    async def _watch(self) -> None:
        while True:
            # Quietly wait for news; look without any only while somebody waits for another process.
            timer = asyncio.get_running_loop().call_later(_POLL_SECONDS, self.look)
            await self._changed.wait()
            timer.cancel()
            self._changed.clear()
            self._drop_cancelled()
            elsewhere = [run for run in self._waiting if not self._is_local(run)]
            if not elsewhere:
                continue
            try:
                for record in await self._store.ended(self._namespace, elsewhere):
                    self._tell(record.key, run_outcome(record.status, record.output, record.failure))
            except StoreError as error:
                _log.warning("%s; still waiting for %d runs", error, len(elsewhere))
                await asyncio.sleep(_POLL_SECONDS)

    def look(self) -> None:
        """Something may have ended elsewhere: ask the store soon."""
        self._changed.set()


def _settle(future: asyncio.Future[Any], convert: Callable[[Outcome], Any], outcome: Outcome) -> None:
    try:
        future.set_result(convert(outcome))
    except Exception as error:
        future.set_exception(error)
