"""The channels between columns, in which edges run up and down, and the track of each edge there.

The edges of one vertex share a track. Edges that would touch have different tracks, in an order in which none
of them lies on a part of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

_MOST_ORDERED: Final = 150
"""A channel with more turns is not put in order: nobody can follow so many edges."""
_SAME: Final = 1.0
"""Levels that differ by less look the same."""


class Turn(NamedTuple):
    vertex: int
    level: float
    """Where the edges come from."""
    ends: tuple[float, ...]
    """The levels where they go on to the next column."""
    is_last: bool = False
    """It turns round to a box on the right, and should be next to it."""

    @property
    def low(self) -> float:
        return min(self.level, *self.ends)

    @property
    def high(self) -> float:
        return max(self.level, *self.ends)


def tracks_of(turns: Sequence[Turn]) -> dict[int, int]:
    """The track of each turn, by its vertex. The tracks of a channel are numbered from the left."""
    bent = [turn for turn in turns if turn.high - turn.low > _SAME]
    if len(bent) > _MOST_ORDERED:
        return {turn.vertex: index % _MOST_ORDERED for index, turn in enumerate(bent)}
    found: dict[int, int] = {}
    placed: list[Turn] = []
    waiting = sorted(bent, key=_preference)
    before = _before(waiting)
    while waiting:
        # A cycle of turns that should come before each other is cut at the first.
        turn = next((each for each in waiting if before[each.vertex] <= found.keys()), waiting[0])
        waiting.remove(turn)
        touched = [found[other.vertex] for other in placed if _touch(turn, other)]
        found[turn.vertex] = max(touched, default=-1) + 1
        placed.append(turn)
    return found


def _preference(turn: Turn) -> tuple[bool, bool, float]:
    """Of edges that lead down, the lowest turns first; of those that lead up, the highest. So they do not
    cross."""
    leads_down = turn.high - turn.level >= turn.level - turn.low
    return turn.is_last, not leads_down, -turn.level if leads_down else turn.level


def _before(turns: Sequence[Turn]) -> dict[int, set[int]]:
    """The turns that come before each: those from a level that it goes to must have left that level."""
    by_level: dict[int, list[Turn]] = {}
    for turn in turns:
        if not turn.is_last:
            by_level.setdefault(round(turn.level), []).append(turn)
    return {
        turn.vertex: {
            other.vertex
            for end in turn.ends
            for level in (round(end) - 1, round(end), round(end) + 1)
            for other in by_level.get(level, ())
            if other.vertex != turn.vertex
        }
        for turn in turns
    }


def _touch(one: Turn, other: Turn) -> bool:
    return one.low <= other.high + _SAME and other.low <= one.high + _SAME
