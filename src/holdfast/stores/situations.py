"""Reading why a run does not go on: all that is open of it, in one snapshot and with few rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from holdfast.core.backlogs import BacklogRows, DueRuns, WaitingTasks
from holdfast.core.questions import QuestionRecord
from holdfast.core.records import MessageKind, RunRecord
from holdfast.core.situations import (
    BusyTask,
    OpenChildRow,
    OpenTaskRow,
    QueueRow,
    RunCounts,
    ServingNode,
    Situation,
    UnreadMessages,
)
from holdfast.core.values import Instant, RunKey, TaskStatus, key_text
from holdfast.ports.runs import Stranded
from holdfast.stores import records
from holdfast.stores.database import Row, Transaction
from holdfast.stores.histories import read_chapters
from holdfast.stores.sql_role import SqlRole

_decode_claims = msgspec.json.Decoder(list[str]).decode
_STEPS_AT_ONCE: Final = 50
_FEW_BYTES: Final = 256 * 1024
"""Of steps. They hold up no other read."""
_PENDING: Final = ("pending", False)
_MOST_GROUPS: Final = 1000


class SqlSituationStore(SqlRole):
    async def read_situation(self, namespace: str, run: RunKey, rows: int, steps: int) -> Situation | None:
        return await self._driver.read(
            lambda tx: _read(tx, namespace, run, rows, steps), snapshot=True, may_be_long=True
        )

    async def count_parts(self, run: RunRecord, now: Instant, most: int) -> RunCounts:
        def script(tx: Transaction) -> RunCounts:
            tasks = {TaskStatus(status): count for status, count in tx.rows("count_tasks", run.key, most)}
            [(children,)] = tx.rows("count_children", run.key, most)
            [(steps,)] = tx.rows("count_steps", run.key)
            [(questions, asked_for)] = tx.rows("time_of_questions", run.key, now, most)
            above = [] if run.parent is None else tx.rows("find_run", run.namespace, None, run.parent)
            parent = next((row[2] or key_text(row[0]) for row in above), None)
            is_exact = max(sum(tasks.values()), children, questions) < most
            return RunCounts(tasks, children, steps, asked_for, is_exact, parent)

        return await self._driver.read(script, snapshot=True, may_be_long=True)

    async def last_steps(self, runs: Sequence[RunKey], steps: int) -> dict[RunKey, list[tuple[int, bytes]]]:
        def script(tx: Transaction) -> dict[RunKey, list[tuple[int, bytes]]]:
            return {run: [(at, step) for at, step in tx.rows("last_steps", run, steps)] for run in runs}

        return await self._driver.read(script, may_be_long=True)

    async def read_steps(self, run: RunKey, since: int, rows: int, bytes: int) -> list[tuple[int, bytes]]:
        def script(tx: Transaction) -> list[tuple[int, bytes]]:
            found: list[tuple[int, bytes]] = []
            room = bytes
            while room > 0 and len(found) < rows:
                first = found[-1][0] + 1 if found else since
                wanted = min(_STEPS_AT_ONCE, rows - len(found))
                some = tx.rows("page_of_steps", run, first, wanted)
                for position, step in some:
                    if found and room <= 0:
                        break
                    found.append((position, step))
                    room -= len(step)
                if len(some) < wanted:
                    break
            return found

        return await self._driver.read(script, may_be_long=bytes > _FEW_BYTES)

    async def list_serving_nodes(self, namespace: str) -> list[ServingNode]:
        return [serving_node(row) for row in await self._driver.fetch("serving_nodes", namespace)]

    async def list_due_claims(self, namespace: str) -> list[str]:
        return [claim for (claim,) in await self._driver.fetch("due_claims", namespace, may_be_long=True)]

    async def list_due_runs(
        self, namespace: str, claim: str, now: Instant, problem: str, limit: int
    ) -> list[Stranded]:
        rows = await self._driver.fetch("due_runs_of", namespace, claim, now, limit, may_be_long=True)
        return [
            Stranded(key, id, workflow, records.run_status(status), problem)
            for key, id, workflow, status in rows
        ]

    async def read_backlog(self, namespace: str, now: Instant, most: int) -> BacklogRows:
        def script(tx: Transaction) -> BacklogRows:
            claims = tx.rows("due_claims", namespace)[:_MOST_GROUPS]
            services = tx.rows("queued_services", namespace, _MOST_GROUPS)
            counted = [
                (service, tx.rows("count_waiting", namespace, service, now, most)) for (service,) in services
            ]
            return BacklogRows(
                [
                    DueRuns(claim, *row)
                    for (claim,) in claims
                    for row in tx.rows("count_due_runs", namespace, claim, now, most)
                ],
                [WaitingTasks(service, *row) for service, [row] in counted if row[0]],
            )

        return await self._driver.read(script, may_be_long=True)


def _read(tx: Transaction, namespace: str, run: RunKey, rows: int, steps: int) -> Situation | None:
    found = tx.rows("find_run", namespace, None, run)
    if not found:
        return None
    record = records.run_record(found[0])
    if record.status.is_final:
        return Situation(record)
    chapter = read_chapters(tx, found)[run]
    first = chapter.first_position
    last = [(position, step) for position, step in tx.rows("last_steps", run, steps) if position >= first]
    counts = {(status, bool(waits)): count for status, waits, count in tx.rows("count_open_tasks", run)}
    waits_for_slot = record.owner is not None and _PENDING in counts
    first_wait = tx.rows("first_wait", namespace, run)
    heard = tx.rows("heard_message_names", run, last[-1][0] if last else first)
    unread = tx.rows("unread_message_names", run, rows)
    return Situation(
        record,
        first_wait=(first_wait[0][0], first_wait[0][1] or "") if first_wait else None,
        tasks=[_task(row) for row in tx.rows("some_open_tasks", run, rows)] if counts else [],
        task_counts=counts,
        queue=[QueueRow(*row) for row in tx.rows("some_queue_items", run, rows)] if counts else [],
        children=[_child(row) for row in tx.rows("some_open_children", run, chapter.first_child, rows)],
        child_count=tx.rows("count_open_children", run, chapter.first_child)[0][0],
        unread=[UnreadMessages(records.message_kind(kind), *rest) for kind, *rest in unread],
        heard={(records.message_kind(kind), name): count for kind, name, count, _ in heard},
        cancelled_in=next((last for kind, *_, last in heard if kind == MessageKind.CANCEL), None),
        updates=[UnreadMessages(MessageKind.UPDATE, *row) for row in tx.rows("open_updates", run, rows)],
        questions=[
            QuestionRecord(*row) for row in tx.rows("list_questions_of", namespace, run, -1, None, rows)
        ],
        nodes=[serving_node(row) for row in tx.rows("serving_nodes", namespace)],
        busy=[BusyTask(*row) for row in tx.rows("some_busy_tasks", record.owner, 2 * rows)]
        if waits_for_slot
        else [],
        steps=last,
        first_position=first,
    )


def serving_node(row: Row) -> ServingNode:
    id, lease_until, seen_at, serves = row
    try:
        claims = None if serves is None else frozenset(_decode_claims(serves))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        claims = None  # a hash: the node serves too many to write them down
    return ServingNode(id, lease_until, seen_at, claims)


def _task(row: Row) -> OpenTaskRow:
    seq, name, status, *rest = row
    return OpenTaskRow(seq, name, TaskStatus(status), *rest)


def _child(row: Row) -> OpenChildRow:
    key, id, workflow, status, created_at = row
    return OpenChildRow(key, id, workflow, records.run_status(status), created_at)
