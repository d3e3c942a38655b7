"""Cron against a scan that looks at the wall clock every minute, or every second, and knows no shortcut.

The scan does not read expressions: each field is drawn together with the numbers that it stands for. Of
daylight saving it knows only what a clock in the zone shows, from zoneinfo.
"""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from holdfast.core.timetable import Cron, Plan
from holdfast.core.values import Instant, instant

SECOND = 1_000_000
MINUTE = 60 * SECOND

CHANGES = [
    ("Europe/Berlin", "2026-03-29T01:00Z"),  # 02:00 becomes 03:00
    ("Europe/Berlin", "2026-10-25T01:00Z"),  # 03:00 becomes 02:00
    ("America/New_York", "2026-03-08T07:00Z"),
    ("America/New_York", "2026-11-01T06:00Z"),
    ("Australia/Lord_Howe", "2026-10-03T15:30Z"),  # 02:00 becomes 02:30
    ("Australia/Lord_Howe", "2026-04-04T15:00Z"),  # 02:00 becomes 01:30
    ("Africa/Cairo", "2026-04-23T22:00Z"),  # there is no midnight
    ("Africa/Cairo", "2026-10-29T21:00Z"),  # midnight becomes 23:00 of the day before
    ("America/Havana", "2026-03-08T05:00Z"),
    ("America/Havana", "2026-11-01T05:00Z"),  # midnight comes twice
    ("Antarctica/Troll", "2026-03-29T01:00Z"),  # by two hours
    ("Antarctica/Troll", "2026-10-25T01:00Z"),
    ("Pacific/Apia", "2011-12-30T10:00Z"),  # a whole day is left out
    ("Pacific/Kwajalein", "1969-09-30T13:00Z"),  # nearly a whole day comes twice
    ("Asia/Kathmandu", "1985-12-31T18:30Z"),  # by 15 minutes
    ("Asia/Tokyo", "2026-02-28T15:00Z"),  # nothing happens but the end of a month
]


# --- expressions, each with what it means


class Field(NamedTuple):
    text: str
    numbers: frozenset[int]


class Day(NamedTuple):
    text: str
    matches: Callable[[dt.date], bool]


class Expression(NamedTuple):
    seconds: Field | None
    minutes: Field
    hours: Field
    day: Day
    months: Field
    weekday: Day

    @property
    def text(self) -> str:
        return " ".join(field.text for field in self if field is not None)

    @property
    def is_fixed(self) -> bool:
        return not any(field.text.startswith("*") for field in self[:3] if field is not None)

    def has_day(self, date: dt.date) -> bool:
        both = self.day.text.startswith("*") or self.weekday.text.startswith("*")
        days = (self.day.matches(date), self.weekday.matches(date))
        return date.month in self.months.numbers and (all(days) if both else any(days))

    def names(self, wall: dt.datetime) -> bool:
        return (
            wall.minute in self.minutes.numbers
            and wall.hour in self.hours.numbers
            and wall.second in (self.seconds.numbers if self.seconds else {0})
            and self.has_day(wall.date())
        )


def fields(first: int, last: int, likely: list[int]) -> st.SearchStrategy[Field]:
    number = st.sampled_from(likely) | st.integers(first, last)
    steps = st.integers(1, last + 5)
    star = st.just(Field("*", frozenset(range(first, last + 1))))
    single = number.map(lambda n: Field(str(n), frozenset({n})))
    spans = st.tuples(number, number).map(sorted)
    span = spans.map(lambda ends: Field(f"{ends[0]}-{ends[1]}", frozenset(range(ends[0], ends[1] + 1))))

    def every(step: int, ends: list[int]) -> Field:
        # Of a single number, cron makes all from there on.
        stop = ends[1] if ends[0] != ends[1] else last
        return Field(f"{ends[0]}-{ends[1]}/{step}", frozenset(range(ends[0], stop + 1, step)))

    stepped = st.one_of(
        steps.map(lambda n: Field(f"*/{n}", frozenset(range(first, last + 1, n)))),
        st.tuples(number, steps).map(
            lambda t: Field(f"{t[0]}/{t[1]}", frozenset(range(t[0], last + 1, t[1])))
        ),
        st.builds(every, steps, spans),
    )
    one = single | span | stepped
    several = st.lists(one, min_size=2, max_size=3).map(
        lambda parts: Field(",".join(p.text for p in parts), frozenset().union(*(p.numbers for p in parts)))
    )
    return st.one_of(star, one, several)


MONTHS = ["", "JAN", "feb", "Mar", "APR", "may", "Jun", "JUL", "aug", "Sep", "OCT", "nov", "Dec"]
WEEKDAYS = ["SUN", "mon", "Tue", "WED", "thu", "Fri", "SAT"]


def last_of_month(date: dt.date) -> int:
    return calendar.monthrange(date.year, date.month)[1]


def is_last_working_day(date: dt.date) -> bool:
    days = [date.replace(day=n) for n in range(1, last_of_month(date) + 1)]
    return date == max(day for day in days if day.weekday() < 5)


def days_of_month() -> st.SearchStrategy[Day]:
    numbered = fields(1, 31, [1, 8, 24, 25, 28, 29, 30, 31]).map(
        lambda field: Day(field.text, lambda date: date.day in field.numbers)
    )
    last = Day("L", lambda date: date.day == last_of_month(date))
    return st.one_of(
        st.just(Day("*", lambda _: True)), numbered, st.just(last), st.just(Day("LW", is_last_working_day))
    )


def days_of_week() -> st.SearchStrategy[Day]:
    def weekday(date: dt.date) -> int:
        return date.isoweekday() % 7

    def nth(day: int, n: int) -> Day:
        return Day(f"{day}#{n}", lambda date: weekday(date) == day and (date.day - 1) // 7 == n - 1)

    def last(day: int) -> Day:
        return Day(f"{day}L", lambda date: weekday(date) == day and date.day + 7 > last_of_month(date))

    numbered = fields(0, 7, [0, 6, 7]).map(
        lambda field: Day(field.text, lambda date: bool({weekday(date), date.isoweekday()} & field.numbers))
    )
    day = st.integers(0, 6)
    return st.one_of(
        st.just(Day("*", lambda _: True)),
        numbered,
        day.map(lambda n: Day(WEEKDAYS[n], lambda date: weekday(date) == n)),
        st.builds(nth, day, st.integers(1, 5)),
        day.map(last),
    )


MINUTES = fields(0, 59, [0, 15, 29, 30, 59])
HOURS = fields(0, 23, [0, 1, 2, 3, 4, 22, 23])
ALL_MONTHS = Field("*", frozenset(range(1, 13)))
IN_MONTHS = st.one_of(
    st.just(ALL_MONTHS),
    fields(1, 12, [3, 4, 10, 11]),
    st.integers(1, 12).map(lambda n: Field(MONTHS[n], frozenset({n}))),
)
EVERY_DAY = st.just(Day("*", lambda _: True))


def expressions(*, with_seconds: bool) -> st.SearchStrategy[Expression]:
    seconds = fields(0, 59, [0, 30, 59]) if with_seconds else st.none()
    # Most on every day, or few would have a tick near the change of the clocks.
    return st.one_of(
        st.builds(Expression, seconds, MINUTES, HOURS, EVERY_DAY, st.just(ALL_MONTHS), EVERY_DAY),
        st.builds(Expression, seconds, MINUTES, HOURS, days_of_month(), IN_MONTHS, days_of_week()),
    )


# --- the scan


@lru_cache(maxsize=64)
def walls(zone: str, begin: Instant, end: Instant, step: int) -> list[dt.datetime]:
    """What a clock on the wall shows, at each step."""
    first = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    moments = (first + dt.timedelta(microseconds=at) for at in range(begin, end + 1, step))
    return [moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for moment in moments]


def scan(expression: Expression, zone: str, begin: Instant, end: Instant, step: int) -> list[Instant]:
    """The ticks after `begin` up to `end`, found by looking at every step."""
    shown = walls(zone, begin, end, step)
    pace = dt.timedelta(microseconds=step)
    is_fixed = expression.is_fixed
    highest = shown[0]
    found: list[Instant] = []
    for at, wall in zip(range(begin + step, end + 1, step), shown[1:], strict=True):
        if is_fixed:
            fires = any(expression.names(passed) for passed in up_to(wall, highest, pace))
            highest = max(highest, wall)
        else:
            fires = expression.names(wall)
        if fires:
            found.append(Instant(at))
    return found


def up_to(wall: dt.datetime, highest: dt.datetime, pace: dt.timedelta) -> Iterator[dt.datetime]:
    """What hands that never turn back pass on the way to `wall`."""
    while highest < wall:
        highest += pace
        yield highest


def agree(expression: Expression, zone: str, begin: Instant, end: Instant, step: int, seen: Instant) -> None:
    """Whether every way to ask gives what the scan finds. `seen` is somewhere between."""
    expected = scan(expression, zone, begin, end, step)
    try:
        plan = Plan(timetable=Cron(expression.text, zone))
    except ValueError as error:  # such as 30 February
        if "has no day" not in str(error) and "never come" not in str(error):
            raise
        plan = None
    if plan is None:
        assert expected == []
        return

    later = [tick for tick in expected if tick > seen]

    assert list(plan.ticks(begin, end)) == expected
    assert list(plan.ticks(seen, end)) == later
    assert next(iter(plan.ticks(seen, end)), None) == (later[0] if later else None)
    assert plan.count(begin, end) == len(expected)
    assert plan.count(seen, end) == len(later)
    assert plan.newest(begin, seen, 3) == [tick for tick in expected if tick <= seen][-3:]


around = st.integers(-3 * 24 * 60 * MINUTE, 3 * 24 * 60 * MINUTE)


@pytest.mark.parametrize(("zone", "change"), CHANGES, ids=str)
@examples(25)
@given(
    expression=expressions(with_seconds=False), distance=around | st.integers(-7200 * SECOND, 7200 * SECOND)
)
def test_cron_fires_when_a_scan_of_every_minute_says_so(
    zone: str, change: str, expression: Expression, distance: int
):
    at = instant(dt.datetime.fromisoformat(change))
    begin, end = Instant(at - 3 * 24 * 60 * MINUTE), Instant(at + 3 * 24 * 60 * MINUTE)

    agree(expression, zone, begin, end, MINUTE, Instant(at + distance))


@pytest.mark.parametrize(("zone", "change"), CHANGES[:10], ids=str)
@examples(15)
@given(expression=expressions(with_seconds=True), distance=st.integers(-5400 * SECOND, 5400 * SECOND))
def test_cron_with_seconds_fires_when_a_scan_of_every_second_says_so(
    zone: str, change: str, expression: Expression, distance: int
):
    at = instant(dt.datetime.fromisoformat(change))
    begin, end = Instant(at - 5400 * SECOND), Instant(at + 5400 * SECOND)

    agree(expression, zone, begin, end, SECOND, Instant(at + distance))


def test_the_scan_itself_sees_the_clocks_change():
    fixed = Expression(None, *_parts("30", {30}, "2", {2}))
    rhythm = Expression(None, *_parts("*/30", {0, 30}, "2", {2}))
    spring, autumn = (instant(dt.datetime.fromisoformat(change)) for _, change in CHANGES[:2])

    def hours_off(expression: Expression, change: Instant) -> list[float]:
        begin, end = Instant(change - 90 * MINUTE), Instant(change + 150 * MINUTE)
        return [(t - change) / MINUTE for t in scan(expression, "Europe/Berlin", begin, end, MINUTE)]

    assert hours_off(fixed, spring) == [0]
    assert hours_off(fixed, autumn) == [-30]
    assert hours_off(rhythm, spring) == []
    assert hours_off(rhythm, autumn) == [-60, -30, 0, 30]


def _parts(
    minutes: str, of_minutes: set[int], hours: str, of_hours: set[int]
) -> tuple[Field, Field, Day, Field, Day]:
    always = Day("*", lambda _: True)
    return (
        Field(minutes, frozenset(of_minutes)),
        Field(hours, frozenset(of_hours)),
        always,
        ALL_MONTHS,
        always,
    )
