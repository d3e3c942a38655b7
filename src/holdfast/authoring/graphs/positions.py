"""The last step of the layout: where each vertex lies across its layer.

A vertex is put as near to its neighbours as the order of its layer and the room between allow. That is a
regression with an order constraint, which has an exact solution for one layer; the layers are swept forwards
and backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from holdfast.authoring.graphs.layers import MOST_SWEPT, Layers, Links, links_of

_SWEEPS: Final = 12
_SETTLING: Final = 30
"""How many sweeps consider the neighbours on both sides after that. Otherwise the last sweep would decide."""
_STRAIGHTNESS: Final = 4.0
"""How much stronger a bend is drawn to the level of its neighbours than a node is; between two bends,
squared."""
_INERTIA: Final = 0.1
"""How strongly a vertex without neighbours on that side stays where it is."""

_Positions: TypeAlias = dict[int, float]
_Sides: TypeAlias = Literal["before", "after", "both"]


def positions_across(layers: Layers, size: Callable[[int], float], gap: float) -> _Positions:
    """The middle of each vertex, which has this size across its layer. The first vertex begins at 0.

    Between two vertices is the gap, or half of it where that makes a long edge straight.
    """
    positions: _Positions = {}
    for layer in layers.layers:
        _pack(layer, [_Target(0.0, 1.0)] * len(layer), size, gap, positions)
    if sum(map(len, layers.layers)) <= MOST_SWEPT:
        pulls = _pulls(layers, links_of(layers.routes.values()))
        for sweep in range(_SWEEPS + _SETTLING):
            sides = "both" if sweep >= _SWEEPS else "before" if sweep % 2 == 0 else "after"
            for layer in layers.layers if sweep % 2 == 0 else layers.layers[::-1]:
                targets = [_target(positions, vertex, pulls[vertex], sides) for vertex in layer]
                _pack(layer, targets, size, gap, positions)
    _straighten(layers, positions, gap / 2)
    first = min(at - size(vertex) / 2 for vertex, at in positions.items())
    return {vertex: at - first for vertex, at in positions.items()}


class _Target(NamedTuple):
    at: float
    weight: float


class _Pull(NamedTuple):
    """How strongly a neighbour draws a vertex to its own level."""

    neighbour: int
    weight: float
    is_before: bool


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
    felt = [pull for pull in pulls if sides == "both" or pull.is_before == (sides == "before")]
    if not felt:
        return _Target(positions[vertex], _INERTIA)
    weight = sum(pull.weight for pull in felt)
    return _Target(sum(positions[pull.neighbour] * pull.weight for pull in felt) / weight, weight)


def _straighten(layers: Layers, positions: _Positions, most: float) -> None:
    """Put the bends of an edge on one level if they nearly are: a small step in a long line looks like a
    mistake."""
    for route in layers.routes.values():
        bends = route[1:-1]
        levels = [positions[bend] for bend in bends]
        if bends and max(levels) - min(levels) <= most:
            positions.update(dict.fromkeys(bends, sum(levels) / len(levels)))


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
