"""The environment that users test their workflows in: time that skips, crashes on demand."""

from __future__ import annotations

import asyncio
import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast import Catalog, RunStatus, context, task, task_context, workflow
from holdfast.core.values import later
from holdfast.errors import NodeStopped, RunParked, VersionConflict
from holdfast.ports.commits import Commit, Receipt
from holdfast.testing import Environment, ManualClock

DAY = dt.timedelta(days=1)

catalog = Catalog()


@task(catalog=catalog)
async def echo(value: Any) -> Any:
    return value


@workflow(catalog=catalog)
async def monthly(months: int) -> list[str]:
    seen: list[str] = []
    for _ in range(months):
        await asyncio.sleep(30 * 86_400)
        seen.append(await echo(context().now().date().isoformat()))
    return seen


async def test_a_year_passes_in_a_moment() -> None:
    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog) as env:
        seen = await env.run(monthly, 12)

    assert (seen[0], seen[-1]) == ("2030-01-31", "2030-12-27")


async def test_time_stands_still_unless_the_test_waits_for_a_result_or_skips() -> None:
    async with Environment(catalog=catalog) as env:
        before = env.clock.time()
        run = await env.start(monthly, 1)
        await env.wait_until_quiet()
        await asyncio.sleep(0.02)
        assert env.clock.time() == before
        await env.skip(29 * DAY)
        assert env.clock.time() == before + 29 * DAY
        assert await run.status() is RunStatus.RUNNING
        await env.skip(2 * DAY)
        assert env.clock.time() == before + 31 * DAY

        assert await run.status() is RunStatus.SUCCESS


async def test_a_skip_stops_at_everything_that_is_due_on_the_way() -> None:
    async with Environment(catalog=catalog) as env:
        run = await env.start(monthly, 3)
        await env.skip(100 * DAY)

        assert await run.result() == ["2030-01-31", "2030-03-02", "2030-04-01"]


async def test_a_crash_drops_what_is_in_flight_and_a_new_node_goes_on() -> None:
    mine = Catalog()
    began = asyncio.Event()
    ended: list[str] = []

    @task(catalog=mine)
    async def hang() -> int:
        if task_context().attempt > 1:
            return task_context().attempt
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("dropped")
        return 0

    @workflow(catalog=mine)
    async def hanging() -> int:
        return await hang()

    async with Environment(catalog=mine) as env:
        first = env.engine
        run = await env.start(hanging)
        await began.wait()
        await env.crash()

        assert (env.crashes, ended) == (1, ["dropped"])
        assert env.engine is not first
        assert await run.result() == 2
        assert env.executions == [f"{run.id}:0", f"{run.id}:0"]
        assert env.repeated == []


async def test_a_recorded_task_that_is_begun_again_is_noticed() -> None:
    async with Environment(catalog=catalog) as env:
        env.recorded.add("00000000")
        run = await env.start(monthly, 1)
        env.recorded.add(f"{run.id}:0")
        await run.result()

        assert env.repeated == [f"{run.id}:0"]


async def test_a_crash_can_be_planned_before_or_after_a_commit() -> None:
    for after in (False, True):
        async with Environment(catalog=catalog, crash_at=2, crash_after=after) as env:
            run = await env.start(monthly, 2)

            assert len(await run.result()) == 2
            assert env.crashes == 1
            assert env.repeated == []


async def test_one_environment_goes_on_where_another_left_the_database(sqlite_url: str) -> None:
    async with Environment(sqlite_url, catalog=catalog) as env:
        first = await env.start(monthly, 1, id="first")
        await env.skip(DAY)
    async with Environment(sqlite_url, catalog=catalog) as env:
        second = await env.start(monthly, 1, id="second")

        assert second.key != first.key
        assert await (await env.get("first")).result() == ["2030-01-31"]
        assert await second.result() == ["2030-01-31"]


async def test_its_settings_are_those_of_its_node() -> None:
    async with Environment(catalog=Catalog(), lease_seconds=3, log_limit=77, max_resident=5) as env:
        tuning = env._parts.tuning

    assert (tuning.lease.total_seconds(), tuning.log_limit, tuning.max_resident) == (3, 77, 5)


async def test_its_own_database_is_gone_afterwards() -> None:
    async with Environment(catalog=catalog) as env:
        file = Path(env.settings.url.removeprefix("sqlite:///"))
        assert file.exists()

    assert not file.exists()


async def test_the_same_seed_gives_the_same_ids_and_dice() -> None:
    @workflow(catalog=catalog)
    async def dice() -> list[Any]:
        return [context().run_id, context().random.random()]

    results: list[Any] = []
    for _ in range(2):
        async with Environment(catalog=catalog) as env:
            results.append([await env.run(dice), await env.run(dice)])

    assert results[0] == results[1]


async def test_an_environment_that_cannot_be_entered_lets_go_of_its_database(postgres_url: str) -> None:
    for code, problem in ((_one, None), (_two, VersionConflict)):
        mine = Catalog()
        workflow(catalog=mine, name="fixed", version=1)(code)
        if problem is None:
            async with Environment(postgres_url, catalog=mine):
                pass
        else:
            with pytest.raises(problem):
                await Environment(postgres_url, catalog=mine).__aenter__()


async def _one() -> int:
    return 1


async def _two() -> int:
    return 2


async def test_a_manual_clock_wakes_those_whose_time_has_come() -> None:
    clock = ManualClock()
    start = clock.now()
    woken: list[str] = []

    async def wait(name: str, seconds: int | None) -> None:
        event = asyncio.Event()
        until = None if seconds is None else later(start, dt.timedelta(seconds=seconds))
        await clock.wait(event, until)
        woken.append(name)

    waiting = [asyncio.create_task(wait(*each)) for each in (("late", 60), ("early", 10), ("never", None))]
    await asyncio.sleep(0)
    assert clock.next_due() == start + 10_000_000
    clock.advance(dt.timedelta(seconds=30))
    await asyncio.sleep(0.001)
    assert woken == ["early"]
    clock.move_to(start)  # never back
    assert clock.now() == start + 30_000_000
    clock.advance(dt.timedelta(seconds=30))
    await asyncio.sleep(0.001)
    assert woken == ["early", "late"]
    waiting[-1].cancel()


# --- crashes


@workflow(catalog=catalog)
async def idle() -> str:
    return "done"


@workflow(catalog=catalog)
async def starts_two_of_one_name() -> None:
    await asyncio.gather(
        idle.options(id="one")(), idle.options(id="one")(), idle.options(id="two")(), return_exceptions=True
    )


async def test_a_run_that_begins_after_a_crash_has_a_key_of_its_own() -> None:
    async with Environment(catalog=catalog) as env:
        await env.run(starts_two_of_one_name)  # takes four keys, of which the third is not used
        await env.crash()

        run = await env.start(idle, id="three")

        keys = [info.key for info in await env.list()]
        assert len(set(keys)) == 4
        assert await run.result() == "done"


async def test_a_crash_point_is_recovered_from_also_after_an_explicit_crash() -> None:
    mine = Catalog()

    @task(catalog=mine)
    async def echo(value: int) -> int:
        return value

    @workflow(catalog=mine)
    async def waiting() -> int:
        return await echo(await context().signal("go", int))

    # Commits 1 and 2: the start, and the claim by the new node. So 4 comes well after the crash.
    async with Environment(catalog=mine, crash_at=4) as env:
        run = await env.start(waiting)
        await env.crash()
        await run.signal("go", 7)

        # With the fault, `Environment._supervise` returned at the explicit crash: nobody restarts the
        # node at the crash point, and this waits for ever.
        assert await asyncio.wait_for(run.result(), PATIENCE) == 7
        assert env.crashes == 2


async def test_waiting_for_a_run_that_is_over_does_not_move_the_clock() -> None:
    mine = Catalog()

    @workflow(catalog=mine)
    async def failing() -> None:
        raise ValueError("no")

    async with Environment(catalog=mine) as env:
        run = await env.start(failing)
        await env.wait_until_quiet()
        before = env.clock.time()

        for _ in range(20):
            # It is over and not in memory, so the store is asked. Meanwhile `Environment._skip` finds
            # nothing due but the idle node's next look at the store, a hundred years ahead, and goes there.
            with pytest.raises(ValueError, match="no"):
                await run.result()

        assert env.clock.time() == before


# --- waiting in vain


@workflow(catalog=catalog, name="parks")
async def parks() -> None:
    await asyncio.Event().wait()


@workflow(catalog=catalog)
async def waits_for_one_that_parks() -> None:
    await parks()


@pytest.mark.parametrize("flow", [parks, waits_for_one_that_parks], ids=lambda flow: flow.name)
async def test_waiting_for_a_run_that_is_parked_says_so(flow: Any) -> None:
    async with Environment(catalog=catalog) as env:
        run = await env.start(flow)

        with pytest.raises(RunParked, match=r"is parked: the workflow waits, but has no task"):
            await asyncio.wait_for(run.result(), PATIENCE)


async def test_a_node_that_has_stopped_by_an_error_is_not_waited_for() -> None:
    async with Environment(catalog=catalog) as env:
        await env.wait_until_quiet()

        async def fail(commit: Commit) -> Receipt:
            raise ZeroDivisionError

        env.crash_points.commit = fail  # type: ignore[method-assign]
        env.engine._poller.wants_claim = True
        env.engine._poller.poll_now()

        with pytest.raises(NodeStopped):
            await asyncio.wait_for(env.wait_until_quiet(), PATIENCE)
