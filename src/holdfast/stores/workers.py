"""Transaction scripts for workers and the queue.

The lease of an item is a number that fences the item, as the epoch fences a run: a worker with another number
has lost the item. The lease ends at `ready_at`. From then on another worker may take the item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.core.policies import LOST_ATTEMPTS_ALLOWED
from holdfast.core.records import MessageKind
from holdfast.core.remote import LOST, write_report
from holdfast.core.run_options import read_run_options, trace_of
from holdfast.core.values import Failed, Failure, Instant, Payload, RunKey, TaskStatus, key_text, task_id
from holdfast.ports.commits import NewMessage
from holdfast.ports.runs import PostResult
from holdfast.ports.workers import Completion, CompletionResult, QueueItem, WorkerRecord
from holdfast.stores import records
from holdfast.stores.change_log import TASK, note
from holdfast.stores.database import Transaction
from holdfast.stores.delivery import post_messages
from holdfast.stores.shared_inputs import read_whole_input
from holdfast.stores.sql_role import SqlRole

_PULL_URL = "queue"
"""The url of every pull worker. It does not identify a worker."""


class SqlWorkerStore(SqlRole):
    async def register_worker(self, namespace: str, worker: WorkerRecord) -> None:
        row = records.worker_row(worker)

        def script(tx: Transaction) -> None:
            tx.run("put_worker", namespace, *row)
            # A worker that has just started holds no items. Otherwise its heartbeats would renew forever the
            # leases of items that it took before it was restarted.
            tx.run("renew_items_of", namespace, worker.id, worker.heartbeat_at)

        await self._driver.write(script)

    async def record_heartbeat(
        self, namespace: str, id: str, url: str, load: int, now: Instant, lease_until: Instant
    ) -> bool:
        def script(tx: Transaction) -> bool:
            heard = tx.rows("hear_worker", namespace, id, load, now)
            if not heard and url != _PULL_URL:
                for (other,) in tx.rows("worker_at", namespace, url):
                    heard = tx.rows("hear_worker", namespace, other, load, now)
            for (worker,) in heard:
                tx.run("renew_items_of", namespace, worker, lease_until)
            return bool(heard)

        return await self._driver.write(script)

    async def list_workers(self, namespace: str, since: Instant) -> list[WorkerRecord]:
        rows = await self._driver.fetch("list_workers", namespace, since)
        return records.readable("worker", rows, records.worker_record)

    async def mark_workers_offline(self, namespace: str, before: Instant) -> int:
        # Reads first: this runs every few seconds, and there is seldom anything to write.
        ((online, silent),) = await self._driver.fetch("count_workers", namespace, before)
        if silent:
            await self._driver.write(lambda tx: tx.run("mark_workers_offline", namespace, before))
        return online - silent

    # --- the queue

    async def poll_queue(
        self, namespace: str, worker: str, services: Sequence[str], now: Instant, lease_until: Instant
    ) -> QueueItem | None:
        # Reads first: most polls find nothing, and a read does not wait for writers.
        wanted = list(dict.fromkeys(services))
        due = await self._driver.read(lambda tx: _due_services(tx, namespace, wanted, now))
        if not due:
            return None
        taking = _Taking(namespace, worker, now, lease_until)
        return await self._driver.write_and_tell(lambda tx: taking.take(tx, due))

    async def complete_item(self, namespace: str, completion: Completion, now: Instant) -> CompletionResult:
        run, seq, lease, outcome = completion

        def script(tx: Transaction) -> CompletionResult:
            ended = tx.rows("end_item", namespace, run, seq, lease)
            for attempt, worker, taken_at in ended:
                return _tell(tx, namespace, run, seq, write_report(attempt, worker, taken_at, outcome), now)
            is_there = tx.rows("find_item", namespace, run, seq)
            return CompletionResult.LOST if is_there else CompletionResult.GONE

        return await self._driver.write_and_tell(script)

    async def renew_item(
        self, namespace: str, run: RunKey, seq: int, lease: int, lease_until: Instant
    ) -> bool:
        renewed = await self._driver.write(
            lambda tx: tx.rows("renew_item", namespace, run, seq, lease, lease_until)
        )
        return bool(renewed)


def _due_services(tx: Transaction, namespace: str, services: Sequence[str], now: Instant) -> list[str]:
    """The services that have a due item, the longest due first."""
    return [service for (service,) in tx.rows("due_services", namespace, list(services), now)]


def _tell(
    tx: Transaction, namespace: str, run: RunKey, seq: int, report: Payload, now: Instant
) -> CompletionResult:
    """Send the run the report on a task whose item has left the queue."""
    message = NewMessage(run, MessageKind.TASK, str(seq), report)
    (posted,) = post_messages(tx, namespace, [message], now)
    return CompletionResult.DONE if posted is PostResult.POSTED else CompletionResult.GONE


class _DueItem(NamedTuple):
    """An item that a worker may take."""

    run: RunKey
    seq: int
    attempt: int
    lease: int
    worker: str | None
    """The worker whose lease has run out, if one had taken the item."""
    taken_at: Instant | None
    created_at: Instant


class _ItemTask(NamedTuple):
    """The task of an item."""

    run_id: str | None
    options: bytes | None
    name: str
    own_input: Payload
    lost: int
    shares: int | None


class _Taking:
    """One poll of one worker."""

    def __init__(self, namespace: str, worker: str, now: Instant, lease_until: Instant) -> None:
        self._namespace = namespace
        self._worker = worker
        self._now = now
        self._lease_until = lease_until

    def take(self, tx: Transaction, services: Sequence[str]) -> QueueItem | None:
        """`services` are those that have a due item, the longest due first."""
        while found := self._first(tx, services):
            service, item = found
            wanted = tx.rows("wanted_task", self._namespace, item.run, item.seq)
            if not wanted:
                tx.many("unqueue_tasks", [(item.run, item.seq)])
            elif (taken := self._take(tx, service, item, _ItemTask(*wanted[0]))) is not None:
                return taken
            # That item is gone, and the next due item may belong to another service.
            services = _due_services(tx, self._namespace, services, self._now)
        return None

    def _first(self, tx: Transaction, services: Sequence[str]) -> tuple[str, _DueItem] | None:
        for service in services:
            for row in tx.rows("lock_due_item", self._namespace, service, self._now):
                return service, _DueItem(*row)
        return None

    def _take(self, tx: Transaction, service: str, item: _DueItem, task: _ItemTask) -> QueueItem | None:
        run, seq, attempt, lost, now = item.run, item.seq, item.attempt, task.lost, self._now
        if item.worker is not None:
            tx.run("insert_lost_attempt", run, seq, attempt, item.taken_at, now, item.worker)
            lost += 1
            if lost > LOST_ATTEMPTS_ALLOWED:
                self._give_up(tx, item, item.worker, task.name, lost)
                return None
            attempt += 1
        lease = item.lease + 1
        tx.run("take_item", run, seq, self._worker, attempt, lease, now, self._lease_until)
        tx.run("start_task", run, seq, attempt, lost, now)
        note(tx, self._namespace, now, TASK, [(run, seq, TaskStatus.RUNNING, attempt)])
        return QueueItem(
            run=run,
            run_id=task.run_id or key_text(run),
            seq=seq,
            name=task.name,
            service=service,
            input=read_whole_input(tx, run, task.own_input, task.shares),
            attempt=attempt,
            lease=lease,
            worker=self._worker,
            created_at=item.created_at,
            taken_at=now,
            lease_until=self._lease_until,
            trace=trace_of(read_run_options(task.options), run),
        )

    def _give_up(self, tx: Transaction, item: _DueItem, worker: str, name: str, lost: int) -> None:
        failure = Failure(
            type=LOST,
            message=f"task {name!r} was with a worker that was not heard of any more, {lost} times; "
            "it may be what kills the worker, or take longer than its lease without a heartbeat",
            task=task_id(item.run, item.seq),
        )
        report = write_report(item.attempt, worker, item.taken_at or self._now, Failed(failure))
        tx.many("unqueue_tasks", [(item.run, item.seq)])
        _tell(tx, self._namespace, item.run, item.seq, report, self._now)
