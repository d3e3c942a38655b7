"""What a schedule does at an instant: tables of cases, and what holds however often one looks."""

from __future__ import annotations

import datetime as dt
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from holdfast.core.names import LONGEST_NAME
from holdfast.core.scheduling import (
    GRACE,
    LONGEST_SCHEDULE_NAME,
    MOST_QUEUED,
    Decision,
    DueTick,
    ScheduleState,
    Skipped,
    SkipReason,
    after_outage,
    checked_schedule_name,
    decide,
    preview,
    run_id,
)
from holdfast.core.timetable import Catchup, CatchupMode, Cron, Every, Overlap, Plan, fires_at
from holdfast.core.values import Instant, instant, moment
from holdfast.errors import BadOption

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE


def at(text: str) -> Instant:
    """Of 1 January 2026."""
    return instant(dt.datetime.fromisoformat(f"2026-01-01T{text}+00:00"))


def hourly(**options: Any) -> Plan:
    return Plan.of(**{"cron": "@hourly", "overlap": "allow", **options})


def look(
    plan: Plan, cursor: str, now: str, *, queued: tuple[str, ...] = (), is_active: bool = False
) -> Decision:
    return decide("s", plan, ScheduleState(at(cursor), tuple(map(at, queued))), at(now), is_active=is_active)


def one(tick: str, reason: SkipReason) -> Skipped:
    return Skipped(at(tick), at(tick), 1, reason)


# --- what is due


@pytest.mark.parametrize(
    ("now", "started", "cursor"),
    [
        ("01:59:59.999999", [], "01:00"),
        ("02:00", ["02:00"], "02:00"),
        ("02:00:30", ["02:00"], "02:00"),
        ("02:01", ["02:00"], "02:00"),  # just in time
        ("00:30", [], "01:00"),  # the clock of a node that is behind
    ],
)
def test_a_tick_is_due_when_it_comes(now: str, started: list[str], cursor: str):
    decision = look(hourly(catchup="none"), "01:00", now)

    assert decision.start == [at(tick) for tick in started]
    assert decision.skipped == []
    assert decision.state == ScheduleState(at(cursor))


def test_next_at_is_the_fire_time_of_the_first_tick_that_is_not_dealt_with():
    plan = hourly(jitter=dt.timedelta(minutes=10))

    before, after = look(plan, "01:00", "01:30"), look(plan, "01:00", "02:15")

    assert before.next_at == fires_at("s", plan, at("02:00")) > at("02:00")
    assert after.next_at == fires_at("s", plan, at("03:00"))


def test_at_the_end_of_the_plan_there_is_nothing_to_wait_for():
    plan = Plan(timetable=Cron("@hourly"), end=at("02:00"))

    assert look(plan, "01:00", "01:10").next_at == at("02:00")
    assert look(plan, "01:00", "02:00").next_at is None


def test_with_jitter_a_tick_is_due_when_it_fires_and_late_from_then_on():
    plan = hourly(jitter=dt.timedelta(minutes=59), catchup="none")
    fires = fires_at("s", plan, at("02:00"))
    assert fires > at("02:02")
    cursor = ScheduleState(at("01:00"))

    def started(now: int) -> list[Instant]:
        return decide("s", plan, cursor, Instant(now), is_active=False).start

    assert started(fires - 1) == []
    assert started(fires) == [at("02:00")]
    assert started(fires + MINUTE) == [at("02:00")]
    assert started(fires + MINUTE + 1) == []


# --- catch-up

MISSED = SkipReason.MISSED


@pytest.mark.parametrize(
    ("catchup", "now", "started", "skipped"),
    [
        ("none", "06:30", [], [("02:00", "06:00", 5)]),
        ("last", "06:30", ["06:00"], [("02:00", "05:00", 4)]),
        ("all", "06:30", ["02:00", "03:00", "04:00", "05:00", "06:00"], []),
        ({"all": 2}, "06:30", ["05:00", "06:00"], [("02:00", "04:00", 3)]),
        ({"all": 5}, "06:30", ["02:00", "03:00", "04:00", "05:00", "06:00"], []),
        ({"all": 4}, "06:30", ["03:00", "04:00", "05:00", "06:00"], [("02:00", "02:00", 1)]),
        # A tick that has just come is no catching up.
        ("none", "06:00:30", ["06:00"], [("02:00", "05:00", 4)]),
        ("last", "06:00:30", ["06:00"], [("02:00", "05:00", 4)]),
        ({"all": 1}, "06:00:30", ["05:00", "06:00"], [("02:00", "04:00", 3)]),
        # The grace is over a moment after the minute.
        ("none", "02:01:00.000001", [], [("02:00", "02:00", 1)]),
        ("last", "02:01:00.000001", ["02:00"], []),
    ],
)
def test_of_the_ticks_that_were_missed_catchup_says_which_count(
    catchup: Any, now: str, started: list[str], skipped: list[tuple[str, str, int]]
):
    decision = look(hourly(catchup=catchup), "01:00", now)

    assert decision.start == [at(tick) for tick in started]
    assert decision.skipped == [Skipped(at(first), at(last), n, MISSED) for first, last, n in skipped]
    assert decision.state == ScheduleState(at(f"{now[:2]}:00"))
    assert decision.next_at == at(f"{int(now[:2]) + 1:02}:00")


# --- overlap

OVERLAP, REPLACED, FULL = SkipReason.OVERLAP, SkipReason.REPLACED, SkipReason.QUEUE_FULL
TWO = "03:00:10"  # with the cursor at 01:00 and catch-up of all, 02:00 and 03:00 count
ONE = "02:00:10"
NONE = "01:30"


@pytest.mark.parametrize(
    ("overlap", "queued", "now", "is_active", "started", "left", "cancel", "skipped"),
    [
        ("allow", [], TWO, True, ["02:00", "03:00"], [], False, []),
        ("allow", [], TWO, False, ["02:00", "03:00"], [], False, []),
        ("skip", [], ONE, False, ["02:00"], [], False, []),
        ("skip", [], ONE, True, [], [], False, [("02:00", OVERLAP)]),
        ("skip", [], TWO, False, ["02:00"], [], False, [("03:00", OVERLAP)]),
        ("skip", [], TWO, True, [], [], False, [("02:00", OVERLAP), ("03:00", OVERLAP)]),
        ("queue", [], ONE, False, ["02:00"], [], False, []),
        ("queue", [], ONE, True, [], ["02:00"], False, []),
        ("queue", [], TWO, False, ["02:00"], ["03:00"], False, []),
        ("queue", ["01:00"], ONE, True, [], ["01:00", "02:00"], False, []),
        ("queue", ["01:00"], ONE, False, ["01:00"], ["02:00"], False, []),
        ("queue", ["00:00", "01:00"], NONE, False, ["00:00"], ["01:00"], False, []),
        ("queue", ["00:00", "01:00"], NONE, True, [], ["00:00", "01:00"], False, []),
        ("cancel_previous", [], ONE, False, ["02:00"], [], False, []),
        ("cancel_previous", [], ONE, True, [], ["02:00"], True, []),
        ("cancel_previous", [], TWO, False, ["03:00"], [], False, [("02:00", REPLACED)]),
        ("cancel_previous", [], TWO, True, [], ["03:00"], True, [("02:00", REPLACED)]),
        ("cancel_previous", ["01:00"], ONE, True, [], ["02:00"], True, [("01:00", REPLACED)]),
        ("cancel_previous", ["01:00"], ONE, False, ["02:00"], [], False, [("01:00", REPLACED)]),
        ("cancel_previous", ["01:00"], NONE, False, ["01:00"], [], False, []),
        ("cancel_previous", ["01:00"], NONE, True, [], ["01:00"], False, []),  # it was asked to end before
        # What an earlier plan has left in the queue goes the way of the new one.
        ("allow", ["00:00", "01:00"], NONE, True, ["00:00", "01:00"], [], False, []),
        ("skip", ["00:00", "01:00"], NONE, False, ["00:00"], [], False, [("01:00", OVERLAP)]),
        ("cancel_previous", ["00:00", "01:00"], NONE, True, [], ["01:00"], True, [("00:00", REPLACED)]),
        *[(overlap, [], NONE, False, [], [], False, []) for overlap in Overlap],
        *[(overlap, [], NONE, True, [], [], False, []) for overlap in Overlap],
    ],
)
def test_overlap_says_what_a_tick_does_that_finds_a_run_active(
    overlap: str,
    queued: list[str],
    now: str,
    is_active: bool,
    started: list[str],
    left: list[str],
    cancel: bool,
    skipped: list[tuple[str, SkipReason]],
):
    plan = hourly(overlap=overlap, catchup="all")

    decision = look(plan, "01:00", now, queued=tuple(queued), is_active=is_active)

    assert decision.start == [at(tick) for tick in started]
    assert decision.state.queued == tuple(at(tick) for tick in left)
    assert decision.cancel is cancel
    assert decision.skipped == [one(tick, reason) for tick, reason in skipped]


def test_a_queue_holds_so_many_and_the_oldest_go():
    plan = Plan.of(every=dt.timedelta(seconds=1), overlap="queue")
    queued = tuple(Instant(at("00:00") + n * SECOND) for n in range(MOST_QUEUED))
    now = Instant(queued[-1] + 3 * SECOND)

    decision = decide("s", plan, ScheduleState(queued[-1], queued), now, is_active=True)

    assert len(decision.state.queued) == MOST_QUEUED
    assert decision.state.queued[-1] == now
    assert decision.skipped == [Skipped(tick, tick, 1, FULL) for tick in queued[:3]]


# --- bounded, whatever happened


@pytest.mark.parametrize("catchup", ["none", "last", "all", {"all": 1000}])
@pytest.mark.parametrize(
    "timetable", [Every(dt.timedelta(seconds=1)), Cron("* * * * * *", "Europe/Berlin")], ids=["every", "cron"]
)
def test_a_year_of_missed_seconds_is_counted_and_not_gone_through(timetable: Any, catchup: Any):
    plan = Plan.of(every=dt.timedelta(seconds=1), overlap="allow", catchup=catchup)
    plan = Plan(timetable=timetable, overlap=plan.overlap, catchup=plan.catchup)
    begin = at("00:00")
    end = Instant(begin + 365 * 24 * HOUR)

    started = time.process_time()
    decision = decide("s", plan, ScheduleState(begin), end, is_active=False)
    spent = time.process_time() - started

    on_time = 61
    missed = 365 * 86400 - on_time
    kept = {CatchupMode.NONE: 0, CatchupMode.LAST: 0, CatchupMode.ALL: plan.catchup.most}[plan.catchup.mode]
    assert len(decision.start) == on_time + kept
    assert decision.skipped == [
        Skipped(
            Instant(begin + SECOND),
            Instant(end - (on_time + kept) * SECOND),
            missed - kept,
            MISSED,
        )
    ]
    assert decision.state.cursor == end
    assert spent < 2


# --- whenever one looks


def plans(overlaps: st.SearchStrategy[Overlap]) -> st.SearchStrategy[Plan]:
    return st.builds(
        Plan,
        timetable=st.sampled_from(
            [
                Every(dt.timedelta(seconds=10)),
                Every(dt.timedelta(seconds=97)),
                Cron("* * * * *"),
                Cron("*/20 * * * * *"),
                Cron("*/7 * * * *", "Europe/Berlin"),
            ]
        ),
        jitter=st.sampled_from([0, 1, 10]).map(lambda seconds: dt.timedelta(seconds=seconds)),
        overlap=overlaps,
        catchup=st.builds(Catchup, st.sampled_from(CatchupMode), st.integers(1, 5)),
    )


PLANS = plans(st.sampled_from(Overlap))
ALLOWING = plans(st.just(Overlap.ALLOW))

LOOKS = st.lists(
    st.tuples(st.one_of(st.integers(0, 90), st.integers(0, 1200)), st.booleans()), min_size=1, max_size=30
)
"""How many seconds after the one before, and whether a run that is active then has ended by then."""


@examples(100)
@given(PLANS, LOOKS)
def test_every_tick_is_started_or_skipped_or_queued_and_only_once(plan: Plan, looks: list[tuple[int, bool]]):
    begin = now = at("00:00")
    state, is_active = ScheduleState(begin), False
    ends: Counter[Instant] = Counter()
    order: list[Instant] = []

    for seconds, has_ended in looks:
        now = Instant(now + seconds * SECOND)
        is_active = is_active and not has_ended
        decision = decide("s", plan, state, now, is_active=is_active)
        if plan.overlap is not Overlap.ALLOW:
            assert len(decision.start) <= (0 if is_active else 1)
        assert not decision.cancel or is_active
        assert decision.next_at is None or decision.next_at > now
        ends.update(decision.start)
        order += decision.start
        for skipped in decision.skipped:
            covered = list(plan.ticks(Instant(skipped.first - 1), skipped.last))
            assert len(covered) == skipped.count
            assert (covered[0], covered[-1]) == (skipped.first, skipped.last)
            ends.update(covered)
        state, is_active = decision.state, is_active or bool(decision.start)

    fired = [tick for tick in plan.ticks(begin, now) if fires_at("s", plan, tick) <= now]
    assert sorted([*ends.elements(), *state.queued]) == fired
    assert order == sorted(order)


@examples(100)
@given(ALLOWING, st.lists(st.integers(0, 59), min_size=20))
def test_whoever_looks_in_time_starts_every_tick_however_often_they_look(plan: Plan, waits: list[int]):
    begin = now = at("00:00")
    state = ScheduleState(begin)
    started: list[Instant] = []

    for seconds in waits:
        now = Instant(now + seconds * SECOND)
        decision = decide("s", plan, state, now, is_active=True)
        started += decision.start
        state = decision.state

    assert started == [tick for tick in plan.ticks(begin, now) if fires_at("s", plan, tick) <= now]


@examples(100)
@given(
    ALLOWING,
    st.integers(1, 3600),
    st.lists(st.integers(0, 3600)),
)
def test_looking_rarely_starts_what_looking_often_does_but_for_what_catchup_lets_go(
    plan: Plan, length: int, looks: list[int]
):
    begin, end = at("00:00"), Instant(at("00:00") + length * SECOND)
    rarely = decide("s", plan, ScheduleState(begin), end, is_active=True)

    state = ScheduleState(begin)
    often: list[Instant] = []
    for look_at in sorted({*(begin + seconds * SECOND for seconds in looks if seconds <= length), end}):
        decision = decide("s", plan, state, Instant(look_at), is_active=True)
        often += decision.start
        state = decision.state

    let_go = {tick for skip in rarely.skipped for tick in plan.ticks(Instant(skip.first - 1), skip.last)}
    assert state == rarely.state
    assert set(often) - set(rarely.start) <= let_go
    if plan.catchup.mode is CatchupMode.ALL:
        assert set(rarely.start) <= set(often)
    in_time = [
        tick
        for tick in rarely.start
        if fires_at("s", plan, tick) >= end - GRACE // dt.timedelta(microseconds=1)
    ]
    assert set(in_time) <= set(often)


@given(PLANS, st.integers(0, 3600), st.booleans())
def test_looking_again_at_once_does_nothing_more(plan: Plan, seconds: int, is_active: bool):
    now = Instant(at("00:00") + seconds * SECOND)
    first = decide("s", plan, ScheduleState(at("00:00")), now, is_active=is_active)

    again = decide("s", plan, first.state, now, is_active=is_active or bool(first.start))

    assert (again.start, again.cancel, again.skipped) == ([], False, [])
    assert (again.state, again.next_at) == (first.state, first.next_at)


# --- looking ahead


def test_a_preview_has_the_next_firings_with_their_jitter():
    plan = hourly(jitter=dt.timedelta(minutes=10))

    found = preview("s", plan, at("01:30"), 3)

    assert found == [DueTick(at(tick), fires_at("s", plan, at(tick))) for tick in ("02:00", "03:00", "04:00")]


def test_a_preview_has_a_tick_that_has_come_but_not_fired():
    plan = hourly(jitter=dt.timedelta(minutes=59))
    fires = fires_at("s", plan, at("02:00"))

    assert preview("s", plan, Instant(fires - 1), 1) == [DueTick(at("02:00"), fires)]
    assert preview("s", plan, fires, 1)[0].tick == at("03:00")


def test_a_preview_is_as_long_as_the_plan():
    plan = Plan(timetable=Cron("@hourly"), start=at("03:00"), end=at("04:00"))

    assert [firing.tick for firing in preview("s", plan, at("01:00"), 10)] == [at("03:00"), at("04:00")]
    assert [firing.tick for firing in preview("s", plan, at("01:00"), 10, at("03:00"))] == [at("04:00")]
    assert preview("s", plan, at("04:00"), 10) == []
    assert preview("s", plan, at("01:00"), 0) == []


def test_a_preview_looks_400_years_ahead_from_the_start_of_the_plan():
    start = dt.datetime(3000, 1, 1, tzinfo=dt.UTC)
    plan = Plan.of(cron="0 0 29 2 *", start=start)

    years = [moment(each.tick).year for each in preview("s", plan, at("01:00"), 200)]

    assert (years[0], years[-1], len(years)) == (3004, 3396, 97)


@pytest.mark.parametrize(
    ("overlap", "catchup", "started", "queued", "skipped"),
    [
        ("skip", "none", [], [], 6),
        ("skip", "last", ["06:00"], [], 5),
        ("skip", "all", ["01:00"], [], 5),
        ("allow", "all", ["01:00", "02:00", "03:00", "04:00", "05:00", "06:00"], [], 0),
        ("queue", {"all": 3}, ["04:00"], ["05:00", "06:00"], 3),
        ("cancel_previous", "all", ["06:00"], [], 5),
    ],
)
def test_what_an_outage_of_six_hours_would_do(
    overlap: str, catchup: Any, started: list[str], queued: list[str], skipped: int
):
    plan = hourly(overlap=overlap, catchup=catchup)

    decision = after_outage("s", plan, at("00:30"), at("06:30"))

    assert decision.start == [at(tick) for tick in started]
    assert decision.state.queued == tuple(map(at, queued))
    assert sum(each.count for each in decision.skipped) == skipped


def test_an_outage_that_begins_between_a_tick_and_its_firing_misses_it():
    plan = hourly(jitter=dt.timedelta(minutes=59))
    fires = fires_at("s", plan, at("02:00"))

    assert after_outage("s", plan, Instant(fires - 1), Instant(fires)).start == [at("02:00")]
    assert after_outage("s", plan, fires, Instant(fires + 1)).start == []


# --- ids


@pytest.mark.parametrize(
    ("tick", "expected"),
    [
        ("02:00", "nightly@2026-01-01T02:00:00Z"),
        ("02:00:07", "nightly@2026-01-01T02:00:07Z"),
        ("02:00:07.500000", "nightly@2026-01-01T02:00:07.500000Z"),
        ("02:00:07.000001", "nightly@2026-01-01T02:00:07.000001Z"),
    ],
)
def test_the_id_of_a_run_is_its_schedule_and_tick(tick: str, expected: str):
    assert run_id("nightly", at(tick)) == expected


@given(st.text(min_size=1, max_size=5), st.text(min_size=1, max_size=5), st.integers(), st.integers())
def test_two_ticks_or_two_schedules_never_share_an_id(first: str, second: str, a: int, b: int):
    one, other = (first, Instant(a % 10**16)), (second, Instant(b % 10**16))

    assert (run_id(*one) == run_id(*other)) == (one == other)


def test_names_of_schedules_leave_room_for_the_tick():
    longest = "n" * LONGEST_SCHEDULE_NAME

    assert checked_schedule_name(longest) == longest
    assert len(run_id(longest, at("02:00:07.000001"))) <= LONGEST_NAME


@pytest.mark.parametrize("name", ["", "n" * (LONGEST_SCHEDULE_NAME + 1), "a\x00b", "\ud800", 5, None])
def test_other_names_are_refused(name: Any):
    with pytest.raises(BadOption, match="1 to 200 characters"):
        checked_schedule_name(name)
