"""Reading what a picture of one run shows. The database counts, so that few rows are fetched."""

from __future__ import annotations

import re
from typing import Final

import msgspec

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
from holdfast.stores.gil_pauses import in_slices, pause
from holdfast.stores.sql_role import SqlRole

_CONVERTED_AT_ONCE: Final = 5_000
"""Numbers. They are converted faster than rows."""

_BINS_AT_ONCE: Final = 8

_decode_numbers = msgspec.json.Decoder(list[int]).decode
_decode_some = msgspec.json.Decoder(list[int | None]).decode


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
            begun = sorted(map(Instant, _decode_numbers(starts)))
            if not begun:
                return None
            ended = sorted(now if end is None else Instant(end) for end in _decode_some(ends))
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
            for some in in_slices(_decode_some(took), _CONVERTED_AT_ONCE):
                seconds += [None if each is None else each / 1000 for each in some]
            retried = [found.start() for found in re.finditer("[A-Z]", states)]
            return GrainRow(first, seconds, states.lower(), retried, _decode_numbers(tries))

        return await self._driver.read(script, may_be_long=True)

    async def find_neighbours(self, namespace: str, run: RunKey, workflow: str) -> NeighbourIds:
        def script(tx: Transaction) -> NeighbourIds:
            beside = [tx.rows(query, namespace, workflow, run) for query in ("run_before", "run_after")]
            return NeighbourIds(*(rows[0][1] or key_text(rows[0][0]) if rows else None for rows in beside))

        return await self._driver.read(script, may_be_long=True)


def _group(row: Row) -> GroupRow:
    took = [] if row[-1] is None else _decode_numbers(row[-1])
    parts = [sorted(part) for part in in_slices(took, _CONVERTED_AT_ONCE)]
    return GroupRow._make((*row[:-1], median(parts)))
