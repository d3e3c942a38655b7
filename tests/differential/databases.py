"""SQLite in memory and a real Postgres. The test sets their clock, and can read all their tables."""

from __future__ import annotations

from typing import Any

from tests.differential.questions import QuestionRow
from tests.differential.tables import DefinitionRow, Lease, QueueRow, StreamRow, Tables, Wait
from tests.stores.builders import raw_connection

from holdfast.core.records import Definition
from holdfast.core.shared_inputs import SharedInput
from holdfast.core.values import Instant
from holdfast.ports.access import KeyRecord, NewAudit
from holdfast.ports.alerts import AlertRow
from holdfast.ports.commits import NewChapter, NewLog
from holdfast.ports.flows import FlowRecord
from holdfast.ports.nodes import StallRecord
from holdfast.ports.sessions import SessionRecord
from holdfast.stores.database import Row
from holdfast.stores.postgres.driver import PostgresConnection, PostgresDatabase
from holdfast.stores.records import (
    attempt_record,
    message_record,
    run_record,
    schedule_record,
    task_record,
    worker_record,
)
from holdfast.stores.sqlite.driver import MEMORY, SqliteConnection, SqliteDatabase

_COLUMNS = {
    "runs": "key, namespace, id, workflow, version, claim, status, input, output, failure, parent, "
    "parent_seq, owner, epoch, wake_at, waiting, created_at, started_at, finished_at, setbacks, "
    "depth, schedule, options, priority, chapter, fingerprint, waiting_kind, waiting_name, waiting_epoch",
    "run_tags": "namespace, tag, run",
    "journal": "run, position, step",
    "tasks": "run, seq, name, status, attempt, lost, forgiven, input, output, failure, heartbeat, due_at, "
    "created_at, started_at, finished_at, shares",
    "shared_inputs": "run, seq, fields",
    "chapters": "run, number, first_position, first_task, first_timer, first_child, input, state, began_at, "
    "questions",
    "attempts": "run, seq, attempt, status, failure, started_at, finished_at, node, worker, worker_url",
    "state": "run, key, value",
    "messages": "id, run, kind, name, payload, taken, question, posted_by, comment, posted_at, uid, answer",
    "questions": "run, number, namespace, name, details, asked_at, closed_at, is_answered, message",
    "nodes": "id, namespace, lease_until, started_at",
    "stalls": "run, node, at, task, stack",
    "lost_runs": "node, run",
    "workflows": "name, version, kind, hash, source, origin, number, input_schema, namespace, created_at, "
    "seen_at, status",
    "logs": "number, run, seq, attempt, lines",
    "stream_items": "run, name, next_offset, first_offset, total_bytes, seq, attempt, is_first, items, "
    "drop_at",
    "schedules": "name, workflow, input, plan, origin, is_paused, revision, cursor, queued, active, next_at, "
    "skipped, skip_note, created_at, updated_at, namespace",
    "flows": "id, name, description, created_at, namespace",
    "workers": "id, url, services, type, load, heartbeat_at, is_online, namespace",
    "queue": "namespace, run, seq, service, attempt, lease, worker, ready_at, taken_at, created_at",
    "keys": "id, namespace, name, role, hash, created_at, created_by, expires_at, used_at, revoked_at, "
    "revoked_by",
    "sessions": "id, namespace, name, role, hash, key, subject, created_at, expires_at, used_at",
    "alerts": "name, rule, created_at, changed_at, namespace",
    "audit": "number, namespace, at, by, key, action, target, request, before, after, uid",
}
_JSON = (
    "input",
    "output",
    "failure",
    "heartbeat",
    "value",
    "payload",
    "details",
    "rule",
    "lines",
    "items",
    "plan",
    "services",
    "fields",
    "options",
    "answer",
    "state",
    "before",
    "after",
)
"""Columns that are text in SQLite, and bytes when read through the store."""


class SteeredClock:
    """The clock of the databases and of the model."""

    def __init__(self, now: Instant) -> None:
        self.now = now

    def __call__(self) -> Instant:
        return self.now

    def advance(self, by: int) -> Instant:
        self.now = Instant(self.now + by)
        return self.now


class SqliteInMemory(SqliteDatabase):
    def __init__(self, clock: SteeredClock) -> None:
        super().__init__(MEMORY)
        self.clock = clock

    def connect(self) -> SqliteConnection:
        self._only = super().connect()
        _steer(self._only, self.clock)
        return self._only

    def read_all(self) -> Tables:
        found: dict[str, list[Row]] = {}
        for table, columns in _COLUMNS.items():
            as_bytes = [f"CAST({it} AS BLOB)" if it in _JSON else it for it in columns.split(", ")]
            query = f"SELECT {', '.join(as_bytes)} FROM {table}"
            found[table] = raw_connection(self._only).execute(query).fetchall()
        return _tables(found)


class SteeredPostgres(PostgresDatabase):
    def __init__(self, url: str, clock: SteeredClock) -> None:
        super().__init__(url)
        self.clock = clock

    def connect(self) -> PostgresConnection:
        self._only = super().connect()
        _steer(self._only, self.clock)
        return self._only

    def read_all(self) -> Tables:
        raw: Any = self._only._connection
        with raw.pipeline():
            cursors = {
                table: raw.execute(f"SELECT {columns} FROM holdfast.{table}", prepare=True, binary=True)
                for table, columns in _COLUMNS.items()
            }
            return _tables({table: cursor.fetchall() for table, cursor in cursors.items()})

    def empty(self) -> None:
        """Delete all rows and reset the sequences. With few rows, DELETE takes a tenth of a TRUNCATE."""
        self._only.script(
            "SET synchronous_commit = off; BEGIN; "
            + "; ".join(f"DELETE FROM holdfast.{table}" for table in _COLUMNS)
            + "; DELETE FROM holdfast.changes; DELETE FROM holdfast.run_minutes"
            "; ALTER TABLE holdfast.messages ALTER COLUMN id RESTART"
            "; ALTER TABLE holdfast.logs ALTER COLUMN number RESTART"
            "; ALTER TABLE holdfast.audit ALTER COLUMN number RESTART; COMMIT"
        )


def _steer(connection: Any, clock: SteeredClock) -> None:
    """Make the query for the database's own time return the time of `clock`."""
    rows = connection.rows

    def steered(query: str, *params: Any) -> list[Row]:
        return [(clock(),)] if query == "read_clock" else rows(query, *params)

    connection.rows = steered


def _tables(rows: dict[str, list[Row]]) -> Tables:
    runs = [run_record(row[:-4]) for row in rows["runs"]]
    shared = {(run, seq): SharedInput(seq, fields) for run, seq, fields in rows["shared_inputs"]}
    tasks = [task_record((*row[:-1], shared.get((row[0], row[-1]), row[-1]))) for row in rows["tasks"]]
    attempts = [attempt_record(row) for row in rows["attempts"]]
    messages = [message_record(row[:9]) for row in rows["messages"]]
    return Tables(
        runs={run.key: run for run in runs},
        fingerprints={row[0]: row[-4] for row in rows["runs"] if row[-4] is not None},
        journal={(run, position): step for run, position, step in rows["journal"]},
        tasks={(task.run, task.seq): task for task in tasks},
        shared_inputs=shared,
        attempts={(each.run, each.seq, each.attempt): each for each in attempts},
        state={(run, key): value for run, key, value in rows["state"]},
        messages={message.id: message for message in messages},
        posted={row[0]: (row[7], row[9]) for row in rows["messages"]},
        uids={row[0]: row[10] for row in rows["messages"] if row[10] is not None},
        answers={row[0]: row[11] for row in rows["messages"] if row[11] is not None},
        questions={(run, number): QuestionRow(*rest) for run, number, *rest in rows["questions"]},
        nodes={id: Lease(*lease) for id, *lease in rows["nodes"]},
        chapters={(row[0], row[1]): NewChapter(*row) for row in rows["chapters"]},
        stalls={(run, node): StallRecord(run, node, *rest) for run, node, *rest in rows["stalls"]},
        lost_runs=dict.fromkeys(map(tuple, rows["lost_runs"])),
        workflows={
            (namespace, values[0], values[1]): DefinitionRow(
                Definition(*values, number is not None, schema), created_at, seen_at, status
            )
            for *values, number, schema, namespace, created_at, seen_at, status in rows["workflows"]
        },
        logs={number: NewLog(*row) for number, *row in rows["logs"]},
        items={
            (run, name, end): StreamRow(first, size, *rest)
            for run, name, end, first, size, *rest in rows["stream_items"]
        },
        schedules={
            (namespace, values[0]): schedule_record((*values, False))
            for *values, namespace in rows["schedules"]
        },
        flows={(namespace, values[0]): FlowRecord(*values) for *values, namespace in rows["flows"]},
        workers={(namespace, values[0]): worker_record((*values,)) for *values, namespace in rows["workers"]},
        queue={(row[1], row[2]): QueueRow(*row) for row in rows["queue"]},
        waits={
            run.key: Wait(kind, name, run.epoch == epoch)
            for run, (kind, name, epoch) in zip(runs, (row[-3:] for row in rows["runs"]), strict=True)
            if kind is not None
        },
        keys={row[0]: KeyRecord(*row) for row in rows["keys"]},
        sessions={row[0]: SessionRecord(*row) for row in rows["sessions"]},
        alerts={(namespace, values[0]): AlertRow(*values) for *values, namespace in rows["alerts"]},
        audit={number: (namespace, NewAudit(*row)) for number, namespace, *row in rows["audit"]},
    )
