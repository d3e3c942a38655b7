"""The judge of a soak: what leaks is seen, and what is only restless is not."""

from __future__ import annotations

from random import Random

import pytest
from tests.soak.judge import FEWEST_SAMPLES, Allowance, judge
from tests.soak.report import sparkline

TIMES = [10.0 * number for number in range(60)]
ALLOWANCE = Allowance(share=0.05, absolute=8)
LEVEL = 100.0


def noise(seed: int, size: float) -> list[float]:
    dice = Random(seed)
    return [dice.gauss(0, size) for _ in TIMES]


def test_a_flat_series_does_not_grow() -> None:
    assert not judge(TIMES, [LEVEL] * len(TIMES), ALLOWANCE).grows


@pytest.mark.parametrize("seed", range(20))
def test_noise_around_a_level_does_not_grow(seed: int) -> None:
    values = [LEVEL + each for each in noise(seed, 20)]

    assert not judge(TIMES, values, ALLOWANCE).grows


@pytest.mark.parametrize("seed", range(20))
def test_a_leak_under_noise_of_its_own_size_grows(seed: int) -> None:
    values = [LEVEL + 60 * at / TIMES[-1] + each for at, each in zip(TIMES, noise(seed, 15), strict=True)]

    verdict = judge(TIMES, values, ALLOWANCE)

    assert verdict.grows
    assert verdict.growth == pytest.approx(60, rel=0.5)


def test_a_leak_that_comes_in_jumps_grows() -> None:
    values = [LEVEL + 10 * (number // 6) for number in range(len(TIMES))]

    assert judge(TIMES, values, ALLOWANCE).grows


def test_growth_within_the_allowance_is_allowed() -> None:
    values = [LEVEL + 10 * at / TIMES[-1] for at in TIMES]

    verdict = judge(TIMES, values, ALLOWANCE)

    assert verdict.trend == 1
    assert not verdict.grows


def test_a_few_spikes_do_not_make_a_trend() -> None:
    values = [LEVEL + (1000 if number in (40, 50, 55) else 0) for number in range(len(TIMES))]

    assert not judge(TIMES, values, ALLOWANCE).grows


def test_a_saw_as_of_a_garbage_collector_does_not_grow() -> None:
    values = [LEVEL + 5 * (number % 10) for number in range(len(TIMES))]

    assert not judge(TIMES, values, ALLOWANCE).grows


def test_a_saw_that_starts_higher_each_time_grows() -> None:
    values = [LEVEL + 5 * (number % 10) + number for number in range(len(TIMES))]

    assert judge(TIMES, values, ALLOWANCE).grows


def test_a_series_that_falls_does_not_grow() -> None:
    assert not judge(TIMES, [LEVEL - at for at in TIMES], ALLOWANCE).grows


def test_too_few_samples_are_not_judged() -> None:
    few = FEWEST_SAMPLES - 1

    assert not judge(TIMES[:few], [10.0**number for number in range(few)], ALLOWANCE).grows
    assert not judge([], [], ALLOWANCE).grows


def test_a_long_series_is_judged_in_no_time() -> None:
    times = [float(number) for number in range(20_000)]

    assert judge(times, times, ALLOWANCE).grows


def test_a_sparkline_shows_the_shape() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█"
    assert sparkline([100.0] * 5) == "▁▁▁▁▁"
    assert len(sparkline(list(range(1000)), width=40)) == 40
    assert sparkline([]) == ""
