"""Retry and task options: pure functions, so tables of cases say all of it."""

from __future__ import annotations

import datetime as dt
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.policies import (
    LONGEST_DELAY,
    Retry,
    TaskOptions,
    claim_limit,
    wait_after_loss,
    wait_after_setback,
)
from holdfast.core.values import Failure
from holdfast.errors import BadOption


class PaymentDeclined(ValueError):
    pass


DECLINED = Failure(f"{__name__}:PaymentDeclined", "card expired", bases=("builtins:ValueError",))


def seconds(value: float) -> dt.timedelta:
    return dt.timedelta(seconds=value)


@pytest.mark.parametrize(
    ("retry", "attempt", "expected"),
    [
        (Retry(), 1, None),
        (Retry(max_attempts=3, jitter=0), 1, seconds(1)),
        (Retry(max_attempts=3, jitter=0), 2, seconds(2)),
        (Retry(max_attempts=3, jitter=0), 3, None),
        (Retry(max_attempts=3, jitter=0), 4, None),
        (Retry(max_attempts=9, jitter=0, first_delay=seconds(0.5), factor=3), 3, seconds(4.5)),
        (Retry(max_attempts=9, jitter=0, factor=1), 8, seconds(1)),
        (Retry(max_attempts=99, jitter=0, max_delay=seconds(10)), 50, seconds(10)),
        (Retry(max_attempts=9, jitter=0, first_delay=seconds(0)), 5, seconds(0)),
        (Retry(max_attempts=9, jitter=0, first_delay=seconds(3600)), 2, seconds(3600)),
        (Retry(max_attempts=9, jitter=0, max_delay=seconds(0.5)), 1, seconds(0.5)),
        (Retry(max_attempts=9, jitter=0, first_delay=seconds(9), max_delay=seconds(4)), 1, seconds(4)),
        (Retry(max_attempts=10**6, jitter=0, factor=1000, max_delay=LONGEST_DELAY), 10**5, LONGEST_DELAY),
        (Retry(max_attempts=9, jitter=0, never_on=(KeyError,)), 1, seconds(1)),
        (Retry(max_attempts=9, never_on=(KeyError, ValueError)), 1, None),
        (Retry(max_attempts=9, never_on=("ValueError",)), 1, None),
        (Retry(max_attempts=9, never_on=(Exception,)), 1, None),
        (Retry(max_attempts=9, jitter=0, only_on=(KeyError, ValueError)), 1, seconds(1)),
        (Retry(max_attempts=9, jitter=0, only_on=("PaymentDeclined",)), 1, seconds(1)),
        (Retry(max_attempts=9, jitter=0, only_on=(Exception,)), 1, seconds(1)),
        (Retry(max_attempts=9, only_on=(KeyError,)), 1, None),
        (Retry(max_attempts=9, only_on=(ValueError,), never_on=(PaymentDeclined,)), 1, None),
        (Retry(max_attempts=9, never_on=(PaymentDeclined,)), 1, None),
        (Retry(max_attempts=9, never_on=("PaymentDeclined",)), 1, None),
        (Retry(max_attempts=9, never_on=(DECLINED.type,)), 1, None),
        (Retry(max_attempts=9, jitter=0, never_on=("other:PaymentDeclined",)), 1, seconds(1)),
        (Retry(max_attempts=9, jitter=0, never_on=("Declined",)), 1, seconds(1)),
    ],
)
def test_the_delay_after_a_failed_attempt(retry: Retry, attempt: int, expected: dt.timedelta | None) -> None:
    assert retry.delay_after(attempt, DECLINED, Random(1)) == expected


@given(
    attempt=st.integers(1, 10**6),
    first=st.timedeltas(min_value=dt.timedelta(0), max_value=LONGEST_DELAY),
    longest=st.timedeltas(min_value=dt.timedelta(0), max_value=LONGEST_DELAY),
    factor=st.floats(1, 1000),
    jitter=st.floats(0, 1),
    dice=st.randoms(use_true_random=False),
)
def test_every_allowed_policy_gives_a_delay_within_its_jitter(
    attempt: int, first: dt.timedelta, longest: dt.timedelta, factor: float, jitter: float, dice: Random
) -> None:
    retry = Retry(10**7, first_delay=first, factor=factor, max_delay=longest, jitter=jitter)

    delay = retry.delay_after(attempt, DECLINED, dice)

    assert delay is not None
    assert dt.timedelta(0) <= delay <= retry.max_delay * (1 + jitter) + dt.timedelta(microseconds=1)


def test_jitter_spreads_tasks_that_failed_together() -> None:
    retry, dice = Retry(max_attempts=2, jitter=0.5), Random(1)

    delays = {retry.delay_after(1, DECLINED, dice) for _ in range(100)}

    assert len(delays) > 90


@pytest.mark.parametrize(
    ("option", "options"),
    [
        ("Retry.max_attempts", {"max_attempts": 0}),
        ("Retry.max_attempts", {"max_attempts": 2**31}),
        ("Retry.first_delay", {"first_delay": seconds(-1)}),
        ("Retry.max_delay", {"max_delay": seconds(-1)}),
        ("Retry.max_delay", {"max_delay": dt.timedelta.max}),
        ("Retry.factor", {"factor": 0.5}),
        ("Retry.factor", {"factor": 1000.5}),
        ("Retry.factor", {"factor": float("nan")}),
        ("Retry.factor", {"factor": float("inf")}),
        ("Retry.jitter", {"jitter": -0.1}),
        ("Retry.jitter", {"jitter": 1.5}),
        ("Retry.jitter", {"jitter": float("nan")}),
    ],
)
def test_a_retry_policy_that_makes_no_sense_is_refused(option: str, options: dict[str, Any]) -> None:
    with pytest.raises(BadOption) as refused:
        Retry(**options)

    assert refused.value.option == option


@pytest.mark.parametrize(
    ("option", "options"),
    [
        ("timeout", {"timeout": seconds(0)}),
        ("start_timeout", {"start_timeout": seconds(-1)}),
        ("heartbeat", {"heartbeat": seconds(0)}),
        ("queue", {"queue": ""}),
        ("retry", {"retry": 3}),
        ("priority", {"priority": 0.5}),
        ("priority", {"priority": 2**40}),
    ],
)
def test_task_options_that_make_no_sense_are_refused(option: str, options: dict[str, Any]) -> None:
    with pytest.raises(BadOption) as refused:
        TaskOptions(**options)

    assert refused.value.option == option


def test_options_survive_the_journal_with_classes_as_names() -> None:
    options = TaskOptions(retry=Retry(max_attempts=3, never_on=(PaymentDeclined,)), timeout=seconds(5))

    again = msgspec.msgpack.decode(msgspec.msgpack.encode(options), type=TaskOptions)

    assert again == options
    assert again.retry.delay_after(1, DECLINED, Random(1)) is None


@pytest.mark.parametrize(
    ("lost", "longest"), [(1, None), (2, None), (3, 8), (5, 32), (8, 256), (9, 300), (2**31, 300)]
)
def test_a_task_that_was_lost_a_third_time_waits_by_chance_and_never_very_long(
    lost: int, longest: float | None
) -> None:
    waits = [wait_after_loss(lost, Random(seed)) for seed in range(200)]

    if longest is None:
        assert set(waits) == {None}
    else:
        found = [wait for wait in waits if wait is not None]
        assert len(found) == 200
        assert 0.9 * seconds(longest) < max(found) < seconds(longest)
        assert min(found) < 0.1 * seconds(longest)


def test_a_run_with_setbacks_is_taken_with_a_quarter_of_the_others_each_time() -> None:
    assert [claim_limit(500, setbacks) for setbacks in range(7)] == [500, 125, 31, 7, 1, 1, 1]
    assert claim_limit(500, 2**31) == 1


def test_a_run_that_fits_no_node_is_tried_again_ever_more_rarely_and_then_no_more() -> None:
    waits = [wait_after_setback(setbacks) for setbacks in range(9)]

    assert waits == [*[seconds(5 * 2**n) for n in range(7)], None, None]
