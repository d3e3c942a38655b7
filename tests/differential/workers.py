"""Workers and the queue of the model: which worker may take which item, and whose completion counts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from msgspec.structs import replace
from tests.differential.tables import QueueRow, Tables

from holdfast.core.policies import LOST_ATTEMPTS_ALLOWED
from holdfast.core.records import AttemptRecord, MessageKind, TaskRecord
from holdfast.core.remote import write_report
from holdfast.core.shared_inputs import whole_input
from holdfast.core.values import (
    Failed,
    Failure,
    Instant,
    Outcome,
    RunKey,
    TaskStatus,
    key_text,
    task_id,
)
from holdfast.ports.commits import Commit, NewMessage
from holdfast.ports.runs import PostResult
from holdfast.ports.workers import Completion, CompletionResult, QueueItem, WorkerRecord


class HasTables(Protocol):
    tables: Tables

    def transaction(self, *, tells: bool = False) -> AbstractContextManager[Tables]: ...


class WorkerModel:
    async def register_worker(self: HasTables, namespace: str, worker: WorkerRecord) -> None:
        with self.transaction() as tables:
            tables.workers[namespace, worker.id] = worker
            _renew_items(tables, namespace, worker.id, worker.heartbeat_at)

    async def record_heartbeat(
        self: HasTables, namespace: str, id: str, url: str, load: int, now: Instant, lease_until: Instant
    ) -> bool:
        with self.transaction() as tables:
            known = tables.workers.get((namespace, id)) or _at(tables, namespace, url)
            if known is None:
                return False
            heard = known._replace(load=load, heartbeat_at=now, is_online=True)
            tables.workers[namespace, known.id] = heard
            _renew_items(tables, namespace, known.id, lease_until)
            return True

    async def list_workers(self: HasTables, namespace: str, since: Instant) -> list[WorkerRecord]:
        known = _of(self.tables, namespace)
        return sorted((it for it in known if it.heartbeat_at >= since), key=lambda worker: worker.id.encode())

    async def mark_workers_offline(self: HasTables, namespace: str, before: Instant) -> int:
        with self.transaction() as tables:
            for worker in _of(tables, namespace):
                if worker.heartbeat_at < before:
                    tables.workers[namespace, worker.id] = worker._replace(is_online=False)
            return sum(worker.is_online for worker in _of(tables, namespace))

    async def poll_queue(
        self: HasTables,
        namespace: str,
        worker: str,
        services: Sequence[str],
        now: Instant,
        lease_until: Instant,
    ) -> QueueItem | None:
        with self.transaction() as tables:
            for item in due_items(tables, namespace, services, now):
                task = tables.wanted_task(item)
                if task is None:
                    del tables.queue[item.run, item.seq]
                elif (taken := _take(tables, item, task, worker, now, lease_until)) is not None:
                    return taken
            return None

    async def complete_item(
        self: HasTables, namespace: str, completion: Completion, now: Instant
    ) -> CompletionResult:
        run, seq, lease, outcome = completion
        with self.transaction(tells=True) as tables:
            item = tables.queue.get((run, seq))
            if item is None or item.namespace != namespace:
                return CompletionResult.GONE
            if not _is_held(item, lease):
                return CompletionResult.LOST
            return _end(tables, item, outcome, now)

    async def renew_item(
        self: HasTables, namespace: str, run: RunKey, seq: int, lease: int, lease_until: Instant
    ) -> bool:
        with self.transaction() as tables:
            item = tables.queue.get((run, seq))
            if item is None or item.namespace != namespace or not _is_held(item, lease):
                return False
            tables.queue[run, seq] = item._replace(ready_at=lease_until)
            return True


def _renew_items(tables: Tables, namespace: str, worker: str, until: Instant) -> None:
    for at, item in tables.queue.items():
        if (item.namespace, item.worker) == (namespace, worker):
            tables.queue[at] = item._replace(ready_at=until)


def _of(tables: Tables, namespace: str) -> list[WorkerRecord]:
    return [worker for (space, _), worker in tables.workers.items() if space == namespace]


def _at(tables: Tables, namespace: str, url: str) -> WorkerRecord | None:
    """The worker with that URL; if there are several, the one heard from last."""
    there = [worker for worker in _of(tables, namespace) if worker.url == url != "queue"]
    return min(there, key=lambda worker: (-worker.heartbeat_at, worker.id.encode()), default=None)


def due_items(tables: Tables, namespace: str, services: Sequence[str], now: Instant) -> list[QueueRow]:
    """Due items, the longest due first."""
    mine = [item for item in tables.queue.values() if item.namespace == namespace]
    due = [item for item in mine if item.service in services and item.ready_at <= now]
    return sorted(due, key=lambda item: item.ready_at)


def _is_held(item: QueueRow, lease: int) -> bool:
    return item.worker is not None and item.lease == lease


def _take(
    tables: Tables, item: QueueRow, task: TaskRecord, worker: str, now: Instant, lease_until: Instant
) -> QueueItem | None:
    attempt, lost = item.attempt, task.lost
    if item.worker is not None:
        at = (item.run, item.seq, attempt)
        tables.attempts.setdefault(
            at, AttemptRecord(*at, "lost", None, item.taken_at, now, "", worker=item.worker)
        )
        attempt, lost = attempt + 1, lost + 1
    if lost > LOST_ATTEMPTS_ALLOWED and item.worker is not None:
        message = (
            f"task {task.name!r} was with a worker that was not heard of any more, {lost} times; "
            "it may be what kills the worker, or take longer than its lease without a heartbeat"
        )
        failure = Failure("holdfast.errors:TaskLost", message, task=task_id(item.run, item.seq))
        _end(tables, item, Failed(failure), now)
        return None
    tables.queue[item.run, item.seq] = item._replace(
        attempt=attempt, lease=item.lease + 1, worker=worker, taken_at=now, ready_at=lease_until
    )
    tables.tasks[item.run, item.seq] = replace(
        task, status=TaskStatus.RUNNING, attempt=attempt, lost=lost, due_at=None, started_at=now
    )
    return QueueItem(
        run=item.run,
        run_id=tables.runs[item.run].id or key_text(item.run),
        seq=item.seq,
        name=task.name,
        service=item.service,
        input=whole_input(task.shared, task.input),
        attempt=attempt,
        lease=item.lease + 1,
        worker=worker,
        created_at=item.created_at,
        taken_at=now,
        lease_until=lease_until,
    )


def _end(tables: Tables, item: QueueRow, outcome: Outcome, now: Instant) -> CompletionResult:
    assert item.worker is not None
    assert item.taken_at is not None
    del tables.queue[item.run, item.seq]
    report = write_report(item.attempt, item.worker, item.taken_at, outcome)
    message = NewMessage(item.run, MessageKind.TASK, str(item.seq), report)
    (posted,) = tables.deliver(item.namespace, [message], now)
    return CompletionResult.DONE if posted is PostResult.POSTED else CompletionResult.GONE


def write_queue(tables: Tables, commit: Commit) -> None:
    """Adds and removes the items of a commit. An item that is added again keeps its counts of attempts and
    leases."""
    queued = {(row.run, row.seq): row for row in commit.queued}
    for gone in commit.unqueued:
        if (gone.run, gone.seq) not in queued:
            tables.queue.pop((gone.run, gone.seq), None)
    for at, row in queued.items():
        known = tables.queue.get(at)
        tables.queue[at] = QueueRow(
            commit.namespace,
            row.run,
            row.seq,
            row.service,
            max(row.attempt, known.attempt if known else 0),
            max(row.attempt - 1, known.lease if known else 0),
            None,
            row.ready_at,
            None,
            row.created_at,
        )
