"""Waiting for runs to end, on whatever node they run.

The engine of this process reports when a run of its own has ended, or is no longer its own. All other runs
are looked up in the store, in one query: when the store notifies us of a change, and every few seconds in
case a notification was lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from holdfast.client.change_readers import ChangeReaders
from holdfast.client.stream_readers import StreamReaders
from holdfast.client.update_answers import UpdateAnswers
from holdfast.core.failures import revive
from holdfast.core.history import run_outcome
from holdfast.core.records import RunRecord
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
from holdfast.errors import NodeStopped, NotOpen, RunCancelled, RunFailed, RunNotFound, StoreError
from holdfast.ports.clients import WatchedRunStore
from holdfast.ports.commits import EndedRun
from holdfast.ports.store_life import ENDED

_log = logging.getLogger("holdfast.client")

_POLL_SECONDS = 2.0
_PAUSE_FACTOR = 4
"""The pause after a query is this many times as long as the query took."""
_REMEMBERED = 10_000
_SMALL = 512
_decode_failure = msgspec.json.Decoder(Failure).decode


class Ending(asyncio.Future[Any]):
    """The end of a run, for one caller that waits for it.

    It is a future, so that waiting for ten thousand runs does not need ten thousand tasks. It is also a
    coroutine, so that `asyncio.create_task(run.result())` works.
    """

    __slots__ = ("_steps", "_unpack", "id", "other")

    def __init__(self, id: str | None, unpack: Callable[[Payload], Any]) -> None:
        super().__init__()
        self.id = id
        self._unpack = unpack
        self._steps: Generator[Any, None, Any] | None = None
        self.other: Ending | None = None
        """The next waiter for the same run. A linked list, because nearly always there is only one."""

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
                except Exception as error:  # the result no longer fits the workflow's type hint
                    self.set_exception(error)
            case Failed():
                self.set_exception(revive(outcome.failure, RunFailed))
            case Cancelled():
                self.set_exception(RunCancelled(self.id or key_text(run), outcome.reason))


Coroutine.register(Ending)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


class Waiters:
    def __init__(self, store: WatchedRunStore, namespace: str, is_local: Callable[[RunKey], bool]) -> None:
        self._store = store
        self._namespace = namespace
        self._is_local = is_local
        """Whether the engine of this process owns the run and will report its end."""
        self._waiting: dict[RunKey, Ending] = {}
        self._elsewhere: set[RunKey] = set()
        """The waited-for runs that must be looked up in the store."""
        self._unsure: set[RunKey] = set()
        """Those of them that may have been deleted before anybody waited for them."""
        self._recent: OrderedDict[RunKey, Payload] = OrderedDict()
        """Small results of runs that ended here recently, the oldest first."""
        self._changed = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._stop_listening: Callable[[], None] | None = None
        self.stream_readers = StreamReaders(store)
        self.answers = UpdateAnswers(store, namespace)
        self.change_readers = ChangeReaders(store)
        self._is_closed = False
        self._failure: NodeStopped | None = None

    def wait(self, run: RunKey, id: str | None, unpack: Callable[[Payload], Any]) -> Ending:
        """A future of the run's result, read by `unpack`, or of its error. The caller may cancel it."""
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
            self._unsure.add(run)
            self._changed.set()
        if self._watcher is None:
            self._stop_listening = self._store.listen(self._changed.set, ENDED)
            self._watcher = asyncio.create_task(self._watch(), name="holdfast waiters")
        return ending

    async def ended(self, runs: Sequence[RunKey]) -> list[RunRecord]:
        """Those of the runs that have ended, with what they ended with."""
        return await self._store.ended_runs(self._namespace, runs)

    def runs_ended(self, runs: Sequence[EndedRun]) -> None:
        """Called by the engine of this process after the commit that ended these runs."""
        self.stream_readers.wake(row.run for row in runs)
        self.answers.wake()
        for row in runs:
            if row.run in self._waiting:
                failure = None if row.failure is None else _decode_failure(row.failure)
                self._settle(row.run, run_outcome(row.status, row.output, failure))
            elif row.output is not None and len(row.output) <= _SMALL:
                self._remember(row.run, row.output)

    def runs_released(self, runs: Iterable[RunKey]) -> None:
        """Called by the engine of this process when it no longer owns these runs."""
        self._elsewhere.update(run for run in runs if run in self._waiting)

    def items_published(self, runs: Iterable[RunKey]) -> None:
        """Called by the engine of this process after the commit with items of these runs."""
        self.stream_readers.wake(runs)

    def updates_answered(self, runs: Iterable[RunKey]) -> None:
        """Called by the engine of this process after the commit with answers of these runs."""
        self.answers.wake()

    def committed(self) -> None:
        """Called by the engine of this process after each commit."""
        self.change_readers.wake()

    def _remember(self, run: RunKey, output: Payload) -> None:
        """Many runs end before anyone waits for them. A later `wait` then needs no query.

        Only for successful runs, which never change. A failed run can be reopened.
        """
        self._recent[run] = output
        if len(self._recent) > _REMEMBERED:
            self._recent.popitem(last=False)

    def node_stopped(self, failure: NodeStopped) -> None:
        """The engine of this process has stopped. All waiters get the error; they would wait for ever."""
        self._failure = failure
        self._refuse_all(failure)
        self.answers.refuse_all(failure)

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
        await self.answers.close()

    def _settle(self, run: RunKey, outcome: Outcome) -> None:
        self._elsewhere.discard(run)
        for ending in all_of(self._waiting.pop(run, None)):
            if not ending.done():
                ending.settle(run, outcome)

    async def _watch(self) -> None:
        clock = asyncio.get_running_loop()
        while True:
            # Wait for a notification or the timer. Without waiters, nothing is queried.
            timer = clock.call_later(_POLL_SECONDS, self._changed.set)
            asleep_since = clock.time()
            await self._changed.wait()
            timer.cancel()
            self._changed.clear()
            began = clock.time()
            elsewhere = self._runs_to_query()
            if not elsewhere:
                continue
            try:
                for record in await self._store.ended_runs(self._namespace, elsewhere):
                    self._settle(record.key, run_outcome(record.status, record.output, record.failure))
                if self._unsure and began - asleep_since > _POLL_SECONDS / 2:
                    await self._refuse_deleted()
            except Exception as error:  # if this task died, its waiters would wait for ever
                is_ours = not isinstance(error, StoreError)
                _log.warning("%s; still waiting for %d runs", error, len(elsewhere), exc_info=is_ours)
                await asyncio.sleep(_POLL_SECONDS)
            # A query for thousands of runs is slow, and a busy database notifies all the time. Without a
            # pause these queries would never stop.
            await asyncio.sleep(min(_POLL_SECONDS, _PAUSE_FACTOR * (clock.time() - began)))

    async def _refuse_deleted(self) -> None:
        """Once for each run, and only when nothing has happened for a while: nearly always the run is
        there."""
        unsure, self._unsure = self._unsure & self._elsewhere, set()
        found = await self._store.find_runs(self._namespace, unsure) if unsure else []
        known = {run.key for run in found}
        for run in unsure - known:
            self._elsewhere.discard(run)
            for ending in all_of(self._waiting.pop(run, None)):
                if not ending.done():
                    ending.set_exception(RunNotFound(ending.id or key_text(run), self._namespace))

    def _runs_to_query(self) -> list[RunKey]:
        """Drops runs that this process owns again, and runs that no caller waits for any more."""
        for run in [run for run in self._elsewhere if self._is_local(run)]:
            self._elsewhere.discard(run)
        for run in [run for run in self._elsewhere if _still_wanted(self._waiting.get(run)) is None]:
            self._elsewhere.discard(run)
            self._waiting.pop(run, None)
        return list(self._elsewhere)

    def refresh(self) -> None:
        """Look up all runs that this process does not own. For tests: anything may have changed."""
        self.runs_released([run for run in self._waiting if not self._is_local(run)])
        self._changed.set()
        self.answers.wake()


def _still_wanted(first: Ending | None) -> Ending | None:
    """The first waiter that is not done."""
    while first is not None and first.done():
        first = first.other
    return first


def all_of(first: Ending | None) -> Iterator[Ending]:
    while first is not None:
        yield first
        first = first.other
