"""Drawings of a flow, from `Flow` to text: for a terminal, and for Markdown pages (Mermaid).

A flow goes back and forth, so in a terminal it is a list and no drawing of lines: one line for each node, in
the order in which they are come to, with where each of its actions leads. Nodes of a subflow are below their
node.

    order (4 nodes)

    check   choice    paid → ship, → remind  1 case
    ship    subflow   ends                   1 node
      pack  executor  ends                   function pack
    remind  timer     → check                1h
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, assert_never

from holdfast.authoring.dag.drawing.labels import columns_of, one_line, shorten
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
from holdfast.core.names import written_span

_LONGEST_NAME: Final = 40
_LONGEST_WORK: Final = 60
_MOST_SERVICES: Final = 5
_NARROWEST: Final = 12
"""Columns that where it leads to has at least, and what it does, if there is room for that at all."""

# Mermaid reads these itself inside a label: as the end of it, as HTML, as an entity, as Markdown.
_ESCAPED: Final = str.maketrans({character: f"#{ord(character)};" for character in '"#&<>`*_~\\|{}[]()'})
_SHAPES: Final[dict[str, tuple[str, str]]] = {
    "executor": ("[", "]"),
    "choice": ("{", "}"),
    "parallel": ("[/", "/]"),
    "foreach": ("[/", "/]"),
    "subflow": ("[[", "]]"),
    "timer": ("([", "])"),
    "wait_event": (">", "]"),
    "approval": ("{{", "}}"),
}


def count_nodes(flow: Flow) -> int:
    """Those of subflows included."""
    return sum(1 for _ in _walk(flow))


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


# --- order


class DrawnStep(NamedTuple):
    """A node, where it is come to."""

    node: FlowNode
    depth: int
    edges: Mapping[str, str]


def _walk(flow: Flow) -> Iterator[DrawnStep]:
    """All nodes, without recursion: what follows a node comes after it, and its own flow right below it."""
    stack = [(flow, flow.start, 0)]
    seen: set[tuple[int, str]] = set()
    while stack:
        flow, key, depth = stack.pop()
        if (id(flow), key) in seen:
            continue
        seen.add((id(flow), key))
        node, edges = flow.nodes[key], flow.edges.get(key, {})
        yield DrawnStep(node, depth, edges)
        stack += [(flow, target, depth) for target in reversed(edges.values())]
        if isinstance(node.does, SubflowNode):
            stack.append((node.does.flow, node.does.flow.start, depth + 1))


# --- for a terminal


def as_text(flow: Flow, *, width: int = 100, is_ascii: bool = False) -> str:
    """Lines of at most `width` columns. Ends with a line break."""
    steps = list(_walk(flow))
    count = len(steps)
    about = f": {one_line(flow.description)}" if flow.description else ""
    lines = [f"{one_line(flow.name)} ({count} {'node' if count == 1 else 'nodes'}){about}", ""]
    lines += _listed(steps, width)
    text = "\n".join(shorten(line.rstrip(), width) for line in lines) + "\n"
    return text.replace("→", "->").encode("ascii", "replace").decode() if is_ascii else text


def _listed(steps: Sequence[DrawnStep], width: int) -> Iterator[str]:
    names = [shorten("  " * min(step.depth, 8) + one_line(step.node.key), _LONGEST_NAME) for step in steps]
    name_width = max(columns_of(name) for name in names)
    kind_width = max(len(kind_of(step.node)) for step in steps)
    before = name_width + kind_width + 4
    ways = [_folded(_ways(step.edges), max(_NARROWEST, width - before)) for step in steps]
    way_width = max(columns_of(way) for folded in ways for way in folded)
    room = min(_LONGEST_WORK, width - before - way_width - 2)
    for step, name, (first, *others) in zip(steps, names, ways, strict=True):
        work = shorten(work_of(step.node), room) if room >= _NARROWEST else ""
        line = f"{_padded(name, name_width)}  {kind_of(step.node):<{kind_width}}  "
        yield f"{line}{_padded(first, way_width)}  {work}"
        yield from (" " * before + other for other in others)


def _ways(edges: Mapping[str, str]) -> list[str]:
    return [
        f"→ {one_line(target)}" if action == DEFAULT else f"{one_line(action)} → {one_line(target)}"
        for action, target in edges.items()
    ] or ["ends"]


def _folded(ways: Sequence[str], width: int) -> list[str]:
    """Side by side, as many as fit: none is left out."""
    lines = [ways[0]]
    for way in ways[1:]:
        if columns_of(lines[-1]) + columns_of(way) + len(", ,") > width:
            lines[-1] += ","
            lines.append(way)
        else:
            lines[-1] += f", {way}"
    return lines


def _padded(text: str, width: int) -> str:
    return text + " " * (width - columns_of(text))


# --- Mermaid


def as_mermaid(flow: Flow) -> str:
    """Ends with a line break."""
    # A key such as `end` is a word of Mermaid's, and two flows may have the same ones: nodes have numbers.
    numbers = _Numbers()
    lines = ["flowchart TD", '    start(("start"))']
    lines += _drawn(flow, numbers, "    ")
    lines.append(f"    start --> {numbers.of(flow, flow.start)}")
    return "\n".join(lines) + "\n"


class _Numbers:
    def __init__(self) -> None:
        self._known: dict[tuple[int, str], str] = {}

    def of(self, flow: Flow, key: str) -> str:
        return self._known.setdefault((id(flow), key), f"n{len(self._known) + 1}")


def _drawn(flow: Flow, numbers: _Numbers, indent: str) -> Iterator[str]:
    for key, node in flow.nodes.items():
        label = _label(node)
        if isinstance(node.does, SubflowNode):
            inner = node.does.flow
            yield f'{indent}subgraph {numbers.of(flow, key)}["{label}"]'
            yield from _drawn(inner, numbers, indent + "    ")
            yield f"{indent}end"
        else:
            before, after = _SHAPES[kind_of(node)]
            yield f'{indent}{numbers.of(flow, key)}{before}"{label}"{after}'
    for key, edges in flow.edges.items():
        for action, target in edges.items():
            arrow = "-.->" if action == ERROR else "-->"
            said = "" if action == DEFAULT else f'|"{_escaped(shorten(one_line(action), _LONGEST_NAME))}"|'
            yield f"{indent}{numbers.of(flow, key)} {arrow}{said} {numbers.of(flow, target)}"


def _label(node: FlowNode) -> str:
    work = shorten(work_of(node), _LONGEST_WORK)
    kind = kind_of(node)
    said = [f"<b>{_escaped(one_line(node.key))}</b>", _escaped(f"{kind}: {work}" if work else kind)]
    return "<br/>".join(said)


def _escaped(text: str) -> str:
    return text.translate(_ESCAPED)


# --- as data


def as_facts(flow: Flow) -> dict[str, Any]:
    """What a drawing shows, for programs."""
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
