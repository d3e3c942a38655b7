"""From nodes of a document to drafts of flows: texts become paths, conditions and commands.

A node with the wrong shape, or one that cannot be read, is reported at its position. `checks.py` checks each
flow as a whole afterwards. Flows inside of flows wait in a queue, so that their depth takes no stack.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from holdfast.authoring.documents.field_values import read_fields
from holdfast.authoring.documents.nodes import (
    ListNode,
    MapEntry,
    MapNode,
    Node,
    ScalarNode,
    entries_of,
    text_of,
    value_of,
)
from holdfast.authoring.documents.problems import Position, Problems
from holdfast.authoring.documents.references import Path
from holdfast.authoring.documents.shapes import ListShape, conform
from holdfast.authoring.flow.condition_reading import ConditionReader
from holdfast.authoring.flow.drafts import EdgeDraft, FlowDraft, NodeDraft
from holdfast.authoring.flow.fields import (
    ACTION,
    FLOW,
    FOREACH,
    MILLISECONDS,
    NODE_FIELDS,
    PATH,
    POST,
    PREP,
    SERVICE,
    listed,
)
from holdfast.authoring.flow.model import (
    DEFAULT,
    ApprovalNode,
    CallNode,
    Case,
    ChoiceNode,
    EventNode,
    ExecutorNode,
    ForeachNode,
    Http,
    NodeKind,
    ParallelNode,
    Post,
    Prep,
    Queue,
    TimerNode,
)
from holdfast.authoring.flow.path_reading import path_at
from holdfast.authoring.flow.paths import is_rooted
from holdfast.authoring.flow.work_reading import WorkReader
from holdfast.core.names import LONGEST_NAME

_SERVICES: Final = ListShape(SERVICE, "a list of services", least=1)


class _Waiting(NamedTuple):
    """A flow inside of another one, to be read later."""

    node: Node
    owner: Position
    holder: NodeDraft
    prefix: str
    """The path that its nodes have before their keys."""


class FlowDocumentReader:
    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._waiting: deque[_Waiting] = deque()

    def read(self, root: Node) -> list[FlowDraft]:
        """All flows of a document, each before those inside of it."""
        outermost = self._flow(root, "the flow", root.position, "")
        found = [] if outermost is None else [outermost]
        while self._waiting:
            node, owner, holder, prefix = self._waiting.popleft()
            holder.inner = self._flow(node, "the subflow", owner, prefix)
            if holder.inner is not None:
                found.append(holder.inner)
        return found

    def _flow(self, root: Node, title: str, owner: Position, prefix: str) -> FlowDraft | None:
        top = conform(root, FLOW, title, self._problems, owner)
        if not isinstance(top, MapNode):
            return None
        nodes, start = top.get("nodes"), top.get("start")
        edges, has_edges = self._edges(top)
        return FlowDraft(
            name=text_of(top.get("name")),
            description=text_of(top.get("description")),
            start=start if isinstance(start, ScalarNode) else None,
            nodes={
                key: self._node(key, entry, prefix)
                for key, entry in entries_of(nodes).items()
                if isinstance(entry.value, MapNode)
            },
            edges=edges,
            lost_nodes=nodes.broken if isinstance(nodes, MapNode) else frozenset(),
            has_nodes="nodes" not in top.broken,
            has_edges=has_edges,
        )

    def _edges(self, top: MapNode) -> tuple[list[EdgeDraft], bool]:
        """The edges that can be read, and whether these are all."""
        listed = top.get("edges")
        items = listed.items if isinstance(listed, ListNode) else []
        found: list[EdgeDraft] = []
        for item in items:
            assert isinstance(item, MapNode)
            source, target, action = item.get("from"), item.get("to"), self._edge_action(item.get("action"))
            if isinstance(source, ScalarNode) and isinstance(target, ScalarNode) and action is not None:
                found.append(EdgeDraft(source, action, target))
        return found, "edges" not in top.broken and len(found) == len(items)

    def _edge_action(self, node: Node | None) -> str | None:
        if node is None or (isinstance(node, ScalarNode) and node.value == ""):
            return DEFAULT
        clean = conform(node, ACTION, "action", self._problems)
        return None if clean is None else text_of(clean)

    # --- nodes

    def _node(self, key: str, entry: MapEntry, prefix: str) -> NodeDraft:
        node, position = entry.value, entry.key.position
        assert isinstance(node, MapNode)
        draft = NodeDraft(key=key, position=position, kind=text_of(node.get("kind")))
        before = len(self._problems)
        if len(prefix) + len(key) > LONGEST_NAME:
            reason = f"the keys of nodes that lead here have more than {LONGEST_NAME} characters together"
            self._problems.add(position, reason)
        self._check_fields(draft.kind, node)
        draft.params = self._params(draft.kind, node)
        draft.prep = Prep(**read_fields(node.get("prep"), PREP.fields, self._problems))
        draft.post = Post(**read_fields(node.get("post"), POST.fields, self._problems))
        draft.does = self._does(draft, node, prefix)
        post = node.get("post")
        is_broken = bool(node.broken) or (isinstance(post, MapNode) and bool(post.broken))
        draft.is_whole = not is_broken and len(self._problems) == before
        return draft

    def _check_fields(self, kind: str, node: MapNode) -> None:
        for field, (key, _) in node.entries.items():
            only_for = NODE_FIELDS[field].only_for
            if kind and only_for is not None and kind not in only_for.kinds:
                self._problems.add(key.position, f"{field} is for {listed(only_for.kinds)}, not for {kind}")

    def _does(self, draft: NodeDraft, node: MapNode, prefix: str) -> NodeKind | None:
        title = f"nodes.{draft.key}"
        match draft.kind:
            case "executor" | "parallel" | "foreach":
                return self._working(
                    draft, node, WorkReader(draft.kind, node, title, draft.position, self._problems)
                )
            case "choice":
                return self._choice(node)
            case "subflow":
                inner = node.entries.get("subflow")
                if inner is not None:
                    path = f"{prefix}{draft.key}/"
                    self._waiting.append(_Waiting(inner.value, inner.key.position, draft, path))
                    return None
                return CallNode(text_of(node.get("workflow")))
            case "timer":
                return TimerNode()
            case "wait_event":
                return EventNode()
            case "approval":
                return ApprovalNode(self._question(node.get("question")))
            case _:
                return None

    def _working(self, draft: NodeDraft, node: MapNode, reader: WorkReader) -> NodeKind | None:
        work, options = reader.work(), reader.options()
        if draft.kind == FOREACH:
            self._check_items(draft, node)
        if work is None:
            return None
        service = reader.service if isinstance(work, (Http, Queue)) else ""
        match draft.kind:
            case "executor":
                return ExecutorNode(work, service, options)
            case "foreach":
                return ForeachNode(work, service, reader.fan(), options)
            case _:
                services = node.get("parallel_services")
                names = [text_of(item) for item in services.items] if isinstance(services, ListNode) else []
                return ParallelNode(work, tuple(names), reader.fan(), options)

    def _check_items(self, draft: NodeDraft, node: MapNode) -> None:
        prep = node.get("prep")
        there = prep.entries.keys() | prep.broken if isinstance(prep, MapNode) else node.broken & {"prep"}
        if not there:
            self._problems.add(draft.position, f"nodes.{draft.key} needs prep.input_key, the path of a list")
        elif isinstance(prep, MapNode) and "input_key" not in there and "input_map" in prep.entries:
            position = prep.entries["input_map"].key.position
            self._problems.add(position, "input_map makes a map; foreach takes a list, by input_key")

    def _choice(self, node: MapNode) -> ChoiceNode | None:
        listed = node.get("choice_cases")
        items = listed.items if isinstance(listed, ListNode) else []
        cases: list[Case] = []
        for item in items:
            assert isinstance(item, MapNode)
            expr, action = item.get("expr"), text_of(item.get("action"))
            condition = None if expr is None else ConditionReader(self._problems).read(expr)
            if condition is not None:
                cases.append(Case(action, condition))
        if len(cases) < len(items):
            return None
        return ChoiceNode(tuple(cases), text_of(node.get("default_action")) or None)

    def _question(self, node: Node | None) -> dict[str, object]:
        """As it is written: its paths are followed when the question is asked."""
        for name, (_, value) in entries_of(node).items():
            for each in [value, *(inner for _, inner in entries_of(value).values())]:
                if isinstance(each, ScalarNode) and isinstance(each.value, str) and is_rooted(each.value):
                    path_at(each, f"question.{name}", self._problems)
        return {} if node is None else value_of(node)

    # --- what goes in and comes out

    def _params(self, kind: str, node: MapNode) -> dict[str, object]:
        params = node.get("params")
        for name, (_, value) in entries_of(params).items():
            if not (isinstance(value, ScalarNode) and value.value is None):
                self._check_param(kind, name, value)
        return {} if params is None else value_of(params)

    def _check_param(self, kind: str, name: str, value: Node) -> None:
        """Check the params that the node itself uses. A run may set them, too; then they are checked
        again."""
        title = f"params.{name}"
        match kind, name:
            case ("timer", "delay_ms") | (("wait_event" | "approval"), "timeout_ms"):
                conform(value, MILLISECONDS, title, self._problems)
            case ("wait_event", "signal_key") | ("approval", "approval_key"):
                if conform(value, PATH, title, self._problems) is not None:
                    path = path_at(value, title, self._problems)
                    if path == Path("shared"):
                        self._problems.add(
                            value.position, f"{title} must name a key of $shared, not all of it"
                        )
            case "parallel", "services":
                conform(value, _SERVICES, title, self._problems)
            case _:
                pass
