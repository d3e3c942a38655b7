"""Rows and commits with everything filled in that a test does not care about."""

from __future__ import annotations

from typing import Any

import apsw
import msgspec
import psycopg

from holdfast.core.records import MessageKind, RunRecord, ScheduleRecord
from holdfast.core.values import NULL, Instant, NodeId, Outcome, Payload, RunKey, RunStatus, TaskStatus
from holdfast.core.waiting import WaitKind, WaitReason, describe_wait
from holdfast.ports.commits import (
    ClaimRequest,
    Commit,
    EndedRun,
    Held,
    NewLog,
    NewMessage,
    NewStep,
    NewTask,
    QueuedTask,
    Receipt,
    ReleasedRun,
    SettledTask,
)
from holdfast.ports.store import Store
from holdfast.ports.workers import Completion, CompletionResult, QueueItem, WorkerRecord
from holdfast.stores import SqlStore
from holdfast.stores.database import Transaction
from holdfast.stores.postgres.pipeline import Pipeline

SPACE = "default"
SECOND = 1_000_000
T0 = 1_750_000_000 * SECOND + 123_456
"""Some instant with microseconds that no float or millisecond would keep."""


def at(seconds: float) -> Instant:
    return Instant(T0 + round(seconds * SECOND))


def key(number: int) -> RunKey:
    return RunKey(number.to_bytes(16, "big"))


def new_run(number: int, *, owner: str | None = None, **fields: Any) -> RunRecord:
    """A run that waits to be taken, or one that `owner` has started itself."""
    values: dict[str, Any] = {
        "key": key(number),
        "namespace": SPACE,
        "id": None,
        "workflow": "order",
        "version": "1",
        "claim": "order@1",
        "status": RunStatus.PENDING if owner is None else RunStatus.RUNNING,
        "input": Payload(b'{"n":1}'),
        "output": None,
        "failure": None,
        "parent": None,
        "parent_seq": None,
        "owner": owner,
        "epoch": 0 if owner is None else 1,
        "wake_at": at(0) if owner is None else None,
        "waiting": None,
        "created_at": at(0),
        "started_at": None if owner is None else at(0),
        "finished_at": None,
    }
    return RunRecord(**(values | fields))


def new_task(number: int, seq: int = 0, payload: bytes = b"[1]") -> NewTask:
    return NewTask(key(number), seq, "charge", TaskStatus.DISPATCHED, Payload(payload), at(0))


def settled(number: int, seq: int = 0, output: bytes = b'"done"') -> SettledTask:
    return SettledTask(key(number), seq, TaskStatus.SUCCESS, 1, Payload(output), None, at(1), at(2))


def step(number: int, position: int = 0, data: bytes = b"\x00\xffstep") -> NewStep:
    return NewStep(key(number), position, data)


def ended(number: int, *, parent: int | None = None, status: RunStatus = RunStatus.SUCCESS) -> EndedRun:
    output = Payload(b'"bye"') if status is RunStatus.SUCCESS else None
    return EndedRun(
        key(number), status, output, None, None if parent is None else key(parent), parent and 0, at(3)
    )


SIGNAL_WAIT = WaitReason(WaitKind.SIGNAL, "go")
TIMER_WAIT = WaitReason(WaitKind.TIMER, "2030-01-01T00:00:00+00:00")
SERVICE_WAIT = WaitReason(WaitKind.SERVICE, "charge")


def released(
    number: int,
    *,
    wake_at: Instant | None = None,
    waiting: WaitReason | None = SIGNAL_WAIT,
    status: RunStatus = RunStatus.RUNNING,
) -> ReleasedRun:
    reasons = [] if waiting is None else [waiting]
    return ReleasedRun(key(number), status, None, wake_at, *describe_wait(reasons))


def child_wait(id: str = "0") -> WaitReason:
    return WaitReason(WaitKind.CHILD, id)


def turn_of(parent: str) -> WaitReason:
    """Held back until its parent wakes it."""
    return WaitReason(WaitKind.TURN, parent)


def signal(number: int, name: str = "go", payload: bytes = b"1", sender: RunKey | None = None) -> NewMessage:
    return NewMessage(key(number), MessageKind.SIGNAL, name, Payload(payload), sender)


def resolved(number: int, name: str = "paid", payload: bytes = NULL) -> NewMessage:
    return NewMessage(key(number), MessageKind.RESOLVED, name, Payload(payload), is_ahead=True)


def said(number: int, *texts: str, seq: int = 0, attempt: int = 1) -> NewLog:
    """Lines of one attempt, all at the same instant."""
    return NewLog(key(number), seq, attempt, msgspec.json.encode([(at(1), "stdout", text) for text in texts]))


def new_schedule(name: str = "nightly", **fields: Any) -> ScheduleRecord:
    """A schedule that is due at second 60 and has started nothing yet."""
    values: dict[str, Any] = {
        "name": name,
        "workflow": "order",
        "input": Payload(b'{"day":"{date}"}'),
        "plan": b'{"timetable":{"type":"cron"}}',
        "origin": "",
        "is_paused": False,
        "revision": 1,
        "cursor": at(0),
        "queued": (),
        "active": None,
        "next_at": at(60),
        "skipped": 0,
        "skip_note": None,
        "created_at": at(0),
        "updated_at": at(0),
    }
    return ScheduleRecord(**(values | fields))


def raw_connection(tx: Transaction) -> Any:
    """What is under a transaction: for a test that must look where the store does not."""
    connection: Any = tx
    raw = connection._connection
    return _BesidePipeline(connection._pipeline, raw) if isinstance(raw, psycopg.Connection) else raw


class _BesidePipeline:
    """Executes what a pipeline does not know, after the statements in it."""

    def __init__(self, pipeline: Pipeline, raw: Any) -> None:
        self._pipeline = pipeline
        self._raw = raw

    def execute(self, *args: Any, **options: Any) -> Any:
        if not self._pipeline._is_open:
            return self._raw.execute(*args, **options)
        self._pipeline.__exit__(None, None, None)
        try:
            return self._raw.execute(*args, **options)
        finally:
            self._pipeline.__enter__()


async def change(store: SqlStore, statement: str) -> None:
    """Change rows as no store does: those of a later version, or of somebody with an editor."""

    def script(tx: Transaction) -> None:
        raw = raw_connection(tx)
        raw.execute(statement.format("" if isinstance(raw, apsw.Connection) else "holdfast."))

    await store._driver.write(script)


def queued(
    number: int, seq: int = 0, *, service: str = "resize", attempt: int = 1, ready: float = 0
) -> QueuedTask:
    return QueuedTask(key(number), seq, service, attempt, at(ready), at(0))


def new_worker(id: str = "w1", **fields: Any) -> WorkerRecord:
    """A worker that asks, heard of at second 0."""
    values: dict[str, Any] = {
        "id": id,
        "url": "queue",
        "services": ("resize",),
        "type": "async",
        "load": 0,
        "heartbeat_at": at(0),
    }
    return WorkerRecord(**(values | fields))


class Worker:
    """A worker that asks, as the store knows it."""

    def __init__(self, store: Store, id: str = "w1", lease: float = 10, namespace: str = SPACE) -> None:
        self.store = store
        self.id = id
        self.lease = lease
        self.namespace = namespace

    async def poll(self, *services: str, now: float = 0) -> QueueItem | None:
        return await self.store.poll_queue(
            self.namespace, self.id, services or ("resize",), at(now), at(now + self.lease)
        )

    async def take(self, *services: str, now: float = 0) -> QueueItem:
        """Where there is something to be had."""
        item = await self.poll(*services, now=now)
        assert item is not None
        return item

    async def complete(self, item: QueueItem, outcome: Outcome, now: float = 0) -> CompletionResult:
        completion = Completion(item.run, item.seq, item.lease, outcome)
        return await self.store.complete_item(self.namespace, completion, at(now))


class Node:
    """A node as the store knows it: an id, and a count of its commits."""

    def __init__(self, store: Store, name: str = "node-1", lease: float = 10, namespace: str = SPACE) -> None:
        self.store = store
        self.id = NodeId(name)
        self.lease = lease
        self.namespace = namespace
        self.commits: list[Commit] = []

    def prepare(self, now: float = 0, **rows: Any) -> Commit:
        commit = Commit(
            namespace=self.namespace,
            node=self.id,
            tick=len(self.commits) + 1,
            now=at(now),
            lease_until=at(now + self.lease),
            **rows,
        )
        self.commits.append(commit)
        return commit

    async def commit(self, now: float = 0, **rows: Any) -> Receipt:
        return await self.store.commit(self.prepare(now, **rows))

    async def last_tick(self) -> int | None:
        """The tick of its last commit that stands; None if the store does not know it."""
        for commit in reversed(self.commits):
            if await self.store.recover_commit(commit) is not None:
                return commit.tick
        return None

    async def start(self, *numbers: int, now: float = 0, **fields: Any) -> Receipt:
        """Start runs as their owner, each with a first step and a task."""
        return await self.commit(
            now,
            created=[
                new_run(number, owner=self.id, namespace=self.namespace, **fields) for number in numbers
            ],
            steps=[step(number) for number in numbers],
            tasks=[new_task(number) for number in numbers],
        )

    async def claim(self, *claims: str, limit: int = 100, now: float = 0) -> Receipt:
        return await self.commit(now, claim=ClaimRequest(claims or ("order@1",), limit))

    async def queue(self, *numbers: int, now: float = 0, **fields: Any) -> Receipt:
        """Start runs as their owner, whose task waits for a worker."""
        return await self.commit(
            now,
            created=[new_run(number, owner=self.id, namespace=self.namespace) for number in numbers],
            steps=[step(number) for number in numbers],
            tasks=[new_task(number) for number in numbers],
            queued=[queued(number, **fields) for number in numbers],
        )

    def held(self, *numbers: int, epoch: int = 1) -> list[Held]:
        return [Held(key(number), epoch) for number in numbers]
