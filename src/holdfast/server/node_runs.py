"""Node runs: what a run's tasks look like to programs that know a flow as nodes, each visited and tried.

One for every attempt. Those that did not succeed, and those that workers have made, are rows of their own;
any other is the row of its task.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, cast

import msgspec

from holdfast.core.records import AttemptRecord, Definition, TaskRecord
from holdfast.core.values import TaskStatus, task_id
from holdfast.server.wire import seconds, text_of


class VisitDescription(NamedTuple):
    """What a flow's definition says of the visit of a node that a task is."""

    action: str = ""
    """The one that was taken when it had ended."""
    prep: Mapping[str, Any] = {}
    kind: str = ""
    """Of the node; empty if it is the task of another kind of workflow."""


DescribeVisits: TypeAlias = Callable[[Definition, Sequence[TaskRecord]], Sequence[VisitDescription]]
"""One for each of the tasks."""


def describe_nothing(definition: Definition, tasks: Sequence[TaskRecord]) -> Sequence[VisitDescription]:
    return [VisitDescription()] * len(tasks)


class NodeRun(msgspec.Struct, frozen=True):
    """JSON is text; times are seconds since 1970, 0 for what has not come yet."""

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
    """In the order of the tasks, and of each its attempts."""
    by_task: dict[int, list[AttemptRecord]] = defaultdict(list)
    for attempt in attempts:
        by_task[attempt.seq].append(attempt)
    found: list[NodeRun] = []
    for task, visit in zip(tasks, visits, strict=True):
        first = _first_run(run_id, task, visit)
        made = sorted(by_task[task.seq], key=lambda each: each.attempt)
        found += [_of_attempt(first, task, visit, each) for each in made]
        if not any(each.attempt == task.attempt for each in made):
            found.append(_of_task(first, task, visit))
    return found


def node_run_id(task: str, attempt: int) -> str:
    return f"{task}:{attempt}"


class _NodePosition(NamedTuple):
    """Where in a flow a task stands."""

    node_key: str
    sub_status: str
    branch_id: str


def _first_run(run_id: str, task: TaskRecord, visit: VisitDescription) -> NodeRun:
    """What all attempts at a task have in common."""
    given = _given(task) if visit.kind else {}
    place = _place_of(task.name, given) if visit.kind else _NodePosition(task.name, "", "")
    return NodeRun(
        id="",
        task_id=run_id,
        node_key=place.node_key,
        attempt_no=0,
        status="",
        sub_status=place.sub_status,
        branch_id=place.branch_id,
        prep_json=msgspec.json.encode(visit.prep).decode(),
        exec_input_json=text_of(bytes(given["input"]) if "input" in given else task.input),
        exec_output_json="",
        error_text="",
        action="",
        started_at=0,
        finished_at=0,
        worker_id="",
        worker_url="",
    )


def _given(task: TaskRecord) -> dict[str, msgspec.Raw]:
    """The parts of the input of a flow's work, unread."""
    try:
        return msgspec.json.decode(task.input, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}  # the task of another kind of workflow, or a row that is damaged: it is shown as it is


_BRANCHES: Final = (("branch", "/branch", "branch_complete"), ("index", "/item", "item_complete"))
"""What the input of a branch has its number in, what its path ends with, and what it is called."""


def _place_of(path: str, given: Mapping[str, msgspec.Raw]) -> _NodePosition:
    for part, ending, sub_status in _BRANCHES:
        if part in given:
            node, _, rest = path.removesuffix(ending).partition("/")
            number = text_of(bytes(given[part]))
            return _NodePosition(node, sub_status, f"{rest}/{number}" if rest else number)
    node, _, rest = path.partition("/")
    return _NodePosition(node, "sub_node_complete" if rest else "", rest)


def _of_attempt(first: NodeRun, task: TaskRecord, visit: VisitDescription, attempt: AttemptRecord) -> NodeRun:
    is_ok = attempt.status == "success"
    is_last = attempt.attempt == task.attempt and task.status.is_final
    worker, url = _worker_of(attempt.worker)
    failure = attempt.failure
    return msgspec.structs.replace(
        first,
        id=node_run_id(task_id(task.run, task.seq), attempt.attempt),
        attempt_no=attempt.attempt,
        status="ok" if is_ok else "error",
        exec_output_json=text_of(task.output) if is_ok else "",
        error_text="" if is_ok else failure.summary if failure is not None else attempt.status,
        action=visit.action if is_last else "",
        started_at=seconds(attempt.started_at),
        finished_at=seconds(attempt.finished_at),
        worker_id=worker,
        worker_url=url,
    )


def _of_task(first: NodeRun, task: TaskRecord, visit: VisitDescription) -> NodeRun:
    return msgspec.structs.replace(
        first,
        id=node_run_id(task_id(task.run, task.seq), task.attempt),
        attempt_no=task.attempt,
        status=_TASK_STATUSES[task.status],
        exec_output_json=text_of(task.output),
        error_text="" if task.failure is None else task.failure.summary,
        action=visit.action,
        started_at=seconds(task.started_at),
        finished_at=seconds(task.finished_at),
    )


def _worker_of(text: str) -> tuple[str, str]:
    """Its id and where it was called, which is not there for one that asks."""
    id, _, url = text.rpartition(" ")
    return (id, url) if id and "://" in url else (text, "")


def describe(
    describe_visits: DescribeVisits, definition: Definition | None, tasks: Sequence[TaskRecord]
) -> Sequence[VisitDescription]:
    if definition is None:
        return describe_nothing(cast("Any", None), tasks)
    return describe_visits(definition, tasks)
