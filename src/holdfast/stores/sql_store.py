"""The store: transaction scripts that run through a driver and are shared by all databases."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from holdfast.core.records import (
    AttemptRecord,
    Definition,
    History,
    LogRecord,
    MessageKind,
    RunRecord,
    ScheduleRecord,
    TaskRecord,
    TaskSummary,
)
from holdfast.core.values import NULL, Instant, NodeId, Payload, RunKey, RunStatus, key_from_text
from holdfast.core.waiting import NO_WAIT, describe_wait
from holdfast.errors import VersionConflict
from holdfast.ports.commits import Commit, NewMessage, Receipt
from holdfast.ports.nodes import NextWork
from holdfast.ports.runs import IdleEnding, PostResult, Reopening, RunFilter, Stranded
from holdfast.ports.schedules import ScheduleFiring
from holdfast.stores import records
from holdfast.stores.commit_script import (
    create_runs,
    deliver,
    lock_runs,
    post_messages,
    recover_commit,
    write_commit,
)
from holdfast.stores.database import Row, Transaction
from holdfast.stores.driver import Driver
from holdfast.stores.flow_scripts import FlowScripts
from holdfast.stores.worker_scripts import WorkerScripts

_LONG_DUE = 10 * 60 * 1_000_000
"""In microseconds. A live node claims due runs at once, and also polls every 20 s."""


class SqlStore(FlowScripts, WorkerScripts):
    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    @property
    def name(self) -> str:
        """A name for messages and logs. It contains no password."""
        return self._driver.name

    @property
    def statements(self) -> int:
        """How many statements were sent to the database so far."""
        return self._driver.statements

    async def open(self) -> None:
        await self._driver.open()

    async def close(self) -> None:
        await self._driver.close()

    async def now(self) -> Instant:
        rows = await self._driver.fetch("read_clock")
        return rows[0][0]

    def listen(self, on_change: Callable[[], None]) -> Callable[[], None]:
        return self._driver.listen(on_change)

    # --- the node

    async def commit(self, commit: Commit) -> Receipt:
        return await self._driver.write(lambda tx: write_commit(tx, commit))

    async def recover(self, commit: Commit) -> Receipt | None:
        return await self._driver.write(lambda tx: recover_commit(tx, commit))

    async def next_work(
        self, namespace: str, node: NodeId, claims: Sequence[str], workflows: Sequence[str] = ()
    ) -> NextWork:
        rows = await self._driver.fetch("next_work", namespace, node, list(claims), list(workflows))
        wake_at, expires_at, has_mail, schedule_at = rows[0]
        return NextWork(wake_at, expires_at, bool(has_mail), schedule_at)

    async def next_due(self, namespace: str, runs: Sequence[RunKey]) -> Instant | None:
        keys: list[Row] = [(run,) for run in runs]
        rows = await self._driver.read(lambda tx: tx.many_returning("wake_times_of", keys, namespace))
        return min((wake_at for (wake_at,) in rows), default=None)

    async def due_schedules(
        self, namespace: str, workflows: Sequence[str], now: Instant, limit: int
    ) -> list[ScheduleRecord]:
        rows = await self._driver.fetch("due_schedules", namespace, now, list(workflows), limit)
        return records.readable("schedule", rows, records.schedule_record)

    async def fire(self, namespace: str, firing: ScheduleFiring) -> bool:
        schedule, decided_on, runs, cancel, now = firing

        def script(tx: Transaction) -> bool:
            existing = create_runs(tx, namespace, runs)
            active = schedule.active
            if active is not None and active in existing:
                active = existing[active]
            row = records.schedule_row(msgspec.structs.replace(schedule, active=active))
            if not tx.rows("update_schedule", namespace, *row, decided_on):
                raise _HasMoved
            if cancel is not None:
                message = NewMessage(cancel, MessageKind.CANCEL, "", Payload(b'"the next one is due"'))
                post_messages(tx, namespace, [message], now)
            tx.announce()
            return True

        try:
            return await self._driver.write_and_tell(script)
        except _HasMoved:
            return False

    async def leave(self, namespace: str, node: NodeId) -> None:
        def script(tx: Transaction) -> None:
            (now,) = tx.rows("read_clock")[0]
            tx.run("delete_node", namespace, node)
            tx.many("free_runs", [(node,)], now, 0)
            tx.announce()

        await self._driver.write_and_tell(script)

    async def nodes(self, namespace: str) -> list[str]:
        return [id for (id,) in await self._driver.fetch("list_nodes", namespace)]

    async def expire_nodes(self, namespace: str, nodes: Sequence[str]) -> None:
        def script(tx: Transaction) -> None:
            (now,) = tx.rows("read_clock")[0]
            for node in nodes:
                tx.run("delete_node", namespace, node)
            tx.many("free_runs", [(node,) for node in nodes], now, 1)
            tx.announce()

        await self._driver.write_and_tell(script)

    async def load(self, namespace: str, runs: Sequence[RunKey]) -> list[History]:
        def script(tx: Transaction) -> list[History]:
            wanted: list[Row] = [(run,) for run in dict.fromkeys(runs)]
            found = {row[0]: row for row in tx.many_returning("runs_of", wanted, namespace)}
            keys: list[Row] = [(run,) for run in found]
            damage: dict[RunKey, str] = {}
            steps = records.steps_by_run(tx.many_returning("steps_of", keys), damage)
            tasks = records.by_run(tx.many_returning("tasks_of", keys), 0, records.task_record, damage)
            mail = records.by_run(tx.many_returning("messages_of", keys), 1, records.message_record, damage)
            started = tx.many_returning("children_of", keys)
            children = records.by_run(started, 0, records.child_record, damage)
            return [
                History(
                    run=records.run_record(found[run]),
                    steps=steps.get(run, []),
                    tasks=tasks.get(run, []),
                    messages=mail.get(run, []),
                    children=children.get(run, []),
                    damage=damage.get(run),
                )
                for run in runs
                if run in found
            ]

        return await self._driver.read(script, snapshot=True)

    async def register(self, namespace: str, definitions: Sequence[Definition], now: Instant) -> None:
        def script(tx: Transaction) -> None:
            rows = [definition[:6] for definition in definitions]
            tx.many("insert_workflows", rows, namespace, now)
            known = [(definition.name, definition.version, definition.hash) for definition in definitions]
            for name, version in tx.many_returning("find_conflicts", known, namespace):
                raise VersionConflict(name, version)

        await self._driver.write(script)

    async def definitions(self, namespace: str, which: Sequence[tuple[str, str]]) -> list[Definition]:
        asked: list[Row] = list(which)
        rows = await self._driver.read(lambda tx: tx.many_returning("find_workflows", asked, namespace))
        return [records.definition(row) for row in rows]

    # --- the client

    async def create(self, namespace: str, runs: Sequence[RunRecord]) -> dict[RunKey, RunKey]:
        def script(tx: Transaction) -> dict[RunKey, RunKey]:
            tx.announce()
            return create_runs(tx, namespace, runs)

        return await self._driver.write_and_tell(script)

    async def post(self, namespace: str, messages: Sequence[NewMessage], now: Instant) -> list[PostResult]:
        def script(tx: Transaction) -> list[PostResult]:
            tx.announce()
            return post_messages(tx, namespace, messages, now)

        return await self._driver.write_and_tell(script)

    async def find(self, namespace: str, id: str | RunKey) -> RunRecord | None:
        named = (id, key_from_text(id)) if isinstance(id, str) else (None, id)
        rows = await self._driver.fetch("find_run", namespace, *named)
        return records.run_record(rows[0]) if rows else None

    async def ended(self, namespace: str, runs: Sequence[RunKey]) -> list[RunRecord]:
        keys: list[Row] = [(run,) for run in runs]
        rows = await self._driver.read(lambda tx: tx.many_returning("ended_runs", keys, namespace))
        return [records.run_record(row) for row in rows]

    async def list_runs(self, namespace: str, which: RunFilter) -> list[RunRecord]:
        by_status = which.status is not None and which.status is not RunStatus.SUCCESS
        query = "list_runs_by_status" if by_status else "list_runs"
        rows = await self._driver.fetch(
            query, namespace, which.status, which.workflow, which.before, which.limit
        )
        return records.readable("run", rows, records.run_record)

    async def list_tasks(
        self, namespace: str, run: RunKey, since: int = 0, limit: int | None = None
    ) -> list[TaskRecord]:
        rows = await self._driver.fetch("list_tasks", namespace, run, since, limit)
        return [records.task_record(row) for row in rows]

    async def list_attempts(
        self, namespace: str, run: RunKey, of: Sequence[int] | None = None
    ) -> list[AttemptRecord]:
        if of is None:
            rows = await self._driver.fetch("list_attempts", namespace, run)
        else:
            tasks: list[Row] = [(seq,) for seq in sorted(set(of))]
            rows = await self._driver.read(lambda tx: tx.many_returning("attempts_of", tasks, namespace, run))
        return [records.attempt_record(row) for row in rows]

    async def task_summaries(self, namespace: str, run: RunKey, since: int, limit: int) -> list[TaskSummary]:
        rows = await self._driver.fetch("task_summaries", namespace, run, since, limit)
        return [records.task_summary(row) for row in rows]

    async def read_logs(
        self, namespace: str, run: RunKey, after: int, task: str | None, limit: int
    ) -> list[LogRecord]:
        rows = await self._driver.fetch("read_logs", namespace, run, after, task, limit)
        return [records.log_record(row) for row in rows]

    async def list_schedules(self, namespace: str, name: str | None = None) -> list[ScheduleRecord]:
        rows = await self._driver.fetch("list_schedules", namespace, name)
        if name is not None:
            return [records.schedule_record(row) for row in rows]
        return records.readable("schedule", rows, records.schedule_record)

    async def write_schedule(self, namespace: str, schedule: ScheduleRecord, decided_on: int | None) -> bool:
        row = records.schedule_row(schedule)

        def script(tx: Transaction) -> bool:
            tx.announce()
            if decided_on is None:
                return bool(tx.rows("insert_schedule", namespace, *row))
            return bool(tx.rows("update_schedule", namespace, *row, decided_on))

        return await self._driver.write_and_tell(script)

    async def delete_schedule(self, namespace: str, name: str) -> bool:
        return await self._driver.write(lambda tx: bool(tx.rows("delete_schedule", namespace, name)))

    async def read_state(self, namespace: str, run: RunKey) -> dict[str, Payload]:
        return dict(await self._driver.fetch("read_state", namespace, run))

    async def reopen(self, namespace: str, family: Sequence[Reopening]) -> bool:
        try:
            return await self._driver.write_and_tell(lambda tx: _reopen(tx, namespace, family))
        except _HasMoved:
            return False

    async def unpark(self, namespace: str, runs: Sequence[RunKey], now: Instant) -> list[RunKey]:
        def script(tx: Transaction) -> list[RunKey]:
            tx.announce()
            keys: list[Row] = [(run,) for run in sorted(runs)]
            return [row[0] for row in tx.many_returning("unpark_runs", keys, namespace, now)]

        return await self._driver.write_and_tell(script)

    async def end_idle(self, namespace: str, ending: IdleEnding) -> bool:
        run, epoch, failure, messages, now = ending

        def script(tx: Transaction) -> bool:
            # Before the lock on the run, because a worker that ends an item locks the item first.
            tx.many("clear_queue", [(run,)])
            found = [records.run_record(row) for row in tx.many_returning("runs_of", [(run,)], namespace)]
            parents = [(each.parent, each.parent_seq) for each in found if each.parent is not None]
            news = [NewMessage(parent, MessageKind.CHILD, str(seq), NULL) for parent, seq in parents]
            statuses = lock_runs(tx, namespace, {run, *(message.run for message in (*messages, *news))})
            if not tx.rows("cancel_parked_run", namespace, run, now, failure, epoch):
                raise _HasMoved
            tx.many("cancel_open_tasks", [(run, now)])
            del statuses[run]  # it has ended, and receives no more messages
            deliver(tx, namespace, [*messages, *news], statuses, now)
            tx.announce()
            return True

        try:
            return await self._driver.write_and_tell(script)
        except _HasMoved:
            return False

    async def stranded(self, namespace: str, now: Instant) -> list[Stranded]:
        rows = await self._driver.fetch("stranded_runs", namespace, now - _LONG_DUE)
        return [
            Stranded(key, id, workflow, records.run_status(status), problem)
            for key, id, workflow, status, problem in rows
        ]


class _HasMoved(Exception):
    """Rolls back a transaction: a row has changed since the caller read it."""


def _reopen(tx: Transaction, namespace: str, family: Sequence[Reopening]) -> bool:
    tx.many("clear_queue", [(each.run,) for each in family])
    lock_runs(tx, namespace, [each.run for each in family])
    opened: list[Row] = [
        (each.run, each.epoch, each.now, *NO_WAIT)
        if each.waiting is None
        else (each.run, each.epoch, None, *describe_wait([each.waiting]))
        for each in family
    ]
    if len(tx.many_returning("reopen_runs", opened, namespace)) != len(family):
        raise _HasMoved
    tx.many("insert_steps", [msgspec.structs.astuple(each.step) for each in family])
    tx.many("reset_tasks", [(each.run, seq) for each in family for seq in each.tasks])
    tx.many("give_back_messages", [(each.run, message) for each in family for message in each.messages])
    overtaken = [(each.run, it, each.step.position) for each in family for it in each.overtaken]
    tx.many("take_messages", overtaken)
    # Outcomes that are dropped may have led to some of the state. The program sets the state again.
    tx.many("clear_state", [(each.run,) for each in family])
    tx.announce()
    return True
