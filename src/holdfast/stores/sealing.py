"""A transaction that seals the payloads it writes and opens those it reads.

It stands between the transaction scripts and the database, so neither they nor the engine know of it. Without
keys there is none, and scripts have the transaction of the database itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from holdfast.core.sealed import MARK
from holdfast.stores.database import Column, Row, TablePage, Transaction
from holdfast.stores.seals import Seals

_Seal: TypeAlias = Callable[[Seals, bytes], bytes]

PAYLOADS: Final[Mapping[str, Mapping[int, _Seal]]] = {
    "answer_updates": {3: Seals.seal},
    "begin_chapters": {4: Seals.seal},
    "cancel_parked_run": {4: Seals.seal},
    "end_runs": {4: Seals.seal, 5: Seals.seal},
    "insert_attempts": {5: Seals.seal},
    "insert_audit": {8: Seals.seal, 9: Seals.seal},
    "insert_branches": {5: Seals.seal_input_of_task},
    "insert_chapters": {7: Seals.seal, 8: Seals.seal, 10: Seals.seal},
    "insert_items": {9: Seals.seal},
    "insert_logs": {4: Seals.seal},
    "insert_messages": {5: Seals.seal},
    "insert_questions": {5: Seals.seal_question},
    "insert_runs": {8: Seals.seal, 9: Seals.seal, 10: Seals.seal},
    "insert_schedule": {4: Seals.seal},
    "insert_shared_inputs": {3: Seals.seal},
    "insert_tasks": {5: Seals.seal_input_of_task},
    "move_tasks": {6: Seals.seal},
    "put_alert": {3: Seals.seal},
    "record_acts": {6: Seals.seal},
    "release_runs": {4: Seals.seal},
    "set_state": {3: Seals.seal},
    "settle_tasks": {5: Seals.seal, 6: Seals.seal},
    "terminate_runs": {4: Seals.seal},
    "update_schedule": {4: Seals.seal},
}
"""Which parameters of a query, counted from 1, are payloads."""

READABLE: Final[Mapping[str, frozenset[int]]] = {
    "give_up_ids": frozenset({3}),
    "insert_runs": frozenset({23}),
    "reopen_runs": frozenset({8}),
    "insert_schedule": frozenset({5}),
    "update_schedule": frozenset({5}),
    "put_worker": frozenset({4}),
}
"""Parameters that are JSON and stay readable: options of runs, plans of schedules, services of workers.
Queries look into them, or they have nothing of users' data in them."""

_FILTER: Final = "runs_that_match"
_PATTERNS: Final = (10, 11)
"""Of `runs_that_match`, counted from 0: patterns for the failure, which is sealed. The caller looks at the
failure itself as well."""


class SealedTransaction:
    __slots__ = ("_seals", "_tx", "noted")

    def __init__(self, tx: Transaction, seals: Seals) -> None:
        self._tx = tx
        self._seals = seals
        self.noted = tx.noted

    @property
    def waited(self) -> float:
        return self._tx.waited

    def run(self, query: str, *params: Any) -> None:
        self._tx.run(query, *self._sealed(query, params))

    def rows(self, query: str, *params: Any) -> list[Row]:
        params = self._sealed(query, _any_failure(query, params))
        return self._opened(self._tx.rows(query, *params))

    def send(self, query: str, *params: Any) -> Callable[[], list[Row]]:
        answer = self._tx.send(query, *self._sealed(query, params))
        return lambda: self._opened(answer())

    def many(self, query: str, rows: Sequence[Row], *common: Any) -> int:
        return self._tx.many(query, self._sealed_rows(query, rows, common), *common)

    def many_returning(self, query: str, rows: Sequence[Row], *common: Any) -> list[Row]:
        rows = self._sealed_rows(query, rows, common)
        return self._opened(self._tx.many_returning(query, rows, *common))

    def send_many(self, query: str, rows: Sequence[Row], *common: Any) -> Callable[[], list[Row]]:
        answer = self._tx.send_many(query, self._sealed_rows(query, rows, common), *common)
        return lambda: self._opened(answer())

    # Whole rows are copied as they are: an export has sealed payloads, and an import needs their key.

    def read_page(self, page: TablePage, where: Row, after: Row | None, limit: int) -> list[Row]:
        return self._tx.read_page(page, where, after, limit)

    def insert_rows(self, table: str, columns: Sequence[Column], rows: Sequence[Row]) -> None:
        self._tx.insert_rows(table, columns, rows)

    def replace_cells(self, table: str, key: Sequence[Column], column: Column, rows: Sequence[Row]) -> int:
        return self._tx.replace_cells(table, key, column, rows)

    def announce(self, *topics: str) -> None:
        self._tx.announce(*topics)

    def script(self, text: str) -> int:
        return self._tx.script(text)

    def _sealed(self, query: str, params: tuple[Any, ...]) -> tuple[Any, ...]:
        places = PAYLOADS.get(query)
        return params if places is None else self._sealed_row(places, params, 0)

    def _sealed_rows(self, query: str, rows: Sequence[Row], common: tuple[Any, ...]) -> Sequence[Row]:
        places = PAYLOADS.get(query)
        if places is None:
            return rows
        return [self._sealed_row(places, row, len(common)) for row in rows]

    def _sealed_row(self, places: Mapping[int, _Seal], row: Row, before: int) -> Row:
        cells = list(row)
        for place, seal in places.items():
            cell = cells[place - 1 - before]
            if cell is not None:
                cells[place - 1 - before] = seal(self._seals, cell)
        return tuple(cells)

    def _opened(self, rows: list[Row]) -> list[Row]:
        opened = self._seals.open
        for number, row in enumerate(rows):
            if any(cell.__class__ is bytes and cell.startswith(MARK) for cell in row):
                rows[number] = tuple(
                    opened(cell) if cell.__class__ is bytes and cell.startswith(MARK) else cell
                    for cell in row
                )
        return rows


def _any_failure(query: str, params: tuple[Any, ...]) -> tuple[Any, ...]:
    """The text of a sealed failure is not found by the database. So it finds all failures, and the caller
    looks at them."""
    if query != _FILTER:
        return params
    cells = list(params)
    for place in _PATTERNS:
        if cells[place] is not None:
            cells[place] = "%"
    return tuple(cells)
