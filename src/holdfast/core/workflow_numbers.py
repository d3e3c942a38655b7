"""What the newest runs of workflows say about them: how long they take, how many fail, what is slow."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from holdfast.core.run_points import RunPoint
from holdfast.core.values import Instant, RunStatus, TaskStatus, key_text, moment

_MOST_TASK_NAMES = 200
_STRIP = 30
_LAST = 20


class TookNumbers(msgspec.Struct, frozen=True):
    """In seconds."""

    median: float
    p95: float
    p99: float
    least: float
    most: float


class StripRun(msgspec.Struct, frozen=True):
    """A run in a strip of the newest ones."""

    id: str
    status: RunStatus
    took: float | None
    """In seconds. None: it has not ended."""
    created_at: dt.datetime


class VersionNumbers(msgspec.Struct, frozen=True):
    version: str
    runs: int
    failed: int
    open: int
    """How many have not ended."""
    first_at: dt.datetime
    """When the first of the runs that were looked at was created."""


class TaskNumbers(msgspec.Struct, frozen=True):
    name: str
    visits: int
    """How many tasks of that name there were."""
    retried: int
    failed: int
    took: TookNumbers | None
    """From the beginning to the end of the last attempt. None: none has ended."""


class WorkflowStatistics(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    runs: int
    """How many runs there are, up to 10,000."""
    looked_at: int
    """So many of them, the newest, are what the rest is about."""
    is_all: bool
    since: dt.datetime | None
    """When the oldest of those was created. None: there are none."""
    took: TookNumbers | None
    """From the beginning of a run to its end. None: none has ended."""
    succeeded: int
    failed: int
    cancelled: int
    by_version: list[VersionNumbers]
    """The version of the newest run first."""
    tasks: list[TaskNumbers]
    """In the order in which runs ask for them, 200 at most. 20,000 tasks are looked at, and of each run the
    first 1,000."""
    strip: list[StripRun]
    """The newest 30 runs, the newest first."""


class TaskTimes(msgspec.Struct, frozen=True):
    """Tasks as columns, in the same order."""

    names: list[str]
    statuses: list[TaskStatus]
    attempts: list[int]
    took: list[int | None]
    """Microseconds."""


class ActivityPoint(msgspec.Struct, frozen=True):
    at: dt.datetime
    succeeded: int
    failed: int


class WorkflowActivity(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: str
    """Empty if it is not registered any more. So is `version`."""
    version: str
    open: int
    """How many runs have not ended, up to 1,000, whenever they were created."""
    ended: int
    """How many runs of the window have ended, and how many of these have failed."""
    failed: int
    median_took: float | None
    """In seconds. None: none has ended."""
    points: list[ActivityPoint]
    """When runs ended, in steps, the oldest first. Steps in which none ended are left out."""
    last: list[StripRun]
    """The newest 20 runs of the window, the newest first."""


def took_numbers(took: Iterable[float]) -> TookNumbers | None:
    found = sorted(took)
    if not found:
        return None

    def at(share: float) -> float:
        return found[min(int(len(found) * share), len(found) - 1)]

    return TookNumbers(at(0.5), at(0.95), at(0.99), found[0], found[-1])


def strip_of(points: Iterable[RunPoint]) -> list[StripRun]:
    return [
        StripRun(
            key_text(point.key) if point.id is None else point.id,
            point.status,
            point.took,
            moment(point.created_at),
        )
        for point in points
    ]


def numbers_of_runs(
    name: str, runs: int, points: Sequence[RunPoint], tasks: TaskTimes, *, is_all: bool
) -> WorkflowStatistics:
    """`points` are the newest runs, the newest first, and `tasks` are theirs."""
    states = Counter(point.status for point in points)
    return WorkflowStatistics(
        name=name,
        runs=runs,
        looked_at=len(points),
        is_all=is_all,
        since=moment(points[-1].created_at) if points else None,
        took=took_numbers(point.took for point in points if point.took is not None),
        succeeded=states[RunStatus.SUCCESS],
        failed=states[RunStatus.FAILED],
        cancelled=states[RunStatus.CANCELLED],
        by_version=_by_version(points),
        tasks=_by_task(tasks),
        strip=strip_of(points[:_STRIP]),
    )


def _by_version(points: Sequence[RunPoint]) -> list[VersionNumbers]:
    found: dict[str, list[RunPoint]] = {}
    for point in points:
        found.setdefault(point.version, []).append(point)
    return [
        VersionNumbers(
            version,
            len(some),
            sum(point.status is RunStatus.FAILED for point in some),
            sum(not point.status.is_final for point in some),
            moment(some[-1].created_at),
        )
        for version, some in found.items()
    ]


def _by_task(tasks: TaskTimes) -> list[TaskNumbers]:
    visits: Counter[str] = Counter(tasks.names)
    retried: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    took: dict[str, list[float]] = {}
    rows = zip(tasks.names, tasks.statuses, tasks.attempts, tasks.took, strict=True)
    for name, status, attempt, span in rows:
        retried[name] += attempt > 1
        failed[name] += status is TaskStatus.FAILED
        if span is not None and status.is_final:
            took.setdefault(name, []).append(max(span, 0) / 1_000_000)
    return [
        TaskNumbers(name, count, retried[name], failed[name], took_numbers(took.get(name, ())))
        for name, count in list(visits.items())[:_MOST_TASK_NAMES]
    ]


def activity_of(
    name: str, kind: str, version: str, open: int, points: Sequence[RunPoint], step: int
) -> WorkflowActivity:
    """`points` are its runs in the window, the newest first. `step` is in microseconds."""
    ended = [point for point in points if point.finished_at is not None]
    took = took_numbers(point.took for point in ended if point.took is not None)
    buckets: dict[int, Counter[RunStatus]] = {}
    for point in ended:
        assert point.finished_at is not None
        buckets.setdefault(point.finished_at // step, Counter())[point.status] += 1
    return WorkflowActivity(
        name=name,
        kind=kind,
        version=version,
        open=open,
        ended=len(ended),
        failed=sum(point.status is RunStatus.FAILED for point in ended),
        median_took=None if took is None else took.median,
        points=[
            ActivityPoint(moment(Instant(bucket * step)), states[RunStatus.SUCCESS], states[RunStatus.FAILED])
            for bucket, states in sorted(buckets.items())
        ],
        last=strip_of(points[:_LAST]),
    )
