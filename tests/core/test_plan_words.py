"""Plans in English: what is common has words, and the words are never wrong."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from itertools import islice

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holdfast.core.plan_words import cron_words, plan_words, zone_words
from holdfast.core.timetable import Cron, Plan
from holdfast.core.values import instant
from holdfast.errors import BadOption

STARTS = [instant(dt.datetime(2026, month, day, tzinfo=dt.UTC)) for month, day in ((1, 1), (3, 28), (10, 24))]
"""The first days of the year, and those in which clocks change."""
END = instant(dt.datetime(2027, 1, 1, tzinfo=dt.UTC))


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("* * * * *", "every minute"),
        ("*/15 * * * *", "every 15 min"),
        ("0,15,30,45 * * * *", "every 15 min"),
        ("0 * * * *", "every hour"),
        ("@hourly", "every hour"),
        ("15,45 * * * *", "15 and 45 min past every hour"),
        ("0 */6 * * *", "every 6 hours"),
        ("30 */8 * * *", "every 8 hours from 00:30"),
        ("0 7-19 * * *", "every hour from 07:00 to 19:00"),
        ("*/15 9-17 * * 1-5", "every 15 min from 09:00 to 17:45 on weekdays"),
        ("* 9 * * *", "every minute from 09:00 to 09:59"),
        ("0 2 * * *", "every day at 02:00"),
        ("@daily", "every day at 00:00"),
        ("0 6,14,18 * * *", "at 06:00, 14:00 and 18:00"),
        ("0,30 6 * * *", "at 06:00 and 06:30"),
        ("0 6 * * MON-FRI", "every weekday at 06:00"),
        ("0 6 * * 1", "every Monday at 06:00"),
        ("0 6 * * 7", "every Sunday at 06:00"),
        ("@weekly", "every Sunday at 00:00"),
        ("0 6 * * 0,6", "every Saturday and Sunday at 06:00"),
        ("0 6 * * 1-4", "Monday to Thursday at 06:00"),
        ("0 * * * 1,3,5", "every hour on Mondays, Wednesdays and Fridays"),
        ("0 0 1 * *", "1st of the month at 00:00"),
        ("0 0 1,2,3,15 * *", "1st, 2nd, 3rd and 15th of the month at 00:00"),
        ("0 0 11,12,13,22 * *", "11th, 12th, 13th and 22nd of the month at 00:00"),
        ("0 0 1,L * *", "1st and last day of the month at 00:00"),
        ("30 23 LW * *", "last weekday of the month at 23:30"),
        ("0 0 L * *", "last day of the month at 00:00"),
        ("0 9 * * 5L", "last Friday of the month at 09:00"),
        ("0 9 * * 1#2", "second Monday of the month at 09:00"),
        ("0 * L * *", "every hour on the last day of the month"),
        ("@yearly", "on 1 January at 00:00"),
        ("0 0 * 7 *", "every day at 00:00 in July"),
        ("0 0 1 1,7 *", "1st of the month at 00:00 in January and July"),
        ("0 6 * 6-8 1-5", "every weekday at 06:00 from June to August"),
        ("*/10 * * * * *", "every 10 s"),
        ("0 0 2 * * *", "every day at 02:00"),
        # No simple words.
        ("0 */5 * * *", "0 */5 * * *"),
        ("0 0 1-7 * 1", "0 0 1-7 * 1"),
        ("*/7  * * * *", "*/7 * * * *"),
        ("0 0-23 * * *", "0 0-23 * * *"),
        ("10 0 2 * * *", "10 0 2 * * *"),
        ("0 0 */2 * *", "0 0 */2 * *"),
    ],
)
def test_what_is_common_has_words(expression: str, words: str) -> None:
    assert cron_words(expression) == words


def test_the_words_of_a_plan_say_whose_clocks_count() -> None:
    assert plan_words(Plan.of(cron="0 2 * * *", timezone="Europe/Berlin")) == "every day at 02:00, Berlin"
    assert plan_words(Plan.of(cron="@hourly")) == "every hour, UTC"
    assert plan_words(Plan.of(cron="@hourly", timezone="America/Argentina/Buenos_Aires")).endswith(
        ", Buenos Aires"
    )


@pytest.mark.parametrize(
    ("every", "words"),
    [
        (dt.timedelta(seconds=1), "every second"),
        (dt.timedelta(seconds=90), "every 90 s"),
        (dt.timedelta(seconds=1.5), "every 1.5 s"),
        (dt.timedelta(minutes=15), "every 15 min"),
        (dt.timedelta(hours=1), "every hour"),
        (dt.timedelta(hours=36), "every 36 hours"),
        (dt.timedelta(days=7), "every 7 days"),
    ],
)
def test_an_interval_has_words(every: dt.timedelta, words: str) -> None:
    assert plan_words(Plan.of(every=every)) == words


def test_an_interval_says_what_it_is_counted_from() -> None:
    plan = Plan.of(every=dt.timedelta(hours=1), start=dt.datetime(2026, 3, 17, 8, 20, tzinfo=dt.UTC))

    assert plan_words(plan) == "every hour, counted from 2026-03-17 08:20:00 UTC"


def test_zones_of_one_name_have_the_same_clocks() -> None:
    """America/Buenos_Aires and America/Argentina/Buenos_Aires are one zone; US/Eastern and Canada/Eastern
    are not."""
    by_words: dict[str, list[str]] = {}
    for name in sorted(zoneinfo.available_timezones()):
        by_words.setdefault(zone_words(name), []).append(name)

    begin = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    moments = [begin + dt.timedelta(hours=6 * n) for n in range(4 * 365)]
    for words, names in by_words.items():
        offsets = {
            tuple(at.astimezone(zoneinfo.ZoneInfo(name)).utcoffset() for at in moments)
            for name in names
            if len(names) > 1
        }
        assert len(offsets) < 2, f"{words}: {names}"


MINUTES = ["0", "*", "*/15", "0,15,30,45", "0/15", "*/60", "30", "0,30", "15,45", "0-59", "*/7", "5"]
HOURS = ["*", "0-23", "*/6", "0,6,12,18", "*/24", "0", "2", "9-17", "9,10,11", "6,14,18", "*/5", "1-23/2"]
DATES = ["*", "1", "1,15", "L", "LW", "1,L", "1-31", "*/2", "31", "29", "1-7", "LW,L"]
MONTHS = ["*", "1-12", "JAN", "1,7", "6-8", "6,7,8", "2", "*/3"]
WEEKDAYS = [
    "*",
    "0-6",
    "1-5",
    "MON-FRI",
    "1,2,3,4,5",
    "0",
    "7",
    "6,7",
    "6,0",
    "1-4",
    "5L",
    "1#2",
    "5#5",
    "1,5L",
]
FIELDS = [MINUTES, HOURS, DATES, MONTHS, WEEKDAYS]
SECONDS = [None, None, None, "0", "*/60", "*/10", "0,10,20,30,40,50", "30"]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two expressions that differ in few fields, often in the spelling only."""
    first = [draw(st.sampled_from(field)) for field in FIELDS]
    second = [
        draw(st.sampled_from(field)) if draw(st.booleans()) else same
        for same, field in zip(first, FIELDS, strict=True)
    ]
    seconds = draw(st.tuples(st.sampled_from(SECONDS), st.sampled_from(SECONDS)))
    texts = [
        " ".join([*([] if s is None else [s]), *each])
        for s, each in zip(seconds, (first, second), strict=True)
    ]
    return texts[0], texts[1]


@given(pairs(), st.sampled_from(["Europe/Berlin", "UTC", "America/Havana"]))
def test_two_expressions_with_the_same_words_fire_at_the_same_times(
    expressions: tuple[str, str], timezone: str
) -> None:
    try:
        first, second = (Cron(expression, timezone) for expression in expressions)
    except BadOption:
        assume(False)
        raise
    assume(cron_words(first.expression) == cron_words(second.expression))

    for start in STARTS:
        both = [list(islice(cron.ticks(start, END), 5_000)) for cron in (first, second)]
        assert both[0] == both[1], expressions
