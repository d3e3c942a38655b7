"""The last step of the layout: where each vertex lies across its layer.

A vertex is put as near to its neighbours as the order of its layer and the room between allow. That is a
regression with an order constraint, which has an exact solution for one layer; the layers are swept forwards
and backwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from holdfast.authoring.graphs.layers import MOST_SWEPT, Layers, Links, links_of

_SWEEPS: Final = 12
_SETTLING: Final = 30
"""How many sweeps consider the neighbours on both sides after that. Otherwise the last sweep would decide."""
_STRAIGHTNESS: Final = 4.0
"""How much stronger a bend is drawn to the level of its neighbours than a node is; between two bends,
squared."""
_CLOSENESS: Final = 0.5
"""How strongly a vertex is drawn to the one that it wants to stand behind."""
_SNAPS: Final = 3
_INERTIA: Final = 0.1
"""How strongly a vertex without neighbours on that side stays where it is."""

_Positions: TypeAlias = dict[int, float]
_Sides: TypeAlias = Literal["before", "after", "both"]


def positions_across(
    layers: Layers,
    size: Callable[[int], float],
    gap: float,
    beside: Mapping[int, tuple[int, bool]] = MappingProxyType({}),
) -> _Positions:
    """The middle of each vertex, which has this size across its layer. The first vertex begins at 0.

    Between two vertices is the gap, or half of it where that makes a long edge straight. `beside` has
    vertices that want to stand right beside another one of their layer, and whether above it.
    """
    positions: _Positions = {}
    for layer in layers.layers:
        _pack(layer, [_Target(0.0, 1.0)] * len(layer), size, gap, positions)
    links = links_of(layers.routes.values())
    if sum(map(len, layers.layers)) <= MOST_SWEPT:
        pulls = _pulls(layers, links)
        for vertex, (other, is_above) in beside.items():
            offset = (size(vertex) + size(other)) / 2 + gap
            pulls[vertex].append(_Pull(other, _CLOSENESS, offset=-offset if is_above else offset))
        for sweep in range(_SWEEPS + _SETTLING):
            sides = "both" if sweep >= _SWEEPS else "before" if sweep % 2 == 0 else "after"
            for layer in layers.layers if sweep % 2 == 0 else layers.layers[::-1]:
                targets = [_target(positions, vertex, pulls[vertex], sides) for vertex in layer]
                _pack(layer, targets, size, gap, positions)
    levelling = _Levelling(layers, positions, size, gap)
    levelling.straighten()
    levelling.snap(links)
    first = min(at - size(vertex) / 2 for vertex, at in positions.items())
    return {vertex: at - first for vertex, at in positions.items()}


class _Target(NamedTuple):
    at: float
    weight: float


class _Pull(NamedTuple):
    """How strongly a neighbour draws a vertex to its own level, or as far below it as `offset` says."""

    neighbour: int
    weight: float
    is_before: bool | None = None
    """None: it is in the same layer."""
    offset: float = 0.0


def _pulls(layers: Layers, links: Links) -> dict[int, list[_Pull]]:
    pulls: dict[int, list[_Pull]] = {vertex: [] for layer in layers.layers for vertex in layer}
    for left, ends in links.after.items():
        for right in ends:
            # A step in the middle of a long edge is the ugliest. And a chain should be straight, even if the
            # node at its head has many others after it.
            bends = (left >= layers.nodes) + (right >= layers.nodes)
            weight = _STRAIGHTNESS**bends / max(len(ends), len(links.before[right])) ** 2
            pulls[left].append(_Pull(right, weight, is_before=False))
            pulls[right].append(_Pull(left, weight, is_before=True))
    return pulls


def _target(positions: Mapping[int, float], vertex: int, pulls: list[_Pull], sides: _Sides) -> _Target:
    felt = [pull for pull in pulls if sides == "both" or pull.is_before in (None, sides == "before")]
    if not felt:
        return _Target(positions[vertex], _INERTIA)
    weight = sum(pull.weight for pull in felt)
    return _Target(
        sum((positions[pull.neighbour] + pull.offset) * pull.weight for pull in felt) / weight, weight
    )


class _Levelling:
    """Makes lines straight that nearly are: a small step in a long line looks like a mistake."""

    def __init__(
        self, layers: Layers, positions: _Positions, size: Callable[[int], float], gap: float
    ) -> None:
        self._layers, self._positions, self._size, self._gap = layers, positions, size, gap
        self._places = {
            vertex: (layer, index) for layer in layers.layers for index, vertex in enumerate(layer)
        }

    def straighten(self) -> None:
        """Put the bends of an edge on one level if they nearly are. An edge that leads back is made straight
        wherever it can be."""
        for route in sorted(self._layers.routes.values(), key=len, reverse=True):
            bends = [vertex for vertex in route if vertex >= self._layers.nodes]
            levels = sorted(self._positions[bend] for bend in bends)
            if not bends:
                continue
            leads_back = len(bends) == len(route)
            if not leads_back and levels[-1] - levels[0] > self._gap / 2:
                continue
            mean = sum(levels) / len(levels)
            for level in (mean, levels[0], levels[-1]) if leads_back else (mean,):
                if all(self._has_room(bend, level) for bend in bends):
                    self._positions.update(dict.fromkeys(bends, level))
                    break

    def snap(self, links: Links) -> None:
        """Move a vertex a little, to where it is level with more of its neighbours."""
        for _ in range(_SNAPS):
            for layer in self._layers.layers:
                for vertex in layer:
                    around = (self._positions[other] for side in links for other in side.get(vertex, ()))
                    levels = Counter(around)
                    level = self._positions[vertex]
                    near = [each for each in levels if 0 < abs(each - level) <= self._gap]
                    best = max(near, key=levels.__getitem__, default=level)
                    if levels[best] > levels[level] and self._has_room(vertex, best):
                        self._positions[vertex] = best

    def _has_room(self, vertex: int, level: float) -> bool:
        layer, index = self._places[vertex]
        for other, sign in ((index - 1, 1), (index + 1, -1)):
            if 0 <= other < len(layer):
                needed = (self._size(vertex) + self._size(layer[other]) + self._gap) / 2
                if (level - self._positions[layer[other]]) * sign < needed:
                    return False
        return True


def _pack(
    layer: list[int],
    targets: list[_Target],
    size: Callable[[int], float],
    gap: float,
    positions: _Positions,
) -> None:
    """Put each vertex as near to its target as can be (least squares), in this order and without overlap.

    Take from every target the room that the vertices before it need; what is left must not fall from one
    vertex to the next. Neighbours that would fall are put together at their mean, until none does.
    """
    offset = 0.0
    offsets: list[float] = []
    blocks: list[tuple[float, float, int]] = []
    """Mean, weight and length of each run of vertices that are packed together."""
    for index, target in enumerate(targets):
        if index:
            offset += (size(layer[index - 1]) + size(layer[index])) / 2 + gap
        offsets.append(offset)
        block = (target.at - offset, target.weight, 1)
        while blocks and blocks[-1][0] > block[0]:
            mean, weight, length = blocks.pop()
            together = weight + block[1]
            block = ((mean * weight + block[0] * block[1]) / together, together, length + block[2])
        blocks.append(block)
    index = 0
    for mean, _, length in blocks:
        for vertex in layer[index : index + length]:
            positions[vertex] = mean + offsets[index]
            index += 1
