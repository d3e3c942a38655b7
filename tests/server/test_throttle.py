"""Wrong keys from one address are slowed down, and nobody else is."""

from __future__ import annotations

import pytest

from holdfast.server.access.throttle import AnswerAfter, Slowdown, Throttle, TooMany, network_of

HERE, THERE = "192.0.2.1", "192.0.2.2"
AT_ONCE = AnswerAfter(0)


class Door:
    """A throttle, and its clock."""

    def __init__(self, most_addresses: int = 100) -> None:
        self.now = 1_000.0
        self.throttle = Throttle(lambda: self.now, most_addresses=most_addresses)

    def fail(self, address: str = HERE) -> Slowdown:
        return self.throttle.failed(address)

    def wait_out(self, answer: Slowdown) -> float:
        """As a caller that sends the next key after the answer. Returns how long it has waited."""
        seconds = answer.seconds if isinstance(answer, AnswerAfter) else answer.retry_after
        self.now += seconds
        return seconds


@pytest.fixture
def door() -> Door:
    return Door()


def test_the_first_five_wrong_keys_are_answered_at_once(door: Door) -> None:
    assert [door.fail() for _ in range(5)] == [AT_ONCE] * 5
    assert door.fail() == AnswerAfter(0.5)


def test_further_ones_wait_twice_as_long_each_up_to_eight_seconds(door: Door) -> None:
    waited = [door.wait_out(door.fail()) for _ in range(13)]

    assert waited == [0] * 5 + [0.5, 1, 2, 4, 8, 8, 8, 8]


def test_while_one_waits_others_are_refused_at_once(door: Door) -> None:
    for _ in range(5):
        door.fail()
    assert door.fail() == AnswerAfter(0.5)
    door.now += 0.2

    refused = door.fail()

    assert isinstance(refused, TooMany)
    assert refused.retry_after == pytest.approx(0.3)
    door.now += 0.3
    assert isinstance(door.fail(), AnswerAfter)


def test_of_a_flood_one_at_a_time_is_kept_waiting(door: Door) -> None:
    answers: list[Slowdown] = []
    for _ in range(60_000):  # a thousand a second for a minute
        answers.append(door.fail())
        door.now += 0.001

    late = [each for each in answers if isinstance(each, AnswerAfter) and each.seconds]
    assert 7 <= len(late) <= 12
    assert sum(each == AT_ONCE for each in answers) == 5
    assert max(each.retry_after for each in answers if isinstance(each, TooMany)) <= 8


def test_a_minute_after_the_last_failure_all_is_forgotten(door: Door) -> None:
    for _ in range(20):
        door.wait_out(door.fail())

    door.now += 60

    assert [door.fail() for _ in range(5)] == [AT_ONCE] * 5


def test_failures_that_are_spread_out_cost_nothing(door: Door) -> None:
    for _ in range(50):
        assert door.fail() == AT_ONCE
        door.now += 12


def test_another_address_is_not_concerned(door: Door) -> None:
    for _ in range(50):
        door.fail(HERE)

    assert [door.fail(THERE) for _ in range(5)] == [AT_ONCE] * 5


def test_whoever_has_one_address_of_a_network_has_all_of_it(door: Door) -> None:
    answers = [door.fail(f"2001:db8:0:1::{number:x}") for number in range(6)]

    assert answers == [AT_ONCE] * 5 + [AnswerAfter(0.5)]
    assert door.fail("2001:db8:0:2::1") == AT_ONCE


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("/run/holdfast.sock", "/run/holdfast.sock"),
        ("", ""),
        ("x" * 1000, "x" * 100),
    ],
)
def test_what_an_address_is_counted_as(address: str, network: str) -> None:
    assert network_of(address) == network


def test_those_are_forgotten_that_have_failed_least_recently() -> None:
    door = Door(most_addresses=3)
    for _ in range(6):
        door.fail("a")
    for other in ("b", "c"):
        door.fail(other)
    assert door.wait_out(door.fail("a")) > 0  # it is the most recent again
    door.fail("d")
    door.fail("e")

    assert len(door.throttle._failures) == 3
    assert door.wait_out(door.fail("a")) > 0


def test_no_more_than_ten_thousand_addresses_are_remembered() -> None:
    throttle = Throttle(lambda: 0.0)
    for number in range(30_000):
        throttle.failed(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")

    assert len(throttle._failures) == 10_000
