"""Schedules through engines: one run for every tick, whoever looks, crashes, or comes late."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from holdfast import Catalog, RunStatus, Workflow, context, task_context, workflow
from holdfast.authoring.code.definitions import task
from holdfast.client.waiters import Waiters
from holdfast.core.timetable import Plan
from holdfast.core.values import Instant, RunKey, instant, moment
from holdfast.engine.engine import Engine
from holdfast.engine.tuning import Tuning
from holdfast.errors import BadOption, ScheduleNotFound, UnknownWorkflow, WrongType
from holdfast.parts import Parts
from holdfast.ports.runs import RunFilter
from holdfast.settings import Settings
from holdfast.stores.open_store import store_for
from holdfast.testing import Environment
from holdfast.testing.clock import ManualClock

HOUR = dt.timedelta(hours=1)
MINUTE = dt.timedelta(minutes=1)
DAY = dt.timedelta(days=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture
def flow(catalog: Catalog) -> Workflow[[str], str]:
    @workflow(catalog=catalog)
    async def flow(day: str = "none") -> str:
        return day

    return flow


@pytest.fixture
def long_flow(catalog: Catalog) -> Workflow[[], None]:
    """Takes an hour and a half."""

    @workflow(catalog=catalog)
    async def long_flow() -> None:
        await asyncio.sleep(5400)

    return long_flow


@pytest.fixture
def waiting_flow(catalog: Catalog) -> Workflow[[], None]:
    """Takes until it is told to go."""

    @workflow(catalog=catalog)
    async def waiting_flow() -> None:
        await context().signal("go")

    return waiting_flow


async def ids(env: Environment) -> list[str]:
    return sorted(run.id for run in await env.list(limit=10_000))


# --- one node


async def test_every_tick_starts_a_run_that_is_named_for_it(
    store_url: str, catalog: Catalog, flow: Workflow[[str], str]
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("report", flow, cron="0 2 * * *", input={"day": "{date}"})

        await env.skip(3 * DAY)

        found = {run.id: run.output for run in await env.list()}
        assert found == {
            "report@2030-01-01T02:00:00Z": "2030-01-01",
            "report@2030-01-02T02:00:00Z": "2030-01-02",
            "report@2030-01-03T02:00:00Z": "2030-01-03",
        }


async def test_an_hour_that_nobody_sees_costs_at_most_the_ticks_that_catch_up_says(
    catalog: Catalog, flow: Workflow[[str], str]
) -> None:
    started: dict[str, list[str]] = {}
    for catchup in ("none", "last", {"all": 3}):
        async with Environment(catalog=catalog) as env:
            await env.schedules.put(
                "often", flow, every=dt.timedelta(minutes=10), catchup=catchup, overlap="allow"
            )
            await env.engine.kill()
            env.clock.advance(HOUR + dt.timedelta(minutes=5))

            await env.crash()
            await env.wait_until_quiet()

            started[str(catchup)] = [id.rpartition("T")[2] for id in await ids(env)]

    assert started == {
        "none": [],
        "last": ["01:00:00Z"],
        "{'all': 3}": ["00:40:00Z", "00:50:00Z", "01:00:00Z"],
    }


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        ("skip", ["01", "03", "05"]),
        ("allow", ["01", "02", "03", "04", "05"]),
        ("queue", ["01", "02", "03"]),
        ("cancel_previous", ["01", "02", "03", "04", "05"]),
    ],
)
async def test_overlap_decides_what_a_tick_does_while_the_run_before_it_goes_on(
    store_url: str, catalog: Catalog, long_flow: Workflow[[], None], overlap: str, expected: list[str]
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("hourly", long_flow, cron="0 * * * *", overlap=overlap)

        await env.skip(5 * HOUR + dt.timedelta(minutes=20))

        assert [id[-9:-7] for id in await ids(env)] == expected
        states = Counter(str(run.status) for run in await env.list())
        if overlap == "cancel_previous":
            assert states == {"cancelled": 4, "running": 1}


async def test_a_queued_tick_begins_as_soon_as_the_run_before_it_has_ended(
    store_url: str, catalog: Catalog, long_flow: Workflow[[], None]
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("hourly", long_flow, cron="0 * * * *", overlap="queue")

        await env.skip(2 * HOUR + dt.timedelta(minutes=31))

        second = await env.describe("hourly@2030-01-01T02:00:00Z")
        assert second.created_at - moment(
            instant(dt.datetime(2030, 1, 1, 2, 30, tzinfo=dt.UTC))
        ) < dt.timedelta(seconds=1)


async def test_a_paused_schedule_starts_nothing_and_does_not_make_up_for_it(
    catalog: Catalog, flow: Workflow[[str], str]
) -> None:
    async with Environment(catalog=catalog) as env:
        await env.schedules.put("hourly", flow, cron="0 * * * *")
        await env.skip(HOUR)
        assert (await env.schedules.pause("hourly")).next_at is None
        await env.skip(3 * HOUR)

        resumed = await env.schedules.resume("hourly")
        await env.skip(HOUR)

        assert resumed.next_at == dt.datetime(2030, 1, 1, 5, tzinfo=dt.UTC)
        assert [id[-9:-7] for id in await ids(env)] == ["01", "05"]


async def test_a_changed_plan_counts_from_now_and_putting_the_same_changes_nothing(
    catalog: Catalog, flow: Workflow[[str], str]
) -> None:
    async with Environment(catalog=catalog) as env:
        await env.schedules.put("it", flow, cron="0 * * * *")
        await env.skip(dt.timedelta(minutes=90))
        plan = Plan.of(cron="30 * * * *")

        await env.schedules.put_plan("it", flow, plan, {})
        await env.schedules.put_plan("it", flow, plan, {})
        await env.skip(HOUR)

        assert [id[-9:-4] for id in await ids(env)] == ["01:00", "02:30"]


@pytest.mark.parametrize(
    ("overlap", "expected", "skipped"),
    [
        ("queue", ["01:00", "02:00", "03:00"], 0),
        ("allow", ["01:00", "02:00", "03:00"], 0),
        ("skip", ["01:00", "02:00"], 1),
        ("cancel_previous", ["01:00", "03:00"], 1),
    ],
)
async def test_ticks_that_wait_when_the_plan_is_changed_go_by_the_overlap_of_the_new_one(
    store_url: str,
    catalog: Catalog,
    waiting_flow: Workflow[[], None],
    overlap: str,
    expected: list[str],
    skipped: int,
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("it", waiting_flow, cron="0 * * * *", overlap="queue")
        await env.skip(3 * HOUR + MINUTE)
        assert len((await env.schedules.get("it")).queued) == 2

        changed = await env.schedules.put("it", waiting_flow, cron="0 0 1 6 *", overlap=overlap)
        for _ in range(3):
            for run in await env.list():
                if not run.status.is_final:
                    await env.signal(run.id, "go")
            await env.skip(MINUTE)

        assert [tick.hour for tick in changed.queued] == [2, 3]
        assert [id[-9:-4] for id in await ids(env)] == expected
        info = await env.schedules.get("it")
        assert (info.queued, info.skipped) == ([], skipped)


@pytest.mark.parametrize("what", ["the input", "the version", "the file"])
async def test_what_was_missed_is_made_up_for_unless_the_plan_itself_is_changed(
    sqlite_url: str, catalog: Catalog, flow: Workflow[[str], str], what: str
) -> None:
    @workflow(catalog=catalog, name="flow", version="2")
    async def flow_2(day: str = "none") -> str:
        return day

    plan = Plan.of(cron="0 * * * *", overlap="allow", catchup="all")
    async with Environment(sqlite_url, catalog=catalog) as env:
        await env.schedules.put_plan("it", flow, plan, {}, origin="a/it.yaml")
        await env.engine.kill()
        env.clock.move_to(Instant(env.clock.now() + 3 * 3600 * 1_000_000 + 5))
        match what:
            case "the input":
                await env.schedules.put_plan("it", flow, plan, {"day": "{date}"}, origin="a/it.yaml")
            case "the version":
                await env.schedules.put_plan("it", flow_2, plan, {}, version="2", origin="a/it.yaml")
            case _:
                moved = await env.schedules.put_plan("it", flow, plan, {}, origin="b/it.yaml")
                assert moved.origin == "b/it.yaml"

    async with Environment(sqlite_url, catalog=catalog) as env:
        env.clock.move_to(Instant(env.clock.now() + 3 * 3600 * 1_000_000 + 10))
        await env.skip(MINUTE)

        assert [id[-9:-4] for id in await ids(env)] == ["01:00", "02:00", "03:00"]


async def test_a_schedule_can_be_triggered_and_backfilled_and_no_tick_runs_twice(
    catalog: Catalog, flow: Workflow[[str], str]
) -> None:
    async with Environment(catalog=catalog) as env:
        await env.schedules.put("hourly", flow, cron="0 * * * *", input={"day": "{tick}"})
        await env.skip(2 * HOUR)
        begin = dt.datetime(2029, 12, 31, 22, tzinfo=dt.UTC)

        triggered = await env.schedules.trigger("hourly")
        filled = await env.schedules.backfill("hourly", begin, begin + 5 * HOUR)

        assert await triggered.result() == "2030-01-01T02:00:00+00:00"
        assert [run.id[-9:-7] for run in filled] == ["22", "23", "00", "01", "02"]
        assert len(await ids(env)) == 6


async def test_what_lies_ahead_can_be_looked_at(catalog: Catalog, flow: Workflow[[str], str]) -> None:
    async with Environment(catalog=catalog) as env:
        await env.schedules.put("hourly", flow, cron="0 * * * *", timezone="Europe/Berlin")

        firings = await env.schedules.preview("hourly", 2)
        noon = dt.datetime(2030, 1, 1, 12, tzinfo=dt.UTC)
        outage = await env.schedules.preview_outage("hourly", noon, noon + 6 * HOUR)

        assert [firing.tick.hour for firing in firings] == [1, 2]
        assert (len(outage.started), outage.skipped) == (1, 5)


async def test_a_schedule_that_cannot_be_is_refused_and_changes_nothing(
    catalog: Catalog, flow: Workflow[[str], str]
) -> None:
    async with Environment(catalog=catalog) as env:
        with pytest.raises(BadOption, match="cron"):
            await env.schedules.put("it", flow, cron="every day")
        with pytest.raises(BadOption, match="timezone"):
            await env.schedules.put("it", flow, cron="0 2 * * *", timezone="Europe/Berlni")
        with pytest.raises(WrongType, match="hour"):
            await env.schedules.put("it", flow, cron="0 2 * * *", input={"hour": 2})
        with pytest.raises(UnknownWorkflow):
            await env.schedules.put("it", "nobody", cron="0 2 * * *")
        with pytest.raises(ScheduleNotFound):
            await env.schedules.pause("it")

        assert await env.schedules.list() == []


async def test_a_deleted_schedule_is_gone_and_its_runs_are_not(
    catalog: Catalog, flow: Workflow[[str], str]
) -> None:
    async with Environment(catalog=catalog) as env:
        await env.schedules.put("hourly", flow, cron="0 * * * *")
        await env.skip(HOUR)

        await env.schedules.delete("hourly")
        await env.skip(3 * HOUR)

        assert len(await ids(env)) == 1
        with pytest.raises(ScheduleNotFound):
            await env.schedules.get("hourly")


# --- several nodes


class Fleet:
    """Nodes with stores of their own over one database, and one clock for all of them."""

    def __init__(self, url: str, catalog: Catalog, clock: ManualClock) -> None:
        self._settings = Settings(url=url)
        self._catalog = catalog
        self._clock = clock
        self.engines: list[Engine] = []
        self._stores: list[Any] = []

    async def add(self) -> None:
        store = store_for(self._settings.url, threads=False)
        await store.open()
        parts = Parts(
            self._settings,
            self._catalog,
            store=store,
            clock=self._clock,
            dice=Random(len(self._stores)),
            # Nodes hear of each other by looking: nothing else tells them within one process. Not too often,
            # or a year is mostly that.
            tuning=Tuning(poll=8 * HOUR),
        )
        engine = parts.engine(Waiters(store, "default", lambda run: engine.has(run)))  # noqa: PLW0108  # it is made after this
        engine.start()
        self.engines.append(engine)
        self._stores.append(store)

    async def kill_one(self) -> None:
        await self.engines.pop(0).kill()

    async def live_until(self, end: Instant) -> None:
        while self._clock.now() < end:
            for _ in range(3):
                while not all(engine.is_quiet for engine in self.engines):  # noqa: ASYNC110  # nothing tells that all are quiet
                    await asyncio.sleep(0)
                await asyncio.sleep(0)
            due = self._clock.next_due()
            self._clock.move_to(end if due is None else min(due, end))

    async def close(self) -> None:
        for engine in self.engines:
            await engine.kill()
        for store in self._stores:
            await store.close()


async def test_three_nodes_over_a_year_start_exactly_one_run_for_every_tick(
    tmp_path: Path, catalog: Catalog
) -> None:
    done: Counter[str] = Counter()

    @task(catalog=catalog)
    async def note() -> None:
        done[task_context().run_id] += 1

    @workflow(catalog=catalog)
    async def nightly() -> None:
        await note()

    url = f"sqlite:///{tmp_path}/year.db"
    async with Environment(url, catalog=catalog) as env:
        await env.schedules.put("nightly", nightly, cron="30 2 * * *", timezone="Europe/Berlin")
        begin = env.clock.now()
    clock = ManualClock()
    fleet = Fleet(url, catalog, clock)
    for _ in range(3):
        await fleet.add()
    for month in range(12):
        await fleet.live_until(Instant(begin + (month + 1) * 365 * 24 * 3600 * 1_000_000 // 12))
        await fleet.kill_one()
        await fleet.add()
    await fleet.close()

    store = store_for(url, threads=False)
    await store.open()
    runs = await store.list_runs("default", RunFilter(limit=1000))
    await store.close()
    # On the last Sunday of March there is no half past two, and the run comes at three; in October there are
    # two of them, and the run comes once.
    plan = Plan.of(cron="30 2 * * *", timezone="Europe/Berlin")
    ticks = list(plan.ticks(begin, Instant(begin + 365 * 24 * 3600 * 1_000_000)))
    assert len(ticks) == 365
    expected = {f"nightly@{moment(tick).replace(tzinfo=None).isoformat()}Z" for tick in ticks}
    assert {run.id for run in runs} == expected
    assert len(runs) == 365
    assert {run.status for run in runs} == {RunStatus.SUCCESS}
    assert done.keys() == expected


async def test_nodes_that_decide_at_the_same_instant_start_one_run_between_them(
    store_url: str, catalog: Catalog, flow: Workflow[[str], str]
) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("hourly", flow, cron="0 * * * *", overlap="allow")
        await env.engine.kill()
        env.clock.advance(HOUR)
        now = env.clock.now()
        stores = [store_for(store_url) for _ in range(3)]
        for store in stores:
            await store.open()
        from holdfast.engine.schedule_firing import ScheduleFirer

        def new_key(at: Instant) -> RunKey:
            return RunKey(Random().randbytes(16))

        nodes = [ScheduleFirer(store, env._parts.definitions, "default", new_key) for store in stores]  # pyright: ignore[reportArgumentType]
        await asyncio.gather(*(node.fire(now) for node in nodes))
        for store in stores:
            await store.close()

        assert await ids(env) == ["hourly@2030-01-01T01:00:00Z"]
        assert (await env.schedules.get("hourly")).skipped == 0
