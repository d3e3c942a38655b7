"""What a picture of one run shows: its tasks by name, how many ran at once, and each task in brief.

Rows that stores return, and what is computed of them. Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
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


class GrainRow(NamedTuple):
    """Tasks of one name, in order, as columns."""

    first_seq: int | None
    took: Sequence[float | None]
    """In seconds, to the millisecond: the last attempt of each that has ended."""
    states: str
    """A letter each: p d r s f k c, as in pending, dispatched, running, success, failed, skipped (k) and
    cancelled."""
    retried: Sequence[int]
    """The places of those that took more than one attempt."""
    tries: Sequence[int]
    """How many attempts each of those took."""


class NeighbourIds(NamedTuple):
    previous: str | None
    next: str | None


class BusyBins(NamedTuple):
    """How many attempts ran at once, in equal bins."""

    begin: Instant
    """When the first one began."""
    end: Instant
    """When the last one ended."""
    most_in: Sequence[int]
    """The most that ran at once in each bin."""


def count_busy(
    begun: Sequence[Instant], ended: Sequence[Instant], begin: Instant, width: int, bins: int
) -> Iterator[int]:
    """The most attempts that ran at once in each bin of a span, of `begun` and `ended`, both sorted. One that
    ends when another begins does not count with it. An iterator, so that the caller may pause in between."""
    running = next_begun = next_ended = 0
    for number in range(1, bins + 1):
        until = begin + width * number // bins
        most = running
        while next_begun < len(begun) and (begun[next_begun] < until or number == bins):
            while next_ended < next_begun and ended[next_ended] <= begun[next_begun]:
                next_ended += 1
            next_begun += 1
            running = next_begun - next_ended
            most = max(most, running)
        while next_ended < next_begun and ended[next_ended] <= until:
            next_ended += 1
        running = next_begun - next_ended
        yield most


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
