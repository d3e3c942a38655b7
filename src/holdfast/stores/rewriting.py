"""Writes payloads again with the key that is the first now, or without one: after a change of keys.

Tables are gone through in the order of their keys, in small transactions. A cell is replaced only if it is as
it was read, so nodes may work meanwhile. What has the right key is passed over, so a rewrite that was
interrupted is begun again, and does what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from holdfast.core.sealed import is_sealed, why_sealed
from holdfast.stores.database import Column, Row, TablePage, Transaction
from holdfast.stores.seals import Seals
from holdfast.stores.sql_store import SqlStore

_FIRST_ROWS: Final = 16
_MOST_ROWS: Final = 500
_PAGE_BYTES: Final = 1024 * 1024
"""About so much is read and written in one transaction."""


class _Table(NamedTuple):
    key: tuple[str, ...]
    payloads: tuple[str, ...]


TABLES: Final[Mapping[str, _Table]] = {
    "runs": _Table(("namespace", "key"), ("input", "output", "failure")),
    "tasks": _Table(("run", "seq"), ("input", "output", "failure", "heartbeat")),
    "shared_inputs": _Table(("run", "seq"), ("fields",)),
    "attempts": _Table(("run", "seq", "attempt"), ("failure",)),
    "state": _Table(("run", "key"), ("value",)),
    "messages": _Table(("id",), ("payload", "answer")),
    "chapters": _Table(("run", "number"), ("input", "state", "questions")),
    "questions": _Table(("run", "number"), ("details",)),
    "schedules": _Table(("namespace", "name"), ("input",)),
    "logs": _Table(("number",), ("lines",)),
    "stream_items": _Table(("run", "name", "next_offset"), ("items",)),
    "alerts": _Table(("namespace", "name"), ("rule",)),
    "audit": _Table(("number",), ("before", "after")),
}
_SEALS: Final = {("tasks", "input"): Seals.seal_input_of_task, ("questions", "details"): Seals.seal_question}


class _Place(NamedTuple):
    after: Row | None
    """The key of the last row that was read."""
    limit: int
    """How many rows to read next."""


class RewriteReport(NamedTuple):
    rows: int = 0
    """How many were looked at."""
    rewritten: int = 0
    """How many payloads were written again."""
    unreadable: int = 0
    """How many payloads could not be opened."""
    reason: str = ""
    """Why the first of them could not."""

    def __add__(self, other: Any) -> RewriteReport:
        return RewriteReport(
            self.rows + other.rows,
            self.rewritten + other.rewritten,
            self.unreadable + other.unreadable,
            self.reason or other.reason,
        )


async def rewrite_payloads(
    store: SqlStore, seals: Seals, progress: Callable[[str, RewriteReport], None]
) -> RewriteReport:
    """The store must be one without seals: it reads what is in the tables. `progress` is told after each
    transaction, with the name of the table."""
    total = RewriteReport()
    for name, table in TABLES.items():
        place: _Place | None = _Place(None, _FIRST_ROWS)
        while place is not None:
            done, place = await store.write_script(partial(_rewrite_page, seals, name, table, place))
            total += done
            progress(name, total)
    return total


def _rewrite_page(
    seals: Seals, name: str, table: _Table, place: _Place, tx: Transaction
) -> tuple[RewriteReport, _Place | None]:
    found = {column: Column(column, type) for column, type in tx.rows("columns_of", name)}
    key = tuple(found[column] for column in table.key)
    payloads = tuple(found[column] for column in table.payloads)
    rows = tx.read_page(TablePage(name, (*key, *payloads), (), key), (), place.after, place.limit)
    report = RewriteReport(len(rows))
    for number, column in enumerate(payloads, len(key)):
        changed: list[Row] = []
        for row in rows:
            new, problem = _rewritten(seals, name, column.name, _bytes(row[number]))
            if problem:
                report += RewriteReport(0, 0, 1, problem)
            if new is not None:
                changed.append((*row[: len(key)], row[number], _as(row[number], new)))
        if changed:
            report += RewriteReport(0, tx.replace_cells(name, key, column, changed))
    if len(rows) < place.limit:
        return report, None
    size = sum(len(cell) for row in rows for cell in row[len(key) :] if cell is not None) + 1
    limit = max(1, min(_MOST_ROWS, len(rows) * _PAGE_BYTES // size))
    return report, _Place(tuple(rows[-1][: len(key)]), limit)


def _rewritten(seals: Seals, table: str, column: str, cell: bytes | None) -> tuple[bytes | None, str]:
    """The cell as it should be, or None if it is, and what is wrong with it."""
    if cell is None or seals.is_as_wanted(cell):
        return None, ""
    plain = seals.open(cell)
    if is_sealed(plain):
        return None, why_sealed(plain)
    return _SEALS.get((table, column), Seals.seal)(seals, plain), ""


def _bytes(cell: Any) -> bytes | None:
    """SQLite has text in these columns, and Postgres JSON, which is read as bytes."""
    return cell.encode() if isinstance(cell, str) else cell


def _as(cell: Any, new: bytes) -> Any:
    return new.decode() if isinstance(cell, str) else new


__all__: Sequence[str] = ["TABLES", "RewriteReport", "rewrite_payloads"]
