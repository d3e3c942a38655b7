"""Rows that were written before a fact had a column: the migration gives them what is written there today.

The same runs were recorded by 0.4.0 and by every version after it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import psycopg
import pytest
from tests.compat.dumps import DATABASES, load
from tests.compat.record import HERE, version

from holdfast.stores import store_for

OPEN_RUNS = (
    "SELECT id, replace(waiting, '#2', ''), waiting_kind, replace(waiting_name, '#2', ''), "
    "waiting_epoch = epoch, schedule FROM {0}runs "
    "WHERE status IN ('pending', 'running', 'paused', 'parked') AND workflow <> 'continuing' "  # of 0.5.0
    "ORDER BY namespace, key"
)
"""An approval that is asked for again has the plain name of its task now. 0.4.0 gave it a number."""
VERSIONS = "SELECT name, version, number FROM {0}workflows WHERE name <> 'continuing' ORDER BY name, version"
ATTEMPTS = (
    "SELECT id, seq, attempt, worker, worker_url FROM {0}attempts JOIN {0}runs ON key = run "
    "WHERE worker <> '' ORDER BY id, seq, attempt"
)
"""Of workers. Side effects are steps now, and have attempts that 0.4.0 did not have."""

KINDS = {None, "approval", "child", "code", "promise", "service", "signal", "timer", "turn"}

ADD_ATTEMPT = (
    "INSERT INTO {0}attempts (run, seq, attempt, status, finished_at, node, worker) "
    "SELECT key, 99, 1, 'failed', created_at, 'node', 'the first http://localhost:8080' FROM {0}runs "
    "WHERE id = 'taken'"
)


def ask(url: str, query: str) -> list[tuple[object, ...]]:
    if url.startswith("postgresql"):
        with psycopg.connect(url) as connection:
            cursor = connection.execute(query.format("holdfast.").encode())
            return cursor.fetchall() if cursor.description else []
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection, connection:
        return connection.execute(query.format("")).fetchall()


async def migrated(url: str, recording: str) -> str:
    load(url, recording)
    ask(url, ADD_ATTEMPT)
    store = store_for(url)
    await store.open()
    await store.close()
    return url


@pytest.mark.parametrize("kind", DATABASES)
async def test_a_database_of_0_4_0_gets_the_facts_that_this_version_would_have_written(
    new_databases: Callable[[str], str], kind: str
) -> None:
    old, new = [
        await migrated(new_databases(kind), (HERE / recorded_by / f"{kind}.sql").read_text())
        for recorded_by in ("0.4.0", version())
    ]

    runs = ask(old, OPEN_RUNS)
    assert {row[2] for row in runs} == KINDS
    assert any(row[5] for row in runs), "a schedule has started some of them"
    for query in (OPEN_RUNS, VERSIONS, ATTEMPTS):
        assert ask(old, query) == ask(new, query)
    called = {row[3:] for row in ask(old, ATTEMPTS) if row[4]}
    assert called == {("the first", "http://localhost:8080")}
