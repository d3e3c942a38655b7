"""What a picture of one run shows: its tasks by name, how many ran at once, and each task in brief.

Rows that stores return, and what is computed of them. Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.core.values import Instant


class GroupRow(NamedTuple):
    """The tasks of one name, the children of one workflow, or the questions of one name. Times are in
    microseconds."""

    name: str
    """Empty for all names that have no row of their own."""
    first_seq: int
    last_seq: int
    size: int
    pending: int
    dispatched: int
    running: int
    success: int
    failed: int
    skipped: int
    cancelled: int
    retried: int
    """How many took more than one attempt."""
    lost: int
    """How many attempts were lost with their node."""
    asked_at: Instant
    began_at: Instant | None
    ended_at: Instant | None
    """None while one of them is open."""
    slowest_seq: int | None
    slowest_took: int | None
    median_took: int | None


class GroupRows(NamedTuple):
    tasks: Sequence[GroupRow]
    children: Sequence[GroupRow]
    questions: Sequence[GroupRow]


def median(parts: Sequence[Sequence[int]]) -> int | None:
    """The middle one of all numbers; of the two in the middle, the smaller. Each part is sorted, because to
    sort all numbers at once would hold the GIL for long."""
    count = sum(map(len, parts))
    if not count:
        return None
    rank = (count + 1) // 2
    low = min(part[0] for part in parts if part)
    high = max(part[-1] for part in parts if part)
    while low < high:
        middle = (low + high) // 2
        if sum(bisect_right(part, middle) for part in parts) >= rank:
            high = middle
        else:
            low = middle + 1
    return low
