"""The layers of a graph: every edge leads from one layer to a later one.

The first three steps of the usual layout (Sugiyama). A cycle is broken by turning an edge round. The layer of
a node is the longest path to it. An edge over several layers gets a bend in each layer that it passes, and
shares it with the other edges of its source. Each layer gets an order in which few edges cross: nodes are
sorted by the mean position of their neighbours, forwards and backwards.

The same graph gives the same layers. A vertex is a number: nodes come first, in the order of the graph, then
bends.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from holdfast.core.graphs import Graph

_SWEEPS: Final = 12
_MOST_BENDS: Final = 20_000
"""If there were more bends, edges over several layers go straight: nobody could follow one anyway."""
MOST_SWEPT: Final = 4_000
"""A drawing with more vertices is not improved: it would take longer than people wait."""
_MOST_COMPARED: Final = 400
"""Pairs of edges of two vertices. Where more edges meet, nobody sees a crossing less."""

Edge: TypeAlias = tuple[int, int]
"""Source and target."""


class Layers(NamedTuple):
    layers: list[list[int]]
    """From first to last; the vertices of each in order."""
    routes: dict[Edge, list[int]]
    """The vertices that each edge passes, both ends included, from the first layer to the last. So the route
    of an edge that closes a cycle begins with its target. Loops have none."""
    nodes: int
    """Vertices from this number on are bends."""


def layers_of(graph: Graph) -> list[list[str]]:
    """The ids of the nodes in each layer, for a graph that has no nodes inside of others."""
    numbers = {node.id: number for number, node in enumerate(graph.nodes)}
    edges = [(numbers[edge.source], numbers[edge.target]) for edge in graph.edges]
    starts = [numbers[node.id] for node in graph.nodes if node.is_start]
    found = arrange(len(numbers), edges, starts)
    return [[graph.nodes[vertex].id for vertex in layer if vertex < found.nodes] for layer in found.layers]


def arrange(
    count: int, edges: Sequence[Edge], starts: Sequence[int] = (), apart: Container[Edge] = ()
) -> Layers:
    """Nodes are the numbers below `count`. Where there are cycles, `starts` come first. The edges in `apart`
    share their bends with no other, unless they lead back."""
    back = _closing_cycles(count, edges, starts)
    ends = {edge: (edge[1], edge[0]) if edge in back else edge for edge in edges if edge[0] != edge[1]}
    depth = _longest_paths(count, list(dict.fromkeys(ends.values())))
    layers: list[list[int]] = [[] for _ in range(max(depth) + 1)]
    for number, layer in enumerate(depth):
        layers[layer].append(number)
    routes = _route(ends, depth, layers, apart)
    if sum(map(len, layers)) <= MOST_SWEPT:
        layers = _with_few_crossings(layers, links_of(routes.values()))
    return Layers(layers, routes, count)


_UNSEEN, _ON_THE_PATH, _DONE = 0, 1, 2


def _closing_cycles(count: int, edges: Sequence[Edge], starts: Sequence[int]) -> set[Edge]:
    """The edges that lead back to a node on the path from a start. Without them, there is no cycle."""
    after: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        after[source].append(target)
    state = [_UNSEEN] * count
    found: set[Edge] = set()
    for root in (*starts, *range(count)):
        if state[root] != _UNSEEN:
            continue
        state[root] = _ON_THE_PATH
        path = [(root, iter(after[root]))]
        while path:
            number, targets = path[-1]
            target = next(targets, None)
            if target is None:
                state[number] = _DONE
                path.pop()
            elif state[target] == _ON_THE_PATH:
                found.add((number, target))
            elif state[target] == _UNSEEN:
                state[target] = _ON_THE_PATH
                path.append((target, iter(after[target])))
    return found


def _longest_paths(count: int, edges: list[tuple[int, int]]) -> list[int]:
    after: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for before, number in edges:
        after[before].append(number)
        waiting[number] += 1
    depth = [0] * count
    ready = [number for number in range(count) if not waiting[number]]
    for number in ready:  # grows while it is read: a node is added once all before it have their depth
        for later in after[number]:
            depth[later] = max(depth[later], depth[number] + 1)
            waiting[later] -= 1
            if not waiting[later]:
                ready.append(later)
    return depth


def _route(
    ends: Mapping[Edge, Edge], depth: list[int], layers: list[list[int]], apart: Container[Edge]
) -> dict[Edge, list[int]]:
    """The route of each edge; `ends` has its ends in the order of their layers. Adds the bends to the
    layers."""
    # Edges of one node share their bends, but those that lead back are apart from those that lead on.
    bundles: dict[Edge, tuple[int, bool | Edge]] = {}
    longest: dict[tuple[int, bool | Edge], int] = {}
    for edge, (first, last) in ends.items():
        leads_on = edge[0] == first
        bundle = bundles[edge] = first, edge if leads_on and edge in apart else leads_on
        longest[bundle] = max(longest.get(bundle, 0), depth[last] - depth[first] - 1)
    if sum(longest.values()) > _MOST_BENDS:
        return {edge: list(both) for edge, both in ends.items()}
    bends: dict[tuple[int, bool | Edge], list[int]] = {}
    free = len(depth)
    for bundle, length in longest.items():
        bends[bundle] = list(range(free, free + length))
        free += length
        for step, bend in enumerate(bends[bundle]):
            layers[depth[bundle[0]] + 1 + step].append(bend)
    return {
        edge: [first, *bends[bundles[edge]][: depth[last] - depth[first] - 1], last]
        for edge, (first, last) in ends.items()
    }


class Links(NamedTuple):
    """The neighbours of each vertex, in the layer before and in the layer after."""

    before: Mapping[int, Sequence[int]]
    after: Mapping[int, Sequence[int]]


def links_of(routes: Iterable[Sequence[int]]) -> Links:
    before: dict[int, dict[int, None]] = {}
    after: dict[int, dict[int, None]] = {}
    for route in routes:
        for left, right in pairwise(route):
            after.setdefault(left, {})[right] = None
            before.setdefault(right, {})[left] = None
    return Links(
        {vertex: list(neighbours) for vertex, neighbours in before.items()},
        {vertex: list(neighbours) for vertex, neighbours in after.items()},
    )


# --- the order in each layer


def _with_few_crossings(layers: list[list[int]], links: Links) -> list[list[int]]:
    best = [list(layer) for layer in layers]
    fewest = _crossings(best, links)
    current = [list(layer) for layer in layers]
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        if sweep % 2 == 0:
            for layer, fixed in zip(current[1:], current, strict=False):
                _sort_by_neighbours(layer, fixed, links.before)
        else:
            for layer, fixed in zip(current[-2::-1], current[::-1], strict=False):
                _sort_by_neighbours(layer, fixed, links.after)
        _swap_neighbours(current, links)
        crossings = _crossings(current, links)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in current], crossings
    return best


def _sort_by_neighbours(layer: list[int], fixed: list[int], neighbours: Mapping[int, Sequence[int]]) -> None:
    indexes = {vertex: index for index, vertex in enumerate(fixed)}
    wanted: dict[int, float] = {}
    for index, vertex in enumerate(layer):
        # If edges go straight, a neighbour may be further away than the next layer.
        found = [indexes[neighbour] for neighbour in neighbours.get(vertex, ()) if neighbour in indexes]
        # A vertex without neighbours there keeps its index, in proportion to the length of the layer.
        wanted[vertex] = sum(found) / len(found) if found else index / len(layer) * len(fixed)
    # Vertices with the same mean swap, so that a sweep does not get stuck with the order of the one before.
    layer.reverse()
    layer.sort(key=lambda vertex: wanted[vertex])


def _swap_neighbours(layers: list[list[int]], links: Links) -> None:
    """Swap two vertices beside each other if that leaves fewer crossings.

    This finds what the means hide, such as two vertices with the same mean.
    """
    indexes = {vertex: index for layer in layers for index, vertex in enumerate(layer)}
    for layer in layers:
        for index in range(len(layer) - 1):
            upper, lower = layer[index], layer[index + 1]
            gained = 0
            for neighbours in links:
                above = [indexes[other] for other in neighbours.get(upper, ())]
                below = [indexes[other] for other in neighbours.get(lower, ())]
                if len(above) * len(below) <= _MOST_COMPARED:
                    gained += sum((a > b) - (a < b) for a in above for b in below)
            if gained > 0:
                layer[index], layer[index + 1] = lower, upper
                indexes[upper], indexes[lower] = index + 1, index


def _crossings(layers: list[list[int]], links: Links) -> int:
    """How many edges cross. Two do if the one that begins first ends last, so these are inversions of the
    ends."""
    crossings = 0
    for left, right in pairwise(layers):
        indexes = {vertex: index for index, vertex in enumerate(right)}
        seen: list[int] = []
        for vertex in left:
            ends = sorted(indexes[other] for other in links.after.get(vertex, ()) if other in indexes)
            crossings += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return crossings
