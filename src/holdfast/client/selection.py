"""Many runs at once, chosen by conditions: count them first, then do something to all of them.

Runs are taken in pages, the newest first, so runs that are started meanwhile are left alone. For a job that
goes on without this process, see `bulk_jobs`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from holdfast.client.bulk_acts import ActOptions, BulkActs, chosen
from holdfast.client.operators import Timers
from holdfast.client.run_filters import RunConditions, run_filter
from holdfast.core.bulk import BULK, BulkAct
from holdfast.core.run_options import KEEP_DEADLINE, NewDeadline
from holdfast.core.values import RunKey
from holdfast.ports.runs import RunFilter, RunStore

_MOST_REFUSALS = 1_000


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


class FindsKeys(Protocol):
    async def key_of(self, run: Any) -> RunKey: ...


class RunSelection:
    """Made by `hf.select(...)`. Nothing is read before one of its methods is called."""

    def __init__(
        self,
        client: FindsKeys,
        store: RunStore,
        acts: BulkActs,
        namespace: str,
        conditions: RunConditions,
        progress: Callable[[BulkReport], None] | None = None,
    ) -> None:
        self._client = client
        self._store = store
        self._acts = acts
        self._namespace = namespace
        self._conditions = conditions
        self._progress = progress
        run_filter(conditions, None, 1)  # to refuse bad conditions at once

    def reporting(self, progress: Callable[[BulkReport], None]) -> RunSelection:
        """The same runs. `progress` is called after each page with the report so far."""
        return RunSelection(
            self._client, self._store, self._acts, self._namespace, self._conditions, progress
        )

    async def count(self) -> int:
        return await self._store.count_listed(self._namespace, await self._filter())

    async def _filter(self) -> RunFilter:
        parent = self._conditions.get("parent")
        key = None if parent is None else await self._client.key_of(parent)
        return run_filter(self._conditions, None, 1, key)

    async def cancel(self, reason: str = "", *, by: str = "") -> BulkReport:
        """Ask the runs that have not ended to end."""
        return await self._do(BulkAct.CANCEL, ActOptions(reason, by))

    async def retry(self, *, deadline: NewDeadline = KEEP_DEADLINE, by: str = "") -> BulkReport:
        """Reopen the runs that failed or were cancelled. Those whose deadline has passed need a new one."""
        return await self._do(BulkAct.RETRY, ActOptions(by=by, deadline=deadline))

    async def terminate(self, reason: str = "", *, by: str = "") -> BulkReport:
        """End the runs that have not ended, without asking them."""
        return await self._do(BulkAct.TERMINATE, ActOptions(reason, by))

    async def pause(self, note: str = "", *, by: str = "") -> BulkReport:
        return await self._do(BulkAct.PAUSE, ActOptions(note, by))

    async def try_now(self, *, by: str = "") -> BulkReport:
        """End the backoffs of all tasks of the runs."""
        return await self._do(BulkAct.TRY_NOW, ActOptions(by=by))

    async def resume(self, *, timers: str = Timers.CATCH_UP, by: str = "") -> BulkReport:
        """Let the runs go on that are paused or parked. With `timers="wait"`, only those that are paused: see
        `hf.resume`."""
        return await self._do(BulkAct.RESUME, ActOptions(by=by, timers=timers))

    async def delete(self) -> BulkReport:
        """Delete the runs that have ended, each with its children."""
        return await self._do(BulkAct.DELETE, ActOptions())

    async def _do(self, act: BulkAct, options: ActOptions) -> BulkReport:
        report = BulkReport()
        left = chosen(await self._filter(), act)
        if left is None:
            await self._acts.do(act, [], options)  # refuses bad options
        while left is not None:
            page = await self._store.page_runs(self._namespace, left, False)
            is_about_jobs = left.workflow == BULK
            result = await self._acts.do(act, page.runs, options, spare_jobs=not is_about_jobs)
            report.done += result.done
            for each in result.refused:
                report.refuse(each.run, each.message)
            if self._progress is not None:
                self._progress(report)
            left = None if page.next is None else left._replace(before=page.next)
        return report
