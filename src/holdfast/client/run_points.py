"""Runs as points of a picture: `hf.points`."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Final, Unpack

import msgspec

from holdfast.client.run_filters import RunConditions, check_number
from holdfast.client.run_listing import RunListing
from holdfast.core.run_points import COLUMNS, LEAST_TOOK, MOST_TOOK, ROWS, BinnedRuns, RunColumns
from holdfast.core.values import RunStatus, moment

MOST_POINTS: Final = 5_000
_MOST_BINNED: Final = 50_000
_SECOND: Final = 1_000_000


class PointColumns(msgspec.Struct, frozen=True):
    """The fields of the points, one list for each, in the same order: the newest run first."""

    id: list[str]
    key: list[str]
    at: list[float]
    """When the run was created, in seconds since 1970."""
    took: list[float | None]
    """In seconds, from its beginning to its end. None: it has not ended."""
    state: list[RunStatus]
    workflow: list[str]


class PointBins(msgspec.Struct, frozen=True):
    """Runs that are counted, because they are too many to be shown one by one."""

    begin: dt.datetime
    end: dt.datetime
    columns: int
    """They divide the time from `begin` to `end` evenly."""
    rows: int
    """They divide the time that runs took, from `took_min` to `took_max`, evenly on a logarithmic scale."""
    took_min: float
    took_max: float
    counts: list[tuple[int, int, RunStatus, int]]
    """Column, row, state, and how many runs. The row of runs that have not ended is -1."""


class RunPoints(msgspec.Struct, frozen=True):
    points: PointColumns
    """The newest runs."""
    is_all: bool
    """Whether the points are all runs that match."""
    looked_at: int
    """How many runs are shown or counted."""
    bins: PointBins | None
    """None: the points are enough."""


class RunPointListing(RunListing):
    """The part of a client that shows many runs at once."""

    async def points(self, *, limit: int = 5_000, **conditions: Unpack[RunConditions]) -> RunPoints:
        """The newest runs that meet the conditions, each with no more than when it was created, how long it
        took, its state and its workflow: 5,000 at most.

        If there are more, up to 50,000 runs are counted by when and how long as well, in `bins`. If they
        are chosen by more than the time of their creation, these are 10,000 at most.
        """
        self._check_loop()
        check_number("limit", limit, 1, MOST_POINTS)
        which = await self._filter(conditions, None, limit)
        found = await self._store.list_points(self.namespace, which, _MOST_BINNED)
        # In a thread, because 5,000 points would hold up the event loop.
        return await asyncio.to_thread(_points, found.columns, found.next is None, found.bins)


def _points(found: RunColumns, is_all: bool, bins: BinnedRuns | None) -> RunPoints:
    keys = [_spelled(key) for key in found.keys]
    columns = PointColumns(
        [key if id is None else id for key, id in zip(keys, found.ids, strict=True)],
        keys,
        [at / _SECOND for at in found.created_at],
        found.took(),
        found.statuses,
        found.workflows,
    )
    looked_at = len(keys) if bins is None else sum(count.runs for count in bins.counts)
    return RunPoints(columns, is_all, looked_at, None if bins is None else _bins(bins))


def _spelled(key: str) -> str:
    """A key in hexadecimal digits, as `key_text` spells it."""
    return f"{key[:8]}-{key[8:12]}-{key[12:16]}-{key[16:20]}-{key[20:]}"


def _bins(found: BinnedRuns) -> PointBins:
    return PointBins(
        moment(found.begin),
        moment(found.end),
        COLUMNS,
        ROWS,
        LEAST_TOOK / _SECOND,
        MOST_TOOK / _SECOND,
        [(it.column, it.row, it.status, it.runs) for it in found.counts],
    )
