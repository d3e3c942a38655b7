"""The rows of W13, written with plain SQL: millions of runs in all states, most of them successful.

Indexes are built after the rows are there, in one pass each. That takes minutes for ten million rows.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any, Final, cast

import apsw
import psycopg

from bench.databases import CLAIM, NAMESPACE, START, sqlite_path

WORKFLOWS: Final = 50
RARE: Final = "rare"
"""A workflow with ten runs, the oldest of all."""
LATER: Final = 50 * 365 * 86_400 * 1_000_000
"""When the sleeping and pending runs are due, after the first of all: in fifty years, so that none wakes."""

# Of a hundred runs: 84 succeeded, 3 failed, 1 was cancelled, 10 sleep, 1 waits for a signal, 1 is pending.
# One in a thousand is parked.
_STATUS = """CASE
    WHEN value % 1000 = 7 THEN 'parked'
    WHEN value % 100 < 84 THEN 'success'
    WHEN value % 100 < 87 THEN 'failed'
    WHEN value % 100 < 88 THEN 'cancelled'
    WHEN value % 100 < 99 THEN 'running'
    ELSE 'pending' END"""
_COLUMNS = (
    "namespace, key, workflow, version, claim, status, input, output, epoch, wake_at, waiting, created_at, "
    "started_at, finished_at"
)
_VALUES = """
    namespace, key, workflow, '1',
    CASE WHEN status = 'pending' THEN 'CLAIM' ELSE workflow END, status, CAST('{"order":1}' AS JSON_TYPE),
    CAST(CASE WHEN status = 'success' THEN '"done"' END AS JSON_TYPE), 1,
    CASE WHEN status = 'pending' OR status = 'running' AND value % 100 < 98 THEN later END,
    CASE WHEN status = 'running' THEN 'signal go' END, created_at, created_at,
    CASE WHEN status IN ('success', 'failed', 'cancelled') THEN created_at END
"""
_NAME = f"CASE WHEN value <= 10 THEN '{RARE}' ELSE 'flow_' || (value / 100 % {WORKFLOWS}) END"

_SQLITE = f"""
WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < :count),
rows AS (
    SELECT value, :namespace AS namespace, unhex(printf('%032x', value)) AS key, {_NAME} AS workflow,
        {_STATUS} AS status, :start + value AS created_at, :start + :later AS later
    FROM numbers
)
INSERT INTO runs ({_COLUMNS})
SELECT {_VALUES.replace("JSON_TYPE", "TEXT").replace("CLAIM", CLAIM)} FROM rows
"""  # noqa: S608
_POSTGRES = f"""
WITH rows AS (
    SELECT value, %(namespace)s AS namespace, lpad(to_hex(value), 32, '0')::uuid AS key, {_NAME} AS workflow,
        {_STATUS} AS status, to_timestamp(%(start)s / 1e6) + value * interval '1 microsecond' AS created_at,
        to_timestamp((%(start)s + %(later)s) / 1e6) AS later
    FROM generate_series(1, %(count)s) AS value
)
INSERT INTO holdfast.runs ({_COLUMNS})
SELECT {_VALUES.replace("JSON_TYPE", "json").replace("CLAIM", CLAIM)} FROM rows
"""  # noqa: S608


def insert_runs(url: str, count: int) -> None:
    """Into empty tables. Statistics are up to date afterwards, and nothing is left to be written."""
    values: dict[str, Any] = {
        "namespace": NAMESPACE,
        "count": count,
        "start": START,
        "later": LATER,
    }
    path = sqlite_path(url)
    if path is not None:
        _fill_sqlite(path, values)
    else:
        _fill_postgres(url, values)


def _fill_sqlite(path: str, values: dict[str, Any]) -> None:
    find = (
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'runs' AND sql IS NOT NULL"
    )
    with closing(apsw.Connection(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; PRAGMA temp_store = FILE")
        indexes = connection.execute(find).fetchall()
        connection.execute("BEGIN")
        for name, _ in indexes:
            connection.execute(f"DROP INDEX {name}")
        connection.execute(_SQLITE, values)
        connection.execute("COMMIT")
        for _, text in indexes:
            connection.execute(cast("str", text))
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _fill_postgres(url: str, values: dict[str, Any]) -> None:
    find = (
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'holdfast' AND tablename = 'runs' "
        "AND indexname <> 'runs_pkey'"
    )
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'")
        indexes = connection.execute(find.encode()).fetchall()
        for name, _ in indexes:
            connection.execute(f"DROP INDEX holdfast.{name}".encode())
        connection.execute(_POSTGRES.replace(" % ", " %% ").encode(), values)
        for _, text in indexes:
            connection.execute(text.encode())
        connection.execute("VACUUM ANALYZE holdfast.runs")
        connection.execute("CHECKPOINT")
