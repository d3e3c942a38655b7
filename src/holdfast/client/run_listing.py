"""Lists and counts of runs."""

from __future__ import annotations

import asyncio
import builtins
import datetime as dt
from collections.abc import Sequence
from typing import Any, Unpack

from holdfast.client.failures import FailureInfo, failure_info
from holdfast.client.run import Run, RunInfo, RunsPage, run_info
from holdfast.client.run_counts import RunCount, count_runs
from holdfast.client.run_filters import RunConditions, check_number, run_filter
from holdfast.client.run_graphs import RunGraphs
from holdfast.client.run_views import RunViews
from holdfast.core.records import RunRecord
from holdfast.core.values import RunKey, key_from_text, key_text
from holdfast.errors import BadOption
from holdfast.ports.runs import RunFilter

_FIRST_KEY = RunKey(bytes(16))
_DESCRIBED_AT_ONCE = 100
_PAUSE_SECONDS = 0.001


class RunListing(RunViews, RunGraphs):
    """The part of a client that lists and counts runs."""

    async def list(
        self,
        *,
        limit: int = 100,
        before: Run[Any] | str | None = None,
        **conditions: Unpack[RunConditions],
    ) -> builtins.list[RunInfo]:
        """Runs, newest first. `before` is the last run of the previous page."""
        self._check_loop()
        check_number("limit", limit, 1, 10_000)
        last = None if before is None else await self.key_of(before)
        which = await self._filter(conditions, last, limit)
        return await self._infos(await self._store.list_runs(self.namespace, which))

    async def page(
        self,
        *,
        limit: int = 100,
        after: str | None = None,
        payloads: bool = True,
        **conditions: Unpack[RunConditions],
    ) -> RunsPage:
        """A page of runs, newest first. `after` is `next` of the page before.

        It takes a limited time: if few runs meet conditions such as `error_contains`, it stops after looking
        at 10,000 runs, and if they are large, after 8 MB. So a page may have fewer runs than `limit`, or
        none, although there are more. With `payloads=False`, `input` and `output` are left out.
        """
        self._check_loop()
        check_number("limit", limit, 1, 10_000)
        last = None if after is None else _checked_place(after)
        which = await self._filter(conditions, last, limit)
        found = await self._store.page_runs(self.namespace, which, bool(payloads))
        infos = await self._infos(found.runs)
        return RunsPage(infos, None if found.next is None else key_text(found.next))

    async def counts(
        self, by: str = "status", **conditions: Unpack[RunConditions]
    ) -> builtins.list[RunCount]:
        """How many runs meet the conditions, by `status` or by `workflow`.

        It takes a limited time: if they are chosen by nothing but states, a workflow and the time of their
        creation, 100,000 are counted; otherwise the newest 10,000 are looked at. A count that is not exact
        says so: there are at least so many.
        """
        self._check_loop()
        which = await self._filter(conditions, None, 1)
        return await count_runs(self._store, self.namespace, which, by)

    async def _filter(self, conditions: RunConditions, before: RunKey | None, limit: int) -> RunFilter:
        which = run_filter(conditions, before, limit)
        parent = conditions.get("parent")
        return which if parent is None else which._replace(parent=await self.key_of(parent))

    async def _infos(self, found: Sequence[RunRecord]) -> builtins.list[RunInfo]:
        infos: builtins.list[RunInfo] = []
        now = self._now()
        for first in range(0, len(found), _DESCRIBED_AT_ONCE):
            page = found[first : first + _DESCRIBED_AT_ONCE]
            infos += [run_info(record, self._workflows, now) for record in page]
            # An engine may be on the same event loop, and its threads need the GIL: only a real pause lets
            # them have it. An event loop rounds it to milliseconds, and one of none is no pause.
            await asyncio.sleep(_PAUSE_SECONDS)
        return infos

    async def failures(
        self, *, created_after: dt.datetime | None = None, limit: int = 100
    ) -> builtins.list[FailureInfo]:
        """Failed runs, grouped by cause. The most frequent causes come first."""
        self._check_loop()
        check_number("limit", limit, 1, 10_000)
        since = run_filter({"created_after": created_after}, None, 1).since
        groups = await self._store.group_failures(self.namespace, since or _FIRST_KEY, limit)
        ends = {key for group in groups for key in (group.first, group.last)}
        found = {run.key: run for run in await self._store.find_runs(self.namespace, ends)}
        return [
            failure_info(group, found[group.first], found[group.last])
            for group in groups
            if group.first in found and group.last in found
        ]


def _checked_place(after: Any) -> RunKey:
    key = key_from_text(after) if isinstance(after, str) else None
    if key is None:
        raise BadOption("after", after, "`next` of a page")
    return key
