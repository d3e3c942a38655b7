"""What edges need beside their bends: columns for labels, and for edges that lead back a way around boxes.

An edge that leads back leaves its source on the right as any other, turns round, passes the box of its source
and that of its target, turns round again, and enters the target on the left. So the arrow of a loop looks as
any other arrow.

A label stands above its edge. If the edge leads on, that is in a column of its own, right after the source.
If it leads back, it is where the edge passes its source.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from holdfast.authoring.graphs.layers import Edge, Layers, links_of


class Lanes(NamedTuple):
    columns: list[list[int]]
    """The vertices of each column in order. A column is a layer, or has labels."""
    layers: list[int]
    """The column of each layer."""
    routes: dict[Edge, list[int]]
    """The vertices that each edge passes, from the first column to the last. An edge that leads back has
    no end in it: its first vertex is beside its target, and its last one beside its source."""
    nodes: int
    """Vertices from this number on are no nodes."""
    back: set[Edge]
    """The edges that lead back, and loops."""
    labels: dict[Edge, int]
    """The vertex above which the label of an edge stands."""
    beside: dict[int, tuple[int, bool]]
    """Vertices that stand right beside a node, with the node, and whether they stand above it."""


def with_lanes(found: Layers, loops: Iterable[int], labelled: Collection[Edge]) -> Lanes:
    """`loops` are the nodes with an edge to themselves, and `labelled` the edges that say something."""
    plan = _Plan(found, labelled)
    plan.go_round(loops)
    plan.add_columns()
    return Lanes(plan.columns, plan.of_layer, plan.routes, found.nodes, plan.back, plan.labels, plan.beside)


_Groups: TypeAlias = dict[tuple[int, Edge | None], list[tuple[Edge, int]]]
"""The edges between two layers, each with its vertex in the second one. They are by their vertex in the first
one, and by the edge itself if it has a label."""


class _Plan:
    def __init__(self, found: Layers, labelled: Collection[Edge]) -> None:
        self._layers = [list(layer) for layer in found.layers]
        self._labelled = labelled
        self._layer_of = {vertex: number for number, layer in enumerate(self._layers) for vertex in layer}
        self._place = {vertex: place for layer in self._layers for place, vertex in enumerate(layer)}
        self._free = max(self._layer_of, default=-1) + 1
        self.routes = {edge: list(route) for edge, route in found.routes.items()}
        self.back = {edge for edge, route in found.routes.items() if route[0] != edge[0]}
        self.labels: dict[Edge, int] = {}
        self.beside: dict[int, tuple[int, bool]] = {}
        self.columns: list[list[int]] = []
        self.of_layer: list[int] = []

    def _new(self) -> int:
        self._free += 1
        return self._free - 1

    # --- edges that lead back

    def go_round(self, loops: Iterable[int]) -> None:
        """Give each edge that leads back a vertex beside its target and one beside its source."""
        links = links_of(self.routes.values())
        entries: dict[int, int] = {}
        """By target: its edges share the way in."""
        for edge in sorted(self.back):
            source, target = edge
            route = self.routes[edge]
            if target not in entries:
                entries[target] = self._beside(target, route[1], links.after[target])
            exit = self._beside(source, route[-2], links.before[source])
            self.routes[edge] = [entries[target], *route[1:-1], exit]
            if edge in self._labelled:
                self.labels[edge] = exit
        for node in loops:
            edge = node, node
            self.back.add(edge)
            self.routes[edge] = [self._beside(node, node, ())]
            if edge in self._labelled:
                self.labels[edge] = self.routes[edge][0]

    def _beside(self, node: int, towards: int, neighbours: Sequence[int]) -> int:
        """A new vertex right above a node if its way leads above the other edges of the node, else below."""
        vertex, number = self._new(), self._layer_of[node]
        others = [self._place[other] for other in neighbours if other != towards]
        is_above = bool(others) and self._place[towards] < sum(others) / len(others)
        layer = self._layers[number]
        layer.insert(layer.index(node) + (not is_above), vertex)
        self._layer_of[vertex] = number
        self.beside[vertex] = node, is_above
        return vertex

    # --- columns for labels

    def add_columns(self) -> None:
        places = {vertex: place for layer in self._layers for place, vertex in enumerate(layer)}
        passing = self._passing()
        for number, layer in enumerate(self._layers):
            self.of_layer.append(len(self.columns))
            self.columns.append(layer)
            groups = passing.get(number, {})
            if any(edge is not None for _, edge in groups):
                self.columns.append(self._column(groups, places))

    def _passing(self) -> dict[int, _Groups]:
        """The edges from each layer to the next. Those of a source are together, but each label is alone."""
        found: dict[int, _Groups] = {}
        for edge, route in self.routes.items():
            has_label = edge in self._labelled and edge not in self.back
            for index, (left, right) in enumerate(pairwise(route)):
                layer = self._layer_of[left]
                if self._layer_of[right] == layer + 1:  # otherwise it goes straight, and says nothing
                    key = left, edge if has_label and index == 0 else None
                    found.setdefault(layer, {}).setdefault(key, []).append((edge, right))
        return found

    def _column(self, groups: _Groups, places: Mapping[int, int]) -> list[int]:
        made: list[tuple[int, float, int]] = []
        for (left, own), passing in groups.items():
            vertex = self._new()
            made.append((places[left], sum(places[right] for _, right in passing) / len(passing), vertex))
            for edge, right in passing:
                route = self.routes[edge]
                route.insert(route.index(right), vertex)
            if own is not None:
                self.labels[own] = vertex
        return [vertex for *_, vertex in sorted(made)]
