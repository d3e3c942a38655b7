"""What the newest runs say about workflows: `hf.workflows.statistics` and `hf.workflows.activity`."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Final, Protocol

import msgspec

from holdfast.core.ids import first_key_of
from holdfast.core.names import checked_span
from holdfast.core.run_points import RunPoint
from holdfast.core.values import Instant, microseconds, moment
from holdfast.core.workflow_numbers import (
    WorkflowActivity,
    WorkflowStatistics,
    activity_of,
    numbers_of_runs,
)
from holdfast.errors import BadOption
from holdfast.ports.run_points import RunPointStore
from holdfast.ports.runs import RunFilter, RunPage
from holdfast.ports.workflow_store import WorkflowStore

_DAY: Final = dt.timedelta(days=1)
_LONGEST: Final = dt.timedelta(days=366)
_LONGEST_STEPS: Final = 400
_RUNS: Final = 500
_MOST_RUNS: Final = 10_000
_TASKS: Final = 20_000
_TASKS_OF_RUN: Final = 1_000
_WORKFLOWS: Final = 500
_MOST_OPEN: Final = 1_000


class WorkflowActivities(msgspec.Struct, frozen=True):
    items: list[WorkflowActivity]
    """By name: workflows that are registered, and those that have runs in the window. 500 at most."""
    since: dt.datetime
    step_seconds: float
    looked_at: int
    """How many runs were looked at, the newest: 10,000 at most."""
    is_all: bool
    """Whether these are all runs of the window, and all workflows."""


class NumberStore(WorkflowStore, RunPointStore, Protocol):
    async def count_runs(self, namespace: str, page: RunPage, most: int) -> int:
        """As in `RunStore`."""
        ...

    async def count_listed(self, namespace: str, which: RunFilter, most: int) -> int:
        """As in `RunStore`."""
        ...


async def read_statistics(
    store: NumberStore, namespace: str, name: str, last: dt.timedelta | None, now: Instant
) -> WorkflowStatistics:
    """Raises BadOption."""
    since = None if last is None else first_key_of(_beginning(last, now))
    which = RunFilter(workflow=name, since=since, limit=_RUNS)
    found = await store.list_points(namespace, which)
    runs = len(found.columns.keys)
    if found.next is not None:
        every = which._replace(limit=_MOST_RUNS)
        runs = (
            await store.count_runs(namespace, RunPage(workflow=name), _MOST_RUNS)
            if last is None
            else await store.count_listed(namespace, every, _MOST_RUNS)
        )
    tasks = await store.read_task_times(namespace, found.columns.keys, _TASKS_OF_RUN, _TASKS)
    # In a thread, because 20,000 tasks would hold up the event loop.
    return await asyncio.to_thread(
        lambda: numbers_of_runs(name, runs, found.columns.points(), tasks, is_all=found.next is None)
    )


async def read_activity(
    store: NumberStore, namespace: str, last: dt.timedelta, step: dt.timedelta | None, now: Instant
) -> WorkflowActivities:
    """Raises BadOption."""
    begin = _beginning(last, now)
    each = last / 60 if step is None else checked_span("step", step)
    if each <= dt.timedelta(0) or last / each > _LONGEST_STEPS:
        raise BadOption("step", step, f"so long that there are no more than {_LONGEST_STEPS} steps")
    which = RunFilter(since=first_key_of(begin), limit=_MOST_RUNS)
    found = await store.list_points(namespace, which)
    known = {it.name: it for it in await store.list_workflows(namespace, None, "", _WORKFLOWS)}
    # In a thread, because 10,000 points would hold up the event loop.
    by_name = await asyncio.to_thread(lambda: _by_workflow(found.columns.points()))
    names = sorted({*known, *by_name})
    counts = await store.count_open_runs(namespace, names[:_WORKFLOWS], _MOST_OPEN)
    microstep = max(microseconds(each), 1)

    def summed_up() -> list[WorkflowActivity]:
        return [
            activity_of(
                name,
                known[name].kind if name in known else "",
                known[name].version if name in known else "",
                open_runs,
                by_name.get(name, ()),
                microstep,
            )
            for name, open_runs in counts.items()
        ]

    return WorkflowActivities(
        await asyncio.to_thread(summed_up),
        moment(begin),
        each.total_seconds(),
        len(found.columns.keys),
        found.next is None and len(names) <= _WORKFLOWS and len(known) < _WORKFLOWS,
    )


def _by_workflow(points: list[RunPoint]) -> dict[str, list[RunPoint]]:
    found: dict[str, list[RunPoint]] = {}
    for point in points:
        found.setdefault(point.workflow, []).append(point)
    return found


def _beginning(last: dt.timedelta, now: Instant) -> Instant:
    span = checked_span("last", last)
    if not dt.timedelta(0) < span <= _LONGEST:
        raise BadOption("last", last, f"longer than nothing, and {_LONGEST.days} days at most")
    return Instant(now - microseconds(span))
