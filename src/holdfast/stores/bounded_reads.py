"""Reading payloads in one transaction: no more than a node has room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

LARGE = 2000
"""Bytes. Larger payloads are read a few at a time."""
_READ_AT_ONCE = 8
"""A payload may be larger than its stored size says, so only a few large ones are read before they are
counted."""


def read_within(room: int, sizes: Sequence[int], read: Callable[[int, int], int]) -> int:
    """Read payloads in order: at least one, and then as many as there is room for. Returns how many.

    `sizes` are the stored sizes. `read` reads those between two indexes, and returns how large they are."""
    start = 0
    while start < len(sizes) and (start == 0 or sizes[start] <= room):
        end = large = expected = 0
        for end in range(start, len(sizes)):
            expected += sizes[end]
            if large == _READ_AT_ONCE or (end > 0 and expected > room):
                break
            large += sizes[end] > LARGE
        else:
            end = len(sizes)
        room -= read(start, end)
        start = end
    return start
