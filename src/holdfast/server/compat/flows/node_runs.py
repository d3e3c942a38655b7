"""Node runs: the tasks of a run, for clients that know a flow as nodes with visits and attempts.

There is one node run per attempt. The store has rows for attempts that did not succeed and for attempts of
workers. Any other attempt is the row of its task.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, cast

import msgspec

from holdfast.core.records import AttemptRecord, Definition, TaskRecord
from holdfast.core.values import TaskStatus, task_id
from holdfast.server.compat.wire import seconds, text_of


class VisitDescription(NamedTuple):
    """What the definition of a flow says about one visit of a node, which is one task."""

    action: str = ""
    """The action that the visit led to."""
    prep: Mapping[str, Any] = {}
    kind: str = ""
    """The kind of the node; empty if the task is not a visit of a node."""


DescribeVisits: TypeAlias = Callable[[Definition, Sequence[TaskRecord]], Sequence[VisitDescription]]
"""Returns one description per task."""


def describe_nothing(definition: Definition, tasks: Sequence[TaskRecord]) -> Sequence[VisitDescription]:
    return [VisitDescription()] * len(tasks)


class NodeRun(msgspec.Struct, frozen=True):
    """JSON is in strings. Times are seconds since 1970, or 0."""

    id: str
    task_id: str
    node_key: str
    attempt_no: int
    status: str
    """`ok`, `error`, `canceled`, `queued` or `running`"""
    sub_status: str
    branch_id: str
    prep_json: str
    exec_input_json: str
    exec_output_json: str
    error_text: str
    action: str
    started_at: int
    finished_at: int
    worker_id: str
    worker_url: str


_TASK_STATUSES: Final = {
    TaskStatus.PENDING: "queued",
    TaskStatus.DISPATCHED: "queued",
    TaskStatus.RUNNING: "running",
    TaskStatus.SUCCESS: "ok",
    TaskStatus.FAILED: "error",
    TaskStatus.SKIPPED: "canceled",
    TaskStatus.CANCELLED: "canceled",
}


def node_runs(
    run_id: str,
    tasks: Sequence[TaskRecord],
    attempts: Sequence[AttemptRecord],
    visits: Sequence[VisitDescription],
) -> list[NodeRun]:
    """In the order of the tasks, and of the attempts of each."""
    by_task: dict[int, list[AttemptRecord]] = defaultdict(list)
    for attempt in attempts:
        by_task[attempt.seq].append(attempt)
    found: list[NodeRun] = []
    for task, visit in zip(tasks, visits, strict=True):
        base = _node_run_of(run_id, task, visit)
        made = sorted(by_task[task.seq], key=lambda each: each.attempt)
        found += [_of_attempt(base, task, visit, each) for each in made]
        if not any(each.attempt == task.attempt for each in made):
            found.append(_of_task(base, task, visit))
    return found


def node_run_id(task: str, attempt: int) -> str:
    return f"{task}:{attempt}"


class _NodePosition(NamedTuple):
    """The position of a task in its flow."""

    node_key: str
    sub_status: str
    branch_id: str


def _node_run_of(run_id: str, task: TaskRecord, visit: VisitDescription) -> NodeRun:
    """The node run of a task without the facts of an attempt."""
    input = _read_input(task) if visit.kind else {}
    position = _position_of(task.name, input) if visit.kind else _NodePosition(task.name, "", "")
    return NodeRun(
        id="",
        task_id=run_id,
        node_key=position.node_key,
        attempt_no=0,
        status="",
        sub_status=position.sub_status,
        branch_id=position.branch_id,
        prep_json=msgspec.json.encode(visit.prep).decode(),
        exec_input_json=text_of(bytes(input["input"]) if "input" in input else task.input),
        exec_output_json="",
        error_text="",
        action="",
        started_at=0,
        finished_at=0,
        worker_id="",
        worker_url="",
    )


def _read_input(task: TaskRecord) -> dict[str, msgspec.Raw]:
    """The parts of the input of a flow's task, not decoded."""
    try:
        return msgspec.json.decode(task.input, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}  # not the task of a flow, or a damaged row: it is shown as it is


_BRANCHES: Final = (("branch", "/branch", "branch_complete"), ("index", "/item", "item_complete"))
"""Of a branch: the key of its number in the input, the end of its path, and its sub-status."""


def _position_of(path: str, input: Mapping[str, msgspec.Raw]) -> _NodePosition:
    for part, ending, sub_status in _BRANCHES:
        if part in input:
            node, _, rest = path.removesuffix(ending).partition("/")
            number = text_of(bytes(input[part]))
            return _NodePosition(node, sub_status, f"{rest}/{number}" if rest else number)
    node, _, rest = path.partition("/")
    return _NodePosition(node, "sub_node_complete" if rest else "", rest)


def _of_attempt(base: NodeRun, task: TaskRecord, visit: VisitDescription, attempt: AttemptRecord) -> NodeRun:
    is_ok = attempt.status == "success"
    is_last = attempt.attempt == task.attempt and task.status.is_final
    failure = attempt.failure
    return msgspec.structs.replace(
        base,
        id=node_run_id(task_id(task.run, task.seq), attempt.attempt),
        attempt_no=attempt.attempt,
        status="ok" if is_ok else "error",
        exec_output_json=text_of(task.output) if is_ok else "",
        error_text="" if is_ok else failure.summary if failure is not None else attempt.status,
        action=visit.action if is_last else "",
        started_at=seconds(attempt.started_at),
        finished_at=seconds(attempt.finished_at),
        worker_id=attempt.worker,
        worker_url=attempt.worker_url,
    )


def _of_task(base: NodeRun, task: TaskRecord, visit: VisitDescription) -> NodeRun:
    return msgspec.structs.replace(
        base,
        id=node_run_id(task_id(task.run, task.seq), task.attempt),
        attempt_no=task.attempt,
        status=_TASK_STATUSES[task.status],
        exec_output_json=text_of(task.output),
        error_text="" if task.failure is None else task.failure.summary,
        action=visit.action,
        started_at=seconds(task.started_at),
        finished_at=seconds(task.finished_at),
    )


def describe(
    describe_visits: DescribeVisits, definition: Definition | None, tasks: Sequence[TaskRecord]
) -> Sequence[VisitDescription]:
    if definition is None:
        return describe_nothing(cast("Any", None), tasks)
    return describe_visits(definition, tasks)
