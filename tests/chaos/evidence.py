"""What really happened: the rows of a database, read without holdfast, and the log of executions."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import uuid
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

TABLES = ("runs", "journal", "tasks", "attempts", "state", "messages")
_FINAL = frozenset({"success", "failed", "cancelled", "skipped"})


class TaskState(NamedTuple):
    id: str
    status: str
    lost: int

    @property
    def is_final(self) -> bool:
        return self.status in _FINAL


def read_tasks(url: str) -> list[TaskState]:
    rows = query(url, "SELECT run, seq, status, lost FROM tasks")
    return [TaskState(f"{_uuid(run)}:{seq}", status, lost) for run, seq, status, lost in rows]


def read_rows(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table that belongs to runs."""
    return {table: sorted(query(url, f"SELECT * FROM {table}"), key=repr) for table in TABLES}


def query(url: str, sql: str) -> list[tuple[Any, ...]]:
    if url.startswith("postgresql:"):
        with psycopg.connect(url, options="-c search_path=holdfast") as connection:
            return connection.execute(sql.encode()).fetchall()
    return _query_copy(Path(url.removeprefix("sqlite:///")), sql)


def _query_copy(file: Path, sql: str) -> list[tuple[Any, ...]]:
    """Query a copy. A reader of the file itself would recover it after a crash, before the next node does.

    If the write-ahead log is cut off, or grows during the copy, it is read up to its last whole commit.
    """
    with tempfile.TemporaryDirectory() as folder:
        # The log first: then pages that a checkpoint moves meanwhile are in both copies, not in neither.
        for suffix in ("-wal", ""):
            if Path(f"{file}{suffix}").exists():
                shutil.copy(f"{file}{suffix}", Path(folder) / f"copy{suffix}")
        with closing(sqlite3.connect(Path(folder) / "copy")) as connection:
            return connection.execute(sql).fetchall()


def _uuid(key: Any) -> uuid.UUID:
    return key if isinstance(key, uuid.UUID) else uuid.UUID(bytes=bytes(key))


class Executions:
    """The log that tasks append to: one line for each execution, "task attempt process"."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read_to = 0
        path.touch()

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def news(self) -> list[str]:
        """The ids of the tasks executed since the last call."""
        with self.path.open("rb") as file:
            file.seek(self._read_to)
            lines = file.read()
        self._read_to += len(lines)
        return [line.split()[0] for line in lines.decode().splitlines()]

    def counts(self) -> Counter[str]:
        """How often each task was executed."""
        return Counter(line.split()[0] for line in self.path.read_text().splitlines())

    def processes(self) -> Counter[int]:
        """How many executions each process did."""
        return Counter(int(line.split()[2]) for line in self.path.read_text().splitlines())


def repeated(counts: Counter[str]) -> Sequence[str]:
    return [task for task, times in counts.items() if times > 1]
