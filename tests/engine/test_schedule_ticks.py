"""What became of the ticks of schedules, and which come."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.timed_environment import TimedEnvironment

from holdfast import Catalog, Workflow, workflow
from holdfast.client import schedule_ticks
from holdfast.client.schedule_ticks import TicksOfSchedule
from holdfast.core.scheduling import run_id, tick_of
from holdfast.core.timetable import Plan
from holdfast.core.values import FIRST_INSTANT, LAST_INSTANT, Instant
from holdfast.errors import BadOption, ScheduleNotFound
from holdfast.testing import Environment

HOUR = dt.timedelta(hours=1)
BEGIN = dt.datetime(2030, 1, 1, tzinfo=dt.UTC)
"""Where the clock of an environment begins."""


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture
def half_hour(catalog: Catalog) -> Workflow[[], None]:
    @workflow(catalog=catalog)
    async def half_hour() -> None:
        await asyncio.sleep(1800)

    return half_hour


@pytest.fixture
def long(catalog: Catalog) -> Workflow[[], None]:
    """Takes two and a half hours."""

    @workflow(catalog=catalog)
    async def long() -> None:
        await asyncio.sleep(9000)

    return long


async def only(env: Environment, begin: dt.datetime | None = None, end: dt.datetime | None = None):
    (found,) = (await env.schedules.ticks(begin, end)).schedules
    return found


def past(found: TicksOfSchedule) -> list[tuple[int, str]]:
    return [(each.tick.hour, each.status) for each in found.past]


async def test_each_tick_has_its_run_and_how_long_it_took(catalog: Catalog, half_hour: Workflow[[], None]):
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("hourly", half_hour, cron="0 * * * *")
        await env.skip(2.25 * HOUR)

        found = await only(env)

        assert past(found) == [(1, "success"), (2, "running")]
        assert found.past[0].run == "hourly@2030-01-01T01:00:00Z"
        assert found.past[0].took == pytest.approx(1800, abs=5)
        assert found.typical_took == found.past[0].took
        assert found.past[1].took is None
        assert found.past[1].started_at is not None
        assert [each.tick.hour for each in found.coming] == [*range(3, 15)]
        assert (found.words, found.is_all) == ("every hour, UTC", True)


async def test_ticks_that_started_nothing_are_skipped_or_queued(catalog: Catalog, long: Workflow[[], None]):
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("skips", long, cron="0 * * * *")
        await env.schedules.put("waits", long, cron="0 * * * *", overlap="queue")
        await env.skip(3.25 * HOUR)

        skips, waits = (await env.schedules.ticks()).schedules

        assert past(skips) == [(1, "running"), (2, "skipped"), (3, "skipped")]
        assert past(waits) == [(1, "running"), (2, "queued"), (3, "queued")]
        assert "deleted" in skips.past[1].note


async def test_a_paused_schedule_skips_its_ticks_and_none_come(
    catalog: Catalog, half_hour: Workflow[[], None]
):
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("hourly", half_hour, cron="0 * * * *")
        await env.skip(1.75 * HOUR)
        await env.schedules.pause("hourly")
        await env.skip(1 * HOUR)

        found = await only(env)

        assert past(found) == [(1, "success"), (2, "skipped")]
        assert found.past[1].note == "the schedule is paused"
        assert found.coming == []


async def test_runs_of_an_earlier_plan_and_runs_started_by_hand_are_shown(
    catalog: Catalog, half_hour: Workflow[[], None]
):
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("it", half_hour, cron="0 * * * *")
        await env.skip(1.25 * HOUR)
        await env.schedules.put("it", half_hour, cron="30 */6 * * *")
        await env.schedules.trigger("it")

        found = await only(env)

        assert [(each.tick.hour, each.note) for each in found.past] == [(1, ""), (1, "started by hand")]
        assert found.past[1].tick == BEGIN + 1.25 * HOUR
        assert [each.tick.hour for each in found.coming] == [6, 12]


async def test_a_tick_that_was_run_long_after_its_time_is_found(catalog: Catalog, long: Workflow[[], None]):
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("waits", long, cron="0 * * * *", overlap="queue")
        await env.skip(4.25 * HOUR)

        found = await only(env, BEGIN + 1.5 * HOUR, BEGIN + 2.5 * HOUR)

        assert past(found) == [(2, "running")]
        assert found.past[0].started_at is not None
        assert found.past[0].started_at > BEGIN + 3 * HOUR


async def test_many_schedules_are_read_at_once_and_beside_the_event_loop(
    catalog: Catalog, half_hour: Workflow[[], None], monkeypatch: pytest.MonkeyPatch
):
    async with TimedEnvironment(catalog=catalog) as env:
        for number in range(20):
            await env.schedules.put(f"s{number}", half_hour, cron="0 * * * *")
        await env.skip(3.25 * HOUR)
        store = env.schedules._store
        asked: list[int] = []
        find_keys, newest, ticks = store.find_keys, Plan.newest, Plan.ticks

        async def counted(namespace: str, ids: Sequence[str]):
            asked.append(len(ids))
            return await find_keys(namespace, ids)

        def checked(call: Callable[..., Any]) -> Callable[..., Any]:
            def checked_call(*args: Any) -> Any:
                assert threading.current_thread() is not loop_thread
                return call(*args)

            return checked_call

        loop_thread = threading.current_thread()
        monkeypatch.setattr(store, "find_keys", counted)
        with monkeypatch.context() as patch:
            patch.setattr(Plan, "newest", checked(newest))
            patch.setattr(Plan, "ticks", checked(ticks))
            found = await env.schedules.ticks(BEGIN, BEGIN + 1.9 * HOUR)

    assert [past(each) for each in found.schedules] == [[(1, "success")]] * 20
    assert len(asked) <= 1


async def test_only_the_newest_and_the_next_ticks_are_shown(catalog: Catalog, half_hour: Workflow[[], None]):
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("often", half_hour, cron="* * * * *", start=BEGIN)
        await env.skip(4 * HOUR)

        found = await only(env)

        assert not found.is_all
        assert len(found.past) == len(found.coming) == 200
        assert found.past[-1].tick == BEGIN + 4 * HOUR
        assert found.coming[0].tick == BEGIN + 4 * HOUR + dt.timedelta(minutes=1)


async def test_ticks_before_the_schedule_are_not_skipped_ones(
    catalog: Catalog, half_hour: Workflow[[], None]
):
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("hourly", half_hour, cron="0 * * * *")

        assert (await only(env)).past == []


async def test_clock_changes_of_the_zone_are_told(catalog: Catalog, half_hour: Workflow[[], None]):
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("berlin", half_hour, cron="0 2 * * *", timezone="Europe/Berlin")
        await env.schedules.put("tokyo", half_hour, cron="0 2 * * *", timezone="Asia/Tokyo")
        march = dt.datetime(2030, 3, 1, tzinfo=dt.UTC)

        berlin, tokyo = (await env.schedules.ticks()).schedules
        both = (await env.schedules.ticks(march, march + 300 * 24 * HOUR, "berlin")).schedules[0]

        (change,) = berlin.clock_changes
        assert change.at == dt.datetime(2030, 3, 31, 1, tzinfo=dt.UTC)
        assert (change.before, change.after) == (3600, 7200)
        assert tokyo.clock_changes == []
        assert [each.at.month for each in both.clock_changes] == [3, 10]


async def test_clock_changes_are_looked_for_once_for_all_schedules_of_a_zone(
    catalog: Catalog, half_hour: Workflow[[], None], monkeypatch: pytest.MonkeyPatch
):
    async with TimedEnvironment(catalog=catalog) as env:
        for number in range(20):
            zone = ("Europe/Berlin", "Asia/Tokyo")[number % 2]
            await env.schedules.put(f"s{number}", half_hour, cron="0 2 * * *", timezone=zone)
        looked_in: list[str] = []
        look = schedule_ticks.clock_changes

        def counted(zone: dt.tzinfo, after: int, until: int) -> Any:
            looked_in.append(str(zone))
            return look(zone, after, until)

        monkeypatch.setattr(schedule_ticks, "clock_changes", counted)
        await env.schedules.ticks(BEGIN, BEGIN + 300 * 24 * HOUR)

    assert looked_in.count("Europe/Berlin") == 1
    assert looked_in.count("Asia/Tokyo") == 2  # there is none, so also in the year after


async def test_what_lies_ahead_is_computed_beside_the_event_loop(
    catalog: Catalog, half_hour: Workflow[[], None], monkeypatch: pytest.MonkeyPatch
):
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("hourly", half_hour, cron="0 * * * *")
        loop_thread = threading.current_thread()
        ticks, count, called = Plan.ticks, Plan.count, 0

        def checked(call: Callable[..., Any]) -> Callable[..., Any]:
            def checked_call(*args: Any) -> Any:
                nonlocal called
                called += 1
                assert threading.current_thread() is not loop_thread
                return call(*args)

            return checked_call

        with monkeypatch.context() as patch:
            patch.setattr(Plan, "ticks", checked(ticks))
            patch.setattr(Plan, "count", checked(count))
            for look in (
                env.schedules.preview("hourly"),
                env.schedules.preview_plan(Plan.of(cron="0 * * * *")),
                env.schedules.preview_outage("hourly", BEGIN, BEGIN + 3 * HOUR),
                env.schedules.preview_backfill("hourly", BEGIN, BEGIN + 3 * HOUR),
            ):
                before = called
                await look
                assert called > before


async def test_a_plan_with_rare_ticks_is_looked_at_for_a_bounded_time(catalog: Catalog):
    async with TimedEnvironment(catalog=catalog) as env:
        leap_sundays = Plan.of(cron="0 0 29 2 */7", timezone="Europe/Berlin")
        began = time.process_time()

        found = await env.schedules.preview_plan(leap_sundays, count=200)

        took = time.process_time() - began
    assert len(found.coming) == 13
    assert (found.coming[0].tick.year, found.coming[-1].tick.year) == (2032, 2404)
    assert len(found.clock_changes) == 20
    assert found.clock_changes[-1].at.year == 2039
    assert took < 2  # without bounds it takes half a minute


async def test_a_range_of_centuries_is_refused(catalog: Catalog, half_hour: Workflow[[], None]):
    first, last = dt.datetime.min.replace(tzinfo=dt.UTC), dt.datetime.max.replace(tzinfo=dt.UTC)
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("leap", half_hour, cron="0 0 29 2 *", timezone="Europe/Berlin")

        with pytest.raises(BadOption, match="a hundred years"):
            await env.schedules.preview_backfill("leap", first + 400 * HOUR, last - 400 * HOUR)
        with pytest.raises(BadOption, match="ten years after"):
            await env.schedules.preview_outage("leap", BEGIN, last)
        century = await env.schedules.preview_backfill("leap", BEGIN, BEGIN.replace(year=2130))
        decade = await env.schedules.preview_outage("leap", BEGIN, BEGIN.replace(year=2040))

    assert century.ticks == 24  # 2100 is no leap year
    assert len(decade.started) + decade.skipped == 2


async def test_the_ticks_of_one_schedule_can_be_asked_for(catalog: Catalog, half_hour: Workflow[[], None]):
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("one", half_hour, cron="0 * * * *")
        await env.schedules.put("two", half_hour, cron="0 * * * *")

        assert [each.name for each in (await env.schedules.ticks(name="two")).schedules] == ["two"]
        with pytest.raises(ScheduleNotFound):
            await env.schedules.ticks(name="three")
        with pytest.raises(BadOption, match="400 days"):
            await env.schedules.ticks(BEGIN, BEGIN + 500 * 24 * HOUR)
        with pytest.raises(BadOption, match="after begin"):
            await env.schedules.ticks(BEGIN, BEGIN)


async def test_a_backfill_says_what_it_would_start(catalog: Catalog, half_hour: Workflow[[], None]):
    async with TimedEnvironment(catalog=catalog) as env:
        await env.schedules.put("hourly", half_hour, cron="0 * * * *")
        await env.skip(2.25 * HOUR)

        found = await env.schedules.preview_backfill("hourly", BEGIN - 120 * HOUR, BEGIN + 3 * HOUR)
        started = await env.schedules.backfill("hourly", BEGIN - 120 * HOUR, BEGIN + 3 * HOUR)

        assert (found.ticks, found.new, found.existing) == (123, 121, 2)
        assert len(found.first) == 100
        assert [each.run for each in found.first] == [run.id for run in started[:100]]
        after = await env.schedules.preview_backfill("hourly", BEGIN + 1 * HOUR, BEGIN + 4 * HOUR)
        assert [each.exists for each in after.first] == [True, True, False]
        with pytest.raises(BadOption, match="at most 2 ticks"):
            await env.schedules.preview_backfill("hourly", BEGIN, BEGIN + 3 * HOUR, limit=2)


@given(st.text(min_size=1), st.integers(FIRST_INSTANT, LAST_INSTANT))
def test_a_tick_is_read_from_the_id_of_its_run(name: str, tick: int):
    assert tick_of(name, run_id(name, Instant(tick))) == tick


@pytest.mark.parametrize(
    "id", ["it@now-2030-01-01T00:00:00Z-ab12", "it@2030", "other@2030-01-01T00:00:00Z", "it"]
)
def test_other_ids_have_no_tick(id: str):
    assert tick_of("it", id) is None
