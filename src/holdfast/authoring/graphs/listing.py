"""A graph for a terminal as a list: one line for each node, with where each of its edges leads.

A graph with cycles has no order from top to bottom that rails could show. The list has the nodes in the order
in which a run comes to them, and the nodes inside of a node below it.

    order (4 nodes)

    check   choice    paid → ship, → remind  1 case
    ship    subflow   ends                   1 node
      pack  executor  ends                   function pack
    remind  timer     → check                1h
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from holdfast.authoring.graphs.text_width import columns_of, padded, shorten
from holdfast.core.graphs import Graph, GraphEdge, GraphNode

_LONGEST_TITLE: Final = 40
_LONGEST_WORK: Final = 60
_DEEPEST_INDENT: Final = 8
_NARROWEST: Final = 12
"""The least columns for the edges, and for the work if there is room for it at all."""


class _ListedNode(NamedTuple):
    node: GraphNode
    depth: int
    ways: list[str]
    """Where its edges lead, in words."""


def as_text(graph: Graph, *, width: int = 100, is_ascii: bool = False) -> str:
    """Lines of at most `width` columns. Ends with a line break."""
    lines = [graph.headline, "", *_lines(list(_visited(graph)), width)]
    text = "\n".join(shorten(line.rstrip(), width) for line in lines) + "\n"
    return text.replace("→", "->").encode("ascii", "replace").decode() if is_ascii else text


def _visited(graph: Graph) -> Iterator[_ListedNode]:
    """The nodes that can be reached, depth first. Without recursion: a chain may be thousands long."""
    nodes = {node.id: node for node in graph.nodes}
    starts = {node.parent: node.id for node in reversed(graph.nodes) if node.is_start}
    after: dict[str, list[GraphEdge]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        after[edge.source].append(edge)
    stack = [(starts[None], 0)]
    seen: set[str] = set()
    while stack:
        id, depth = stack.pop()
        if id in seen:
            continue
        seen.add(id)
        ways = [f"{edge.label} → {nodes[edge.target].title}".lstrip() for edge in after[id]]
        yield _ListedNode(nodes[id], depth, ways or ["ends"])
        stack += [(edge.target, depth) for edge in reversed(after[id])]
        if id in starts:
            stack.append((starts[id], depth + 1))


def _lines(listed: Sequence[_ListedNode], width: int) -> Iterator[str]:
    titles = [
        shorten("  " * min(each.depth, _DEEPEST_INDENT) + each.node.title, _LONGEST_TITLE) for each in listed
    ]
    title_width = max(map(columns_of, titles))
    kind_width = max(len(each.node.kind) for each in listed)
    before = title_width + kind_width + 4
    folded = [_folded(each.ways, max(_NARROWEST, width - before)) for each in listed]
    way_width = max(columns_of(line) for lines in folded for line in lines)
    room = min(_LONGEST_WORK, width - before - way_width - 2)
    for each, title, (first, *others) in zip(listed, titles, folded, strict=True):
        work = shorten(each.node.work, room) if room >= _NARROWEST else ""
        columns = [
            padded(title, title_width),
            padded(each.node.kind, kind_width),
            padded(first, way_width),
            work,
        ]
        yield "  ".join(columns)
        yield from (" " * before + other for other in others)


def _folded(ways: Sequence[str], width: int) -> list[str]:
    """As many side by side as fit. None is left out."""
    lines = [ways[0]]
    for way in ways[1:]:
        if columns_of(lines[-1]) + columns_of(way) + len(", ,") > width:
            lines[-1] += ","
            lines.append(way)
        else:
            lines[-1] += f", {way}"
    return lines
