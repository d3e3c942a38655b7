"""A flow as a graph to be drawn, and what drawings say of a node in words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final, assert_never

from holdfast.authoring.flow.model import (
    DEFAULT,
    ERROR,
    ApprovalNode,
    CallNode,
    ChoiceNode,
    EventNode,
    ExecutorNode,
    Flow,
    FlowNode,
    FlowWork,
    ForeachNode,
    Http,
    LocalFunction,
    LocalScript,
    NodeKind,
    ParallelNode,
    Queue,
    SubflowNode,
    TimerNode,
)
from holdfast.authoring.graphs.text_width import one_line
from holdfast.core.graphs import Graph, GraphEdge, GraphNode
from holdfast.core.names import written_span

_MOST_SERVICES: Final = 5


def count_nodes(flow: Flow) -> int:
    """How many nodes the flow has, those of subflows included."""
    return len(flow.nodes) + sum(
        count_nodes(node.does.flow) for node in flow.nodes.values() if isinstance(node.does, SubflowNode)
    )


def graph_of(flow: Flow) -> Graph:
    nodes: list[GraphNode] = []
    edges: list[GraphEdge] = []
    _add(flow, None, nodes, edges)
    return Graph(
        name=one_line(flow.name),
        description=one_line(flow.description),
        noun="node",
        direction="down",
        nodes=tuple(nodes),
        edges=tuple(edges),
    )


def _add(flow: Flow, parent: str | None, nodes: list[GraphNode], edges: list[GraphEdge]) -> None:
    """The id of a node is its path, as in `checkout/charge`."""
    prefix = "" if parent is None else f"{parent}/"
    for key, node in flow.nodes.items():
        nodes.append(
            GraphNode(
                id=prefix + key,
                title=one_line(key),
                kind=kind_of(node),
                work=work_of(node),
                parent=parent,
                is_start=key == flow.start,
            )
        )
        if isinstance(node.does, SubflowNode):
            _add(node.does.flow, prefix + key, nodes, edges)
    for key, targets in flow.edges.items():
        for action, target in targets.items():
            label = "" if action == DEFAULT else one_line(action)
            style = "dashed" if action == ERROR else "solid"
            edges.append(GraphEdge(prefix + key, prefix + target, label, style))


def as_facts(flow: Flow) -> dict[str, Any]:
    """The content of the drawing as JSON values."""
    return {"name": flow.name, "kind": "flow", **_facts(flow)}


def _facts(flow: Flow) -> dict[str, Any]:
    return {
        "start": flow.start,
        "nodes": [
            {
                "key": key,
                "kind": kind_of(node),
                "work": work_of(node),
                "edges": dict(flow.edges.get(key, {})),
                "subflow": _facts(node.does.flow) if isinstance(node.does, SubflowNode) else None,
            }
            for key, node in flow.nodes.items()
        ],
    }


def kind_of(node: FlowNode) -> str:
    """As a document says it."""
    does = node.does
    return "subflow" if isinstance(does, CallNode) else str(does.__struct_config__.tag)


def work_of(node: FlowNode) -> str:
    """What it does, on one line."""
    return one_line(_work_of(node.does, node.key, node.params))


def _work_of(does: NodeKind, key: str, params: Mapping[str, Any]) -> str:
    match does:
        case ExecutorNode():
            return _way(does.work, does.service)
        case ForeachNode():
            return f"{_way(does.work, does.service)} for each item{_at_once(does)}"
        case ParallelNode():
            services = ", ".join(does.services[:_MOST_SERVICES]) or "params.services"
            more = len(does.services) - _MOST_SERVICES
            return _way(does.work, services + (f" and {more} more" if more > 0 else "")) + _at_once(does)
        case ChoiceNode():
            count = len(does.cases)
            return f"{count} {'case' if count == 1 else 'cases'}"
        case SubflowNode():
            count = count_nodes(does.flow)
            return f"{count} {'node' if count == 1 else 'nodes'}"
        case CallNode():
            return f"workflow {does.workflow}"
        case TimerNode():
            return _span(params.get("delay_ms"))
        case EventNode():
            return f"signal {params.get('signal_key', key)}{_limit(params)}"
        case ApprovalNode():
            named = f"key {params['approval_key']}" if "approval_key" in params else ""
            return f"{named}{_limit(params)}".strip()
        case _:
            assert_never(does)


def _way(work: FlowWork, service: str) -> str:
    match work:
        case Http():
            return f"service {service}"
        case Queue():
            return f"service {service} from the queue"
        case LocalFunction():
            return f"function {work.name or service}"
        case LocalScript():
            return f"script {' '.join(work.command)}"
        case _:
            assert_never(work)


def _at_once(does: ParallelNode | ForeachNode) -> str:
    match does.fan.at_once:
        case 1:
            return ""
        case None:
            return ", all at once"
        case count:
            return f", {count} at once"


def _span(milliseconds: Any) -> str:
    is_number = isinstance(milliseconds, (int, float)) and not isinstance(milliseconds, bool)
    return written_span(dt.timedelta(milliseconds=milliseconds)) if is_number and milliseconds > 0 else ""


def _limit(params: Mapping[str, Any]) -> str:
    limit = _span(params.get("timeout_ms"))
    return f" for {limit} at most" if limit else ""
