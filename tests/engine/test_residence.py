"""Resident, then cold: runs that only wait leave memory, and come back when there is reason to."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pytest

from holdfast import Catalog, Holdfast, Retry, Run, RunStatus, context, task, task_context, workflow
from holdfast.testing import Environment

DAY = dt.timedelta(days=1)
MAX_IDLE = 256

catalog = Catalog()


@task(catalog=catalog)
async def echo(value: Any) -> Any:
    return value


@workflow(catalog=catalog)
async def sleeper(number: int) -> int:
    await asyncio.sleep(86_400)
    return await echo(number)


@workflow(catalog=catalog)
async def listener() -> Any:
    return await context().signal("go")


def residents(env: Environment, runs: list[Run[Any]]) -> int:
    return sum(env.engine.has(run.key) for run in runs)


async def test_of_thousands_of_sleeping_runs_few_are_in_memory_and_all_finish(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        runs = await env.start_many(sleeper, range(2000))
        await env.wait_until_quiet()
        at_once = residents(env, runs)
        await env.skip(dt.timedelta(minutes=1))
        later = residents(env, runs)

        assert at_once <= MAX_IDLE
        assert later == 0
        assert await env.doctor() == []
        await env.skip(DAY)
        assert await asyncio.gather(*[run.result() for run in runs]) == list(range(2000))


async def test_a_run_that_waits_is_shown_with_what_it_waits_for() -> None:
    async with Environment(catalog=catalog) as env:
        asleep, listening = await env.start(sleeper, 1), await env.start(listener)
        await env.skip(dt.timedelta(minutes=1))

        assert (await asleep.describe()).waiting == "until 2030-01-02T00:00:00+00:00"
        assert (await listening.describe()).waiting == "signal 'go'"
        assert await asleep.status() is RunStatus.RUNNING


async def test_a_timer_that_is_no_longer_needed_wakes_nobody(store_url: str) -> None:
    @workflow(catalog=catalog)
    async def punctual() -> Any:
        async with asyncio.timeout(86_400):
            await context().signal("first")
        return await context().signal("second")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(punctual)
        await env.wait_until_quiet()
        await run.signal("first")
        await env.skip(dt.timedelta(minutes=1))
        before = env.crash_points.commits
        await env.skip(2 * DAY)

        assert (await run.describe()).waiting == "signal 'second'"
        assert env.crash_points.commits == before
        await run.signal("second", 2)
        assert await run.result() == 2


async def test_a_message_wakes_a_run_that_left_memory(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(listener)
        await env.skip(DAY)
        assert not env.engine.has(run.key)
        await run.signal("go", "hello")

        assert await run.result() == "hello"


async def test_a_run_that_sleeps_for_a_moment_stays_in_memory() -> None:
    @workflow(catalog=catalog)
    async def napper() -> str:
        for _ in range(10):
            await asyncio.sleep(1)
        return "rested"

    async with Environment(catalog=catalog) as env:
        run = await env.start(napper)
        await env.wait_until_quiet()
        before = env.crash_points.commits
        in_memory: list[bool] = []
        for _ in range(9):
            await env.skip(dt.timedelta(seconds=1))
            in_memory.append(env.engine.has(run.key))

        assert all(in_memory)
        assert await run.result() == "rested"
        assert env.crash_points.commits - before <= 12  # one a step, and hardly any to leave or come back


async def test_a_run_with_a_task_in_flight_stays_in_memory_however_long_that_takes() -> None:
    mine = Catalog()
    began, go = asyncio.Event(), asyncio.Event()

    @task(catalog=mine)
    async def long_work() -> str:
        began.set()
        await go.wait()
        return "worked"

    @workflow(catalog=mine)
    async def working() -> str:
        return await long_work()

    async with Environment(catalog=mine) as env:
        run = await env.start(working)
        await began.wait()
        for _ in range(20):
            env.clock.advance(dt.timedelta(minutes=1))
            await asyncio.sleep(0.001)
        assert env.engine.has(run.key)
        go.set()

        assert await run.result() == "worked"
        [row] = await env.list_tasks(run)
        assert row.attempt == 1


async def test_a_run_whose_task_backs_off_for_long_leaves_memory_and_comes_back() -> None:
    mine = Catalog()

    @task(catalog=mine, retry=Retry(max_attempts=2, first_delay=DAY, max_delay=DAY, jitter=0))
    async def flaky() -> int:
        if task_context().attempt == 1:
            raise ValueError("not yet")
        return task_context().attempt

    @workflow(catalog=mine)
    async def trying() -> int:
        return await flaky()

    async with Environment(catalog=mine) as env:
        run = await env.start(trying)
        await env.skip(dt.timedelta(minutes=1))

        assert not env.engine.has(run.key)
        assert await env.doctor() == []
        assert await run.result() == 2


async def test_a_node_holds_no_more_runs_than_it_may_and_does_all_of_them(sqlite_url: str) -> None:
    mine = Catalog()
    running = most = 0

    @task(catalog=mine)
    async def work(number: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1
        return number

    @workflow(catalog=mine)
    async def working(number: int) -> int:
        return await work(number)

    async with Holdfast(sqlite_url, catalog=mine, max_resident=10) as hf:
        runs = await hf.start_many(working, range(100))
        results = await asyncio.gather(*[run.result(timeout=dt.timedelta(seconds=20)) for run in runs])

    assert results == list(range(100))
    assert most <= 10


@pytest.mark.parametrize("wakes", ["signal", "timer"])
async def test_a_cold_run_is_rebuilt_with_everything_it_knew(wakes: str, store_url: str) -> None:
    @workflow(catalog=catalog)
    async def knowing() -> list[Any]:
        ctx = context()
        lot = [ctx.random.random(), str(ctx.uuid4())]
        told = await echo(lot)
        ctx.state.set("told", told)
        try:
            await ctx.signal("go", timeout=DAY)
        except TimeoutError:
            how = "timer"
        else:
            how = "signal"
        return [how, told == lot == ctx.state.get("told")]

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(knowing)
        await env.skip(dt.timedelta(hours=1))
        assert not env.engine.has(run.key)
        if wakes == "signal":
            await run.signal("go")

        assert await run.result() == [wakes, True]
