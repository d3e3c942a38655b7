"""The tables that hold a run, for everything that copies whole runs. A new table with a `run` column is added
here; a new column is carried without a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from holdfast.core.journal import shift_messages
from holdfast.core.values import RunKey
from holdfast.ports.archives import ColumnTypes, RowValues
from holdfast.stores.database import Column, Row, TablePage, Transaction

_FIRST_ROWS: Final = 16
_MOST_ROWS: Final = 1000
_PAGE_BYTES: Final = 1024 * 1024
"""About so much is read at once."""


class RunTable(NamedTuple):
    name: str
    order: tuple[str, ...]
    """The rest of the primary key, after `run`."""
    numbers: Mapping[str, str] = {}
    """Columns with numbers that are given for a whole table, each with that table. A column that refers to a
    message by its number belongs here."""


# Messages come before the journal, so that whoever reads a file knows the numbers that the journal refers to.
RUN_TABLES: Final = (
    RunTable("messages", ("id",), {"id": "messages"}),
    RunTable("journal", ("position",)),
    RunTable("shared_inputs", ("seq",)),
    RunTable("tasks", ("seq",)),
    RunTable("attempts", ("seq", "attempt")),
    RunTable("state", ("key",)),
    RunTable("chapters", ("number",)),
    RunTable("questions", ("number",), {"message": "messages"}),
    RunTable("logs", ("number",), {"number": "logs"}),
    RunTable("stream_items", ("name", "next_offset")),
    RunTable("queue", ("seq",)),
    RunTable("stalls", ("node",)),
)
MADE_OF_OTHERS: Final = {"run_tags"}
"""Tables with a `run` column whose rows are made of the row of the run."""
OF_NODES: Final = {"lost_runs"}
"""Tables with a `run` column that tell nodes of this database something."""

_TABLES_OF_KINDS: Final = {"run": "runs", "definition": "workflows", "flow": "flows"} | {
    table.name: table.name for table in RUN_TABLES
}
_LEFT_OUT: Final = {"runs": {"namespace", "last_owner"}} | {
    table.name: {"namespace", "run"} for table in RUN_TABLES
}
"""`last_owner` says which node to tell first. The node of another database is none."""
_KEYS: Final = {
    "run": ("namespace", "key"),
    "definition": ("namespace", "name", "version"),
    "flow": ("namespace", "id"),
}
_TYPES: Final = {"BLOB": bytes, "uuid": bytes, "bytea": bytes, "INTEGER": int, "int4": int, "int8": int}
_INSTANT: Final = "timestamptz"


class RunColumns:
    """The columns that the tables have in this database."""

    def __init__(self, tx: Transaction) -> None:
        self._all = {
            kind: tuple(Column(*row) for row in tx.rows("columns_of", table))
            for kind, table in _TABLES_OF_KINDS.items()
        }

    def types(self) -> dict[str, ColumnTypes]:
        return {
            kind: {column.name: _type(column) for column in self.carried(kind)} for kind in _TABLES_OF_KINDS
        }

    def carried(self, kind: str) -> tuple[Column, ...]:
        left_out = _LEFT_OUT.get(_TABLES_OF_KINDS[kind], {"namespace"})
        return tuple(column for column in self._all[kind] if column.name not in left_out)

    def named(self, kind: str, names: Sequence[str]) -> tuple[Column, ...]:
        found = {column.name: column for column in self._all[kind]}
        return tuple(found[name] for name in names)

    def namespace_in(self, table: str, namespace: str) -> RowValues:
        """Nothing for most tables: their rows belong to a run, and the run to the namespace."""
        has = any(column.name == "namespace" for column in self._all[table])
        return {"namespace": namespace} if has else {}

    def find(self, tx: Transaction, kind: str, *key: Any) -> RowValues | None:
        """The row of a run, a definition or a flow."""
        columns = self.carried(kind)
        page = TablePage(_TABLES_OF_KINDS[kind], columns, self.named(kind, _KEYS[kind]))
        for row in tx.read_page(page, key, None, 1):
            return _values(columns, row)
        return None

    def rows(self, tx: Transaction, table: RunTable, run: RunKey) -> Iterator[RowValues]:
        columns = self.carried(table.name)
        order = self.named(table.name, table.order)
        page = TablePage(table.name, columns, self.named(table.name, ("run",)), order)
        after: Row | None = None
        limit = _FIRST_ROWS
        while True:
            rows = tx.read_page(page, (run,), after, limit)
            size = 0
            last: RowValues = {}
            for row in rows:
                last = _values(columns, row)
                size += 64 + sum(len(value) for value in last.values() if isinstance(value, (str, bytes)))
                yield last
            if len(rows) < limit:
                return
            after = tuple(last[name] for name in table.order)
            limit = max(1, min(_MOST_ROWS, limit * _PAGE_BYTES // size))

    def insert(self, tx: Transaction, kind: str, rows: Sequence[RowValues]) -> None:
        """All rows have the same columns."""
        columns = self.named(kind, tuple(rows[0]))
        tx.insert_rows(_TABLES_OF_KINDS[kind], columns, [_row(columns, row) for row in rows])


def all_rows(tx: Transaction, columns: RunColumns, run: RunKey) -> Iterator[tuple[str, RowValues]]:
    for table in RUN_TABLES:
        for row in columns.rows(tx, table, run):
            yield table.name, row


def renumbered(table: str, row: RowValues, shifts: Mapping[str, int]) -> RowValues:
    """The row with its numbers moved, and with those that it refers to. `shifts` is by table."""
    if table == "journal":
        shift = shifts.get("messages", 0)
        return row | {"step": shift_messages(row["step"], shift)} if shift else row
    for column, numbering in _NUMBERS.get(table, {}).items():
        if shifts.get(numbering) and row.get(column) is not None:
            row = row | {column: row[column] + shifts[numbering]}
    return row


_NUMBERS: Final = {table.name: table.numbers for table in RUN_TABLES}


def _type(column: Column) -> type:
    return int if column.type == _INSTANT else _TYPES.get(column.type, str)


def _values(columns: Sequence[Column], row: Row) -> RowValues:
    values: RowValues = {}
    for column, value in zip(columns, row, strict=True):
        # Postgres gives JSON as bytes. Everywhere else it is text.
        values[column.name] = value.decode() if column.type == "json" and value is not None else value
    return values


def _row(columns: Sequence[Column], values: RowValues) -> Row:
    return tuple(
        value.encode() if column.type == "json" and value is not None else value
        for column, value in zip(columns, values.values(), strict=True)
    )
