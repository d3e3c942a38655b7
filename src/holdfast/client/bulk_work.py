"""The work of bulk jobs, a page of runs at a time. Implements the port `BulkWorker`.

A job is about the runs that were there when it was started. Runs that are created later are left alone. So
are runs that end later, if it is about ended ones: a run that was retried and has failed again is not retried
twice.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

import msgspec

from holdfast.client.bulk_acts import ActOptions, BulkActs, chosen
from holdfast.client.retention import PruneReport, Retention
from holdfast.client.run_filters import RunConditions, run_filter
from holdfast.core.bulk import (
    BULK,
    BulkAct,
    BulkBeginning,
    BulkConditions,
    BulkPage,
    BulkPlace,
    BulkPlan,
    EndedPlace,
)
from holdfast.core.run_options import KEEP_DEADLINE
from holdfast.core.values import Instant, RunStatus, key_from_text, key_text
from holdfast.errors import JobNotFound
from holdfast.ports.retention import EndedRange
from holdfast.ports.runs import MOST_COUNTED, RunFilter, RunStore

_RANGES_AT_ONCE: Final = 4
"""So many workflows and states are pruned together. Of each, 250 runs are looked at."""


class BulkWork:
    def __init__(self, store: RunStore, acts: BulkActs, retention: Retention, *, namespace: str) -> None:
        self._store = store
        self._acts = acts
        self._retention = retention
        self._namespace = namespace

    async def begin(self, job: str, plan: BulkPlan) -> BulkBeginning:
        run = await self._store.find_run(self._namespace, job)
        if run is None:
            raise JobNotFound(job, self._namespace)
        place = BulkPlace(key_text(run.key), run.created_at)
        if plan.act == BulkAct.PRUNE:
            place = msgspec.structs.replace(place, ended=await self._ended(plan), left=plan.limit)
        return await self.count(plan, place)

    async def count(self, plan: BulkPlan, place: BulkPlace, most: int = MOST_COUNTED) -> BulkBeginning:
        """How many runs the job would change from there."""
        if plan.act == BulkAct.PRUNE:
            ranges = [_range(each) for each in place.ended or await self._ended(plan)]
            pruned = await self._retention.prune(ranges, limit=plan.limit, is_dry=True)
            return BulkBeginning(place, pruned.report.runs, is_exact=True)
        which = self.filter_of(plan, place)
        found = 0 if which is None else await self._store.count_listed(self._namespace, which, most)
        return BulkBeginning(place, found, is_exact=found < most)

    def filter_of(self, plan: BulkPlan, place: BulkPlace) -> RunFilter | None:
        """None: there can be none. Raises BadOption."""
        which = chosen(conditions_filter(plan.conditions), BulkAct(plan.act))
        if which is None:
            return None
        last = key_from_text(place.before)
        if last is not None:
            which = which._replace(before=last if which.before is None else min(last, which.before))
        return which

    async def do_page(self, job: str, plan: BulkPlan, place: BulkPlace) -> BulkPage:
        if plan.act == BulkAct.PRUNE:
            return await self._prune_page(place)
        which = self.filter_of(plan, place)
        if which is None:
            return BulkPage()
        page = await self._store.page_runs(self._namespace, which, False)
        options = ActOptions(plan.text, plan.by, plan.timers, _deadline(plan), f"{BULK}:{job}")
        runs = [run for run in page.runs if run.finished_at is None or run.finished_at <= place.at]
        result = await self._acts.do(
            BulkAct(plan.act), runs, options, spare_jobs=plan.conditions.workflow != BULK
        )
        next = None if page.next is None else BulkPlace(key_text(page.next), place.at)
        return BulkPage(next, result.done, result.rows, tuple(result.refused))

    async def _ended(self, plan: BulkPlan) -> tuple[EndedPlace, ...]:
        which, age = plan.conditions, dt.timedelta(seconds=plan.older_than or 0)
        ranges = await self._retention.older_ranges(age, which.status, which.workflow)
        return tuple(map(_place, ranges))

    async def _prune_page(self, place: BulkPlace) -> BulkPage:
        ranges = [_range(each) for each in place.ended[:_RANGES_AT_ONCE]]
        report, roots, page = await self._retention.prune_page(ranges, PruneReport(), limit=place.left)
        left = None if place.left is None else place.left - roots
        ended = (*map(_place, page.rest), *place.ended[_RANGES_AT_ONCE:])
        next = BulkPlace(place.before, place.at, ended, left) if ended and left != 0 else None
        return BulkPage(next, report.runs, report.rows)


def conditions_filter(conditions: BulkConditions) -> RunFilter:
    """Raises BadOption."""
    given: Any = {
        name: value for name, value in msgspec.structs.asdict(conditions).items() if value is not None
    }
    parent = None if conditions.parent is None else key_from_text(conditions.parent)
    typed: RunConditions = given
    return run_filter(typed, None, 1, parent)


def _deadline(plan: BulkPlan) -> Any:
    return plan.deadline if plan.changes_deadline else KEEP_DEADLINE


def _place(range: EndedRange) -> EndedPlace:
    return EndedPlace(range.workflow, range.status.value, range.before, key_text(range.after))


def _range(place: EndedPlace) -> EndedRange:
    after = key_from_text(place.after)
    assert after is not None, "it was written by _place"
    return EndedRange(place.workflow, RunStatus(place.status), Instant(place.before), after)
