"""Reads runs as columns of points, and counts them in bins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

from holdfast.core.ids import time_of_key
from holdfast.core.run_points import (
    NOT_ENDED,
    BinCount,
    BinnedRuns,
    ListedColumns,
    RunColumns,
    column_of,
    row_of,
)
from holdfast.core.values import Instant, RunKey, RunStatus, TaskStatus
from holdfast.core.workflow_numbers import TaskTimes
from holdfast.ports.runs import RunFilter
from holdfast.stores.database import Row, Transaction
from holdfast.stores.run_conditions import hex_of
from holdfast.stores.run_lists import list_keys
from holdfast.stores.sql_role import SqlRole

# A bin is one number, because the database sorts numbers faster than three columns: the column, the row and
# the state. `bins_of_points` says the same.
_STATES: Final = tuple(RunStatus)
_ROW_BASE: Final = 64
_NOT_ENDED_THERE: Final = 63

_MOST_READ: Final = 10_000
"""To be counted here."""

_text = msgspec.json.Decoder(list[str]).decode
_text_or_none = msgspec.json.Decoder(list[str | None]).decode
_statuses = msgspec.json.Decoder(list[RunStatus]).decode
_task_statuses = msgspec.json.Decoder(list[TaskStatus]).decode
_numbers = msgspec.json.Decoder(list[int]).decode
_numbers_or_none = msgspec.json.Decoder(list[int | None]).decode


class SqlRunPointStore(SqlRole):
    async def list_points(self, namespace: str, which: RunFilter, binned: int = 0) -> ListedColumns:
        return await self._driver.read(
            lambda tx: _read_points(tx, namespace, which, binned), snapshot=True, may_be_long=True
        )

    async def read_task_times(self, namespace: str, runs: Sequence[str], each: int, most: int) -> TaskTimes:
        rows = await self._driver.fetch("task_times_of", namespace, list(runs), each, most, may_be_long=True)
        ((names, statuses, attempts, took),) = rows
        return TaskTimes(_text(names), _task_statuses(statuses), _numbers(attempts), _numbers_or_none(took))

    async def count_open_runs(self, namespace: str, workflows: Sequence[str], most: int) -> dict[str, int]:
        counts = dict.fromkeys(workflows, 0)
        names = list(counts)
        for name, runs in await self._driver.fetch(
            "count_open_runs", namespace, names, most, may_be_long=True
        ):
            if name in counts:  # nodes have runs of other workflows, too
                counts[name] = min(counts[name] + runs, most)
        return counts


def _read_points(tx: Transaction, namespace: str, which: RunFilter, binned: int) -> ListedColumns:
    if which == RunFilter(before=which.before, since=which.since, limit=which.limit):
        return _read_all(tx, namespace, which, binned)
    keys, end = list_keys(tx, namespace, which._replace(limit=max(min(binned, _MOST_READ), which.limit)))
    some, rest = (
        _columns(tx.rows("points_of", namespace, hex_of(part)))
        for part in (keys[: which.limit], keys[which.limit :])
    )
    if not rest.keys:
        return ListedColumns(some, end)
    return ListedColumns(some, keys[which.limit - 1], _counted([some, rest], is_all=end is None))


def _read_all(tx: Transaction, namespace: str, which: RunFilter, binned: int) -> ListedColumns:
    """Runs that are chosen by nothing but the time of their creation. They are counted by the database."""
    place = (namespace, which.before, which.since)
    columns = _columns(tx.rows("page_of_points", *place, which.limit))
    has_more = len(columns.keys) == which.limit and bool(tx.rows("nth_run", *place, which.limit))
    if not has_more:
        return ListedColumns(columns, None)
    end = RunKey(bytes.fromhex(columns.keys[-1]))
    return ListedColumns(columns, end, _bins(tx, place, binned) if binned > which.limit else None)


def _bins(tx: Transaction, place: tuple[str, RunKey | None, RunKey | None], most: int) -> BinnedRuns:
    newest, last = tx.rows("nth_run", *place, 0), tx.rows("nth_run", *place, most)
    oldest = last or tx.rows("first_run", *place)
    begin, end = time_of_key(oldest[0][0]), Instant(time_of_key(newest[0][0]) + 1_000)
    ((bins, runs),) = tx.rows("bins_of_points", *place, most, begin, end)
    counts = [_bin(bin, count) for bin, count in zip(_numbers(bins), _numbers(runs), strict=True)]
    return BinnedRuns(begin, end, counts, not last)


def _counted(parts: Sequence[RunColumns], *, is_all: bool) -> BinnedRuns:
    created = [at for part in parts for at in part.created_at]
    begin, end = created[-1], Instant(created[0] + 1)
    counts = Counter(
        (column_of(at, begin, end), row_of(took), status)
        for part in parts
        for at, took, status in zip(part.created_at, part.took(), part.statuses, strict=True)
    )
    return BinnedRuns(begin, end, [BinCount(*bin, runs) for bin, runs in sorted(counts.items())], is_all)


def _bin(number: int, runs: int) -> BinCount:
    place, state = divmod(number, len(_STATES))
    column, row = divmod(place, _ROW_BASE)
    return BinCount(column, NOT_ENDED if row == _NOT_ENDED_THERE else row, _STATES[state], runs)


def _columns(rows: list[Row]) -> RunColumns:
    ((keys, ids, workflows, versions, statuses, created, started, finished),) = rows
    return RunColumns(
        _text(keys),
        _text_or_none(ids),
        _text(workflows),
        _text(versions),
        _statuses(statuses),
        [Instant(at) for at in _numbers(created)],
        [None if at is None else Instant(at) for at in _numbers_or_none(started)],
        [None if at is None else Instant(at) for at in _numbers_or_none(finished)],
    )
