"""Runs as points of a picture: when each was created, how long it took, and how it stands. Many runs are
counted in bins instead."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, NamedTuple

import msgspec

from holdfast.core.values import Instant, RunKey, RunStatus

COLUMNS: Final = 240
ROWS: Final = 40
NOT_ENDED: Final = -1
"""The row of runs that have not ended."""
LEAST_TOOK: Final = 1_000
MOST_TOOK: Final = 30 * 86_400 * 1_000_000
"""Microseconds. The rows divide the time between these evenly on a logarithmic scale. What took less or more
is in the first row or in the last."""


class RunPoint(NamedTuple):
    key: RunKey
    id: str | None
    workflow: str
    version: str
    status: RunStatus
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None

    @property
    def took(self) -> float | None:
        """In seconds, from its beginning to its end. None: it has not ended."""
        if self.finished_at is None:
            return None
        return max(self.finished_at - (self.started_at or self.finished_at), 0) / 1_000_000


class RunColumns(msgspec.Struct, frozen=True):
    """Runs as columns, in the same order: the newest first. Thousands of runs are read at once this way."""

    keys: list[str]
    """In hexadecimal digits."""
    ids: list[str | None]
    workflows: list[str]
    versions: list[str]
    statuses: list[RunStatus]
    created_at: list[Instant]
    started_at: list[Instant | None]
    finished_at: list[Instant | None]

    def points(self) -> list[RunPoint]:
        keys = [RunKey(bytes.fromhex(key)) for key in self.keys]
        columns = (
            self.ids,
            self.workflows,
            self.versions,
            self.statuses,
            self.created_at,
            self.started_at,
            self.finished_at,
        )
        return [RunPoint(*fields) for fields in zip(keys, *columns, strict=True)]

    def took(self) -> list[float | None]:
        """As in `RunPoint`."""
        return [
            None if end is None else max(end - (begin or end), 0) / 1_000_000
            for begin, end in zip(self.started_at, self.finished_at, strict=True)
        ]


class BinCount(NamedTuple):
    column: int
    row: int
    status: RunStatus
    runs: int


class BinnedRuns(NamedTuple):
    begin: Instant
    end: Instant
    """The columns divide the time between these evenly."""
    counts: list[BinCount]
    """Bins without runs are left out."""
    is_all: bool
    """Whether all runs that match are counted."""


class ListedColumns(NamedTuple):
    columns: RunColumns
    next: RunKey | None
    """As in `ListedRuns`."""
    bins: BinnedRuns | None = None
    """None: the columns are all runs that match, or nobody asked for them."""


_ROW_ENDS: Final = [
    LEAST_TOOK * (MOST_TOOK / LEAST_TOOK) ** (row / ROWS) / 1_000_000 for row in range(1, ROWS)
]
"""In seconds: where each row ends and the next one begins."""


def column_of(at: Instant, begin: Instant, end: Instant) -> int:
    """Runs are looked for by their keys, so the time of one may be a little outside."""
    return min(max((at - begin) * COLUMNS // max(end - begin, 1), 0), COLUMNS - 1)


def row_of(took: float | None) -> int:
    """`took` is in seconds."""
    if took is None:
        return NOT_ENDED
    return bisect_right(_ROW_ENDS, took)
