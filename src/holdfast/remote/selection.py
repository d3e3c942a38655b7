"""Many runs at once, over HTTP: pages of runs, and a request for each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Final, Protocol, cast

from holdfast.client.bulk_acts import SPARED
from holdfast.client.operators import Timers, timers_wait
from holdfast.client.run import RunInfo
from holdfast.client.run_filters import RunConditions
from holdfast.client.selection import BulkReport, RunSelection
from holdfast.core.bulk import BULK
from holdfast.core.run_options import KEEP_DEADLINE, NewDeadline
from holdfast.core.values import RunStatus
from holdfast.errors import Refused
from holdfast.remote.addressing import PAGE, Page, conditions_query
from holdfast.remote.connection import Connection

_AT_ONCE: Final = 20
_AWAKE: Final = (RunStatus.PENDING, RunStatus.RUNNING)
_HELD: Final = (RunStatus.PAUSED, RunStatus.PARKED)
_OPEN: Final = (*_AWAKE, *_HELD)
_UNDONE: Final = (RunStatus.FAILED, RunStatus.CANCELLED)
_ENDED: Final = (RunStatus.SUCCESS, *_UNDONE)


class Acts(Protocol):
    async def cancel(self, run: Any, reason: str = "", *, by: str = "") -> None: ...
    async def terminate(self, run: Any, reason: str = "", *, by: str = "") -> None: ...
    async def pause(self, run: Any, note: str = "", *, by: str = "") -> None: ...
    async def resume(self, run: Any, *, timers: str = Timers.CATCH_UP, by: str = "") -> None: ...
    async def retry(self, run: Any, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = "") -> None: ...
    async def try_now(self, run: Any, task: str | int | None = None, *, by: str = "") -> None: ...
    async def delete(self, run: Any) -> Any: ...


class RemoteSelection(RunSelection):
    def __init__(
        self,
        client: Acts,
        connection: Connection,
        conditions: RunConditions,
        progress: Callable[[BulkReport], None] | None = None,
    ) -> None:
        self._acts = client
        self._connection = connection
        self._conditions = conditions
        self._progress = progress
        self._query = conditions_query(conditions)  # to refuse bad conditions at once

    def reporting(self, progress: Callable[[BulkReport], None]) -> RunSelection:
        return RemoteSelection(self._acts, self._connection, self._conditions, progress)

    async def count(self) -> int:
        return sum([len(page) async for page in self._found(self._query)])

    async def cancel(self, reason: str = "", *, by: str = "") -> BulkReport:
        return await self._all(_OPEN, lambda id: self._acts.cancel(id, reason, by=by))

    async def retry(self, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = "") -> BulkReport:
        # One after the other, because the retry of a parent reopens its children.
        return await self._all(_UNDONE, lambda id: self._acts.retry(id, deadline=deadline, by=by), at_once=1)

    async def terminate(self, reason: str = "", *, by: str = "") -> BulkReport:
        return await self._all(_OPEN, lambda id: self._acts.terminate(id, reason, by=by))

    async def pause(self, note: str = "", *, by: str = "") -> BulkReport:
        return await self._all(_AWAKE, lambda id: self._acts.pause(id, note, by=by))

    async def try_now(self, *, by: str = "") -> BulkReport:
        return await self._all(_AWAKE, lambda id: self._acts.try_now(id, by=by))

    async def resume(self, *, timers: str = Timers.CATCH_UP, by: str = "") -> BulkReport:
        timers_wait(timers)
        return await self._all(_HELD, lambda id: self._acts.resume(id, timers=timers, by=by))

    async def delete(self) -> BulkReport:
        # One after the other, because a run takes its children with it.
        return await self._all(_ENDED, self._acts.delete, at_once=1)

    async def _all(
        self,
        statuses: Sequence[RunStatus],
        act: Callable[[str], Awaitable[Any]],
        *,
        at_once: int = _AT_ONCE,
    ) -> BulkReport:
        report = BulkReport()
        wanted = cast("list[RunStatus]", self._query["status"])
        for status in statuses:
            if wanted and status not in wanted:
                continue
            async for page in self._found({**self._query, "status": [status]}):
                runs = self._without_jobs(page, report)
                for first in range(0, len(runs), at_once):
                    await self._some(runs[first : first + at_once], act, report)
                if self._progress is not None:
                    self._progress(report)
        return report

    def _without_jobs(self, page: Sequence[RunInfo], report: BulkReport) -> Sequence[RunInfo]:
        """Bulk jobs are runs, too. They are left alone unless they are meant."""
        if self._query.get("workflow") == BULK:
            return page
        for run in page:
            if run.workflow == BULK:
                report.refuse(run.id, SPARED)
        return [run for run in page if run.workflow != BULK]

    async def _some(
        self, runs: Sequence[RunInfo], act: Callable[[str], Awaitable[Any]], report: BulkReport
    ) -> None:
        results = await asyncio.gather(*[act(run.key) for run in runs], return_exceptions=True)
        for run, result in zip(runs, results, strict=True):
            if isinstance(result, Refused):
                report.refuse(run.id, str(result))
            elif isinstance(result, BaseException):
                raise result
            else:
                report.done += 1

    async def _found(self, query: dict[str, Any]) -> AsyncIterator[list[RunInfo]]:
        """A page is read before anything is done to its runs; the next one begins behind it."""
        after: str | None = None
        while True:
            asked = {**query, "limit": PAGE, "payloads": False, "after": after}
            page = await self._connection.ask("GET", "/runs", Page[RunInfo], query=asked)
            if page.items:
                yield page.items
            after = page.next
            if after is None:
                return
