"""Deleting ended runs, each with its whole family: the run, its children and theirs.

A child belongs to its parent: replay of the parent reads the row of the child, and a retry may open it again.
So a child goes with its parent and not before. A child that was started detached outlives its parent: it
stays when the parent is deleted, and can be deleted from then on.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypedDict

import msgspec

from holdfast.client.run_filters import workflow_name
from holdfast.core.names import checked_span
from holdfast.core.records import RunRecord
from holdfast.core.retention import ENDED, RetentionRule, cutoffs
from holdfast.core.run_options import StartTarget
from holdfast.core.values import Instant, RunKey, RunStatus, key_text
from holdfast.errors import BadOption, NeededByParent, NotEnded, RunNotFound
from holdfast.ports.retention import EndedRange, Family, PageOfFamilies, RetentionStore, RootSeen
from holdfast.ports.runs import RunStore

_ROWS: Final = 1000
_BYTES: Final = 4 * 1024 * 1024
"""How much is deleted in one transaction. On SQLite the engine's commits wait for it, for a few
milliseconds."""
_LOOKED_AT: Final = 250
"""How many runs of a workflow are looked at together."""
_PAUSE_SECONDS: Final = 0.002
_RULE: Final = "only a run that has ended can be deleted, with all its children"


class PruneReport(msgspec.Struct, frozen=True):
    runs: int = 0
    """How many runs were deleted, children included; in a dry run, how many would be."""
    rows: int = 0
    """How many rows of the database these runs had: steps, tasks, messages, logs and so on."""


class PruneOptions(TypedDict, total=False):
    status: RunStatus | str | None
    workflow: StartTarget[..., Any] | type | str | None
    limit: int | None
    dry_run: bool
    progress: Callable[[PruneReport], None] | None


class Pruned(NamedTuple):
    report: PruneReport
    places: list[EndedRange]
    """The ranges, each from where it goes on."""


class Deleted(NamedTuple):
    roots: set[RunKey]
    rows: int


class PrunedPage(NamedTuple):
    report: PruneReport
    roots: int
    """How many runs without a parent were deleted, or would be."""
    page: PageOfFamilies


class _Store(RetentionStore, RunStore, Protocol):
    pass


class Retention:
    def __init__(self, store: _Store, *, namespace: str, now: Callable[[], Instant]) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now

    async def delete(self, record: RunRecord) -> PruneReport:
        """Raises NotEnded and NeededByParent."""
        name = _name(record)
        while True:
            families = await self._store.find_families(self._namespace, [record.key])
            if not families:
                await self._refuse(record)
            for family in families:
                if family.open is not None:
                    await self._refuse_open(family)
                burial = await self._store.bury_runs(self._namespace, [_seen(family)])
                if burial.buried:
                    return await self._clear()
            found = await self._store.find_run(self._namespace, record.key)
            if found is None:
                raise RunNotFound(name, self._namespace)
            record = found  # it was opened again meanwhile, and may have ended again

    async def delete_many(self, records: Sequence[RunRecord]) -> Deleted:
        """Delete those of the runs that can be. `delete` says why another one cannot."""
        found = await self._store.find_families(self._namespace, [record.key for record in records])
        left: Sequence[RootSeen] = [_seen(family) for family in found if family.open is None]
        roots: set[RunKey] = set()
        rows = 0
        while left:
            buried, left = await self._store.bury_runs(self._namespace, left)
            roots.update(buried)
            rows += (await self._clear()).rows
        return Deleted(roots, rows)

    async def _refuse(self, record: RunRecord) -> None:
        """Raises what keeps the run from being deleted, unless that has changed meanwhile."""
        family = [record.key] if record.parent is None else [record.key, record.parent]
        found = {run.key: run for run in await self._store.find_runs(self._namespace, family)}
        run = found.get(record.key)
        if run is not None and not run.status.is_final:
            raise NotEnded(_name(run), run.status, _RULE)
        if run is not None and run.parent is not None and run.parent in found:
            raise NeededByParent(_name(run), _name(found[run.parent]))

    async def _refuse_open(self, family: Family) -> None:
        for run in await self._store.find_runs(self._namespace, [family.open] if family.open else []):
            if not run.status.is_final:
                raise NotEnded(_name(run), run.status, _RULE)

    async def prune_older(self, older_than: dt.timedelta, options: PruneOptions) -> PruneReport:
        """Raises BadOption."""
        limit, status = options.get("limit"), options.get("status")
        check_prune(older_than, status, limit)
        workflow = workflow_name(options.get("workflow"))
        ranges = await self.older_ranges(older_than, None if status is None else [status], workflow)
        is_dry, progress = options.get("dry_run", False), options.get("progress")
        return (await self.prune(ranges, limit=limit, is_dry=is_dry, progress=progress)).report

    async def older_ranges(
        self, age: dt.timedelta, statuses: Collection[str] | None, workflow: str | None
    ) -> list[EndedRange]:
        """Runs that ended longer ago than that, in one of these ways or in any."""
        rules = [RetentionRule(each, age) for each in ENDED if statuses is None or each in statuses]
        return await self.ranges(rules, None if workflow is None else [workflow])

    async def ranges(
        self, rules: Sequence[RetentionRule], workflows: Sequence[str] | None = None
    ) -> list[EndedRange]:
        """What the rules let go of now, for all workflows or for these."""
        if workflows is None:
            workflows = await self._store.ended_workflows(self._namespace)
        found = cutoffs(rules, workflows, self._now())
        return [EndedRange(workflow, status, before) for (workflow, status), before in found.items()]

    async def prune(
        self,
        ranges: Sequence[EndedRange],
        *,
        limit: int | None = None,
        is_dry: bool = False,
        progress: Callable[[PruneReport], None] | None = None,
    ) -> Pruned:
        """Delete families whose root is in one of the ranges, `limit` of them at most. First deletes what an
        interrupted call has left."""
        report = PruneReport() if is_dry else await self._clear(progress=progress)
        places = {(each.workflow, each.status): each for each in ranges}
        room = limit
        while ranges and (room is None or room > 0):
            report, roots, page = await self.prune_page(
                ranges, report, limit=room, is_dry=is_dry, progress=progress
            )
            room = None if room is None else room - roots
            places |= {(each.workflow, each.status): each for each in page.looked_up_to}
            ranges = page.rest
            await asyncio.sleep(_PAUSE_SECONDS)
        return Pruned(report, list(places.values()))

    async def prune_page(
        self,
        ranges: Sequence[EndedRange],
        report: PruneReport,
        *,
        limit: int | None = None,
        is_dry: bool = False,
        progress: Callable[[PruneReport], None] | None = None,
    ) -> PrunedPage:
        """Delete some of the families whose root is in one of the ranges, `limit` at most."""
        page = await self._store.find_ended_families(self._namespace, ranges, _LOOKED_AT)
        families = page.found[:limit]
        if is_dry:
            report = _sum(report, runs=sum(family.size for family in families))
        else:
            report = await self._delete(families, report, progress)
        if progress is not None:
            progress(report)
        return PrunedPage(report, len(families), page)

    async def _delete(
        self,
        families: Sequence[Family],
        report: PruneReport,
        progress: Callable[[PruneReport], None] | None,
    ) -> PruneReport:
        left: Sequence[RootSeen] = [_seen(family) for family in families]
        while left:
            _, left = await self._store.bury_runs(self._namespace, left)
            report = await self._clear(report, progress)
        return report

    async def _clear(
        self, report: PruneReport | None = None, progress: Callable[[PruneReport], None] | None = None
    ) -> PruneReport:
        """Delete everything that is buried. Each transaction lets some commits of the engine go first. With a
        long pause as well, a busy node would end more runs than it deletes."""
        report = report or PruneReport()
        while True:
            cleared = await self._store.clear_buried(_ROWS, _BYTES)
            if cleared.is_over:
                return report
            report = _sum(report, cleared.runs, cleared.rows)
            if progress is not None:
                progress(report)
            await asyncio.sleep(_PAUSE_SECONDS)


def check_prune(older_than: Any, status: Any, limit: Any) -> None:
    """Raises BadOption."""
    if checked_span("older_than", older_than) < dt.timedelta(0):
        raise BadOption("older_than", older_than, "zero or more; a negative age would mean every run")
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise BadOption("limit", limit, "1 or more")
    if status is not None and status not in ENDED:
        raise BadOption("status", status, "success, failed or cancelled: only ended runs are deleted")


def _sum(report: PruneReport, runs: int = 0, rows: int = 0) -> PruneReport:
    return PruneReport(report.runs + runs, report.rows + rows)


def _seen(family: Family) -> RootSeen:
    return RootSeen(family.root, family.ended_at)


def _name(run: RunRecord) -> str:
    return run.id or key_text(run.key)
