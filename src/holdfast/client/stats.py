"""What a dashboard shows: how many runs there are in each state, and how many were started and ended when."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from typing import Any, Final

import msgspec

from holdfast.client.run_counts import RunCount, count_states
from holdfast.core.names import checked_span
from holdfast.core.values import Instant, RunStatus, moment
from holdfast.errors import BadOption
from holdfast.ports.clients import ClientStore
from holdfast.ports.runs import RunFilter, RunPage
from holdfast.ports.stats import KEPT_MINUTES, MINUTE, RunRates

_MINUTE: Final = dt.timedelta(minutes=1)
_HOUR: Final = dt.timedelta(hours=1)
_STEPS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 180, 360)
"""Minutes in a bucket, if nobody says how many."""
_USUAL_POINTS: Final = 200
_MOST_POINTS: Final = 1_500
_MOST_NAMESPACES: Final = 1_000
_COUNTED: Final = 20_000
_OPEN: Final = (RunStatus.PENDING, RunStatus.RUNNING, RunStatus.PAUSED, RunStatus.PARKED)


class StatsPoint(msgspec.Struct, frozen=True):
    """What happened from `at` on, until the next point."""

    at: dt.datetime
    started: int
    succeeded: int
    failed: int
    cancelled: int


class RunStats(msgspec.Struct, frozen=True):
    states: list[RunCount]
    """How many runs there are in each state now, up to 20,000."""
    step_seconds: float
    """How far the points are apart."""
    points: list[StatsPoint]
    """The oldest first, without gaps. The last one is not over yet."""
    total: StatsPoint
    """All of them."""


class NamespaceInfo(msgspec.Struct, frozen=True):
    name: str
    open_runs: int
    """How many runs have not ended, up to 20,000."""
    failed_runs: int
    """How many have failed and are still there, up to 20,000."""


class Stats:
    def __init__(self, store: ClientStore, *, namespace: str, now: Callable[[], Instant]) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now

    async def read(self, last: dt.timedelta = _HOUR, step: dt.timedelta | None = None) -> RunStats:
        """Raises BadOption."""
        minutes = _whole_minutes("last", last, KEPT_MINUTES)
        each = _usual_step(minutes) if step is None else _whole_minutes("step", step, minutes)
        if minutes // each > _MOST_POINTS:
            raise BadOption("step", step, f"longer: there would be more than {_MOST_POINTS:,} points")
        end = self._now() // MINUTE // each
        first = end - -(-minutes // each) + 1
        rows, states = await asyncio.gather(
            self._store.read_rates(self._namespace, first * each, (end + 1) * each, each),
            count_states(self._store, self._namespace, RunFilter(), _COUNTED),
        )
        found = {row.bucket: row for row in rows}
        points = [_point(found.get(bucket), bucket, each) for bucket in range(first, end + 1)]
        return RunStats(states, each * 60.0, points, _total(points))

    async def namespaces(self) -> list[NamespaceInfo]:
        found = {*await self._store.list_namespaces(), self._namespace}
        return [await self._namespace_info(name) for name in sorted(found)[:_MOST_NAMESPACES]]

    async def own_namespace(self) -> NamespaceInfo:
        """Of the namespace of the client."""
        return await self._namespace_info(self._namespace)

    async def _namespace_info(self, name: str) -> NamespaceInfo:
        count = self._store.count_runs
        return NamespaceInfo(
            name,
            await count(name, RunPage(_OPEN), _COUNTED),
            await count(name, RunPage([RunStatus.FAILED]), _COUNTED),
        )


def _whole_minutes(what: str, span: Any, most: int) -> int:
    minutes, rest = divmod(checked_span(what, span), _MINUTE)
    if rest or not 1 <= minutes <= most:
        raise BadOption(what, span, f"whole minutes, from 1 to {most:,}")
    return minutes


def _usual_step(minutes: int) -> int:
    return next((step for step in _STEPS if minutes / step <= _USUAL_POINTS), _STEPS[-1])


def _point(found: RunRates | None, bucket: int, step: int) -> StatsPoint:
    at = moment(Instant(bucket * step * MINUTE))
    return StatsPoint(at, 0, 0, 0, 0) if found is None else StatsPoint(at, *found[1:])


def _total(points: list[StatsPoint]) -> StatsPoint:
    return StatsPoint(
        points[0].at,
        sum(point.started for point in points),
        sum(point.succeeded for point in points),
        sum(point.failed for point in points),
        sum(point.cancelled for point in points),
    )
