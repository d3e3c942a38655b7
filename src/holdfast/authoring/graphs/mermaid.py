"""A graph as Mermaid, which Markdown pages on GitHub, GitLab and elsewhere show as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.authoring.graphs.text_width import shorten
from holdfast.core.graphs import Graph, GraphEdge, GraphNode

_LONGEST_LINE: Final = 60
"""Columns of a line in a box."""
_LONGEST_LABEL: Final = 40
"""Columns of a label on an edge."""
_SHAPES: Final[dict[str, tuple[str, str]]] = {
    "python": ("(", ")"),
    "workflow": ("[[", "]]"),
    "signal": (">", "]"),
    "sleep": ("([", "])"),
    "choice": ("{", "}"),
    "parallel": ("[/", "/]"),
    "foreach": ("[/", "/]"),
    "subflow": ("[[", "]]"),
    "timer": ("([", "])"),
    "wait_event": (">", "]"),
    "approval": ("{{", "}}"),
}
_BOX: Final = ("[", "]")
_DIRECTIONS: Final = {"right": "LR", "down": "TD"}
_ARROWS: Final = {"solid": "-->", "dashed": "-.->"}
# Mermaid gives these a meaning inside a label: its end, HTML, an entity, Markdown.
_ESCAPED: Final = str.maketrans({character: f"#{ord(character)};" for character in '"#&<>`*_~\\|{}[]()'})


def as_mermaid(graph: Graph) -> str:
    """Ends with a line break."""
    return "\n".join(_MermaidDrawing(graph).lines()) + "\n"


class _MermaidDrawing:
    def __init__(self, graph: Graph) -> None:
        self._direction = _DIRECTIONS[graph.direction]
        self._nodes, self._edges = graph.inside(), graph.edges_inside()
        # Names such as `end` and `graph` are keywords of Mermaid, so nodes are numbered.
        self._ids = {node.id: f"{graph.noun[0]}{number}" for number, node in enumerate(graph.nodes, 1)}

    def lines(self) -> Iterator[str]:
        start = next((node for node in self._nodes[None] if node.is_start), None)
        yield f"flowchart {self._direction}"
        if start is not None:
            yield '    start(("start"))'
        yield from self._inside(None, "    ")
        if start is not None:
            yield f"    start --> {self._ids[start.id]}"

    def _inside(self, parent: str | None, indent: str) -> Iterator[str]:
        for node in self._nodes[parent]:
            if node.id in self._nodes:
                yield f'{indent}subgraph {self._ids[node.id]}["{_label(node)}"]'
                yield from self._inside(node.id, indent + "    ")
                yield f"{indent}end"
            else:
                before, after = _SHAPES.get(node.kind, _BOX)
                yield f'{indent}{self._ids[node.id]}{before}"{_label(node)}"{after}'
        for edge in self._edges.get(parent, ()):
            yield f"{indent}{self._edge(edge)}"

    def _edge(self, edge: GraphEdge) -> str:
        label = f'|"{_escaped(shorten(edge.label, _LONGEST_LABEL))}"|' if edge.label else ""
        return f"{self._ids[edge.source]} {_ARROWS[edge.style]}{label} {self._ids[edge.target]}"


def _label(node: GraphNode) -> str:
    work = shorten(node.work, _LONGEST_LINE)
    lines = [f"<b>{_escaped(node.title)}</b>", _escaped(f"{node.kind}: {work}" if work else node.kind)]
    lines += [f"<i>{_escaped(shorten(note, _LONGEST_LINE))}</i>" for note in node.notes]
    return "<br/>".join(lines)


def _escaped(text: str) -> str:
    return text.translate(_ESCAPED)
