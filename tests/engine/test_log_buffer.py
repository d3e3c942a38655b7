"""What tasks say on its way into the store: the log of one attempt, and the book of all of them."""

from __future__ import annotations

import datetime as dt
import logging
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.log_lines import LimitedLog, OutputLine
from holdfast.core.policies import DEFAULT_OPTIONS
from holdfast.core.records import new_run
from holdfast.core.values import NULL, Instant, RunKey
from holdfast.engine.inbox import EngineInbox
from holdfast.engine.log_buffer import LogBuffer
from holdfast.engine.resident import LiveAttempt, Resident, Stage
from holdfast.ports.executor import Attempt
from holdfast.testing.clock import ManualClock

KEY = RunKey(bytes(16))
EVERY = dt.timedelta(milliseconds=250)
TAIL = 200
TAIL_CHARACTERS = 32_000
LINE = 32
"""What a line counts for besides its text, when it is decided what is kept."""

say = logging.getLogger("shop").warning


def lines(*texts: str) -> list[OutputLine]:
    return [OutputLine(Instant(number), "stdout", text) for number, text in enumerate(texts)]


def numbered(first: int, last: int, width: int = 8) -> list[OutputLine]:
    """Each of `width` characters, and one for its end. Those of the usual width count for 40."""
    return lines(*(f"{number:0{width}}" for number in range(first, last)))


def texts(taken: bytes | None) -> list[str]:
    return [] if taken is None else [text for _, _, text in msgspec.json.decode(taken)]


# --- one attempt


def test_lines_are_taken_in_order_and_each_once() -> None:
    log = LimitedLog(1000)
    log.add(lines("a", "b"))

    first = log.take(is_over=False)
    nothing = log.take(is_over=False)
    log.add([OutputLine(Instant(7), "stderr", "grüße \x00")])
    last = log.take(is_over=True)

    assert (texts(first), nothing) == (["a", "b"], None)
    assert last is not None
    assert msgspec.json.decode(last) == [[7, "stderr", "grüße \x00"]]


def test_of_one_who_says_too_much_the_first_and_the_last_lines_are_kept_and_the_cut_is_announced() -> None:
    log = LimitedLog(4000)
    log.add(numbered(0, 1000))

    found = texts(log.take(is_over=True))

    assert found[:100] == [line.text for line in numbered(0, 100)]
    assert found[100] == "… 700 lines (6,300 characters) were cut here"
    assert found[101:] == [line.text for line in numbered(800, 1000)]


def test_the_cut_is_announced_by_holdfast_and_in_its_place_in_time() -> None:
    log = LimitedLog(10)
    log.add([OutputLine(Instant(number), "stdout", "123456789") for number in range(300)])

    taken = log.take(is_over=True)

    assert taken is not None
    decoded: list[list[Any]] = msgspec.json.decode(taken)
    assert decoded[1][1] == "holdfast"
    assert [at for at, _, _ in decoded] == sorted(at for at, _, _ in decoded)


def test_the_end_is_kept_back_while_the_attempt_goes_on_and_the_beginning_is_not() -> None:
    log = LimitedLog(4000)
    log.add(numbered(0, 150))

    while_it_runs = texts(log.take(is_over=False))
    log.add(numbered(150, 160))
    again = log.take(is_over=False)
    at_the_end = texts(log.take(is_over=True))

    assert while_it_runs == [line.text for line in numbered(0, 100)]
    assert again is None
    assert at_the_end == [line.text for line in numbered(100, 160)]  # nothing was cut, so nothing is said


def test_long_lines_at_the_end_are_bounded_by_their_size() -> None:
    log = LimitedLog(0)
    log.add(numbered(0, 100, width=9_999))

    found = texts(log.take(is_over=True))

    assert found[0] == "… 97 lines (970,000 characters) were cut here"
    assert [len(text) for text in found[1:]] == [9_999] * 3


def test_empty_lines_take_room_too() -> None:
    log = LimitedLog(LINE * 1000)
    log.add(lines(*[""] * 10_000))

    found = texts(log.take(is_over=True))

    assert found[:1000] == [""] * 1000
    assert found[1000] == "… 8,800 lines (8,800 characters) were cut here"
    assert found[1001:] == [""] * TAIL


def test_what_is_said_after_the_end_is_counted_for_itself() -> None:
    log = LimitedLog(4000)
    log.add(numbered(0, 1000))
    log.take(is_over=True)

    log.add(lines("last words"))
    few = texts(log.take(is_over=True))
    log.add(numbered(0, 250, width=99))
    many = texts(log.take(is_over=True))

    assert few == ["last words"]
    assert many[0] == "… 50 lines (5,000 characters) were cut here"
    assert len(many) == 1 + TAIL


@given(
    sizes=st.lists(st.integers(0, 300) | st.just(16_000), max_size=700),
    limit=st.integers(0, 20_000),
    dice=st.randoms(use_true_random=False),
)
def test_whatever_is_said_and_whenever_it_is_taken_no_more_is_kept_than_promised(
    sizes: list[int], limit: int, dice: Any
) -> None:
    said = [f"{number:05}" + "x" * size for number, size in enumerate(sizes)]
    log = LimitedLog(limit)
    kept: list[str] = []
    for text in said:
        log.add(lines(text))
        if dice.random() < 0.1:
            kept += texts(log.take(is_over=False))
    kept += texts(log.take(is_over=True))

    own = [text for text in kept if not text.startswith("… ")]
    longest = max((len(text) + LINE for text in said), default=0)
    assert sum(len(text) + LINE for text in own) <= limit + longest + max(TAIL_CHARACTERS, longest)
    assert own == [text for text in said if text in set(own)], "in order, and none twice"
    assert said[-1:] == own[-1:], "the last line is always there"
    cut = [text for text in kept if text.startswith("… ")]
    assert len(cut) == (1 if len(own) < len(said) else 0)
    for words in cut:
        missing = len(said) - len(own)
        characters = sum(len(text) + 1 for text in said) - sum(len(text) + 1 for text in own)
        assert words == f"… {missing:,} lines ({characters:,} characters) were cut here"


# --- the buffer


class CountingInbox(EngineInbox):
    wakes = 0

    def wake(self) -> None:
        self.wakes += 1


class Page:
    """A log buffer on a clock that stands still, and attempts that log."""

    def __init__(self, limit: int = 1000) -> None:
        self.clock = ManualClock()
        self.inbox = CountingInbox()
        self.book = LogBuffer(self.clock, EVERY, limit, self.inbox)
        record = new_run(KEY, "default", None, "flow", "1", "flow", NULL, self.clock.now(), owner="node")
        self.resident = Resident(record, None)  # pyright: ignore[reportArgumentType]

    @property
    def wakes(self) -> int:
        return self.inbox.wakes

    def attempt(self, seq: int = 0) -> LiveAttempt:
        return self.resident.new_attempt(seq, "work", NULL, DEFAULT_OPTIONS)

    def take(self) -> list[LiveAttempt]:
        return list(self.book.take_due(self.clock.now()))


def test_what_is_said_within_a_quarter_of_a_second_is_written_together() -> None:
    page = Page()
    attempt = page.attempt()
    page.book.log(attempt, lines("a"))
    due = page.book.next_due()
    page.clock.advance(EVERY / 2)
    page.book.log(attempt, lines("b"))

    early = page.take()
    page.clock.advance(EVERY / 2)
    in_time = page.take()

    assert due == page.clock.now()
    assert early == []
    assert in_time == [attempt]
    assert texts(attempt.log.take(is_over=False)) == ["a", "b"]
    assert page.book.next_due() is None
    assert page.wakes == 1


def test_whoever_speaks_again_after_that_is_written_again() -> None:
    page = Page()
    attempt = page.attempt()
    written: list[list[str]] = []
    for word in ("a", "b", "c"):
        page.book.log(attempt, lines(word))
        page.clock.advance(EVERY)
        written += [texts(each.log.take(is_over=False)) for each in page.take()]

    assert written == [["a"], ["b"], ["c"]]
    assert page.wakes == 3


def test_each_attempt_waits_for_itself_and_the_engine_is_woken_only_for_the_first() -> None:
    page = Page()
    first, second = page.attempt(0), page.attempt(1)
    page.book.log(first, lines("a"))
    page.clock.advance(EVERY / 2)
    page.book.log(second, lines("b"))

    page.clock.advance(EVERY / 2)
    at_once = page.take()
    page.clock.advance(EVERY / 2)
    later = page.take()

    assert (at_once, later) == ([first], [second])
    assert page.wakes == 1


def test_what_was_written_with_the_end_of_its_attempt_is_not_due_any_more() -> None:
    page = Page()
    attempt = page.attempt()
    page.book.log(attempt, lines("a"))
    attempt.log.take(is_over=True)

    page.clock.advance(EVERY)

    assert page.take() == []


def test_last_words_of_an_attempt_that_was_given_up_are_written() -> None:
    page = Page()
    attempt = page.attempt()
    page.book.log(attempt, lines("a"))
    attempt.stage = Stage.CLOSED
    attempt.log.take(is_over=True)
    page.clock.advance(EVERY)
    page.take()

    page.book.log(attempt, lines("cleaning up"))
    page.clock.advance(EVERY)

    assert page.take() == [attempt]
    assert texts(attempt.log.take(is_over=True)) == ["cleaning up"]


def test_last_words_of_one_that_had_said_too_much_are_written_too() -> None:
    page = Page(limit=4000)
    attempt = page.attempt()
    page.book.log(attempt, numbered(0, 1000))
    attempt.stage = Stage.CLOSED
    attempt.log.take(is_over=True)
    page.clock.advance(EVERY)
    page.take()

    page.book.log(attempt, lines("cleaning up"))
    page.clock.advance(EVERY)

    assert page.take() == [attempt]
    assert texts(attempt.log.take(is_over=True)) == ["cleaning up"]


def test_the_end_of_one_that_says_too_much_makes_no_work_while_it_goes_on() -> None:
    page = Page(limit=4000)
    attempt = page.attempt()
    page.book.log(attempt, numbered(0, 1000))
    page.clock.advance(EVERY)
    for each in page.take():
        each.log.take(is_over=False)

    page.book.log(attempt, lines("and more"))

    assert page.book.next_due() is None


def test_what_is_said_of_a_run_that_is_gone_or_by_a_stranger_is_dropped() -> None:
    page = Page()
    stranger = Attempt(KEY, None, "default", "flow", "1", 0, "work", NULL, DEFAULT_OPTIONS, 1)
    waiting, late = page.attempt(0), page.attempt(1)
    page.book.log(waiting, lines("a"))
    page.resident.is_gone = True

    page.book.log(stranger, lines("b"))
    page.book.log(late, lines("c"))
    page.clock.advance(EVERY)

    assert page.take() == []
    assert late.log is None
