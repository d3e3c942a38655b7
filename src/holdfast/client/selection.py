"""Many runs at once, chosen by conditions: count them first, then do something to all of them.

Runs are taken in pages, the newest first. A run that changes meanwhile is refused by itself, and the others
go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Protocol

import msgspec

from holdfast.client.operators import Operators, Timers, checked_sender, timers_wait
from holdfast.client.run_filters import RunConditions, run_filter
from holdfast.core.records import MessageKind, RunRecord
from holdfast.core.run_options import KEEP_DEADLINE, NewDeadline
from holdfast.core.values import RunKey, RunStatus, key_text
from holdfast.errors import HoldfastError, StoreError
from holdfast.ports.runs import ActResult, RunFilter, RunStore

_AT_ONCE = 200
_OPEN = (RunStatus.PENDING, RunStatus.RUNNING, RunStatus.PAUSED, RunStatus.PARKED)
_AWAKE = (RunStatus.PENDING, RunStatus.RUNNING)
_HELD = (RunStatus.PAUSED, RunStatus.PARKED)
_UNDONE = (RunStatus.FAILED, RunStatus.CANCELLED)


class BulkReport(msgspec.Struct):
    """What became of the runs that were chosen."""

    done: int = 0
    refused: list[tuple[str, str]] = []
    """The ids of runs to which it could not be done, and why: the first 1,000."""
    refusals: int = 0
    """How many."""

    def refuse(self, id: str, reason: str) -> None:
        self.refusals += 1
        if len(self.refused) < _MOST_REFUSALS:
            self.refused.append((id, reason))


_MOST_REFUSALS = 1_000


class OneRunCalls(Protocol):
    """The methods of a client that act on one run."""

    async def key_of(self, run: Any) -> RunKey: ...

    async def cancel(self, run: Any, reason: str = "", *, by: str = "") -> None: ...

    async def retry(self, run: Any, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = "") -> None: ...


class RunSelection:
    """Made by `hf.select(...)`. Nothing is read before one of its methods is called."""

    def __init__(
        self,
        client: OneRunCalls,
        store: RunStore,
        operators: Operators,
        namespace: str,
        conditions: RunConditions,
    ) -> None:
        self._client = client
        self._store = store
        self._operators = operators
        self._namespace = namespace
        self._conditions = conditions
        run_filter(conditions, None, 1)  # to refuse bad conditions at once

    async def count(self) -> int:
        return await self._store.count_listed(self._namespace, await self._filter())

    async def _filter(self) -> RunFilter:
        parent = self._conditions.get("parent")
        key = None if parent is None else await self._client.key_of(parent)
        return run_filter(self._conditions, None, _AT_ONCE, key)

    async def cancel(self, reason: str = "", *, by: str = "") -> BulkReport:
        """Ask the runs that have not ended to end."""
        # Messages that are sent at once are written together.
        return await self._each(_OPEN, lambda id: self._client.cancel(id, reason, by=by), at_once=_AT_ONCE)

    async def retry(self, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = "") -> BulkReport:
        """Reopen the runs that failed or were cancelled. Those whose deadline has passed need a new one."""
        # One after the other, because the retry of a parent reopens its children.
        return await self._each(
            _UNDONE, lambda id: self._client.retry(id, deadline=deadline, by=by), at_once=1
        )

    async def terminate(self, reason: str = "", *, by: str = "") -> BulkReport:
        """End the runs that have not ended, without asking them."""
        return await self._act(_OPEN, MessageKind.TERMINATE, reason, by)

    async def pause(self, note: str = "", *, by: str = "") -> BulkReport:
        return await self._act(_AWAKE, MessageKind.PAUSE, note, by)

    async def try_now(self, *, by: str = "") -> BulkReport:
        """End the backoffs of all tasks of the runs."""
        return await self._act(_AWAKE, MessageKind.TRY_NOW, "", by)

    async def resume(self, *, timers: str = Timers.CATCH_UP, by: str = "") -> BulkReport:
        """Let the runs go on that are paused or parked. With `timers="wait"`, only those that are paused: see
        `hf.resume`."""
        waits, by = timers_wait(timers), checked_sender(by)
        report = BulkReport()
        async for page in self._pages(_HELD):
            keys, now = [run.key for run in page], self._operators.now()
            resumed = set(await self._store.unpark_runs(self._namespace, keys, now, by, waits))
            report.done += len(resumed)
            for run in page:
                if run.key not in resumed and waits and run.status is RunStatus.PARKED:
                    report.refuse(_name(run), "it is parked, not paused: its timers cannot wait")
                elif run.key not in resumed:
                    report.refuse(_name(run), "it is neither paused nor parked any more")
        return report

    async def _act(self, statuses: Sequence[RunStatus], kind: MessageKind, text: str, by: str) -> BulkReport:
        report = BulkReport()
        async for page in self._pages(statuses):
            results = await self._operators.act_on([run.key for run in page], kind, text, by)
            for run, result in zip(page, results, strict=True):
                if result in (ActResult.DONE, ActResult.POSTED):
                    report.done += 1
                else:
                    report.refuse(_name(run), "it has changed meanwhile")
        return report

    async def _each(
        self, statuses: Sequence[RunStatus], change: Callable[[str], Awaitable[None]], *, at_once: int
    ) -> BulkReport:
        report = BulkReport()
        async for page in self._pages(statuses):
            for first in range(0, len(page), at_once):
                some = page[first : first + at_once]
                results = await asyncio.gather(
                    *[change(key_text(run.key)) for run in some], return_exceptions=True
                )
                for run, result in zip(some, results, strict=True):
                    if result is None:
                        report.done += 1
                    elif isinstance(result, HoldfastError) and not isinstance(result, StoreError):
                        report.refuse(_name(run), str(result))
                    else:
                        raise result
        return report

    async def _pages(self, statuses: Sequence[RunStatus]) -> AsyncIterator[list[RunRecord]]:
        """The chosen runs that are in one of these states."""
        wanted = await self._filter()
        for status in statuses:
            if wanted.statuses is not None and status not in wanted.statuses:
                continue
            which = wanted._replace(statuses=(status,))
            while page := await self._store.list_runs(self._namespace, which):
                which = which._replace(before=page[-1].key)
                yield page


def _name(run: RunRecord) -> str:
    return run.id or key_text(run.key)
