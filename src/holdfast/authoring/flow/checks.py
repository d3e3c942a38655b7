"""Checks a flow as a whole: whether its edges lead from node to node, and to all nodes.

Each mistake is reported once. If a node or an edge could not be read, unreachable nodes are not reported.
"""

from __future__ import annotations

from holdfast.authoring.documents.nodes import ScalarNode, text_of
from holdfast.authoring.documents.problems import Position, Problems
from holdfast.authoring.flow.drafts import FlowDraft, NodeDraft
from holdfast.authoring.flow.fields import CHOICE
from holdfast.authoring.flow.model import DEFAULT, ChoiceNode
from holdfast.errors import show


def check_flow(flow: FlowDraft, problems: Problems) -> None:
    if not flow.has_nodes:
        return
    is_sure = flow.has_edges and _check_edges(flow, problems)
    start = None if flow.start is None else _known(flow.start, "start", flow, problems)
    edges = edges_of(flow)
    if is_sure:
        if start is not None:
            _check_reach(start, edges, flow, problems)
        for node in flow.nodes.values():
            if node.kind == CHOICE:
                _check_way_out(node, edges.get(node.key, {}), problems)


def edges_of(flow: FlowDraft) -> dict[str, dict[str, str]]:
    """By node and action."""
    found: dict[str, dict[str, str]] = {}
    for source, action, target in flow.edges:
        found.setdefault(text_of(source), {}).setdefault(action, text_of(target))
    return found


def _known(node: ScalarNode, title: str, flow: FlowDraft, problems: Problems) -> str | None:
    """The key of the node. None if there is no such node; the problem has been reported."""
    key = text_of(node)
    if key in flow.nodes or key in flow.lost_nodes:
        return key
    hint = problems.did_you_mean(key, flow.nodes)
    problems.add(node.position, f"{title}: no node {show(key)}{hint}")
    return None


def _check_edges(flow: FlowDraft, problems: Problems) -> bool:
    """Whether all edges are good."""
    first: dict[tuple[str, str], Position] = {}
    are_good = True
    for source, action, target in flow.edges:
        ends = [_known(source, "from", flow, problems), _known(target, "to", flow, problems)]
        are_good = are_good and None not in ends
        before = first.setdefault((text_of(source), action), source.position)
        if before is not source.position:
            reason = f"a second edge from {show(text_of(source))} for the action {show(action)}"
            problems.add(source.position, f"{reason}: the first is in line {before.line}")
            are_good = False
    return are_good


def _check_reach(start: str, edges: dict[str, dict[str, str]], flow: FlowDraft, problems: Problems) -> None:
    reached = {start}
    to_visit = [start]
    while to_visit:
        following = set(edges.get(to_visit.pop(), {}).values()) - reached
        reached |= following
        to_visit += following
    for key, node in flow.nodes.items():
        if key not in reached:
            problems.add(node.position, f"no way leads from the start, {show(start)}, to node {show(key)}")


def _check_way_out(node: NodeDraft, edges: dict[str, str], problems: Problems) -> None:
    if not edges:
        reason = "no edge leaves it, so that it decides nothing"
        problems.add(node.position, f"choice {show(node.key)}: {reason}")
        return
    does = node.does
    if not isinstance(does, ChoiceNode) or not node.is_whole:
        return
    post = node.post
    decides_else = does.default_action or post.action_key is not None or post.action_static is not None
    if not does.cases and not decides_else:
        reason = "nothing decides; it needs choice_cases, default_action or post.action_key"
    elif not decides_else and DEFAULT not in edges:
        reason = (
            "no way out if no case is true; it needs default_action, post.action_key or an edge for default"
        )
    else:
        return
    problems.add(node.position, f"choice {show(node.key)}: {reason}")
