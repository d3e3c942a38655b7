"""What must hold of every history of a DAG, besides how it ends: limits, and that nothing succeeds twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from holdfast.core.history import read_steps
from holdfast.core.journal import ReopenedHeard, TaskAsked, TaskHeard, TaskResumed
from holdfast.core.records import History, TaskRecord
from holdfast.core.values import TaskStatus


def broken_rules(dag: dict[str, Any], history: History) -> Iterator[str]:
    yield from _broken_limits(dag, history)
    yield from _done_twice(dag, history)


def _broken_limits(dag: dict[str, Any], history: History) -> Iterator[str]:
    """More items under way at once than the file allows, by what was asked for and had ended then."""
    names = {record.seq: record.name for record in history.tasks}
    open_tasks: dict[int, str] = {}
    for number, step in enumerate(read_steps(history)):
        for heard in step.heard:
            if isinstance(heard, TaskHeard):
                open_tasks.pop(heard.seq, None)
            elif isinstance(heard, ReopenedHeard):
                open_tasks.clear()
        for asked in step.asked:
            if isinstance(asked, TaskAsked | TaskResumed):
                open_tasks[asked.seq] = names[asked.seq]
        for name, count in Counter(open_tasks.values()).items():
            most = dag["tasks"][name].get("concurrency", count)
            if count > most:
                yield f"step {number}: {count} items of {name} under way, and not {most}"
        if len(open_tasks) > dag.get("max_parallel", len(open_tasks)):
            yield f"step {number}: {len(open_tasks)} tasks under way, and not {dag['max_parallel']}"


def _done_twice(dag: dict[str, Any], history: History) -> Iterator[str]:
    """Children are asked for again under a number of their own, so this is about commands."""
    good = Counter(
        (record.name, _index(record))
        for record in history.tasks
        if record.status is TaskStatus.SUCCESS and "command" in dag["tasks"][record.name]
    )
    for (name, index), times in good.items():
        if times > 1:
            yield f"item {index} of {name} succeeded {times} times"


def _index(record: TaskRecord) -> Any:
    return msgspec.json.decode(record.input).get("parallel_index")
