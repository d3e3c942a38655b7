"""Waiting for runs to end, wherever they run.

The engine of this process tells when a run of its own has ended, or is its own no more. For all
others the store is asked: once for all of them together, when it says that something has changed, and
now and then in case a notification was lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from holdfast.core.failures import revive
from holdfast.core.history import run_outcome
from holdfast.core.values import (
    Cancelled,
    Failed,
    Failure,
    Outcome,
    Payload,
    RunKey,
    Succeeded,
    key_text,
)
from holdfast.errors import NodeStopped, NotOpen, RunCancelled, RunFailed, StoreError
from holdfast.ports.store import EndedRun, Store

_log = logging.getLogger("holdfast.client")

_POLL_SECONDS = 2.0
_REST = 4
"""Times as long as a look at the store took, before the next."""
_REMEMBERED = 10_000
_SMALL = 512
_decode_failure = msgspec.json.Decoder(Failure).decode


class Ending(asyncio.Future[Any]):
    """The end of a run, for one who waits for it.

    A future, so that whoever waits for ten thousand runs need not make ten thousand tasks; and a
    coroutine as well, so that `asyncio.create_task(run.result())` works as people expect.
    """

    __slots__ = ("_id", "_steps", "_unpack", "other")

    def __init__(self, id: str | None, unpack: Callable[[Payload], Any]) -> None:
        super().__init__()
        self._id = id
        self._unpack = unpack
        self._steps: Generator[Any, None, Any] | None = None
        self.other: Ending | None = None
        """Another who waits for the same run: nearly always there is none, so this is their only list."""

    def send(self, value: None) -> Any:
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.send(value)

    def throw(self, *error: Any) -> Any:
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.throw(*error)

    def close(self) -> None:
        if self._steps is not None:
            self._steps.close()

    def settle(self, run: RunKey, outcome: Outcome) -> None:
        match outcome:
            case Succeeded():
                try:
                    self.set_result(self._unpack(outcome.payload))
                except Exception as error:  # a result that does not fit the workflow's hint any more
                    self.set_exception(error)
            case Failed():
                self.set_exception(revive(outcome.failure, RunFailed))
            case Cancelled():
                self.set_exception(RunCancelled(self._id or key_text(run), outcome.reason))


Coroutine.register(Ending)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


class Waiters:
    def __init__(self, store: Store, namespace: str, is_local: Callable[[RunKey], bool]) -> None:
        self._store = store
        self._namespace = namespace
        self._is_local = is_local
        """Whether the engine of this process has the run, and so will tell of its end."""
        self._waiting: dict[RunKey, Ending] = {}
        self._elsewhere: set[RunKey] = set()
        """Those of them that the store is to be asked about."""
        self._recent: OrderedDict[RunKey, Payload] = OrderedDict()
        """Small results of runs that ended here lately, the oldest first."""
        self._changed = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._stop_listening: Callable[[], None] | None = None
        self._is_closed = False
        self._failure: NodeStopped | None = None

    def wait(self, run: RunKey, id: str | None, unpack: Callable[[Payload], Any]) -> Ending:
        """The run's result, read by `unpack`, or what it failed with. The caller may cancel the future."""
        if self._failure is not None:
            raise self._failure
        if self._is_closed:
            raise NotOpen
        ending = Ending(id, unpack)
        output = self._recent.get(run)
        if output is not None:
            ending.settle(run, Succeeded(output))
            return ending
        ending.other = _still_wanted(self._waiting.get(run))
        self._waiting[run] = ending
        if not self._is_local(run):
            self._elsewhere.add(run)
            self._changed.set()
        if self._watcher is None:
            self._stop_listening = self._store.listen(self._changed.set)
            self._watcher = asyncio.create_task(self._watch(), name="holdfast waiters")
        return ending

    def runs_ended(self, runs: Sequence[EndedRun]) -> None:
        """What the engine of this process calls after the commit that ended them."""
        for row in runs:
            if row.run in self._waiting:
                failure = None if row.failure is None else _decode_failure(row.failure)
                self._tell(row.run, run_outcome(row.status, row.output, failure))
            elif row.output is not None and len(row.output) <= _SMALL:
                self._remember(row.run, row.output)

    def runs_released(self, runs: Iterable[RunKey]) -> None:
        """What the engine of this process calls when it no longer has these runs: they go on elsewhere."""
        self._elsewhere.update(run for run in runs if run in self._waiting)

    def _remember(self, run: RunKey, output: Payload) -> None:
        """Many a run is over before anyone asks for its result, who then need not ask the store.

        Only successes: nothing can happen to those any more, where a failed run can be tried again.
        """
        self._recent[run] = output
        if len(self._recent) > _REMEMBERED:
            self._recent.popitem(last=False)

    def node_stopped(self, failure: NodeStopped) -> None:
        """The engine of this process is gone: whoever waits must hear of it, and not wait for ever."""
        self._failure = failure
        self._refuse_all(failure)

    def _refuse_all(self, error: NotOpen | NodeStopped) -> None:
        for first in self._waiting.values():
            for ending in all_of(first):
                if not ending.done():
                    ending.set_exception(error)
        self._waiting.clear()
        self._elsewhere.clear()

    async def close(self) -> None:
        self._is_closed = True
        if self._stop_listening is not None:
            self._stop_listening()
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.gather(self._watcher, return_exceptions=True)
        self._refuse_all(NotOpen())

    def _tell(self, run: RunKey, outcome: Outcome) -> None:
        self._elsewhere.discard(run)
        for ending in all_of(self._waiting.pop(run, None)):
            if not ending.done():
                ending.settle(run, outcome)

    async def _watch(self) -> None:
        clock = asyncio.get_running_loop()
        while True:
            # Quietly wait for news; look without any only while somebody waits for another process.
            timer = clock.call_later(_POLL_SECONDS, self._changed.set)
            await self._changed.wait()
            timer.cancel()
            self._changed.clear()
            began = clock.time()
            elsewhere = self._take_stock()
            if not elsewhere:
                continue
            try:
                for record in await self._store.ended(self._namespace, elsewhere):
                    self._tell(record.key, run_outcome(record.status, record.output, record.failure))
            except Exception as error:  # whoever waits would else wait for ever, and never know why
                is_ours = not isinstance(error, StoreError)
                _log.warning("%s; still waiting for %d runs", error, len(elsewhere), exc_info=is_ours)
                await asyncio.sleep(_POLL_SECONDS)
            # One who waits for thousands of runs asks long questions, and on a busy database there is
            # always news: the answers must not be all that anyone is busy with.
            await asyncio.sleep(min(_POLL_SECONDS, _REST * (clock.time() - began)))

    def _take_stock(self) -> list[RunKey]:
        """The runs to ask for: not those that have come back, nor those that nobody waits for any more."""
        for run in [run for run in self._elsewhere if self._is_local(run)]:
            self._elsewhere.discard(run)
        for run in [run for run in self._elsewhere if _still_wanted(self._waiting.get(run)) is None]:
            self._elsewhere.discard(run)
            self._waiting.pop(run, None)
        return list(self._elsewhere)

    def look(self) -> None:
        """Everything may have changed: ask the store soon, for all runs that are not here."""
        self.runs_released([run for run in self._waiting if not self._is_local(run)])
        self._changed.set()


def _still_wanted(first: Ending | None) -> Ending | None:
    """The first of those who have not stopped waiting."""
    while first is not None and first.done():
        first = first.other
    return first


def all_of(first: Ending | None) -> Iterator[Ending]:
    while first is not None:
        yield first
        first = first.other
