"""What is computed for a picture of a run."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.run_views import count_busy, median
from holdfast.core.values import Instant


@pytest.mark.parametrize(
    ("parts", "middle"),
    [([], None), ([[]], None), ([[7]], 7), ([[1, 9]], 1), ([[5], [], [1, 9]], 5), ([[2, 2], [2, 3]], 2)],
)
def test_the_median_of_sorted_parts(parts: list[list[int]], middle: int | None):
    assert median(parts) == middle


@given(st.lists(st.lists(st.integers(0, 10**13)).map(sorted), max_size=5))
def test_the_median_is_that_of_all_numbers_together(parts: list[list[int]]):
    numbers = [number for part in parts for number in part]

    assert median(parts) == (statistics.median_low(numbers) if numbers else None)


@pytest.mark.parametrize(
    ("spans", "most"),
    [
        ([(0, 10)], [1, 1]),
        ([(0, 5), (5, 10)], [1, 1]),
        ([(0, 6), (5, 10)], [1, 2]),
        ([(0, 2), (1, 3), (2, 4), (9, 10)], [2, 1]),
        ([(0, 1), (9, 10)], [1, 1]),
        ([(0, 1), (2, 3), (10, 10)], [1, 1]),
        ([(3, 3)], [0, 1]),
        ([(0, 10), (0, 10), (0, 4), (6, 10)], [3, 3]),
    ],
)
def test_those_that_run_at_once_are_counted(spans: list[tuple[int, int]], most: list[int]):
    begun = sorted(Instant(begin) for begin, _ in spans)
    ended = sorted(Instant(end) for _, end in spans)

    assert [*count_busy(begun, ended, begun[0], ended[-1] - begun[0], 2)] == most


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), min_size=1), st.integers(1, 60))
def test_the_most_at_once_is_what_a_look_at_every_instant_gives(spans: list[tuple[int, int]], bins: int):
    begun = sorted(Instant(begin) for begin, _ in spans)
    ended = sorted(Instant(begin + long) for begin, long in spans)

    found = [*count_busy(begun, ended, begun[0], ended[-1] - begun[0], bins)]

    at_instants = [sum(begin <= at < begin + long for begin, long in spans) for at in range(71)]
    assert len(found) == bins
    assert max(found) == max(at_instants)
    if bins == ended[-1] - begun[0]:
        assert found == at_instants[begun[0] : ended[-1]]
