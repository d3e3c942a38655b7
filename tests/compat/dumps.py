"""A database as text and back: the migrations that made it, word for word, and a line for every row.

The text is the same each time: what names this machine, this process or this day is left out.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

from holdfast.stores.named_queries import Migration, load_migrations, load_queries

DATABASES = ("sqlite", "postgres")

_HEADING = "-- holdfast {version} on {database}, made by `python -m tests.compat.record`. Never edited.\n"
_MIGRATION = "-- migration {number:04} {name}\n{text}-- end of migration\n"
_MIGRATIONS = re.compile(r"^-- migration (\d+) (\w+)\n(.*?)^-- end of migration\n", re.MULTILINE | re.DOTALL)

# A node is called after its host, its process, a life of its machine and its dice. A traceback names files.
_NODE = re.compile(r"'[^':]+:\d+:[0-9a-f]*:([0-9a-f]{8})'")
_TRACEBACK = re.compile(r'"traceback":"(?:[^"\\]|\\.)*"')
_FOLDER = f"{Path(__file__).parent}/"

_SET_BY_CHANCE = {
    ("schema_migrations", "applied_at"): "2030-01-01 00:00:00",
    ("schema_changes", "applied_at"): "2030-01-01 00:00:00",
    ("nodes", "tick"): 1,
}
"""What depends on the day, and on how often a node looked for work."""

_SAID_AT = re.compile(r"(?<=\[)\d{16}(?=,)")
"""The instants in the lines of a log, which are those of the machine for what is said with `logging`."""
_THEN = "1893456000000000"

_LEFT_OUT = {"changes", "run_minutes"}
"""What happened, for those who watched, and how often."""
_RANDOM_ID = re.compile("[0-9a-f]{24}")
"""Of a message, if its sender gave it none."""

_LINE_BREAK = {"sqlite": "char(10)", "postgres": "chr(10)"}
"""Stands for a line break in a text, so that every row is one line."""

_NUMBERED = {"messages": "id", "logs": "number"}
"""The tables whose rows Postgres numbers itself, and the column with the number."""
_NEXT_NUMBER = "ALTER TABLE holdfast.{table} ALTER COLUMN {column} RESTART WITH {number};\n"


def dump(url: str, version: str) -> str:
    database = "postgres" if url.startswith("postgresql:") else "sqlite"
    migrations = load_migrations(f"holdfast.stores.{database}")
    rows = _dump_postgres(url) if database == "postgres" else _dump_sqlite(url)
    rows = _NODE.sub(r"'node:\1'", rows)
    rows = _TRACEBACK.sub('"traceback":"left out"', rows)
    rows = rows.replace(_FOLDER, "")
    return "".join(
        [
            _HEADING.format(version=version, database=database),
            *[_MIGRATION.format(number=it.number, name=it.name, text=it.text) for it in migrations],
            load_queries(f"holdfast.stores.{database}")["make_schema_changes"] + "\n",
            rows,
        ]
    )


def migrations_in(dumped: str) -> list[Migration]:
    return [Migration(int(number), name, text) for number, name, text in _MIGRATIONS.findall(dumped)]


def load(url: str, dumped: str) -> None:
    """Into an empty database."""
    if url.startswith("postgresql:"):
        with psycopg.connect(url) as connection:
            # In one transaction, so without the word that only counts where others write meanwhile.
            connection.execute(dumped.replace("INDEX CONCURRENTLY", "INDEX").encode())
    else:
        with closing(sqlite3.connect(_path(url))) as connection:
            connection.execute("PRAGMA synchronous = OFF")  # each row is a transaction
            connection.executescript(dumped)


def _path(url: str) -> str:
    return url.removeprefix("sqlite:///")


def _insert(
    database: str, table: str, columns: list[str], row: Sequence[Any], target: str, override: str = ""
) -> str:
    given = [_SET_BY_CHANCE.get((table, column), value) for column, value in zip(columns, row, strict=True)]
    if table == "messages":
        given = [None if isinstance(it, str) and _RANDOM_ID.fullmatch(it) else it for it in given]
    if table == "logs":
        given[-1] = _SAID_AT.sub(_THEN, given[-1])
    values = ", ".join(_literal(value, _LINE_BREAK[database]) for value in given)
    return f"INSERT INTO {target} ({', '.join(columns)}){override} VALUES ({values});\n"


def _literal(value: Any, line_break: str) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''").replace("\n", f"' || {line_break} || '") + "'"
    return str(value)


def _dump_sqlite(url: str) -> str:
    find_tables = (
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
    )
    lines: list[str] = []
    with closing(sqlite3.connect(_path(url))) as connection:
        for (table,) in connection.execute(find_tables).fetchall():
            if table in _LEFT_OUT:
                continue
            columns = [it[0] for it in connection.execute(f"SELECT * FROM {table} LIMIT 0").description]
            found = connection.execute(f"SELECT * FROM {table} ORDER BY " + ", ".join(columns[:3]))
            lines += [_insert("sqlite", table, columns, row, table) for row in found]
    return "".join(lines)


def _dump_postgres(url: str) -> str:
    find_columns = (
        "SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position)"
        " FROM information_schema.columns WHERE table_schema = 'holdfast' GROUP BY 1 ORDER BY 1"
    )
    lines: list[str] = []
    with psycopg.connect(url, options="-c timezone=UTC") as connection:
        for table, columns in connection.execute(find_columns.encode()).fetchall():
            if table in _LEFT_OUT:
                continue
            as_text = ", ".join(f"{column}::text" for column in columns)
            query = f"SELECT {as_text} FROM holdfast.{table} ORDER BY " + ", ".join(columns[:3])
            override = " OVERRIDING SYSTEM VALUE" if table in _NUMBERED else ""
            for row in connection.execute(query.encode()):
                lines.append(_insert("postgres", table, columns, row, f"holdfast.{table}", override))
        for table, column in _NUMBERED.items():
            query = f"SELECT coalesce(max({column}), 0) + 1 FROM holdfast.{table}"
            ((number,),) = connection.execute(query.encode()).fetchall()
            lines.append(_NEXT_NUMBER.format(table=table, column=column, number=number))
    return "".join(lines)
