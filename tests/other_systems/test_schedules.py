"""Schedules: one run for every tick, when clocks change too, and no surprise after a pause or a change."""

from __future__ import annotations

import asyncio
import datetime as dt
import itertools
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.other_systems.staging import lose_connection, replace_node

from holdfast import Catalog, Workflow, context, workflow
from holdfast.ports.schedules import ScheduleFiring
from holdfast.testing import Environment

MINUTE = dt.timedelta(minutes=1)
HOUR = dt.timedelta(hours=1)
DAY = dt.timedelta(days=1)
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture
def flow(catalog: Catalog) -> Workflow[[], str]:
    @workflow(catalog=catalog)
    async def flow() -> str:
        return "done"

    return flow


@pytest.fixture
def long_flow(catalog: Catalog) -> Workflow[[], None]:
    """Takes an hour and a half."""

    @workflow(catalog=catalog)
    async def long_flow() -> None:
        await asyncio.sleep(5400)

    return long_flow


async def ticks(env: Environment, name: str = "it") -> list[dt.datetime]:
    """Those for which there is a run, in order."""
    ids = [run.id.split("@") for run in await env.list(limit=10_000)]
    return sorted(dt.datetime.fromisoformat(tick) for schedule, tick in ids if schedule == name)


async def wait_for_day(env: Environment, day: dt.date) -> None:
    """Until midnight in Berlin."""
    begin = dt.datetime.combine(day, dt.time(), BERLIN)
    env.clock.advance(begin - dt.datetime.fromtimestamp(env.clock.now() / 1_000_000, dt.UTC))
    await env.wait_until_quiet()


# --- days of another length


SPRING, AUTUMN = dt.date(2030, 3, 31), dt.date(2030, 10, 27)
"""The clocks go from 2 to 3 on the one, and from 3 to 2 on the other."""


@pytest.mark.parametrize(("day", "fires_at"), [(SPRING, "03:00"), (AUTUMN, "02:30")])
async def test_a_nightly_job_runs_once_in_a_night_in_which_the_clocks_change(
    day: dt.date, fires_at: str, catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """node-cron 563, Rundeck 6879, Airflow 38098, Temporal 8205: not at all in spring, twice in autumn."""
    async with Environment(catalog=catalog) as env:
        await wait_for_day(env, day - DAY)
        await env.schedules.put("it", flow, cron="30 2 * * *", timezone="Europe/Berlin")

        await env.skip(3 * DAY)

        local = [tick.astimezone(BERLIN) for tick in await ticks(env)]
        assert [tick.date() for tick in local] == [day - DAY, day, day + DAY]
        assert [f"{tick:%H:%M}" for tick in local] == ["02:30", fires_at, "02:30"]


@pytest.mark.parametrize(("day", "hours"), [(SPRING, 23), (AUTUMN, 25)])
async def test_a_job_for_every_quarter_of_an_hour_does_not_rest_while_the_clocks_change(
    day: dt.date, hours: int, catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """node-red-contrib-cron-plus 108, Airflow 4117: the hour that comes twice counts once."""
    async with Environment(catalog=catalog) as env:
        await wait_for_day(env, day)
        await env.schedules.put("it", flow, cron="*/15 * * * *", timezone="Europe/Berlin", overlap="allow")

        await env.skip(hours * HOUR)

        found = await ticks(env)
        assert len(found) == hours * 4
        assert {later - tick for tick, later in itertools.pairwise(found)} == {15 * MINUTE}


@pytest.mark.parametrize(
    ("cron", "expected"),
    [
        ("0 7,9 * * *", ["07:00", "09:00"]),
        ("0 7-8 * * *", ["07:00", "08:00"]),
        ("20 */4 * * *", ["00:20", "04:20", "08:20", "12:20", "16:20", "20:20"]),
    ],
)
@pytest.mark.parametrize("day", [SPRING, AUTUMN])
async def test_several_hours_a_day_are_those_hours_on_the_day_of_the_change_too(
    day: dt.date, cron: str, expected: list[str], catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """Airflow 7999: 8 instead of 7 after the change. Airflow 30088, 30195: the scheduler fails, or stops."""
    async with Environment(catalog=catalog) as env:
        await wait_for_day(env, day - DAY)
        await env.schedules.put("it", flow, cron=cron, timezone="Europe/Berlin", overlap="allow")

        await env.skip(3 * DAY)

        local = [tick.astimezone(BERLIN) for tick in await ticks(env)]
        on_that_day = [f"{tick:%H:%M}" for tick in local if tick.date() == day]
        assert on_that_day == expected


# --- one run for a tick


async def test_a_tick_whose_firing_got_no_answer_starts_one_run(
    store_url: str, catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """Dagster 17344, Prefect 18523: what broke off in the middle of a tick is done again from its start."""
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("it", flow, cron="0 * * * *", overlap="allow")
        failed = lose_connection(env, "fire_schedule", times=3, is_done=True)

        await env.skip(3 * HOUR)

        assert [tick.hour for tick in await ticks(env)] == [1, 2, 3]
        assert len(failed) == 3


async def test_a_node_that_dies_before_and_after_it_fires_leaves_the_tick_to_the_next(
    store_url: str, catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """caura 1546, jac 7617, agentscope 2223: as many runs of a tick as there are processes."""
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("it", flow, cron="0 * * * *", overlap="allow")
        for _ in range(3):
            await replace_node(env)
            await env.skip(30 * MINUTE)
            await replace_node(env)
            await env.skip(30 * MINUTE)

        assert [tick.hour for tick in await ticks(env)] == [1, 2, 3]


async def test_who_decided_by_an_old_plan_starts_nothing(
    store_url: str, catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """Prefect 18894, 17703: a scheduler that has read the old schedule fires it after it was replaced."""
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("it", flow, cron="0 * * * *")
        fire_for_real = env.crash_points.fire_schedule
        changed: list[ScheduleFiring] = []

        async def fire(namespace: str, firing: ScheduleFiring) -> bool:
            if not changed:
                changed.append(firing)
                await env.schedules.put("it", flow, cron="30 * * * *")
            return await fire_for_real(namespace, firing)

        env.crash_points.fire_schedule = fire
        await env.skip(2 * HOUR)

        assert changed
        assert [f"{tick:%H:%M}" for tick in await ticks(env)] == ["01:30"]


async def test_two_schedules_of_one_workflow_at_the_same_time_both_fire(
    store_url: str, catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """Prefect 17494: of several schedules with the same expression none is seen, or one."""
    async with Environment(store_url, catalog=catalog) as env:
        for name in ("one", "other"):
            await env.schedules.put(name, flow, cron="0 * * * *")

        await env.skip(2 * HOUR)

        assert [len(await ticks(env, name)) for name in ("one", "other")] == [2, 2]


async def test_a_run_that_takes_long_does_not_hold_up_the_schedules_beside_it(
    store_url: str, catalog: Catalog, flow: Workflow[[], str], long_flow: Workflow[[], None]
) -> None:
    """paseo 2819: while the run of one schedule goes on, another fires twice, and then not at all."""
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("first", long_flow, cron="0 * * * *")
        await env.schedules.put("it", flow, cron="0 * * * *")

        await env.skip(3 * HOUR + MINUTE)

        assert [tick.hour for tick in await ticks(env)] == [1, 2, 3]
        assert [tick.hour for tick in await ticks(env, "first")] == [1, 3]


# --- when nobody was there


@pytest.mark.parametrize(
    ("catchup", "hours", "skipped"),
    [("none", [], 10), ("last", [10], 9), ({"all": 3}, [8, 9, 10], 7), ("all", [*range(1, 11)], 0)],
)
async def test_a_long_sleep_gives_what_catch_up_says_and_the_rest_is_told(
    catchup: Any, hours: list[int], skipped: int, store_url: str, catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """robfig/cron 26, 283, DBOS 803: each missed tick, all at once. leoflow 129: one, where all were wanted.
    Temporal 8087: nobody is told of those that were left out."""
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("it", flow, cron="0 * * * *", catchup=catchup, overlap="allow")

        env.clock.advance(10 * HOUR + 30 * MINUTE)  # as a machine wakes up: past all that was due
        await env.wait_until_quiet()

        found = await env.schedules.get("it")
        assert [tick.hour for tick in await ticks(env)] == hours
        assert found.skipped == skipped
        assert (found.skip_note is not None) == bool(skipped)


async def test_a_job_is_on_time_after_the_machine_has_slept(
    catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """houston 557, node-cron 671: one long timer stands still with the machine, and fires hours late."""
    async with Environment(catalog=catalog) as env:
        await env.schedules.put("it", flow, cron="0 9 * * *")

        env.clock.advance(8 * HOUR)
        await env.skip(HOUR)

        [run] = await env.list()
        assert run.created_at - (await ticks(env))[0] < dt.timedelta(seconds=1)


async def test_a_schedule_that_has_not_fired_for_long_fires_at_its_times_only(
    store_url: str, catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """Celery 370, 4806, 3219: what has not run for long is due at once, whatever the crontab says."""
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("it", flow, cron="0 5 1 * *", catchup="none")
        await env.engine.kill()
        env.clock.advance(200 * DAY)  # it is the 20th of July

        await env.crash()
        await env.skip(20 * DAY)

        assert await ticks(env) == [dt.datetime(2030, 8, 1, 5, tzinfo=dt.UTC)]


# --- changes


async def test_a_schedule_that_was_paused_goes_on_with_its_next_tick(
    store_url: str, catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """Dagster 7010, Airflow 8776: what was missed while it was off is run when it is on again."""
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("it", flow, every=6 * HOUR, catchup="all", overlap="allow")
        await env.schedules.pause("it")
        await env.skip(14 * DAY)

        await env.schedules.resume("it")
        await env.skip(5 * HOUR)
        before = await ticks(env)
        await env.skip(HOUR)

        assert before == []
        assert len(await ticks(env)) == 1


@pytest.mark.parametrize(
    "change", [{"cron": "15 2 * * *"}, {"cron": "15 1 * * *", "timezone": "America/New_York"}]
)
async def test_a_changed_schedule_has_no_past(
    change: dict[str, str], store_url: str, catalog: Catalog, flow: Workflow[[], str]
) -> None:
    """Dagster 13597: the tick that has just run is run again. django-celery-beat 82: thousands 'missed'."""
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("it", flow, cron="15 1 * * *", catchup="all", overlap="allow")
        await env.skip(10 * HOUR)
        before = await ticks(env)

        changed = await env.schedules.put("it", flow, **change, catchup="all", overlap="allow")
        await env.wait_until_quiet()
        at_once = await ticks(env)
        await env.skip(DAY)

        assert at_once == before
        assert await ticks(env) == [*before, changed.next_at]
        assert changed.next_at == dt.datetime(2030, 1, 2, 6 if "timezone" in change else 2, 15, tzinfo=dt.UTC)


async def test_what_waits_for_its_turn_survives_a_deploy_of_the_same_schedule(
    store_url: str, catalog: Catalog, long_flow: Workflow[[], None]
) -> None:
    """Prefect 17764: late runs are deleted by the next deploy, and not scheduled again."""
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("it", long_flow, cron="0 * * * *", overlap="queue")
        await env.skip(5 * HOUR + MINUTE)
        waiting = (await env.schedules.get("it")).queued

        await env.schedules.put("it", long_flow, cron="0 * * * *", overlap="queue")
        await replace_node(env)
        await env.skip(3 * HOUR)

        assert [tick.hour for tick in waiting] == [4, 5]
        assert [tick.hour for tick in await ticks(env)] == [1, 2, 3, 4, 5]


# --- overlap


async def end_well(env: Environment, id: str) -> None:
    await env.resolve(id, "go", "well", ahead=True)


async def end_badly(env: Environment, id: str) -> None:
    await env.resolve(id, "go", "badly", ahead=True)


async def be_cancelled(env: Environment, id: str) -> None:
    await env.cancel(id)


async def lose_its_node_and_end(env: Environment, id: str) -> None:
    await env.crash()
    await env.resolve(id, "go", "well", ahead=True)


@pytest.mark.parametrize("end", [end_well, end_badly, be_cancelled, lose_its_node_and_end])
async def test_a_run_that_has_ended_somehow_does_not_keep_the_next_from_starting(
    end: Callable[[Environment, str], Any], store_url: str, catalog: Catalog
) -> None:
    """APScheduler 474, 644, django-apscheduler 173: 'maximum number of running instances', with none running.
    dagu 1103: a run that died with its process stays 'running', and no other starts."""

    @workflow(catalog=catalog)
    async def waiting() -> str:
        answer: str = await context().promise("go", str)
        if answer == "badly":
            raise ValueError("badly")
        return answer

    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("it", waiting, cron="0 * * * *", overlap="skip")
        await env.skip(HOUR + MINUTE)
        skipped_before = (await env.schedules.get("it")).skipped

        await end(env, "it@2030-01-01T01:00:00Z")
        await env.skip(HOUR)

        assert [tick.hour for tick in await ticks(env)] == [1, 2]
        assert skipped_before == (await env.schedules.get("it")).skipped == 0
