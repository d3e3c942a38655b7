"""Details of visits that come from the definition of the flow and not from the rows of the tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from holdfast.authoring.flow.branches import branch_path
from holdfast.authoring.flow.document import prep_document
from holdfast.authoring.flow.model import ApprovalNode, ChoiceNode, FlowNode, ForeachNode, ParallelNode
from holdfast.authoring.flow.program import action_of
from holdfast.authoring.flow.waiting import decision_in
from holdfast.authoring.outline import VisitDetails
from holdfast.core.records import TaskRecord
from holdfast.core.values import NULL, TaskStatus


def describe_visits(nodes: Mapping[str, FlowNode], tasks: Sequence[TaskRecord]) -> list[VisitDetails]:
    """The details of each task. `nodes` maps paths to nodes; see `_nodes_of` in `workflow`."""
    branches = {
        branch_path(path, node.does)
        for path, node in nodes.items()
        if isinstance(node.does, (ParallelNode, ForeachNode))
    }
    return [_describe(nodes.get(task.name), task, is_branch=task.name in branches) for task in tasks]


def _describe(node: FlowNode | None, task: TaskRecord, *, is_branch: bool) -> VisitDetails:
    if node is None:
        return VisitDetails()
    action = "" if is_branch else _action(node, task)
    return VisitDetails(action, prep_document(node.prep), str(node.does.__struct_config__.tag))


def _action(node: FlowNode, task: TaskRecord) -> str:
    if task.status is TaskStatus.FAILED:
        return "error"
    if task.status is not TaskStatus.SUCCESS:
        return ""
    value = msgspec.json.decode(task.output or NULL)
    match node.does:
        case ChoiceNode():
            return value if isinstance(value, str) else ""
        case ApprovalNode():
            return decision_in(value, node.post.action_key) or node.post.action_static or ""
        case _:
            return action_of(node, value)
