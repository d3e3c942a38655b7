"""A graph to be drawn, as data: what each node says, which edges join them, and where everything is."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

EdgeStyle: TypeAlias = Literal["solid", "dashed"]
Direction: TypeAlias = Literal["right", "down"]
Point: TypeAlias = tuple[float, float]


class GraphNode(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    title: str
    kind: str
    work: str = ""
    """What the node does, on one line."""
    notes: tuple[str, ...] = ()
    """Conditions and repetitions."""
    parent: str | None = None
    """The id of the node that contains this one, as a subflow contains its nodes."""
    is_start: bool = False
    """Whether its graph, or the node that contains it, begins here."""
    is_repeated: bool = False

    @property
    def lines(self) -> list[str]:
        """What a box shows."""
        return [self.title, f"{self.kind}: {self.work}" if self.work else self.kind, *self.notes]


class GraphEdge(msgspec.Struct, frozen=True):
    """Joins two nodes with the same parent."""

    source: str
    target: str
    label: str = ""
    style: EdgeStyle = "solid"
    """Dashed is the way after a failure."""


class Graph(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    description: str = ""
    noun: Literal["task", "node"]
    """What people call a node of this graph."""
    direction: Direction
    """Where most edges lead."""
    nodes: tuple[GraphNode, ...]
    """In the order of the document. The nodes inside of a node come right after it."""
    edges: tuple[GraphEdge, ...] = ()

    def inside(self) -> dict[str | None, list[GraphNode]]:
        """The nodes by the id of the node that contains them; None for the outermost."""
        found: dict[str | None, list[GraphNode]] = {None: []}
        for node in self.nodes:
            found.setdefault(node.parent, []).append(node)
        return found

    def edges_inside(self) -> dict[str | None, list[GraphEdge]]:
        """The edges by the id of the node that contains them; None for the outermost."""
        parents = {node.id: node.parent for node in self.nodes}
        found: dict[str | None, list[GraphEdge]] = {}
        for edge in self.edges:
            found.setdefault(parents[edge.source], []).append(edge)
        return found

    @property
    def headline(self) -> str:
        count = len(self.nodes)
        about = f": {self.description}" if self.description else ""
        return f"{self.name} ({count} {self.noun}{'' if count == 1 else 's'}){about}"


class PlacedNode(msgspec.Struct, frozen=True):
    """Sizes are in pixels. `x` and `y` are the upper left corner of its box. A node with others inside of it
    has a box around them."""

    id: str
    x: float
    y: float
    width: float
    height: float
    layer: int
    order: int
    """Its index in the layer."""


class PlacedLabel(msgspec.Struct, frozen=True):
    """What an edge says, on one line. `x` and `y` are the upper left corner."""

    text: str
    x: float
    y: float
    width: float
    height: float


class RoutedEdge(msgspec.Struct, frozen=True):
    """`points` lead from the right of the source to the left of the target, also if the edge leads back."""

    source: str
    target: str
    points: tuple[Point, ...]
    label: PlacedLabel | None = None
    """None: it says nothing. Of several edges with the same ends, the first one says what all of them say."""


class GraphLayout(msgspec.Struct, frozen=True):
    """Nodes and edges are in the order of the graph."""

    width: float
    height: float
    nodes: tuple[PlacedNode, ...]
    edges: tuple[RoutedEdge, ...]
