"""What a picture of one run shows: its tasks by name, how many ran at once, and each task in brief.

Each answer is bounded, however many tasks the run has, and says if it leaves something out.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

import msgspec

from holdfast.client.run import Run
from holdfast.client.run_filters import check_number, instant_at
from holdfast.client.run_reading import RunReading
from holdfast.core.names import checked_name
from holdfast.core.run_views import GroupRow, GroupRows
from holdfast.core.values import Instant, moment

_MOST_GROUPS: Final = 200
_MOST_GROUPED: Final = 250_000
"""Tasks. Twice as many take twice as long."""

_MOST_GRAINS: Final = 100_000
MOST_BINS: Final = 800

GroupKind: TypeAlias = Literal["task", "child", "promise"]


class TaskStates(msgspec.Struct, frozen=True):
    """How many are in each state."""

    pending: int
    dispatched: int
    running: int
    success: int
    failed: int
    skipped: int
    cancelled: int


class TaskGroup(msgspec.Struct, frozen=True):
    """The tasks of one name. Or the children of one workflow, or the promises of one name."""

    name: str
    """Empty for the rest, if there are too many names."""
    kind: GroupKind
    """A task that waits for an answer, such as an approval, is a `promise`."""
    first_seq: int
    last_seq: int
    """Tasks, children and promises are counted apart."""
    count: int
    states: TaskStates
    retried: int
    """How many took more than one attempt."""
    lost: int
    """How many attempts were lost with their node."""
    asked_at: dt.datetime
    began_at: dt.datetime | None
    """When the first attempt began."""
    ended_at: dt.datetime | None
    """When the last of them ended. None while one is open."""
    slowest_seq: int | None
    slowest_took: float | None
    """In seconds, as `median_took`: how long the last attempt took of those that have ended."""
    median_took: float | None


class RunGroups(msgspec.Struct, frozen=True):
    total: int
    """How many tasks are in the groups."""
    at: dt.datetime
    """The groups are as the run was then."""
    groups: list[TaskGroup]
    """In the order in which the run first asked for them."""
    is_all: bool
    """False if some names share a group named "", or if the run has more than 250,000 tasks: then the first
    ones are counted."""


class BusyLine(msgspec.Struct, frozen=True):
    """How many tasks ran at once."""

    begin: dt.datetime | None
    """When the first attempt began. None: none has begun."""
    end: dt.datetime | None
    """When the last one ended; now, if one is running."""
    bin: float
    """How long a bin is, in seconds."""
    running: list[int]
    """The most that ran at once in each bin."""
    most: int


class Grain(msgspec.Struct, frozen=True):
    """The tasks of one name, in order, as columns."""

    name: str
    first_seq: int | None
    """None: there is no such task."""
    count: int
    took: list[float | None]
    """In seconds, to the millisecond: the last attempt. None: it has not ended, or never began."""
    states: str
    """A letter for each task: p d r s f k c, as in pending, dispatched, running, success, failed, skipped (k)
    and cancelled."""
    retried: list[int]
    """The indexes, in `took`, of those that took more than one attempt."""
    tries: list[int]
    """How many attempts each of those took."""


class Neighbours(msgspec.Struct, frozen=True):
    """The ids of the runs of the same workflow that were created before and after a run."""

    previous: str | None
    next: str | None


class RunViews(RunReading):
    """The part of a client that reads what a picture of a run shows."""

    async def task_groups(self, run: Run[Any] | str, *, at: dt.datetime | None = None) -> RunGroups:
        """The tasks of a run by name, in the order in which it first asked for them: how many there are, in
        which states, and how long they took. With `at`, as it was then. At most 200 names have a group of
        their own."""
        then, key = instant_at("at", at), await self.key_of(run)
        found = await self._store.read_groups(self.namespace, key, then, _MOST_GROUPS, _MOST_GROUPED)
        return run_groups(found, self._now() if then is None else then)

    async def busy_line(self, run: Run[Any] | str, name: str | None = None, *, bins: int = 200) -> BusyLine:
        """How many tasks of that name ran at once, or how many of all, in equal bins from the first beginning
        to the last end. Only the first 250,000 tasks are looked at."""
        check_number("bins", bins, 1, MOST_BINS)
        known = None if name is None else checked_name("name", name)
        key, now = await self.key_of(run), self._now()
        found = await self._store.read_busy(self.namespace, key, known, bins, now, _MOST_GROUPED)
        if found is None:
            return BusyLine(None, None, 0.0, [], 0)
        bin = (found.end - found.begin) / bins / 1_000_000
        return BusyLine(
            moment(found.begin), moment(found.end), bin, [*found.most_in], max(found.most_in, default=0)
        )

    async def grain(self, run: Run[Any] | str, name: str) -> Grain:
        """The tasks of one name, in order, each in brief: how long it took, its state, and how often it was
        tried. At most the first 100,000."""
        name, key = checked_name("name", name), await self.key_of(run)
        found = await self._store.read_grain(self.namespace, key, name, _MOST_GRAINS)
        return Grain(
            name,
            found.first_seq,
            len(found.states),
            [*found.took],
            found.states,
            [*found.retried],
            [*found.tries],
        )

    async def neighbours(self, run: Run[Any] | str) -> Neighbours:
        """The ids of the runs of the same workflow that were created before and after this one."""
        record = await self._find(run)
        found = await self._store.find_neighbours(self.namespace, record.key, record.workflow)
        return Neighbours(found.previous, found.next)


def run_groups(rows: GroupRows, at: Instant) -> RunGroups:
    groups = sorted(_groups(rows), key=lambda group: (group.asked_at, group.kind != "task", group.first_seq))
    total = sum(row.size for row in rows.tasks)
    has_all_names = all(group.name for group in groups)
    return RunGroups(total, moment(at), groups, has_all_names and total < _MOST_GROUPED)


def _groups(rows: GroupRows) -> Iterator[TaskGroup]:
    """The questions of DAGs and flows are asked by tasks of the same name."""
    asking = {row.name for row in rows.questions}
    for row in rows.tasks:
        yield _group(row, "promise" if row.name and row.name in asking else "task")
    known = {row.name for row in rows.tasks}
    yield from (_group(row, "child") for row in rows.children)
    yield from (_group(row, "promise") for row in rows.questions if row.name not in known or not row.name)


def _group(row: GroupRow, kind: GroupKind) -> TaskGroup:
    return TaskGroup(
        row.name,
        kind,
        row.first_seq,
        row.last_seq,
        row.size,
        TaskStates(*row[4:11]),
        row.retried,
        row.lost,
        moment(row.asked_at),
        None if row.began_at is None else moment(row.began_at),
        None if row.ended_at is None else moment(row.ended_at),
        row.slowest_seq,
        _seconds(row.slowest_took),
        _seconds(row.median_took),
    )


def _seconds(microseconds: int | None) -> float | None:
    """To the millisecond."""
    return None if microseconds is None else round(microseconds / 1_000_000, 3)
