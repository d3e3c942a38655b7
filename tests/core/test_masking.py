"""What is found of a secret in text, in JSON, in lines and in pieces."""

from __future__ import annotations

import base64
import json
import urllib.parse
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.failures import capture
from holdfast.core.log_lines import OutputLine, pieces
from holdfast.core.masking import Mask, MaskedLines, MaskedText
from holdfast.core.values import Instant, Payload

SECRET = 'p4ss w/"ö+\\word'
MASK = Mask({"KEY": SECRET})

values = st.text(min_size=6, max_size=40).filter(lambda it: len(it.strip()) >= 6 and it.isprintable())


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        repr(SECRET),
        urllib.parse.quote(SECRET),
        urllib.parse.quote_plus(SECRET),
        urllib.parse.quote(SECRET, safe=""),
        SECRET.encode().hex(),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
        base64.b64encode(b"x:" + SECRET.encode()).decode(),
        base64.b64encode(b"user:" + SECRET.encode() + b"!").decode(),
        base64.b64encode(b"user1:" + SECRET.encode()).decode(),
        json.dumps(json.dumps({"token": SECRET})),
        json.dumps(json.dumps([SECRET], ensure_ascii=False), ensure_ascii=False),
        repr(repr(SECRET)),
        base64.b64encode(json.dumps({"token": SECRET}).encode()).decode(),
        json.dumps(SECRET).encode().hex(),
    ],
)
def test_a_value_is_found_in_its_usual_forms(form: str):
    masked = MASK.text(f"before {form} after")

    assert "***KEY***" in masked
    assert form not in masked
    assert "word" not in masked
    assert masked.startswith("before ")
    assert masked.endswith(" after")


def test_each_line_of_a_value_is_found_by_itself():
    mask = Mask({"PEM": "-----BEGIN KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\n-----END KEY-----\n"})

    assert mask.text("line BgkqhkiG9w0B") == "line ***PEM***"


@given(value=values, before=st.text(max_size=20), after=st.text(max_size=20))
def test_json_stays_json_and_has_no_value_in_it(value: str, before: str, after: str):
    mask = Mask({"KEY": value})
    payload = Payload(json.dumps({"a": [before + value + after, 5, None], value: 1.5}).encode())

    masked = json.loads(mask.payload(payload))

    assert value not in json.dumps(masked, ensure_ascii=False)
    assert "***KEY***" in masked
    assert masked["a"][1:] == [5, None]


def test_a_number_that_is_the_secret_becomes_text_and_others_stay_as_they_are():
    mask = Mask({"PIN": "123456"})

    assert mask.payload(Payload(b'[123456,-1.50e3,"a"]')) == b'["***PIN***",-1.50e3,"a"]'


@given(value=values, cuts=st.lists(st.integers(0, 60)), before=st.text(max_size=20))
def test_text_in_pieces_is_masked_as_if_it_came_at_once(value: str, cuts: list[int], before: str):
    text = f"{before}{value} and on"
    shown = MaskedText(Mask({"KEY": value}))

    ends = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    parts = [shown.feed("stdout", text[start:end]) for start, end in pairwise(ends)]
    written = "".join(parts) + "".join(rest for _, rest in shown.close())

    assert value not in written
    assert "***KEY***" in written


def test_a_value_that_is_cut_in_two_by_the_longest_line_is_masked_and_nothing_else_is_lost():
    line = "x" * (16 * 1024 - 3) + "hunter2-hunter2" + "y" * 10
    masked = MaskedLines(Mask({"KEY": "hunter2-hunter2"}))

    lines = [OutputLine(Instant(number), "stdout", text) for number, text in enumerate(pieces(line))]
    shown = [text for each in lines for text in masked.feed([each])] + masked.close()

    assert [each.text for each in shown] == ["x" * (16 * 1024 - 3) + "***KEY***", "y" * 10]


def test_only_a_line_that_may_go_on_as_a_value_is_held_back():
    masked = MaskedLines(Mask({"KEY": "hunter2-hunter2"}))
    first, second = (OutputLine(Instant(1), "stdout", text) for text in ("all is well", "I saw a hunter"))

    assert masked.feed([first, second]) == [first]
    assert masked.close() == [second]


def test_a_message_that_was_cut_within_a_value_has_none_of_it():
    failure = capture(RuntimeError("x" * (8 * 1024 - 10) + "hunter2-hunter2"))

    masked = Mask({"KEY": "hunter2-hunter2"}).failure(failure)

    assert masked.message.endswith("x***…")


def test_a_failure_is_masked_with_its_causes_arguments_and_notes():
    try:
        try:
            raise KeyError("hunter2-hunter2", 5)
        except KeyError as cause:
            error = ValueError("no hunter2-hunter2")
            error.add_note("hunter2-hunter2")
            raise error from cause
    except ValueError as error:
        failure = capture(error)

    masked = repr(Mask({"KEY": "hunter2-hunter2"}).failure(failure))

    assert "hunter2" not in masked.replace('"hunter2-hunter2"', "")
    assert "***KEY***" in masked
