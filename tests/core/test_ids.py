"""Keys of runs: real UUIDs of version 7, in the order they were made."""

from __future__ import annotations

import uuid
from random import Random

import pytest

from holdfast.core.ids import KeyMaker
from holdfast.core.values import Instant

NOON = 1_700_000_000_123_000
"""An instant, in microseconds, at the beginning of a millisecond."""


@pytest.mark.parametrize(("rest", "fraction"), [(0, 0), (1, 4), (500, 2048), (999, 4091)])
def test_a_key_is_a_uuid_of_version_7_with_the_time_in_it(rest: int, fraction: int) -> None:
    key = KeyMaker(Random(1))(Instant(NOON + rest))

    read = uuid.UUID(bytes=key)
    assert read.version == 7
    assert read.variant == uuid.RFC_4122
    assert read.int >> 80 == NOON // 1000
    assert (read.int >> 64) & 0xFFF == fraction


def test_the_rest_of_a_key_counts_and_then_is_chance() -> None:
    keys = [int.from_bytes(KeyMaker(Random(seed))(Instant(NOON))) for seed in range(50)]

    chances = [key & (1 << 42) - 1 for key in keys]

    assert {(key >> 42) & 0xFFFFF for key in keys} == {1}
    assert len(set(chances)) == 50
    assert max(chances) >> 41 == 1


@pytest.mark.parametrize("step", [0, 1, 999, 1000, 86_400_000_000])
def test_keys_sort_in_the_order_they_were_made(step: int) -> None:
    make = KeyMaker(Random(1))

    keys = [make(Instant(NOON + number * step)) for number in range(2000)]

    assert keys == sorted(keys)
    assert len(set(keys)) == 2000


def test_a_clock_that_is_set_back_does_not_put_new_keys_before_old_ones() -> None:
    make = KeyMaker(Random(1))
    old = make(Instant(NOON))

    keys = [make(Instant(NOON - number * 1000)) for number in range(100)]

    assert [old, *keys] == sorted([old, *keys])
