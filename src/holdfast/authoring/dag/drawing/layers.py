"""Where the tasks of a DAG stand in a drawing: in layers, so that every edge leads from one to a later one.

The usual four steps. A task's layer is the longest path to it. An edge over several layers gets a bend in
each that it passes, shared with the other edges of its task. Each layer is put in an order in which few edges
cross: by the mean place of the neighbours, swept to and fro. Last, places: as near to the neighbours' as the
order and the room between allow, which is a regression with an order constraint and has an exact solution.

Same DAG, same layout. A vertex is a number: tasks have those of their order in the file, bends those after.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from holdfast.authoring.dag.model import Dag

_SWEEPS: Final = 12
_MOST_BENDS: Final = 20_000
"""In a DAG with more, nobody could follow an edge anyway; edges over several layers then go straight."""
_SWEPT_AT_MOST: Final = 4_000
"""Vertices. A larger drawing is laid out once and not improved: it would take longer than people wait."""
_COMPARED_AT_MOST: Final = 400
"""Pairs of edges of two vertices. Where more meet, a crossing fewer is not seen."""
_STRAIGHTNESS: Final = 4.0
"""How much more a bend wants to lie level with its neighbours than a task does; two bends even more."""
_INDIFFERENCE: Final = 0.1
"""How much a vertex without neighbours on that side wants to stay where it is."""
_SETTLING: Final = 30
"""So many sweeps more go by the neighbours on both sides, so that neither has the last word."""


class Layout(NamedTuple):
    layers: list[list[int]]
    """From first to last; the vertices of each in order."""
    routes: dict[tuple[int, int], list[int]]
    """Of each edge, from task to task: the vertices that it passes, both ends included."""
    tasks: int
    """Vertices from this number on are bends."""


def lay_out(dag: Dag) -> Layout:
    numbers = {name: number for number, name in enumerate(dag.tasks)}
    edges = [(numbers[before], numbers[name]) for name in dag.tasks for before in dag.tasks[name].depends_on]
    depth = _longest_paths(len(numbers), edges)
    layers: list[list[int]] = [[] for _ in range(max(depth) + 1)]
    for number, layer in enumerate(depth):
        layers[layer].append(number)
    routes = _route(edges, depth, layers)
    if sum(map(len, layers)) <= _SWEPT_AT_MOST:
        layers = _with_few_crossings(layers, _links(routes))
    return Layout(layers, routes, len(numbers))


def _longest_paths(count: int, edges: list[tuple[int, int]]) -> list[int]:
    after: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for before, number in edges:
        after[before].append(number)
        waiting[number] += 1
    depth = [0] * count
    ready = [number for number in range(count) if not waiting[number]]
    for number in ready:  # grows while it is read: a task is added once all before it have their depth
        for later in after[number]:
            depth[later] = max(depth[later], depth[number] + 1)
            waiting[later] -= 1
            if not waiting[later]:
                ready.append(later)
    return depth


def _route(
    edges: list[tuple[int, int]], depth: list[int], layers: list[list[int]]
) -> dict[tuple[int, int], list[int]]:
    """The way of each edge. Adds the bends to the layers that they are in."""
    longest: dict[int, int] = {}
    for before, number in edges:
        longest[before] = max(longest.get(before, 0), depth[number] - depth[before] - 1)
    if sum(longest.values()) > _MOST_BENDS:
        return {edge: list(edge) for edge in edges}
    bends: dict[int, list[int]] = {}
    free = len(depth)
    for before, length in longest.items():
        bends[before] = list(range(free, free + length))
        free += length
        for step, bend in enumerate(bends[before]):
            layers[depth[before] + 1 + step].append(bend)
    return {
        (before, number): [before, *bends[before][: depth[number] - depth[before] - 1], number]
        for before, number in edges
    }


class _Links(NamedTuple):
    """The neighbours of each vertex, in the layer before and in the one after."""

    before: Mapping[int, Sequence[int]]
    after: Mapping[int, Sequence[int]]


def _links(routes: dict[tuple[int, int], list[int]]) -> _Links:
    before: dict[int, dict[int, None]] = {}
    after: dict[int, dict[int, None]] = {}
    for route in routes.values():
        for left, right in pairwise(route):
            after.setdefault(left, {})[right] = None
            before.setdefault(right, {})[left] = None
    return _Links(
        {vertex: list(neighbours) for vertex, neighbours in before.items()},
        {vertex: list(neighbours) for vertex, neighbours in after.items()},
    )


# --- the order in each layer


def _with_few_crossings(layers: list[list[int]], links: _Links) -> list[list[int]]:
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
    place = {vertex: index for index, vertex in enumerate(fixed)}
    wanted: dict[int, float] = {}
    for index, vertex in enumerate(layer):
        # Where edges go straight, a neighbour may be further away than the next layer.
        places = [place[neighbour] for neighbour in neighbours.get(vertex, ()) if neighbour in place]
        # One without neighbours there keeps its place, seen as a part of the whole.
        wanted[vertex] = sum(places) / len(places) if places else index / len(layer) * len(fixed)
    # Those with the same wish change places, so that no sweep is stuck with the order of the one before.
    layer.reverse()
    layer.sort(key=lambda vertex: wanted[vertex])


def _swap_neighbours(layers: list[list[int]], links: _Links) -> None:
    """Where two stand beside each other and would have fewer crossings the other way round, swap them.

    It finds what means hide, such as two vertices with the same mean.
    """
    places = {vertex: index for layer in layers for index, vertex in enumerate(layer)}
    for layer in layers:
        for index in range(len(layer) - 1):
            upper, lower = layer[index], layer[index + 1]
            gained = 0
            for neighbours in links:
                above = [places[other] for other in neighbours.get(upper, ())]
                below = [places[other] for other in neighbours.get(lower, ())]
                if len(above) * len(below) <= _COMPARED_AT_MOST:
                    gained += sum((a > b) - (a < b) for a in above for b in below)
            if gained > 0:
                layer[index], layer[index + 1] = lower, upper
                places[upper], places[lower] = index + 1, index


def _crossings(layers: list[list[int]], links: _Links) -> int:
    """Two edges cross if the one that begins higher ends lower: so, the inversions among the ends."""
    crossings = 0
    for left, right in pairwise(layers):
        place = {vertex: index for index, vertex in enumerate(right)}
        seen: list[int] = []
        for vertex in left:
            ends = sorted(place[other] for other in links.after.get(vertex, ()) if other in place)
            crossings += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return crossings


# --- places


class Extent(NamedTuple):
    """What a vertex needs on both sides of the line that its edges lie on."""

    above: float
    below: float


def place(layout: Layout, room: Callable[[int], Extent], gap: float) -> dict[int, float]:
    """Where each vertex lies across the layers. The first of all begins at 0, and between two is a gap."""
    links = _links(layout.routes)
    places: dict[int, float] = {}
    for layer in layout.layers:
        _pack(layer, [_Wish(0.0, 1.0)] * len(layer), room, gap, places)
    if sum(map(len, layout.layers)) <= _SWEPT_AT_MOST:
        pulls = _pulls(layout, links)
        for sweep in range(_SWEEPS + _SETTLING):
            sides = "both" if sweep >= _SWEEPS else "before" if sweep % 2 == 0 else "after"
            for layer in layout.layers if sweep % 2 == 0 else layout.layers[::-1]:
                wishes = [_wish(places, vertex, pulls[vertex], sides) for vertex in layer]
                _pack(layer, wishes, room, gap, places)
    _level(layout, places, gap / 2)
    top = min(places[vertex] - room(vertex).above for vertex in places)
    return {vertex: at - top for vertex, at in places.items()}


_Sides: TypeAlias = Literal["before", "after", "both"]


class _Wish(NamedTuple):
    at: float
    weight: float


class _Pull(NamedTuple):
    """How strongly a neighbour wants a vertex level with it."""

    neighbour: int
    weight: float
    is_before: bool


def _pulls(layout: Layout, links: _Links) -> dict[int, list[_Pull]]:
    pulls: dict[int, list[_Pull]] = {vertex: [] for layer in layout.layers for vertex in layer}
    for left, ends in links.after.items():
        for right in ends:
            # A step in the middle of a long edge is the ugliest. And a chain should be straight, even where
            # the task at its head has many others after it.
            bends = (left >= layout.tasks) + (right >= layout.tasks)
            weight = _STRAIGHTNESS**bends / max(len(ends), len(links.before[right])) ** 2
            pulls[left].append(_Pull(right, weight, is_before=False))
            pulls[right].append(_Pull(left, weight, is_before=True))
    return pulls


def _wish(places: Mapping[int, float], vertex: int, pulls: list[_Pull], sides: _Sides) -> _Wish:
    felt = [pull for pull in pulls if sides == "both" or pull.is_before == (sides == "before")]
    if not felt:
        return _Wish(places[vertex], _INDIFFERENCE)
    weight = sum(pull.weight for pull in felt)
    return _Wish(sum(places[pull.neighbour] * pull.weight for pull in felt) / weight, weight)


def _level(layout: Layout, places: dict[int, float], most: float) -> None:
    """Make the bends of an edge level if they nearly are: a small step in a long line looks like a slip."""
    for route in layout.routes.values():
        bends = route[1:-1]
        levels = [places[bend] for bend in bends]
        if bends and max(levels) - min(levels) <= most:
            places.update(dict.fromkeys(bends, sum(levels) / len(levels)))


def _pack(
    layer: list[int], wishes: list[_Wish], room: Callable[[int], Extent], gap: float, places: dict[int, float]
) -> None:
    """Put each where it wants to be, as nearly as can be (least squares) in this order and without overlap.

    Take away from every wish the room that those before need; what is left must not fall from one to the
    next. Neighbours that would are put together at their mean, until none does.
    """
    offset = 0.0
    offsets: list[float] = []
    blocks: list[tuple[float, float, int]] = []
    """Mean, weight and length of each run of vertices that stick together."""
    for index, wish in enumerate(wishes):
        if index:
            offset += room(layer[index - 1]).below + gap + room(layer[index]).above
        offsets.append(offset)
        block = (wish.at - offset, wish.weight, 1)
        while blocks and blocks[-1][0] > block[0]:
            mean, weight, length = blocks.pop()
            together = weight + block[1]
            block = ((mean * weight + block[0] * block[1]) / together, together, length + block[2])
        blocks.append(block)
    index = 0
    for mean, _, length in blocks:
        for vertex in layer[index : index + length]:
            places[vertex] = mean + offsets[index]
            index += 1
