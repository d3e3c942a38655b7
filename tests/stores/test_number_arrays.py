"""Long arrays of numbers are decoded and sorted in steps that hold the GIL for a short time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.stores import gil_pauses, number_arrays
from holdfast.stores.number_arrays import decode_numbers, sorted_numbers

MANY = 250_000
"""Attempts of a run."""


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9)), st.integers(1, 9), st.integers(1, 5))
def test_numbers_are_sorted_whatever_the_slices(numbers: list[int], size: int, sampled: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(number_arrays, "_SORTED_AT_ONCE", size)
        patch.setattr(number_arrays, "_SAMPLED", sampled)
        patch.setattr(number_arrays, "pause", lambda: None)
        patch.setattr(gil_pauses, "pause", lambda: None)

        assert sorted_numbers(numbers) == sorted(numbers)


@given(st.lists(st.integers(-99, 99) | st.none()), st.integers(0, 9), st.sampled_from([(",", ":"), None]))
def test_arrays_are_decoded_whole_whatever_the_slices(
    numbers: list[int | None], size: int, separators: tuple[str, str] | None
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(number_arrays, "_CHARACTERS_AT_ONCE", size)
        patch.setattr(number_arrays, "pause", lambda: None)

        found = decode_numbers(json.dumps(numbers, separators=separators))

        assert [each for some in found for each in some] == numbers


def longest_step(work: Callable[[], object], patch: pytest.MonkeyPatch) -> float:
    """The most processor time between two pauses."""
    paused = [time.thread_time()]
    for module in (number_arrays, gil_pauses):
        patch.setattr(module, "pause", lambda: paused.append(time.thread_time()))
    work()
    paused.append(time.thread_time())
    return max(end - begin for begin, end in pairwise(paused))


def test_no_step_of_a_long_sort_takes_long(monkeypatch: pytest.MonkeyPatch):
    dice = Random(1)
    numbers = [dice.randrange(100_000_000_000) for _ in range(MANY)]
    whole = time.thread_time()
    expected = sorted(numbers)
    whole = time.thread_time() - whole

    found: list[int] = []
    longest = longest_step(lambda: found.extend(sorted_numbers(numbers)), monkeypatch)

    assert found == expected
    assert longest < whole / 4


def test_no_step_of_a_long_array_takes_long(monkeypatch: pytest.MonkeyPatch):
    array = json.dumps([1_795_000_000_000_000 + number for number in range(MANY)])

    sizes: list[int] = []
    longest = longest_step(lambda: sizes.extend(map(len, decode_numbers(array))), monkeypatch)

    assert sum(sizes) == MANY
    assert max(sizes) < 5_000
    assert longest < 0.02
