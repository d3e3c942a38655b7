"""The outline of a flow: every node by its path, those of subflows as well.

A node with branches has a second entry, for the tasks of its branches.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any, cast

from holdfast.authoring.flow.branches import branch_path
from holdfast.authoring.flow.model import (
    ApprovalNode,
    CallNode,
    EventNode,
    ExecutorNode,
    Flow,
    FlowNode,
    ForeachNode,
    ParallelNode,
    Queue,
    SubflowNode,
    TimerNode,
)
from holdfast.authoring.flow.paths import BadPath, parse_path
from holdfast.authoring.outline import (
    ApprovalWait,
    ChildWait,
    SignalWait,
    TaskOutline,
    TaskRows,
    TaskWait,
    TimerWait,
    WorkerWait,
    WorkflowOutline,
)
from holdfast.core.json_schemas import find_mismatch


def outline_flow(flow: Flow, input: Any) -> WorkflowOutline:
    """`input` is the input of the run: its params win over those of a node."""
    params = cast("dict[str, Any]", input) if isinstance(input, dict) else {}
    tasks = {each.name: each for each in _outlines(flow, "", params)}
    return WorkflowOutline(tasks, has_cursor=True, signals_need_value=True)


def _outlines(flow: Flow, prefix: str, params: Mapping[str, Any]) -> Iterator[TaskOutline]:
    for key, node in flow.nodes.items():
        path, does, visible = prefix + key, node.does, {**node.params, **params}
        attempts = does.options.retry.max_attempts if isinstance(does, ExecutorNode) else None
        wait = _wait_of(node, visible)
        yield TaskOutline(path, TaskRows.VISITS, max_attempts=attempts, wait=wait)
        if isinstance(does, SubflowNode):
            yield from _outlines(does.flow, f"{path}/", visible)
        elif isinstance(does, (ParallelNode, ForeachNode)):
            attempts = does.options.retry.max_attempts
            yield TaskOutline(branch_path(path, does), TaskRows.BRANCHES, max_attempts=attempts)


def _wait_of(node: FlowNode, params: Mapping[str, Any]) -> TaskWait | None:
    match node.does:
        case ApprovalNode(question=question):
            if _awaited(node.key, params.get("approval_key")) is None:
                return None
            by = question.get("by") or [""]
            schema = question.get("answer", True)
            needs_value = find_mismatch(schema, True) is not None
            return ApprovalWait(question.get("title", ""), by if isinstance(by, str) else by[0], needs_value)
        case EventNode():
            name = _awaited(node.key, params.get("signal_key"))
            return None if name is None else SignalWait(name, needs_value=True)
        case TimerNode():
            return TimerWait(_duration(params.get("delay_ms")))
        case CallNode(workflow=workflow):
            return ChildWait(workflow)
        case ExecutorNode(work=Queue(), service=service):
            return WorkerWait(service)
        case _:
            return None


def _duration(delay: Any) -> dt.timedelta | None:
    if not isinstance(delay, (int, float)) or delay <= 0:
        return None
    try:
        return dt.timedelta(milliseconds=delay)
    except OverflowError:  # the visit fails
        return None


def _awaited(key: str, path: Any) -> str | None:
    """The key of the shared state that the node waits for. None if the path is wrong: the visit fails."""
    if path is None:
        return key
    try:
        found = parse_path(str(path))
    except BadPath:
        return None
    return str(found.steps[0]) if found.root == "shared" and found.steps else None
