"""Looks at the database all through a chaos run: `python -m tests.chaos.observer URL FOLDER`.

It writes down which tasks it found recorded, and when. If one of them begins after that, a recorded task was
done again. It writes down which attempts it found begun: if their node is killed, they must be marked. It
also asks the doctor, who must never find anything else than that no node is there.

It is a process of its own, because two libraries in one process must not open the same SQLite file.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import apsw
import psycopg
from tests.chaos.notebook import MarkedAttempt, Notebook, Over, Recorded, Shown, ShownAttempt, Stranded
from tests.chaos.workloads import EVERY, SCHEDULE, WAITS, catalog, ticked

from holdfast import Holdfast
from holdfast.client.schedules import OverdueSchedule
from holdfast.errors import StoreError
from holdfast.ports.runs import Stranded as StrandedRun

WATCHING = "watching"
"""What it prints once it has begun."""
_SECONDS_BETWEEN_LOOKS = 0.4
_NO_NODE = "no node is running"
_MOST_LOOKS = 100_000
_AWAY = (psycopg.OperationalError, apsw.Error, StoreError)
"""Errors while a fault hits the database: there is nothing to see until it is back."""

Rows: TypeAlias = list[tuple[Any, ...]]


def read(url: str, sql: str) -> Rows:
    """Query the database without holdfast."""
    if url.startswith("postgresql:"):
        options = "-c search_path=holdfast -c statement_timeout=5000"
        with psycopg.connect(url, options=options, connect_timeout=3) as connection:
            return connection.execute(sql.encode()).fetchall()
    path = url.removeprefix("sqlite:///")
    with closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        connection.set_busy_timeout(5000)
        return list(connection.execute(sql))


def stranded(found: StrandedRun | OverdueSchedule) -> Stranded:
    """What the doctor found, for the notebook."""
    name = found.name if isinstance(found, OverdueSchedule) else found.id or found.run.hex()
    return Stranded(run=name, problem=found.problem)


def recorded_tasks(url: str) -> list[str]:
    """The ids of succeeded tasks, which nothing opens again. Leaves out tasks that run in no process."""
    rows = read(url, "SELECT run, seq, name FROM tasks WHERE status = 'success'")
    return [f"{_uuid(run)}:{seq}" for run, seq, name in rows if name not in WAITS]


def shown_attempts(url: str) -> set[ShownAttempt]:
    """Attempts that have begun, as far as the database knows."""
    rows = read(
        url,
        "SELECT tasks.run, tasks.seq, tasks.attempt, runs.owner FROM tasks JOIN runs ON runs.key = tasks.run "
        "WHERE tasks.status IN ('dispatched', 'running') AND runs.owner IS NOT NULL",
    )
    # The id of a node has the id of its process.
    return {
        ShownAttempt(f"{_uuid(run)}:{seq}", attempt, int(owner.rsplit(":", 3)[1]))
        for run, seq, attempt, owner in rows
    }


def marked_attempts(url: str) -> list[MarkedAttempt]:
    """Attempts that did not succeed."""
    rows = read(url, "SELECT run, seq, attempt, status, failure, node FROM attempts")
    return [
        MarkedAttempt(f"{_uuid(run)}:{seq}", attempt, status, f"{failure} on {node}")
        for run, seq, attempt, status, failure, node in rows
    ]


def runs_that_are_over(url: str) -> list[str]:
    """Runs that ended for good. Leaves out failed runs and `mended` runs: a retry may change them."""
    rows = read(url, "SELECT id FROM runs WHERE status IN ('success', 'cancelled') AND id IS NOT NULL")
    return [id for (id,) in rows if not id.startswith("mended")]


def _uuid(key: Any) -> uuid.UUID:
    return key if isinstance(key, uuid.UUID) else uuid.UUID(bytes=bytes(key))


async def _watch(url: str, notebook: Notebook, is_over: Callable[[], bool]) -> None:
    known: set[str] = set()
    shown: set[ShownAttempt] = set()
    async with Holdfast(url, engine=False, catalog=catalog) as hf:
        await hf.schedules.put(
            SCHEDULE, ticked, every=EVERY, input={"who": SCHEDULE}, overlap="allow", catchup="all"
        )
        print(WATCHING, flush=True)
        for _ in range(_MOST_LOOKS):
            if is_over():
                return
            try:
                tasks = set(await asyncio.to_thread(recorded_tasks, url)) - known
                if tasks:
                    notebook.write(Recorded(at=time.monotonic(), tasks=sorted(tasks)))
                runs = set(await asyncio.to_thread(runs_that_are_over, url)) - known
                if runs:
                    notebook.write(Over(at=time.monotonic(), runs=sorted(runs)))
                known |= tasks | runs
                attempts = await asyncio.to_thread(shown_attempts, url) - shown
                if attempts:
                    notebook.write(Shown(attempts=sorted(attempts)))
                shown |= attempts
                for found in await hf.doctor():
                    if _NO_NODE not in found.problem:  # they were all killed a moment ago
                        notebook.write(stranded(found))
            except _AWAY as error:
                print(f"cannot look: {error}", flush=True)
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)


def main() -> None:
    url, folder = sys.argv[1], Path(sys.argv[2])
    over: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: over.append(number))
    asyncio.run(_watch(url, Notebook(folder / "observer.jsonl"), lambda: bool(over)))


if __name__ == "__main__":
    main()
