"""Where the nodes of a graph stand and how its edges run, as data that a page can draw.

The layout leads from left to right: screens are wide, and boxes flat. Edges run level or straight up and
down, never through a box. It is pure and deterministic. Nodes inside of a node are laid out first; then that
node is a box of their size. A graph of a thousand nodes takes less than a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec

from holdfast.authoring.graphs.channels import Turn, tracks_of
from holdfast.authoring.graphs.lanes import with_lanes
from holdfast.authoring.graphs.layers import Edge, Layers, arrange
from holdfast.authoring.graphs.positions import positions_across
from holdfast.authoring.graphs.text_width import columns_of, shorten
from holdfast.core.graphs import (
    Graph,
    GraphEdge,
    GraphLayout,
    GraphNode,
    PlacedLabel,
    PlacedNode,
    Point,
    RoutedEdge,
)

LONGEST_LABEL: Final = 24
"""Columns of what stands above an edge."""


class Metrics(msgspec.Struct, frozen=True):
    """Sizes in pixels. A box has room for a mark, a title and one short line below it."""

    column: float = 7.4
    """The width of a character of a title."""
    mark: float = 46.0
    """What a box has beside its title: the mark, and room at both ends."""
    narrowest: float = 148.0
    widest: float = 224.0
    height: float = 44.0
    header: float = 50.0
    """What a box with others inside of it has above them."""
    padding: float = 14.0
    between_layers: float = 46.0
    between_nodes: float = 20.0
    track: float = 8.0
    """Between edges that run side by side from one layer to the next."""
    leave: float = 12.0
    """Between a box and the first edge that runs up or down behind it."""
    enter: float = 22.0
    """Between the last edge that runs up or down and a box: room for an arrow."""
    label_column: float = 6.6
    label_height: float = 13.0
    label_lane: float = 32.0
    """The room of an edge with a label across its layer. The label takes the half above the edge."""


_PIXELS: Final = Metrics()


def lay_out(graph: Graph, metrics: Metrics = _PIXELS) -> GraphLayout:
    if not graph.nodes:
        return GraphLayout(0.0, 0.0, (), ())
    plan = _GraphPlan(graph, metrics)
    size = plan.fill(None)
    places = plan.absolute()
    drawn: set[tuple[str, str]] = set()
    edges: list[RoutedEdge] = []
    for edge in graph.edges:
        # Two edges between the same nodes are one line, which says what both say.
        is_first = (edge.source, edge.target) not in drawn
        drawn.add((edge.source, edge.target))
        edges.append(plan.edge(edge, places, with_label=is_first))
    return GraphLayout(size.width, size.height, tuple(places[node.id] for node in graph.nodes), tuple(edges))


class _Size(NamedTuple):
    width: float
    height: float


class _GraphPlan:
    def __init__(self, graph: Graph, metrics: Metrics) -> None:
        self._metrics = metrics
        self._nodes, self._edges = graph.inside(), graph.edges_inside()
        self._parents = {node.id: node.parent for node in graph.nodes}
        self._boxes: dict[str, PlacedNode] = {}
        """Relative to the inside of the parent."""
        self._lines: dict[tuple[str, str], _Line] = {}
        """By source and target, relative as well."""

    def fill(self, parent: str | None) -> _Size:
        """Lay out the nodes inside of a node. Answers the room that they take."""
        nodes = self._nodes[parent]
        sizes = [self._size(node) for node in nodes]
        numbers = {node.id: number for number, node in enumerate(nodes)}
        said: dict[Edge, list[str]] = {}
        for edge in self._edges.get(parent, ()):
            labels = said.setdefault((numbers[edge.source], numbers[edge.target]), [])
            if edge.label and edge.label not in labels:
                labels.append(edge.label)
        texts = {edge: shorten(", ".join(labels), LONGEST_LABEL) for edge, labels in said.items() if labels}
        found = arrange(
            len(nodes), list(said), [numbers[node.id] for node in nodes if node.is_start], apart=texts
        )
        grid = _Grid(found, list(said), sizes, texts, self._metrics)
        for number, node in enumerate(nodes):
            x, y = grid.corner(number)
            self._boxes[node.id] = PlacedNode(node.id, x, y, *grid.size(number), *grid.indexes[number])
        for edge in said:
            self._lines[nodes[edge[0]].id, nodes[edge[1]].id] = grid.line(edge)
        return _Size(grid.length, grid.breadth)

    def _size(self, node: GraphNode) -> _Size:
        metrics = self._metrics
        width = columns_of(node.title) * metrics.column + metrics.mark
        width = min(max(width, metrics.narrowest), metrics.widest)
        if node.id not in self._nodes:
            return _Size(width, metrics.height)
        inner = self.fill(node.id)
        return _Size(
            max(width, inner.width + 2 * metrics.padding), metrics.header + inner.height + metrics.padding
        )

    def absolute(self) -> dict[str, PlacedNode]:
        found: dict[str, PlacedNode] = {}
        for id, parent in self._parents.items():  # a node comes after the node around it
            x, y = self._origin(parent, found)
            box = self._boxes[id]
            found[id] = msgspec.structs.replace(box, x=_rounded(box.x + x), y=_rounded(box.y + y))
        return found

    def _origin(self, parent: str | None, places: Mapping[str, PlacedNode]) -> Point:
        """Where the inside of a node begins."""
        if parent is None:
            return 0.0, 0.0
        box = places[parent]
        return box.x + self._metrics.padding, box.y + self._metrics.header

    def edge(self, edge: GraphEdge, places: Mapping[str, PlacedNode], *, with_label: bool) -> RoutedEdge:
        x, y = self._origin(self._parents[edge.source], places)
        line = self._lines[edge.source, edge.target]
        label = line.label if with_label else None
        if label is not None:
            label = msgspec.structs.replace(label, x=_rounded(label.x + x), y=_rounded(label.y + y))
        points = tuple((_rounded(px + x), _rounded(py + y)) for px, py in line.points)
        return RoutedEdge(edge.source, edge.target, points, label)


class _Line(NamedTuple):
    points: list[Point]
    label: PlacedLabel | None


class _Grid:
    """Columns from left to right, with channels between them, before the first and behind the last."""

    def __init__(
        self,
        found: Layers,
        edges: Sequence[Edge],
        sizes: Sequence[_Size],
        texts: Mapping[Edge, str],
        metrics: Metrics,
    ) -> None:
        self._metrics, self._texts = metrics, texts
        self._lanes = with_lanes(found, [edge[0] for edge in edges if edge[0] == edge[1]], texts)
        self.indexes = {
            vertex: (number, order)
            for number, layer in enumerate(found.layers)
            for order, vertex in enumerate(layer)
        }
        self._column_of = {
            vertex: number for number, column in enumerate(self._lanes.columns) for vertex in column
        }
        self._sizes = self._same_in_layers(found, sizes)
        said = {vertex: texts[edge] for edge, vertex in self._lanes.labels.items()}
        self._labels = {
            vertex: _Size(columns_of(text) * metrics.label_column + 4, metrics.label_lane)
            for vertex, text in said.items()
        }
        layers = Layers(self._lanes.columns, self._lanes.routes, self._lanes.nodes)
        self._across = positions_across(
            layers, lambda vertex: self.size(vertex).height, metrics.between_nodes, self._lanes.beside
        )
        self.breadth = max(at + self.size(vertex).height / 2 for vertex, at in self._across.items())
        self._turns: dict[tuple[int, int], float] = {}
        """Where edges run up or down, by channel and vertex. Channel 0 is before column 0."""
        self._begins: list[float] = []
        self._ends: list[float] = []
        self.length = self._place_columns()

    def _same_in_layers(self, found: Layers, sizes: Sequence[_Size]) -> list[_Size]:
        """Small boxes that stand below each other are equally wide."""
        same = list(sizes)
        for layer in found.layers:
            nodes = [vertex for vertex in layer if vertex < found.nodes]
            small = [vertex for vertex in nodes if sizes[vertex].height == self._metrics.height]
            width = max((sizes[vertex].width for vertex in small), default=0.0)
            for vertex in small:
                same[vertex] = _Size(width, self._metrics.height)
        return same

    def size(self, vertex: int) -> _Size:
        if vertex < self._lanes.nodes:
            return self._sizes[vertex]
        return self._labels.get(vertex, _Size(0.0, 0.0))

    # --- along the columns

    def _place_columns(self) -> float:
        """Answers how long the drawing is."""
        turns = self._find_turns()
        at = self._place_channel(0, turns[0], 0.0)
        for number, column in enumerate(self._lanes.columns):
            self._begins.append(at)
            self._ends.append(at + max(self.size(vertex).width for vertex in column))
            at = self._place_channel(number + 1, turns[number + 1], self._ends[-1])
        return at

    def _find_turns(self) -> list[list[Turn]]:
        """By channel."""
        ends: list[dict[int, list[float]]] = [{} for _ in range(len(self._lanes.columns) + 1)]
        last: list[list[Turn]] = [[] for _ in ends]
        across, column_of, routes = self._across, self._column_of, self._lanes.routes
        for left, right in dict.fromkeys(pair for route in routes.values() for pair in pairwise(route)):
            if column_of[right] == column_of[left] + 1:
                ends[column_of[right]].setdefault(left, []).append(across[right])
        for edge in self._lanes.back:
            (source, target), entry, exit = edge, routes[edge][0], routes[edge][-1]
            ends[column_of[source] + 1].setdefault(source, []).append(across[exit])
            turn = Turn(entry, across[entry], (across[target],), is_last=True)
            if turn not in last[column_of[target]]:
                last[column_of[target]].append(turn)
        return [
            [Turn(vertex, across[vertex], tuple(levels)) for vertex, levels in found.items()] + own
            for found, own in zip(ends, last, strict=True)
        ]

    def _place_channel(self, number: int, turns: Sequence[Turn], begin: float) -> float:
        """Answers where the channel ends."""
        metrics, layers, count = self._metrics, self._lanes.layers, len(self._lanes.columns)
        tracks = tracks_of(turns)
        first = begin + (metrics.leave if number else 0.0)
        for vertex, track in tracks.items():
            self._turns[number, vertex] = first + track * metrics.track
        last = first + max(tracks.values(), default=0) * metrics.track
        if number in (0, count) and not tracks:
            return begin
        if number == count:
            return last
        end = last + (metrics.enter if number in layers else metrics.leave)
        is_between_boxes = number in layers and number - 1 in layers
        return max(end, begin + metrics.between_layers) if is_between_boxes else end

    # --- what stands where

    def corner(self, vertex: int) -> Point:
        """Where the box of a node begins. It stands in the middle of its layer."""
        column = self._column_of[vertex]
        size = self.size(vertex)
        x = (self._begins[column] + self._ends[column] - size.width) / 2
        return x, self._across[vertex] - size.height / 2

    def line(self, edge: Edge) -> _Line:
        points = self._way_back(edge) if edge in self._lanes.back else self._way_on(edge)
        return _Line(_without_needless(points), self._label(edge))

    def _way_on(self, edge: Edge) -> list[Point]:
        source, target = edge
        points = [self._side(source, is_right=True)]
        for left, right in pairwise(self._lanes.routes[edge]):
            points += self._across_channel(left, right)
        return [*points, self._side(target, is_right=False)]

    def _way_back(self, edge: Edge) -> list[Point]:
        source, target = edge
        route = self._lanes.routes[edge]
        exit = self._turn(self._column_of[source] + 1, source, source, route[-1])
        points = [self._side(source, is_right=True), *exit]
        for right, left in pairwise(reversed(route)):
            points += reversed(self._across_channel(left, right))
        entry = self._turn(self._column_of[target], route[0], route[0], target)
        return [*points, *entry, self._side(target, is_right=False)]

    def _side(self, node: int, *, is_right: bool) -> Point:
        """Where edges leave or enter the box of a node."""
        x, _ = self.corner(node)
        return x + (self.size(node).width if is_right else 0.0), self._across[node]

    def _across_channel(self, left: int, right: int) -> list[Point]:
        """From the end of a column to the begin of the next one."""
        channel = self._column_of[right]
        begin = self._ends[self._column_of[left]], self._across[left]
        end = self._begins[channel], self._across[right]
        return [begin, *self._turn(channel, left, left, right), end]

    def _turn(self, channel: int, vertex: int, source: int, target: int) -> list[Point]:
        """Up or down in a channel, from the level of one vertex to that of the other."""
        x = self._turns.get((channel, vertex))
        return [] if x is None else [(x, self._across[source]), (x, self._across[target])]

    def _label(self, edge: Edge) -> PlacedLabel | None:
        vertex = self._lanes.labels.get(edge)
        if vertex is None:
            return None
        metrics, size = self._metrics, self.size(vertex)
        x, y = self._begins[self._column_of[vertex]], self._across[vertex] - metrics.label_lane / 2
        return PlacedLabel(self._texts[edge], x, y, size.width, metrics.label_height)


def _without_needless(points: Sequence[Point]) -> list[Point]:
    """Without points that are there twice, and those on the way from the one before to the next."""
    found: list[Point] = []
    for point in points:
        if found and found[-1] == point:
            continue
        if len(found) > 1 and any(found[-2][axis] == found[-1][axis] == point[axis] for axis in (0, 1)):
            found.pop()
        found.append(point)
    return found


def _rounded(value: float) -> float:
    return round(value, 1)
