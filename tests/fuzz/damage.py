"""Damage to the rows of one run, done behind the engine's back: by a bad disk, a bad tool or a bad person.

A `Damage` is a change of one column of one kind of row, or the loss of rows. It is written once and done
to both databases; what a database refuses by itself (SQLite's STRICT tables, Postgres's `json`) cannot
happen there, and `do` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import apsw
import psycopg

from holdfast.core.values import RunKey

KEY_COLUMN: Final = {"runs": "key", "children": "parent", "schedules": "name"}
"""Where a row says which run it belongs to; elsewhere it is `run`. The children are runs themselves, and a
schedule belongs to nobody: it is known by its name."""

_TABLE: Final = {"children": "runs"}
_LONG_AGO: Final = -(2**60)


class Damage(NamedTuple):
    table: str
    """Of the database, or `children`: the rows of the runs that the run has started."""
    column: str | None
    """None: the rows are lost."""
    value: Any
    """What it becomes, or a function that makes it of what it was."""
    where: str = "true"
    """Which of the run's rows."""

    @property
    def title(self) -> str:
        value = "" if self.column is None else f" is {_shown(self.value)}"
        change = "lost" if self.column is None else self.column
        where = "" if self.where == "true" else f" where {self.where}"
        return f"{self.table}.{change}{value}{where}"

    def do(self, url: str, run: RunKey | str) -> bool:
        """Whether the database let it happen to at least one row."""
        return _on_sqlite(self, url, run) if url.startswith("sqlite") else _on_postgres(self, url, run)


def _shown(value: Any) -> str:
    if callable(value):
        return value.__name__
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:30]}… ({len(text)} characters)"


def _on_sqlite(damage: Damage, url: str, run: RunKey | str) -> bool:
    table, column, _, where = damage
    which = f"{KEY_COLUMN.get(table, 'run')} = ? AND {where}"
    table = _TABLE.get(table, table)
    connection: Any = apsw.Connection(url.removeprefix("sqlite:///"))
    try:
        if column is None:
            connection.execute(f"DELETE FROM {table} WHERE {which}", (run,))
        else:
            kind = {row[1]: row[2] for row in connection.execute(f"PRAGMA table_info({table})")}[column]
            [(was,)] = connection.execute(
                f"SELECT CAST({column} AS BLOB) FROM {table} WHERE {which} LIMIT 1", (run,)
            )
            value = damage.value(was) if callable(damage.value) else damage.value
            place = f"CAST(? AS {kind})" if isinstance(value, bytes) else "?"
            connection.execute(f"UPDATE {table} SET {column} = {place} WHERE {which}", (value, run))
        return connection.total_changes() > 0
    except (apsw.ConstraintError, apsw.MismatchError):
        return False
    finally:
        connection.close()


def _on_postgres(damage: Damage, url: str, run: RunKey | str) -> bool:
    table, column, _, where = damage
    which = f"{KEY_COLUMN.get(table, 'run')} = %s AND {where}"
    table = _TABLE.get(table, table)
    key = run if isinstance(run, str) else _as_uuid(run)
    with psycopg.connect(url, autocommit=True) as connection:
        try:
            if column is None:
                statement = f"DELETE FROM holdfast.{table} WHERE {which}"
                return connection.execute(statement.encode(), (key,)).rowcount > 0
            kind = _kind(connection, table, column)
            found = connection.execute(
                f"SELECT {column} FROM holdfast.{table} WHERE {which} LIMIT 1".encode(), (key,), binary=True
            ).fetchone()
            assert found is not None, f"nothing to damage: {damage.title}"
            value = _for_postgres(damage.value(found[0]) if callable(damage.value) else damage.value, kind)
            statement = f"UPDATE holdfast.{table} SET {column} = %s::text::{kind} WHERE {which}"
            if kind == "bytea" or value is None:
                statement = f"UPDATE holdfast.{table} SET {column} = %s WHERE {which}"
            return connection.execute(statement.encode(), (value, key)).rowcount > 0
        except (
            psycopg.DataError,
            psycopg.IntegrityError,
            psycopg.errors.StatementTooComplex,
            UnicodeDecodeError,
        ):
            return False


def _kind(connection: psycopg.Connection[Any], table: str, column: str) -> str:
    row = connection.execute(
        "SELECT data_type FROM information_schema.columns WHERE table_schema = 'holdfast'"
        " AND table_name = %s AND column_name = %s",
        (table, column),
    ).fetchone()
    assert row is not None, f"there is no column {table}.{column}"
    return row[0]


def _for_postgres(value: Any, kind: str) -> Any:
    if value is None or kind == "bytea":
        return value
    if kind.startswith("timestamp"):
        return "-infinity" if value < _LONG_AGO else "infinity" if value > -_LONG_AGO else str(value)
    if kind == "uuid":
        return _as_uuid(value)
    return value.decode() if isinstance(value, bytes) else str(value)


def _as_uuid(key: bytes) -> str:
    return key.hex()


# --- what can be done to the bytes of a step --------------------------------------------------------


def flipped(bit: int) -> Callable[[bytes], bytes]:
    def flip(step: bytes) -> bytes:
        place, shift = divmod(bit % (8 * len(step)), 8)
        return step[:place] + bytes([step[place] ^ (1 << shift)]) + step[place + 1 :]

    flip.__name__ = f"itself with bit {bit} flipped"
    return flip


def cut(length: int) -> Callable[[bytes], bytes]:
    def shorten(step: bytes) -> bytes:
        return step[:length]

    shorten.__name__ = f"its first {length} bytes"
    return shorten
