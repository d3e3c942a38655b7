"""What is sampled, and how much each series may grow."""

from __future__ import annotations

import asyncio
import gc
import statistics
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import apsw
import psutil
import psycopg
from tests.soak.judge import Allowance, Verdict, judge
from tests.soak.workload import Load

MEGABYTE: Final = 1024 * 1024

ALLOWANCES: Final = {
    "memory": Allowance(0.05, 8 * MEGABYTE),
    "open files": Allowance(0.0, 3),
    "threads": Allowance(0.0, 2),
    "asyncio tasks": Allowance(0.25, 20),
    "python objects": Allowance(0.05, 20_000),
    "log bytes": Allowance(0.25, 16 * MEGABYTE),
    "database bytes": Allowance(0.2, 8 * MEGABYTE),
    "p50 ms": Allowance(0.5, 5),
}
"""Over the whole time after the warm-up. What is not named here is shown and not judged. The database
has the runs of the last minutes, since older ones are pruned."""

SHOWN_ONLY: Final = ("SQLite's memory", "runs/s", "p99 ms")


class Sampler:
    def __init__(self, load: Load, sizes: Callable[[], tuple[int, int]]) -> None:
        self._load = load
        self._sizes = sizes
        self._process = psutil.Process()
        self._began = self._last = time.monotonic()
        self._runs_before = load.runs
        self.times: list[float] = []
        self.series: dict[str, list[float]] = {name: [] for name in (*ALLOWANCES, *SHOWN_ONLY)}

    def sample(self) -> dict[str, float]:
        now = time.monotonic()
        ended = self._load.runs - self._runs_before
        database, log = self._sizes()
        latencies = sorted(self._load.take_latencies()) or [0.0]
        # Its page cache grows with the database up to a limit of its own, which takes longer than a soak.
        cache = apsw.memory_used()
        values: dict[str, float] = {
            "memory": self._process.memory_info().rss - cache,
            "SQLite's memory": cache,
            "open files": self._process.num_fds(),
            "threads": self._process.num_threads(),
            "asyncio tasks": len(asyncio.all_tasks()),
            "python objects": len(gc.get_objects()),
            "log bytes": log,
            "database bytes": database,
            "runs/s": ended / (now - self._last),
            "p50 ms": statistics.median(latencies) * 1000,
            "p99 ms": latencies[int(len(latencies) * 0.99)] * 1000,
        }
        self.times.append(now - self._began)
        for name, value in values.items():
            self.series[name].append(value)
        self._last, self._runs_before = now, self._load.runs
        return values

    def verdicts(self, warm_up: float) -> dict[str, Verdict]:
        """Of the samples after so many seconds."""
        first = next((n for n, at in enumerate(self.times) if at >= warm_up), len(self.times))
        return {
            name: judge(self.times[first:], self.series[name][first:], allowance)
            for name, allowance in ALLOWANCES.items()
        }


def sizes_of(url: str) -> Callable[[], tuple[int, int]]:
    """Measures the bytes of the database without its log, and those of the log."""
    if url.startswith("sqlite"):
        file = Path(url.removeprefix("sqlite:///"))
        return lambda: (_sqlite_bytes(file), _size(Path(f"{file}-wal")))
    return lambda: _postgres_bytes(url)


def _sqlite_bytes(file: Path) -> int:
    """Pages in use, also those that are only in the log yet."""
    with closing(apsw.Connection(str(file))) as opened:
        connection: Any = opened
        connection.set_busy_timeout(10_000)
        pages, free, size = (
            connection.pragma(name) for name in ("page_count", "freelist_count", "page_size")
        )
    return (pages - free) * size


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _postgres_bytes(url: str) -> tuple[int, int]:
    """The log counts from its own limit on: up to there the server keeps what it has for later use."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class AS c JOIN pg_namespace AS n"
            " ON n.oid = c.relnamespace WHERE n.nspname = 'holdfast' AND c.relkind = 'r'),"
            " (SELECT greatest(sum(size), pg_size_bytes(current_setting('max_wal_size')))"
            " FROM pg_ls_waldir())"
        ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])
