"""A graph for a terminal, drawn in the way that suits it."""

from __future__ import annotations

from holdfast.authoring.graphs import listing, rails
from holdfast.core.graphs import Graph


def as_text(graph: Graph, *, width: int, is_ascii: bool) -> str:
    """A graph with a start is a list in the order in which a run visits its nodes. Any other has rails."""
    draw = listing.as_text if any(node.is_start for node in graph.nodes) else rails.as_text
    return draw(graph, width=width, is_ascii=is_ascii)
