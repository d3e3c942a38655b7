"""Reading what a picture of one run shows. The database counts, so that few rows are fetched."""

from __future__ import annotations

import re
from typing import Final, cast

from holdfast.core.run_views import (
    BusyBins,
    GrainRow,
    GroupRow,
    GroupRows,
    NeighbourIds,
    count_busy,
    median,
)
from holdfast.core.values import Instant, RunKey, key_text
from holdfast.stores.database import Row, Transaction
from holdfast.stores.gil_pauses import pause
from holdfast.stores.number_arrays import decode_numbers, sorted_numbers
from holdfast.stores.sql_role import SqlRole

_BINS_AT_ONCE: Final = 8


class SqlRunViewStore(SqlRole):
    async def read_groups(
        self, namespace: str, run: RunKey, at: Instant | None, names: int, rows: int
    ) -> GroupRows:
        def script(tx: Transaction) -> GroupRows:
            return GroupRows(
                *(
                    [_group(row) for row in tx.rows(query, namespace, run, at, names, rows)]
                    for query in ("task_groups", "child_groups", "question_groups")
                )
            )

        return await self._driver.read(script, snapshot=True, may_be_long=True)

    async def read_busy(
        self, namespace: str, run: RunKey, name: str | None, bins: int, now: Instant, rows: int
    ) -> BusyBins | None:
        def script(tx: Transaction) -> BusyBins | None:
            [(starts, ends)] = tx.rows("task_spans", namespace, run, name, rows)
            begun = _sorted_times(starts, now)
            if not begun:
                return None
            ended = _sorted_times(ends, now)
            end = Instant(max(ended[-1], begun[-1]))
            most_in: list[int] = []
            for most in count_busy(begun, ended, begun[0], end - begun[0], bins):
                most_in.append(most)
                if len(most_in) % _BINS_AT_ONCE == 0:
                    pause()
            return BusyBins(begun[0], end, most_in)

        return await self._driver.read(script, may_be_long=True)

    async def read_grain(self, namespace: str, run: RunKey, name: str, rows: int) -> GrainRow:
        def script(tx: Transaction) -> GrainRow:
            [(first, took, states, tries)] = tx.rows("task_grain", namespace, run, name, rows)
            seconds: list[float | None] = []
            for some in decode_numbers(took):
                seconds += [None if each is None else each / 1000 for each in some]
            retried = [found.start() for found in re.finditer("[A-Z]", states)]
            return GrainRow(first, seconds, states.lower(), retried, _numbers_of(tries))

        return await self._driver.read(script, may_be_long=True)

    async def find_neighbours(self, namespace: str, run: RunKey, workflow: str) -> NeighbourIds:
        def script(tx: Transaction) -> NeighbourIds:
            beside = [tx.rows(query, namespace, workflow, run) for query in ("run_before", "run_after")]
            return NeighbourIds(*(rows[0][1] or key_text(rows[0][0]) if rows else None for rows in beside))

        return await self._driver.read(script, may_be_long=True)


def _group(row: Row) -> GroupRow:
    took = decode_numbers("[]" if row[-1] is None else row[-1])
    parts = [sorted(each for each in part if each is not None) for part in took]
    return GroupRow._make((*row[:-1], median(parts)))


def _sorted_times(array: str, now: Instant) -> list[Instant]:
    """`now` stands for an end that has not come."""
    return cast("list[Instant]", sorted_numbers(_numbers_of(array, now)))


def _numbers_of(array: str, instead_of_null: int = 0) -> list[int]:
    found: list[int] = []
    for some in decode_numbers(array):
        found += [instead_of_null if each is None else each for each in some]
    return found
