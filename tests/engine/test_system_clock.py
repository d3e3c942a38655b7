"""The real clock: set by the database, deaf to whatever becomes of the machine's own."""

from __future__ import annotations

import time

import pytest

from holdfast.core.values import Instant
from holdfast.engine.system_clock import SystemClock, set_by_database

SECOND = 1_000_000


def test_it_begins_with_the_machines_time() -> None:
    assert abs(SystemClock().now() - time.time_ns() // 1000) < SECOND


def test_it_counts_on_when_the_machines_clock_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SystemClock()
    before = clock.now()

    monkeypatch.setattr(time, "time_ns", lambda: 0)

    assert before <= clock.now() < before + SECOND


def test_it_is_set_by_the_database_and_counts_on_from_there() -> None:
    count = [0]
    clock = SystemClock(lambda: count[0], None)

    clock.set_to(Instant(1_000 * SECOND))
    count[0] += 5_000_000_000

    assert clock.now() == 1_005 * SECOND
    assert clock.elapsed() == 5 * SECOND


def test_a_difference_that_the_way_to_the_database_may_have_made_is_none() -> None:
    clock = SystemClock(lambda: 0, None)
    clock.set_to(Instant(1_000 * SECOND))

    clock.set_to(Instant(1_000 * SECOND + 15_000))

    assert clock.now() == 1_000 * SECOND


async def test_over_a_slow_line_it_is_set_by_the_middle_of_the_round_trip() -> None:
    count = 0
    clock = SystemClock(lambda: count, None)

    async def ask() -> Instant:
        nonlocal count
        count += 2_000_000_000
        return Instant(1_000 * SECOND)

    await set_by_database(clock, ask)

    assert clock.now() == 1_001 * SECOND


@pytest.mark.parametrize(("wrong_by", "left"), [(999_000, 999_000), (-999_000, -999_000), (1_001_000, 0)])
async def test_it_is_left_alone_when_it_may_be_righter_than_the_answer(wrong_by: int, left: int) -> None:
    count, there = 0, 1_000 * SECOND
    clock = SystemClock(lambda: count, None)
    clock.set_to(Instant(there + wrong_by))

    async def ask() -> Instant:
        nonlocal count
        count += 2_000_000_000
        return Instant(there + SECOND)

    await set_by_database(clock, ask)

    assert clock.now() == there + 2 * SECOND + left


def test_elapsed_time_does_not_stand_still_and_is_not_set() -> None:
    clock = SystemClock()
    before = clock.elapsed()

    clock.set_to(Instant(0))
    time.sleep(0.002)

    assert 2_000 <= clock.elapsed() - before < 10 * SECOND


def test_sleep_that_the_database_knows_of_already_is_not_added_once_more() -> None:
    awake, all_time = 0, 0
    clock = SystemClock(lambda: awake, lambda: all_time)
    clock.set_to(Instant(1000 * SECOND))

    all_time += 3600 * 1_000_000_000  # while the database was asked
    clock.set_to(Instant(4600 * SECOND))
    clock.catch_up()

    assert clock.now() == 4600 * SECOND


def test_after_the_machine_has_slept_it_catches_up_and_elapsed_time_does_not() -> None:
    count, with_sleep = [0], [0]
    clock = SystemClock(lambda: count[0], lambda: with_sleep[0])
    clock.set_to(Instant(1_000 * SECOND))

    count[0] += 1_000_000_000
    with_sleep[0] += 3_601_000_000_000
    clock.catch_up()
    clock.catch_up()

    assert clock.now() == 1_001 * SECOND + 3_600 * SECOND
    assert clock.elapsed() == SECOND
