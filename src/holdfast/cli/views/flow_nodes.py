"""What a flow says of its nodes, by their paths, for views of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from holdfast.errors import Refused

if TYPE_CHECKING:
    from holdfast.authoring.flow.model import Flow, NodeKind
    from holdfast.authoring.flow.workflow import FlowWorkflow
    from holdfast.core.records import Definition


class NodeDetails(NamedTuple):
    path: str
    does: NodeKind
    params: Mapping[str, Any]
    """As its visits see them: those of the run win, then those of the subflows around it."""
    is_branch: bool = False
    """It stands for the branches of a parallel, or the items of a foreach."""

    @property
    def key(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def most_attempts(self) -> int | None:
        """Of one visit, or of one branch. None if nothing is attempted."""
        from holdfast.authoring.flow.model import ExecutorNode, ForeachNode, ParallelNode

        if not isinstance(self.does, (ExecutorNode, ParallelNode, ForeachNode)):
            return None
        has_attempts = self.is_branch or isinstance(self.does, ExecutorNode)
        return self.does.options.retry.max_attempts if has_attempts else None

    @property
    def awaited(self) -> str | None:
        """The key of the state that it waits for, if it is an approval or waits for an event."""
        from holdfast.authoring.flow.model import ApprovalNode, EventNode
        from holdfast.authoring.flow.paths import BadPath, parse_path

        if not isinstance(self.does, (ApprovalNode, EventNode)):
            return None
        text = self.params.get("approval_key" if isinstance(self.does, ApprovalNode) else "signal_key")
        if text is None:
            return self.key
        try:
            path = parse_path(str(text))
        except BadPath:
            return None  # the visit fails, and says so
        return str(path.steps[0]) if path.root == "shared" and path.steps else None


def nodes_of(flow: Flow, input: Any) -> dict[str, NodeDetails]:
    """Every node, also of subflows, by its path; one with branches by the path of those, too.

    `input` is that of the run.
    """
    from holdfast.authoring.flow.branches import branch_path
    from holdfast.authoring.flow.model import ForeachNode, ParallelNode, SubflowNode

    found: dict[str, NodeDetails] = {}
    params = cast("dict[str, Any]", input) if isinstance(input, dict) else {}
    waiting = [(flow, "", params)]
    while waiting:
        each, prefix, around = waiting.pop()
        for key, node in each.nodes.items():
            path, does = prefix + key, node.does
            found[path] = NodeDetails(path, does, {**node.params, **around})
            if isinstance(does, SubflowNode):
                waiting.append((does.flow, f"{path}/", {**node.params, **around}))
            elif isinstance(does, (ParallelNode, ForeachNode)):
                branch = branch_path(path, does)
                found[branch] = NodeDetails(branch, does, found[path].params, is_branch=True)
    return found


def edition_of(definition: Definition | None) -> FlowWorkflow | None:
    """The flow as it was when the run was started; None if it is none."""
    if definition is None or definition.kind != "flow":
        return None
    from holdfast.authoring.flow.workflow import read_edition

    try:
        return read_edition(definition)
    except Refused:
        return None  # written by a version that understands more: then its nodes are shown without it
