"""What is computed for a picture of a run."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.run_views import median


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
