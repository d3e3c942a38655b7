"""Signatures of webhooks, what answers mean, and what a message says."""

from __future__ import annotations

import base64
import datetime as dt

import pytest

from holdfast.core.alerts import Alert, Window, close_windows, ping_delivery, share_out
from holdfast.core.values import Instant, instant
from holdfast.core.webhooks import MOST_ATTEMPTS, Sent, pause_after, read_answer, signed_headers, signing_key
from holdfast.errors import BadOption

NOW = instant(dt.datetime(2030, 1, 31, 2, tzinfo=dt.UTC))


def test_a_signature_that_was_computed_elsewhere():
    """The example of the libraries of Standard Webhooks."""
    headers = signed_headers(
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        instant(dt.datetime.fromtimestamp(1614265330, dt.UTC)),
        b'{"test": 2432232314}',
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    )

    assert headers["webhook-timestamp"] == "1614265330"
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_is_base64_after_its_prefix_and_else_the_key_itself():
    assert signing_key("whsec_" + base64.b64encode(b"\x00\xff").decode()) == b"\x00\xff"
    assert signing_key("plain text") == b"plain text"
    with pytest.raises(BadOption) as refused:
        signing_key("whsec_not base64!")
    assert "not base64" not in str(refused.value)


def test_without_a_secret_there_is_no_signature():
    assert "webhook-signature" not in signed_headers("m", NOW, b"", None)


@pytest.mark.parametrize(
    ("status", "is_done", "is_final"),
    [
        (200, True, False),
        (204, True, False),
        (301, False, True),
        (400, False, True),
        (404, False, True),
        (408, False, False),
        (410, False, True),
        (425, False, False),
        (429, False, False),
        (500, False, False),
        (503, False, False),
    ],
)
def test_what_an_answer_means(status: int, is_done: bool, is_final: bool):
    sent = read_answer(status, {}, NOW)

    assert (not sent.problem, sent.is_final) == (is_done, is_final)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        ("99999", 3600.0),
        ("Thu, 31 Jan 2030 02:01:00 GMT", 60.0),
        ("Thu, 31 Jan 2020 02:01:00 GMT", 0.0),
        ("soon", 0.0),
        ("-5", 0.0),
        ("1" * 400, 0.0),
        ("²", 0.0),
    ],
)
def test_a_receiver_may_ask_for_a_pause(text: str, seconds: float):
    assert read_answer(503, {"retry-after": text}, NOW).retry_after == seconds


def test_pauses_grow_to_an_hour_and_take_about_a_day():
    pauses = [pause_after(attempt, Sent(500, "x"), 0.5) for attempt in range(1, MOST_ATTEMPTS)]

    assert pauses[:3] == [5.0, 15.0, 45.0]
    assert pauses == sorted(pauses)
    assert max(pauses) == 3600.0
    assert 20 * 3600 < sum(pauses) < 28 * 3600
    assert pause_after(1, Sent(429, "x", retry_after=100.0), 0.5) == 100.0


def test_the_source_of_an_event_is_a_uri():
    event = ping_delivery("my shop/ü", "ops", "1", NOW).event

    assert event["source"] == "/namespaces/my%20shop%2F%C3%BC"
    assert event["time"] == "2030-01-31T02:00:00Z"


def test_minutes_are_those_in_which_things_happened():
    minute = 60_000_000
    alerts = [Alert("failed", "k", f"r{n}", "w", Instant(n * minute // 4), f"m{n}") for n in range(8)]

    told, windows = share_out({}, "ops", 2, alerts)
    again, _ = share_out({}, "ops", 2, alerts[:6])
    over, still = close_windows(windows, Instant(minute + 10_000_000))

    assert [it.run for it in told] == ["r0", "r1", "r4", "r5"]
    assert [it.run for it in again] == ["r0", "r1", "r4", "r5"]
    assert [*over.values()] == [Window(0, 2, 2, ("r2", "r3"), "m2")]
    assert [*still.values()] == [Window(1, 2, 2, ("r6", "r7"), "m6")]
