"""W17: a million ended runs are deleted beside W2b: how much slower that is, and whether the file grows."""

from __future__ import annotations

import asyncio
import datetime as dt
import statistics
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

import apsw
import psycopg

from bench.databases import NAMESPACE, START, sqlite_path
from bench.samples import ten_tasks
from bench.throughput import TASKS_IN_SEQUENCE, expect, time_runs, warm_up
from bench.trial import Figures, Trial
from holdfast import Holdfast

_RUNS = 2_000
_ROUNDS = 40
"""How often it is measured beside the pruning."""
_AGE = dt.timedelta(days=1)

# A run of one task, as the engine leaves it: its row, two steps and a task.
_SQLITE = """
CREATE TEMP TABLE ended AS
WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < :count)
SELECT unhex(printf('%012x%020x', :start / 1000, value)) AS key FROM numbers;
INSERT INTO runs (namespace, key, workflow, version, claim, status, input, output, epoch, created_at,
    started_at, finished_at)
SELECT :namespace, key, 'old', '1', 'old', 'success', '{"order":1}', '"done"', 1, :start,
    :start, :start
FROM ended;
INSERT INTO journal (run, position, step) SELECT key, 0, randomblob(40) FROM ended;
INSERT INTO journal (run, position, step) SELECT key, 1, randomblob(30) FROM ended;
INSERT INTO tasks (run, seq, name, status, attempt, lost, input, output, created_at, started_at, finished_at)
SELECT key, 0, 'charge', 'success', 1, 0, '{"order":1}', '1', :start, :start, :start FROM ended;
DROP TABLE ended
"""
_POSTGRES = (
    """
CREATE TEMP TABLE ended AS
SELECT (lpad(to_hex(%(start)s / 1000), 12, '0') || lpad(to_hex(value), 20, '0'))::uuid AS key,
    to_timestamp(%(start)s / 1e6) AS at
FROM generate_series(1, %(count)s) AS value
""",
    """
INSERT INTO holdfast.runs (namespace, key, workflow, version, claim, status, input, output, epoch, created_at,
    started_at, finished_at)
SELECT %(namespace)s, key, 'old', '1', 'old', 'success', '{"order":1}', '"done"', 1, at, at, at FROM ended
""",
    "INSERT INTO holdfast.journal (run, position, step) "
    "SELECT key, position, decode(md5(key::text), 'hex') FROM ended, generate_series(0, 1) AS position",
    """
INSERT INTO holdfast.tasks (run, seq, name, status, attempt, lost, input, output, created_at,
    started_at, finished_at)
SELECT key, 0, 'charge', 'success', 1, 0, '{"order":1}', '1', at, at, at FROM ended
""",
)


async def measure_pruning(trial: Trial) -> Figures:
    count = trial.size(1_000_000, 5_000)
    async with Holdfast(trial.url, engine=False):
        pass  # makes the tables
    _insert_ended(trial.url, count)
    async with Holdfast(trial.url) as holdfast:
        await warm_up(holdfast)
        alone = [await _rate(holdfast) for _ in range(trial.size(3, 1))]
        began = perf_counter()
        pruning = asyncio.create_task(holdfast.prune(_AGE))
        beside: list[float] = []
        # Not to the end: what W2b adds meanwhile would take all the room that is made.
        while not pruning.done() and len(beside) < _ROUNDS:
            beside.append(await _rate(holdfast))
        expect((await pruning).runs, count)
        taken = perf_counter() - began
        pruned = _size(trial.url)
        for _ in range(trial.size(5, 1)):
            await _rate(holdfast)
        grown = _size(trial.url)
    return {
        "alone_tasks_per_s": statistics.median(alone),
        "beside_tasks_per_s": statistics.median(beside),
        "rate_ratio": statistics.median(alone) / statistics.median(beside),
        "pruned_per_s": count / taken,
        "growth_mb": (grown - pruned) / 1e6,
    }


async def _rate(holdfast: Holdfast) -> float:
    taken = await time_runs(holdfast, ten_tasks, range(_RUNS))
    return _RUNS * TASKS_IN_SEQUENCE / taken.seconds


def _insert_ended(url: str, count: int) -> None:
    values: dict[str, Any] = {"namespace": NAMESPACE, "count": count, "start": START}
    path = sqlite_path(url)
    if path is not None:
        with closing(apsw.Connection(path)) as connection:
            connection.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144")
            with connection:
                connection.execute(_SQLITE, values).fetchall()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        for statement in _POSTGRES:
            connection.execute(statement.encode(), values)
        connection.execute("VACUUM ANALYZE holdfast.runs")
        connection.execute("CHECKPOINT")


def _size(url: str) -> float:
    path = sqlite_path(url)
    if path is not None:
        return float(Path(path).stat().st_size)
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        return float(row[0]) if row else 0.0
