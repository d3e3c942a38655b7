"""Timetables and plans: what is refused, the rule for days on which clocks change, jitter, bounds."""

from __future__ import annotations

import datetime as dt
from itertools import islice, pairwise
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from cronsim import CronSim
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from holdfast.core.mistakes import all_of
from holdfast.core.timetable import Catchup, CatchupMode, Cron, Every, Overlap, Plan, fires_at
from holdfast.core.values import FIRST_INSTANT, LAST_INSTANT, Instant, instant, moment
from holdfast.errors import BadOption

SECOND = 1_000_000


def utc(text: str) -> Instant:
    return instant(dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC))


def seconds(value: float) -> dt.timedelta:
    return dt.timedelta(seconds=value)


def cron(expression: str, timezone: str = "UTC", **options: Any) -> Plan:
    return Plan(timetable=Cron(expression, timezone), **options)


def shown(plan: Plan, after: str, until: str) -> list[Any]:
    """The ticks as the clocks of the plan's zone show them, with their offset."""
    assert isinstance(plan.timetable, Cron)
    zone = ZoneInfo(plan.timetable.timezone)
    return [
        moment(tick).astimezone(zone).strftime("%d %H:%M %z") for tick in plan.ticks(utc(after), utc(until))
    ]


# --- cron


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("* * * * *", ["2026-01-01 00:01", "2026-01-01 00:02"]),
        ("30 2 * * *", ["2026-01-01 02:30", "2026-01-02 02:30"]),
        ("0 9-17/4 * * mon-FRI", ["2026-01-01 09:00", "2026-01-01 13:00"]),
        ("0 0 1,15 * *", ["2026-01-15 00:00", "2026-02-01 00:00"]),
        ("0 0 L * *", ["2026-01-31 00:00", "2026-02-28 00:00"]),
        ("0 0 LW * *", ["2026-01-30 00:00", "2026-02-27 00:00"]),
        ("0 0 * * 5L", ["2026-01-30 00:00", "2026-02-27 00:00"]),
        ("0 0 * * 1#2", ["2026-01-12 00:00", "2026-02-09 00:00"]),
        ("0 0 13 * FRI", ["2026-01-02 00:00", "2026-01-09 00:00"]),  # or
        ("0 0 * feb,Aug 0", ["2026-02-01 00:00", "2026-02-08 00:00"]),
        ("0 0 29 2 *", ["2028-02-29 00:00", "2032-02-29 00:00"]),
        ("0 0 29 2 */3", ["2032-02-29 00:00", "2040-02-29 00:00"]),  # and: a Sunday, Wednesday or Saturday
        ("*/20 0 0 * * *", ["2026-01-01 00:00:20", "2026-01-01 00:00:40"]),
        ("@hourly", ["2026-01-01 01:00", "2026-01-01 02:00"]),
        ("@daily", ["2026-01-02 00:00", "2026-01-03 00:00"]),
        ("@midnight", ["2026-01-02 00:00", "2026-01-03 00:00"]),
        (" @Weekly ", ["2026-01-04 00:00", "2026-01-11 00:00"]),
        ("@monthly", ["2026-02-01 00:00", "2026-03-01 00:00"]),
        ("@YEARLY", ["2027-01-01 00:00", "2028-01-01 00:00"]),
        ("@annually", ["2027-01-01 00:00", "2028-01-01 00:00"]),
    ],
)
def test_an_expression_names_these_times(expression: str, expected: list[str]):
    plan = cron(expression)

    found = list(islice(plan.ticks(utc("2026-01-01"), LAST_INSTANT), 2))

    assert found == [utc(text) for text in expected]


SPRING = [
    # zone, expression, from noon of one day, to noon of the next but one, in UTC
    ("Europe/Berlin", "30 2 * * *", "2026-03-28T12", ["29 03:00 +0200", "30 02:30 +0200"]),
    ("Europe/Berlin", "0,20,40 2 * * *", "2026-03-28T12", ["29 03:00 +0200", "30 02:00 +0200", ...]),
    ("Europe/Berlin", "0 2,3 * * *", "2026-03-28T12", ["29 03:00 +0200", "30 02:00 +0200", "30 03:00 +0200"]),
    ("Europe/Berlin", "0 30 2 * * *", "2026-03-28T12", ["29 03:00 +0200", "30 02:30 +0200"]),
    ("Europe/Berlin", "*/30 2 * * *", "2026-03-28T12", ["30 02:00 +0200", "30 02:30 +0200"]),
    (
        "Europe/Berlin",
        "0 */2 29 * *",
        "2026-03-28T22",
        ["29 00:00 +0100", "29 04:00 +0200", "29 06:00 +0200", ...],
    ),
    ("America/New_York", "30 2 * * *", "2026-03-07T12", ["08 03:00 -0400", "09 02:30 -0400"]),
    ("America/New_York", "*/30 2 * * *", "2026-03-07T12", ["09 02:00 -0400", "09 02:30 -0400"]),
    ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T12", ["04 02:30 +1100", "05 02:15 +1100"]),
    (
        "Australia/Lord_Howe",
        "*/15 2 * * *",
        "2026-10-03T12",
        ["04 02:30 +1100", "04 02:45 +1100", ...],
    ),
    (
        "Australia/Lord_Howe",
        "*/30 3 * * *",
        "2026-10-03T12",
        ["04 03:00 +1100", "04 03:30 +1100", "05 03:00 +1100", ...],
    ),
    ("Africa/Cairo", "0 0 * * *", "2026-04-23T12", ["24 01:00 +0300", "25 00:00 +0300"]),
    ("Africa/Cairo", "*/30 0 * * *", "2026-04-23T12", ["25 00:00 +0300", "25 00:30 +0300"]),
]

AUTUMN = [
    ("Europe/Berlin", "30 2 * * *", "2026-10-24T12", ["25 02:30 +0200", "26 02:30 +0100"]),
    ("Europe/Berlin", "0 30 2 * * *", "2026-10-24T12", ["25 02:30 +0200", "26 02:30 +0100"]),
    (
        "Europe/Berlin",
        "*/30 2 25 * *",
        "2026-10-24T12",
        [f"25 02:{m} +0{z}00" for z in "21" for m in ("00", "30")],
    ),
    (
        "Europe/Berlin",
        "0 * 25 * *",
        "2026-10-24T23:30",
        ["25 02:00 +0200", "25 02:00 +0100", "25 03:00 +0100", ...],
    ),
    ("America/New_York", "30 1 * * *", "2026-10-31T12", ["01 01:30 -0400", "02 01:30 -0500"]),
    (
        "America/New_York",
        "0 */1 1 * *",
        "2026-11-01T04:30",
        ["01 01:00 -0400", "01 01:00 -0500", "01 02:00 -0500", ...],
    ),
    ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T12", ["05 01:45 +1100", "06 01:45 +1030"]),
    (
        "Australia/Lord_Howe",
        "*/15 1 5 * *",
        "2026-04-04T12",
        [*(f"05 01:{m} +1100" for m in ("00", "15", "30", "45")), "05 01:30 +1030", "05 01:45 +1030"],
    ),
    ("Australia/Lord_Howe", "*/30 2 5 * *", "2026-04-04T12", ["05 02:00 +1030", "05 02:30 +1030"]),
    ("America/Havana", "0 0 * * *", "2026-10-31T12", ["01 00:00 -0400", "02 00:00 -0500"]),
]


@pytest.mark.parametrize(("zone", "expression", "after", "expected"), SPRING + AUTUMN)
def test_when_the_clocks_are_changed_times_of_the_day_come_once_and_rhythms_follow_the_clock(
    zone: str, expression: str, after: str, expected: list[Any]
):
    until = (moment(utc(after)) + dt.timedelta(days=2)).isoformat()[:16]

    found = shown(cron(expression, zone), after, until)

    if expected[-1] is ...:  # and so on
        found[len(expected) - 1 :] = [...]
    assert found == expected


def test_asked_in_the_hour_that_comes_twice_the_next_tick_is_never_in_the_past():
    plan = cron("45 2 * * *", "Europe/Berlin")
    second_time = utc("2026-10-25T01:10")  # 02:10 for the second time; at 02:45 for the first, it fired

    after = plan.after(second_time)

    assert after == utc("2026-10-26T01:45")


@examples(100)
@given(
    st.sampled_from(
        ["30 2 * * *", "*/15 * * * *", "0 9-17 * * MON-FRI", "0 0 L * *", "15 */6 1,15 * 2", "7 7 7 7 *"]
    ),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo"]),
    st.datetimes(dt.datetime(2000, 1, 1), dt.datetime(2030, 1, 1), timezones=st.just(dt.UTC)),  # noqa: DTZ001
)
def test_away_from_changes_of_the_clocks_it_is_what_cronsim_says(expression: str, zone: str, at: dt.datetime):
    expected = next(CronSim(expression, at.astimezone(ZoneInfo(zone))))
    days = [expected + dt.timedelta(days=n) for n in (-1, 0, 1)]
    if len({day.replace(tzinfo=None) - day.astimezone(dt.UTC).replace(tzinfo=None) for day in days}) > 1:
        return

    after = cron(expression, zone).after(instant(at))

    assert after == instant(expected.astimezone(dt.UTC))


@pytest.mark.parametrize(
    "at", [FIRST_INSTANT, FIRST_INSTANT + 1, LAST_INSTANT - 1, LAST_INSTANT, -1, 0, 2**70, -(2**70)]
)
@pytest.mark.parametrize("expression", ["* * * * * *", "0 0 29 2 *", "0 0 1 12 *"])
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_at_the_ends_of_time_there_is_an_answer(at: int, expression: str, zone: str):
    tick = cron(expression, zone).after(Instant(at))

    assert tick is None or tick > at
    assert cron(expression, zone).count(Instant(at), Instant(at + 1)) in (0, 1)


def test_a_tick_after_the_year_9999_is_none():
    assert cron("@yearly").after(utc("9999-06-01")) is None
    assert Plan(timetable=Every(seconds(3600))).after(LAST_INSTANT) is None


# --- every


@pytest.mark.parametrize(
    ("interval", "start", "at", "expected"),
    [
        (10, None, "1970-01-01T00:00:00", "1970-01-01T00:00:10"),
        (10, None, "2026-01-01T00:00:09.999999", "2026-01-01T00:00:10"),
        (10, None, "2026-01-01T00:00:10", "2026-01-01T00:00:20"),
        (1.5, None, "2026-01-01T00:00:00", "2026-01-01T00:00:01.500000"),
        (10, "2026-01-01T00:00:03", "2026-01-01T00:00:09", "2026-01-01T00:00:13"),
        (10, "2026-01-01T00:00:03", "2025-01-01T00:00:00", "2026-01-01T00:00:03"),
        (86400 * 7, "2026-01-01T00:00:00.000001", "2026-01-01T00:00:01", "2026-01-08T00:00:00.000001"),
        (10, None, "1969-12-31T23:59:55", "1970-01-01T00:00:00"),
    ],
)
def test_intervals_are_counted_from_the_start_or_from_1970(
    interval: float, start: str | None, at: str, expected: str
):
    plan = Plan(timetable=Every(seconds(interval)), start=None if start is None else utc(start))

    assert plan.after(utc(at)) == utc(expected)


# --- bounds, counts


@pytest.mark.parametrize("timetable", [Cron("* * * * *"), Every(seconds(60))], ids=["cron", "every"])
def test_start_and_end_may_be_ticks_themselves_and_nothing_lies_outside(timetable: Cron | Every):
    start, end = utc("2026-01-01T00:10"), utc("2026-01-01T00:13")
    plan = Plan(timetable=timetable, start=start, end=end)

    found = list(plan.ticks(utc("2020-01-01"), utc("2030-01-01")))

    assert found == [utc(f"2026-01-01T00:1{minute}") for minute in range(4)]
    assert plan.count(utc("2020-01-01"), utc("2030-01-01")) == 4
    assert plan.newest(utc("2020-01-01"), utc("2030-01-01"), 9) == found
    assert plan.after(end) is None
    assert plan.count(end, start) == 0


plans = st.one_of(
    st.builds(Every, st.integers(1, 400_000).map(seconds)),
    st.sampled_from(
        [
            Cron("* * * * * *", "Europe/Berlin"),
            Cron("* * * 1 * *"),  # a crowd of ticks, then none for a month
            Cron("*/7 3 * * *", "America/New_York"),
            Cron("30 2 * * 0", "Europe/Berlin"),
            Cron("0 0 29 2 *"),
        ]
    ),
).map(lambda timetable: Plan(timetable=timetable))

instants = st.integers(utc("2023-01-01"), utc("2026-12-31")).map(Instant)


@examples(150)
@given(plans, instants, st.integers(0, 3 * 86400 * SECOND), st.integers(0, 50))
def test_counting_and_taking_the_newest_is_the_same_as_going_through_all(
    plan: Plan, after: Instant, length: int, most: int
):
    until = Instant(after + length)

    ticks = list(islice(plan.ticks(after, until), 300_000))

    assert plan.count(after, until) == len(ticks)
    assert plan.newest(after, until, most) == ticks[len(ticks) - min(most, len(ticks)) :]
    assert all(a < b for a, b in pairwise(ticks))


@pytest.mark.parametrize(
    ("timetable", "count", "last"),
    [
        (Every(seconds(1)), 315_619_199, "2025-12-31T23:59:59"),
        (Cron("* * * * * *", "Europe/Berlin"), 315_619_199, "2025-12-31T23:59:59"),
        (Cron("* * * 1 1 *"), 10 * 86_400 - 1, "2025-01-01T23:59:59"),
    ],
    ids=["every", "cron", "crowd"],
)
def test_a_decade_of_seconds_is_counted_and_its_last_are_found_without_going_through_it(
    timetable: Cron | Every, count: int, last: str, monkeypatch: pytest.MonkeyPatch
):
    plan = Plan(timetable=timetable)
    begin, end = utc("2016-01-01"), utc("2025-12-31T23:59:59")
    gone_through: list[Instant] = []
    ticks = Plan.ticks
    monkeypatch.setattr(
        Plan, "ticks", lambda *args: (gone_through.append(tick) or tick for tick in ticks(*args))
    )

    newest = plan.newest(begin, end, 3)

    assert newest == [Instant(utc(last) + n * SECOND) for n in (-2, -1, 0)]
    assert plan.count(begin, end) == count
    assert len(gone_through) < 2000


# --- jitter


def test_jitter_spreads_firings_evenly_and_is_the_same_for_everyone_who_asks():
    plan = cron("@daily", jitter=seconds(3600))
    ticks = list(islice(plan.ticks(utc("2026-01-01"), LAST_INSTANT), 4000))

    delays = [(fires_at("nightly", plan, tick) - tick) / SECOND for tick in ticks]

    assert delays == [(fires_at("nightly", plan, tick) - tick) / SECOND for tick in ticks]
    assert all(0 <= delay < 3600 for delay in delays)
    quarters = [sum(1 for delay in delays if delay // 900 == quarter) for quarter in range(4)]
    assert all(880 < count < 1120 for count in quarters)


def test_jitter_of_a_tick_is_pinned_because_nodes_of_two_versions_must_agree():
    plan = cron("@daily", jitter=seconds(3600))

    assert fires_at("nightly", plan, utc("2026-01-01")) == utc("2026-01-01T00:48:51.077612")
    assert fires_at("hourly", plan, utc("2026-01-01")) != fires_at("nightly", plan, utc("2026-01-01"))


def test_without_jitter_a_tick_fires_when_it_comes():
    assert fires_at("nightly", cron("@daily"), utc("2026-01-01")) == utc("2026-01-01")


@pytest.mark.parametrize(("expression", "zone"), [("0 9,10 * * *", "UTC"), ("30 2,3 * * *", "Europe/Berlin")])
def test_a_firing_comes_before_the_next_tick_however_long_the_jitter(expression: str, zone: str):
    plan = cron(expression, zone, jitter=dt.timedelta(days=3))
    ticks = list(plan.ticks(utc("2026-03-01"), utc("2026-04-01")))

    firings = [fires_at("nightly", plan, tick) for tick in ticks]

    assert all(
        tick <= fired < following for fired, (tick, following) in zip(firings, pairwise(ticks), strict=False)
    )


def test_the_last_tick_may_fire_after_the_end():
    plan = cron("@daily", jitter=seconds(3600), end=utc("2026-01-02"))

    assert utc("2026-01-02") < fires_at("nightly", plan, utc("2026-01-02")) < utc("2026-01-02T01")


# --- what users write


def test_a_plan_is_made_from_what_users_write():
    berlin = ZoneInfo("Europe/Berlin")

    plan = Plan.of(
        cron="0 2 * * *",
        timezone="Europe/Berlin",
        jitter=seconds(30),
        start=dt.datetime(2026, 1, 1, tzinfo=berlin),
        end=dt.datetime(2027, 1, 1, tzinfo=dt.UTC),
        overlap="queue",
        catchup={"all": 10},
    )

    assert plan == Plan(
        timetable=Cron("0 2 * * *", "Europe/Berlin"),
        jitter=seconds(30),
        start=utc("2025-12-31T23:00"),
        end=utc("2027-01-01"),
        overlap=Overlap.QUEUE,
        catchup=Catchup(CatchupMode.ALL, 10),
    )


def test_what_is_not_said_is_utc_skip_and_last():
    plan = Plan.of(every=seconds(60))

    assert plan == Plan(timetable=Every(seconds(60)), overlap=Overlap.SKIP, catchup=Catchup(CatchupMode.LAST))
    assert Plan.of(cron="@daily").timetable == Cron("@daily", "UTC")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("none", Catchup(CatchupMode.NONE)),
        ("last", Catchup(CatchupMode.LAST)),
        ("all", Catchup(CatchupMode.ALL, 100)),
        ({"all": 1}, Catchup(CatchupMode.ALL, 1)),
        (Catchup(CatchupMode.ALL, 7), Catchup(CatchupMode.ALL, 7)),
    ],
)
def test_catchup_is_a_word_or_all_with_a_number(given: Any, expected: Catchup):
    assert Plan.of(cron="@daily", catchup=given).catchup == expected


NEW_YEAR = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"cron": "61 * * * *"}, "whose minute ('61' here) is 0 to 59, as in '0,30' or '*/15'"),
    ({"cron": "*/0 * * * *"}, "whose minute ('*/0' here)"),
    ({"cron": "0 24 * * *"}, "whose hour ('24' here) is 0 to 23"),
    ({"cron": "0 0 32 * *"}, "whose day-of-month ('32' here) is 1 to 31"),
    ({"cron": "0 0 0 * *"}, "whose day-of-month ('0' here)"),
    ({"cron": "0 0 * 13 *"}, "whose month ('13' here) is 1 to 12 or JAN to DEC"),
    ({"cron": "0 0 * JANUARY *"}, "whose month ('JANUARY' here)"),
    ({"cron": "0 0 * * 8"}, "whose day-of-week ('8' here) is 0 to 7 or SUN to SAT"),
    ({"cron": "0 0 * * FRI-MON"}, "whose day-of-week ('FRI-MON' here)"),
    ({"cron": "0 0 * * 1#6"}, "whose day-of-week ('1#6' here)"),
    ({"cron": "0 0 ? * *"}, "whose day-of-month ('?' here)"),
    ({"cron": "60 0 0 * * *"}, "whose second ('60' here) is 0 to 59"),
    ({"cron": "0 60 0 * * *"}, "whose minute ('60' here)"),
    ({"cron": ""}, "5 fields (minute, hour, day of month, month, day of week)"),
    ({"cron": "0 2 * *"}, "this has 4"),
    ({"cron": "0 0 2 * * * 2026"}, "this has 7"),
    ({"cron": "@dayly"}, "did you mean @daily?"),
    ({"cron": "@reboot"}, "one of @yearly, @annually"),
    ({"cron": "0 0 30 2 *"}, "month 2 has no day 30"),
    ({"cron": "0 0 31 4,6 *"}, "month 4,6 has no day 31"),
    ({"cron": "0 0 LW * */7"}, "the times this names never come"),  # a day from Monday to Friday, on a Sunday
    ({"cron": "*/30 2 25-31 3 */7", "timezone": "Europe/Berlin"}, "the times this names never come"),
    ({"cron": "٣ * * * *"}, "a cron expression, such as '0 2 * * *'"),
    ({"cron": "1" * 5000 + " * * * *"}, "a cron expression, such as"),
    ({"cron": 5}, "text, such as"),
    ({"cron": ["* * * * *"]}, "text, such as"),
    ({"cron": "@daily", "timezone": "Europe/Berln"}, "did you mean Europe/Berlin"),
    ({"cron": "@daily", "timezone": "europe/berlin"}, "did you mean Europe/Berlin?"),
    ({"cron": "@daily", "timezone": "Tokyo"}, "did you mean Asia/Tokyo?"),
    ({"cron": "@daily", "timezone": "../etc/passwd"}, "the name of a time zone, such as Europe/Berlin"),
    ({"cron": "@daily", "timezone": "/etc/localtime"}, "the name of a time zone"),
    ({"cron": "@daily", "timezone": "Europe/../UTC"}, "the name of a time zone"),
    ({"cron": "@daily", "timezone": "Europe"}, "the name of a time zone"),
    ({"cron": "@daily", "timezone": "tzdata.zi"}, "the name of a time zone"),
    ({"cron": "@daily", "timezone": "zone1970.tab"}, "the name of a time zone"),
    ({"cron": "@daily", "timezone": "localtime"}, "the name of a time zone"),
    ({"cron": "@daily", "timezone": "right/Europe/Berlin"}, "the name of a time zone"),
    ({"cron": "@daily", "timezone": ""}, "the name of a time zone"),
    ({"cron": "@daily", "timezone": "UTC\n"}, "the name of a time zone"),
    ({"cron": "@daily", "timezone": "A\x00B"}, "the name of a time zone"),
    ({"cron": "@daily", "timezone": None}, "the name of a time zone"),
    ({}, "either cron or every"),
    ({"cron": "@daily", "every": seconds(60)}, "either cron or every"),
    ({"every": 60}, "a timedelta, such as timedelta(seconds=30)"),
    ({"every": seconds(0.999999)}, "between one second and a hundred years"),
    ({"every": seconds(-5)}, "between one second and a hundred years"),
    ({"every": dt.timedelta(days=40_000)}, "between one second and a hundred years"),
    ({"every": seconds(60), "timezone": "Europe/Berlin"}, "left out beside every"),
    ({"cron": "@daily", "jitter": 60}, "a timedelta"),
    ({"cron": "@daily", "jitter": seconds(-1)}, "between zero and a hundred years"),
    ({"every": seconds(60), "jitter": seconds(61)}, "no longer than the interval, 1m"),
    ({"cron": "@daily", "start": NEW_YEAR.replace(tzinfo=None)}, "a datetime with a time zone"),
    ({"cron": "@daily", "end": "2026-01-01"}, "a datetime with a time zone"),
    (
        {"cron": "@daily", "start": NEW_YEAR, "end": NEW_YEAR - seconds(1)},
        "no earlier than start, 2026-01-01 00:00:00+00:00",
    ),
    ({"cron": "@daily", "overlap": "replace"}, "one of 'skip', 'allow', 'queue', 'cancel_previous'"),
    ({"cron": "@daily", "overlap": []}, "one of 'skip', 'allow'"),
    ({"cron": "@daily", "catchup": "all (max 10)"}, 'or {"all": 10} for the newest 10'),
    ({"cron": "@daily", "catchup": {"last": 10}}, 'or {"all": 10}'),
    ({"cron": "@daily", "catchup": {"all": 10, "last": 1}}, 'or {"all": 10}'),
    ({"cron": "@daily", "catchup": 10}, 'or {"all": 10}'),
    ({"cron": "@daily", "catchup": {"all": 0}}, "at least 1 and at most 1000"),
    ({"cron": "@daily", "catchup": {"all": 1001}}, "at least 1 and at most 1000"),
    ({"cron": "@daily", "catchup": {"all": True}}, "at least 1 and at most 1000"),
]


@pytest.mark.parametrize(("options", "expected"), REFUSED, ids=lambda value: str(value)[:60])
def test_what_makes_no_sense_is_refused_with_what_would(options: dict[str, Any], expected: str):
    with pytest.raises(BadOption) as raised:
        Plan.of(**options)

    assert expected in str(raised.value)
    assert raised.value.option in (*options, "schedule")


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"timetable": "@daily"}, "timetable"),
        ({"start": 1.5}, "start"),
        ({"end": True}, "end"),
        ({"start": LAST_INSTANT + 1}, "start"),
        ({"overlap": "skip"}, "overlap"),
        ({"catchup": "last"}, "catchup"),
        ({"jitter": 0}, "jitter"),
    ],
)
def test_a_plan_with_fields_of_other_types_is_refused(options: dict[str, Any], option: str):
    with pytest.raises(BadOption) as raised:
        Plan(**{"timetable": Every(seconds(60)), **options})

    assert raised.value.option == option


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"cron": "61 * * * *", "timezone": "Nowhere"}, ["cron", "timezone"]),
        ({"cron": 5, "timezone": None}, ["cron", "timezone"]),
        (
            {"cron": "* *", "jitter": seconds(-1), "start": "soon", "overlap": "no", "catchup": {"all": 0}},
            ["cron", "start", "overlap", "catchup", "jitter"],
        ),
        ({"every": seconds(0), "timezone": "Europe/Berlin", "end": 5}, ["timezone", "every", "end"]),
        ({"timezone": "Nowhere", "overlap": "no"}, ["schedule", "timezone", "overlap"]),
        ({"cron": "@", "start": NEW_YEAR, "end": NEW_YEAR - seconds(1)}, ["cron", "end"]),
        ({"cron": "* *", "every": seconds(0)}, ["schedule", "every", "cron"]),
    ],
)
def test_all_mistakes_are_told_at_once(options: dict[str, Any], wrong: list[str]):
    with pytest.raises(BadOption) as raised:
        Plan.of(**options)

    found = all_of(raised.value)
    assert [each.option for each in found] == wrong
    assert str(raised.value) == "; ".join(str(each) for each in found)


def test_all_fields_of_a_cron_expression_that_are_wrong_are_named():
    with pytest.raises(BadOption) as raised:
        Plan.of(cron="60 0 24 * 13 MON")

    assert raised.value.expected == (
        "an expression whose second ('60' here) is 0 to 59, and whose hour ('24' here) is 0 to 23, "
        "and whose month ('13' here) is 1 to 12 or JAN to DEC"
    )


def test_a_file_outside_the_time_zone_database_is_not_opened(monkeypatch: pytest.MonkeyPatch):
    opened: list[str] = []
    monkeypatch.setattr("zoneinfo.ZoneInfo", opened.append)

    for name in ("../../../etc/passwd", "/etc/passwd", "Europe/../../etc/passwd", "C:\\zones", "right/UTC"):
        with pytest.raises(BadOption):
            Cron("@daily", name)

    assert opened == []


def test_where_no_time_zones_are_installed_it_says_so_and_utc_works(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("zoneinfo.available_timezones", set[str])

    with pytest.raises(BadOption, match="pip install tzdata"):
        Cron("@daily", "Atlantis/Poseidonis")

    assert Cron("@daily", "UTC").timezone == "UTC"


# --- stored


@pytest.mark.parametrize(
    "plan",
    [
        Plan.of(cron="0 2 * * *", timezone="Europe/Berlin", jitter=seconds(90), catchup={"all": 3}),
        Plan.of(every=seconds(1.5), start=NEW_YEAR, end=NEW_YEAR, overlap="cancel_previous", catchup="none"),
    ],
)
def test_a_plan_is_the_same_after_it_was_stored(plan: Plan):
    from_json = msgspec.json.decode(msgspec.json.encode(plan), type=Plan)
    from_msgpack = msgspec.msgpack.decode(msgspec.msgpack.encode(plan), type=Plan)

    assert from_json == from_msgpack == plan
    assert [type(read.overlap) for read in (plan, from_json, from_msgpack)] == [Overlap] * 3


def test_a_stored_plan_that_makes_no_sense_is_refused_when_it_is_read():
    text = msgspec.json.encode(Plan.of(cron="0 2 * * *")).replace(b"0 2 *", b"0 99 *")

    with pytest.raises(msgspec.ValidationError, match="hour"):
        msgspec.json.decode(text, type=Plan)


def test_options_of_subclasses_become_plain_before_they_are_stored():
    class Text(str):
        pass

    class Delta(dt.timedelta):
        pass

    plan = Plan.of(cron=Text("@daily"), timezone=Text("UTC"), jitter=Delta(seconds=5))

    assert isinstance(plan.timetable, Cron)
    assert [type(value) for value in (plan.timetable.expression, plan.timetable.timezone, plan.jitter)] == [
        str,
        str,
        dt.timedelta,
    ]
