"""Where the nodes of a graph stand and how its edges run, as data that a page can draw.

The layout is pure and deterministic. Nodes inside of a node are laid out first; then that node is a box of
their size. A graph of a thousand nodes takes less than a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from holdfast.authoring.graphs.layers import Layers, arrange
from holdfast.authoring.graphs.positions import positions_across
from holdfast.authoring.graphs.text_width import columns_of, shorten
from holdfast.core.graphs import Graph, GraphEdge, GraphLayout, GraphNode, PlacedNode, Point, RoutedEdge

LONGEST_LINE: Final = 40
"""Columns of a line in a box."""


class Metrics(msgspec.Struct, frozen=True):
    """Sizes, by default in pixels for a monospaced font of 14 pixels."""

    column: float = 8.5
    line: float = 18.0
    padding: float = 12.0
    between_layers: float = 56.0
    between_nodes: float = 16.0


_PIXELS: Final = Metrics()


def lay_out(graph: Graph, metrics: Metrics = _PIXELS) -> GraphLayout:
    if not graph.nodes:
        return GraphLayout(0.0, 0.0, (), ())
    layout = _GraphPlan(graph, metrics)
    width, height = layout.fill(None)
    places = layout.absolute()
    return GraphLayout(
        width=width,
        height=height,
        nodes=tuple(places[node.id] for node in graph.nodes),
        edges=tuple(layout.edge(edge, places) for edge in graph.edges),
    )


class _Size(NamedTuple):
    width: float
    height: float


class _GraphPlan:
    def __init__(self, graph: Graph, metrics: Metrics) -> None:
        self._metrics = metrics
        self._leads_down = graph.direction == "down"
        self._nodes, self._edges = graph.inside(), graph.edges_inside()
        self._parents = {node.id: node.parent for node in graph.nodes}
        self._boxes: dict[str, PlacedNode] = {}
        """Relative to the inside of the parent."""
        self._lines: dict[tuple[str, str], tuple[Point, ...]] = {}
        """By source and target, relative as well."""
        self._headers: dict[str, float] = {}
        """The height of what a node says above those inside of it."""

    def fill(self, parent: str | None) -> _Size:
        """Lay out the nodes inside of a node. Answers the room that they take."""
        nodes = self._nodes[parent]
        sizes = [self._size(node) for node in nodes]
        numbers = {node.id: number for number, node in enumerate(nodes)}
        edges = [(numbers[edge.source], numbers[edge.target]) for edge in self._edges.get(parent, ())]
        layers = arrange(len(nodes), edges, [numbers[node.id] for node in nodes if node.is_start])
        grid = _Grid(layers, [self._turned(size) for size in sizes], self._metrics)
        for number, node in enumerate(nodes):
            layer, order = grid.indexes[number]
            x, y = self._turned(grid.corner(number))
            self._boxes[node.id] = PlacedNode(node.id, x, y, *sizes[number], layer, order)
        length = grid.length
        for source, target in edges:
            points = grid.line(source, target)
            length = max(length, *(along for along, _ in points))  # a loop in the last layer is outside of it
            self._lines[nodes[source].id, nodes[target].id] = tuple(self._turned(point) for point in points)
        return _Size(*self._turned((length, grid.breadth)))

    def _turned(self, pair: Point) -> Point:
        """From along and across the layers to x and y, or back."""
        return (pair[1], pair[0]) if self._leads_down else (pair[0], pair[1])

    def _size(self, node: GraphNode) -> _Size:
        metrics = self._metrics
        lines = [shorten(line, LONGEST_LINE) for line in node.lines]
        width = max(map(columns_of, lines)) * metrics.column + 2 * metrics.padding
        height = len(lines) * metrics.line + 2 * metrics.padding
        if node.id not in self._nodes:
            return _Size(width, height)
        inner = self.fill(node.id)
        self._headers[node.id] = height
        return _Size(max(width, inner.width + 2 * metrics.padding), height + inner.height + metrics.padding)

    def absolute(self) -> dict[str, PlacedNode]:
        found: dict[str, PlacedNode] = {}
        for id, parent in self._parents.items():  # a node comes after the node around it
            x, y = self._origin(parent, found)
            box = self._boxes[id]
            found[id] = msgspec.structs.replace(box, x=box.x + x, y=box.y + y)
        return found

    def _origin(self, parent: str | None, places: Mapping[str, PlacedNode]) -> Point:
        """Where the inside of a node begins."""
        if parent is None:
            return 0.0, 0.0
        box = places[parent]
        return box.x + self._metrics.padding, box.y + self._headers[parent]

    def edge(self, edge: GraphEdge, places: Mapping[str, PlacedNode]) -> RoutedEdge:
        x, y = self._origin(self._parents[edge.source], places)
        points = self._lines[edge.source, edge.target]
        return RoutedEdge(edge.source, edge.target, tuple((px + x, py + y) for px, py in points))


class _Grid:
    """Layers one after the other. A point is how far it lies along the layers, and how far across them."""

    def __init__(self, layers: Layers, sizes: Sequence[Point], metrics: Metrics) -> None:
        self._sizes, self._loop = sizes, metrics.between_layers / 4
        self._routes = layers.routes
        self._nodes = layers.nodes
        self.indexes = {
            vertex: (number, order)
            for number, layer in enumerate(layers.layers)
            for order, vertex in enumerate(layer)
        }
        self._across = positions_across(layers, lambda vertex: self._size(vertex)[1], metrics.between_nodes)
        self._begins: list[float] = []
        self._ends: list[float] = []
        at = 0.0
        for layer in layers.layers:
            self._begins.append(at)
            self._ends.append(at + max(self._size(vertex)[0] for vertex in layer))
            at = self._ends[-1] + metrics.between_layers
        self.length = self._ends[-1]
        self.breadth = max(at + self._size(vertex)[1] / 2 for vertex, at in self._across.items())

    def _size(self, vertex: int) -> Point:
        return self._sizes[vertex] if vertex < self._nodes else (0.0, 0.0)

    def corner(self, vertex: int) -> Point:
        """Where the box of a node begins. It stands in the middle of its layer."""
        layer, _ = self.indexes[vertex]
        along, across = self._size(vertex)
        return (self._begins[layer] + self._ends[layer] - along) / 2, self._across[vertex] - across / 2

    def line(self, source: int, target: int) -> list[Point]:
        if source == target:
            return self._loop_at(source)
        route = self._routes[source, target]
        points: list[Point] = []
        for vertex in route:
            points += self._through(vertex, is_first=vertex == route[0], is_last=vertex == route[-1])
        return _without_repeats(points if route[0] == source else points[::-1])

    def _through(self, vertex: int, *, is_first: bool, is_last: bool) -> list[Point]:
        """From the beginning of its layer to the end, as far as that is not inside of the box."""
        layer, _ = self.indexes[vertex]
        begin, _ = self.corner(vertex)
        end, level = begin + self._size(vertex)[0], self._across[vertex]
        if is_first:
            return [(end, level), (self._ends[layer], level)]
        if is_last:
            return [(self._begins[layer], level), (begin, level)]
        return [(self._begins[layer], level), (self._ends[layer], level)]

    def _loop_at(self, vertex: int) -> list[Point]:
        begin, _ = self.corner(vertex)
        along, across = self._size(vertex)
        end, level, part = begin + along, self._across[vertex], across / 4
        away = end + self._loop
        return [(end, level - part), (away, level - part), (away, level + part), (end, level + part)]


def _without_repeats(points: list[Point]) -> list[Point]:
    return [point for index, point in enumerate(points) if index == 0 or point != points[index - 1]]
