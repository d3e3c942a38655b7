"""Reading what a picture of one run shows. The database counts, so that few rows are fetched."""

from __future__ import annotations

import time
from typing import Final

import msgspec

from holdfast.core.run_views import GroupRow, GroupRows, median
from holdfast.core.values import Instant, RunKey
from holdfast.stores.database import Row, Transaction
from holdfast.stores.sql_role import SqlRole

_SORTED_AT_ONCE: Final = 5_000
_PAUSE: Final = 0.0002
"""Seconds. See `gil_pauses`."""

_decode_numbers = msgspec.json.Decoder(list[int]).decode


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


def _group(row: Row) -> GroupRow:
    took = [] if row[-1] is None else _decode_numbers(row[-1])
    parts: list[list[int]] = []
    for first in range(0, len(took), _SORTED_AT_ONCE):
        if first:
            time.sleep(_PAUSE)
        parts.append(sorted(took[first : first + _SORTED_AT_ONCE]))
    return GroupRow._make((*row[:-1], median(parts)))
