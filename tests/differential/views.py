"""What users see of the model: logs, summaries of tasks, and why a run is stranded."""

from __future__ import annotations

import json
from typing import Any

from tests.differential.tables import AWAKE, Tables

from holdfast.core.records import ChildRecord, LogRecord, RunRecord, TaskRecord, TaskSummary
from holdfast.core.stream_items import StreamPage, StreamRecord, StreamSummary
from holdfast.core.values import Instant, Payload, RunKey
from holdfast.core.waiting import WaitKind

LONG = 10 * 60 * 1_000_000
"""Microseconds. A run that is due for longer, and that no node has taken, is reported."""

_HIGHEST_PLACE = 999_999_999


def logs(tables: Tables, run: RunKey, after: int, task: str | None) -> list[LogRecord]:
    """Log records of the run after number `after`. Those of the workflow's own code have no task."""
    found: list[LogRecord] = []
    for number, row in tables.logs.items():
        said_by = tables.tasks.get((row.run, row.seq))
        name = None if said_by is None else said_by.name
        if row.run == run and number > after and (task is None or task == name):
            index = None if said_by is None else _place(said_by.name, said_by.input)[0]
            found.append(LogRecord(number, row.seq, row.attempt, row.lines, name, index))
    return found


def stream(tables: Tables, run: RunRecord, name: str, since: int, rows: int, bytes: int) -> StreamPage:
    known = sorted((at[2], row) for at, row in tables.items.items() if at[:2] == (run.key, name))
    found = [row for end, row in known if end > since]
    found = [row for row in found if row.total_bytes <= found[0].total_bytes + bytes][:rows]
    records: list[StreamRecord] = []
    for row in found:
        task = tables.tasks.get((run.key, row.seq))
        by = None if task is None else task.name
        records.append(StreamRecord(row.first, row.seq, row.attempt, bool(row.is_first), row.items, by))
    return StreamPage(records, run.status, known[-1][0] if known else 0)


def streams(tables: Tables, run: RunKey) -> list[StreamSummary]:
    found: dict[str, list[tuple[int, int]]] = {}
    for (of, name, end), row in tables.items.items():
        if of == run:
            found.setdefault(name, []).append((row.first, end))
    return [StreamSummary(name, min(found[name])[0], max(found[name])[1]) for name in sorted(found)]


def glance(task: TaskRecord) -> TaskSummary:
    index, count = _place(task.name, task.input)
    return TaskSummary(
        seq=task.seq,
        name=task.name,
        index=index,
        count=count,
        status=task.status,
        attempt=task.attempt,
        lost=task.lost,
        problem=None if task.failure is None else task.failure.summary,
        due_at=task.due_at,
        created_at=task.created_at,
        started_at=task.started_at,
        finished_at=task.finished_at,
        progress=task.heartbeat if task.finished_at is None else None,
    )


def _place(name: str, input: Payload) -> tuple[int | None, int | None]:
    """The index and count of an item of a fan-out: the last entries of its input. Flows have no count."""
    given: Any = json.loads(input)
    if "/" in name:
        last = {"item": ["index"], "branch": ["branch", "service"]}.get(name.rpartition("/")[2], [])
        index = (
            given[last[0]] if last and isinstance(given, dict) and [*given][-len(last) :] == last else None
        )
        return (index if type(index) is int and 0 <= index <= _HIGHEST_PLACE else None), None
    if not isinstance(given, dict) or [*given][-2:] != ["parallel_index", "parallel_count"]:
        return None, None
    index, count = given["parallel_index"], given["parallel_count"]
    if all(type(each) is int and 0 <= each <= _HIGHEST_PLACE for each in (index, count)):
        return index, count
    return None, None


def as_child(run: RunRecord) -> ChildRecord:
    assert run.parent is not None
    assert run.parent_seq is not None
    return ChildRecord(run.parent, run.parent_seq, run.key, run.status, run.output, run.failure)


def problem(tables: Tables, run: RunRecord, now: Instant) -> str | None:
    """Why the run would never go on; None if it would."""
    if run.status not in AWAKE:
        return None
    if run.owner is not None:
        is_known = run.owner in tables.nodes
        return None if is_known else f"its node {run.owner} is gone, and no node has freed the run"
    if run.wake_at is not None:
        same = (run.namespace, run.claim)
        is_served = any(it.owner and (it.namespace, it.claim) == same for it in tables.runs.values())
        if is_served or run.wake_at >= now - LONG:
            return None
        return f"it has long been due, and no node takes runs of {run.claim}; start a node that has it"
    if tables.waits_for(run.key, WaitKind.TURN):
        parent = None if run.parent is None else tables.runs.get(run.parent)
        if parent is None or parent.status.is_final:
            return "it waits until its parent wakes it, but its parent has ended; retry the parent"
        return None
    if tables.unread([run.key]):
        return "it has an unread message that did not wake it"
    if run.waiting is None:
        return "it waits for nothing"
    has_ended = all(it.status.is_final for it in tables.children(run.key))
    if tables.waits_for(run.key, WaitKind.CHILD) and has_ended:
        return "it waits for children that have all ended"
    return None
