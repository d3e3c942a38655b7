"""Attempts that hang, and runs that wait for them."""

from __future__ import annotations

import asyncio
import datetime as dt

from tests.other_systems.staging import passing_time, watch_commits

from holdfast import Catalog, Retry, context, task, task_context, workflow
from holdfast.core.values import TaskStatus
from holdfast.testing import Environment

SECOND = dt.timedelta(seconds=1)
MINUTE = dt.timedelta(minutes=1)


async def test_a_run_does_not_leave_memory_over_a_task_that_only_it_can_finish(
    store_url: str, catalog: Catalog
) -> None:
    """Restate 5196: suspended for inactivity while its own step hangs, it waits for a result nobody makes."""
    hang = asyncio.Event()

    @task(catalog=catalog, retry=Retry(max_attempts=3, first_delay=MINUTE), heartbeat=10 * MINUTE)
    async def hanging() -> str:
        if task_context().attempt == 1:
            raise ConnectionError("a passing failure")
        if task_context().attempt == 2:
            await hang.wait()
        return "done"

    @workflow(catalog=catalog)
    async def flow() -> str:
        return await hanging()

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow)
        seen = watch_commits(env)
        began = env.clock.time()

        async with passing_time(env, 5 * SECOND):
            assert await run.result() == "done"
        released = [row for commit, _ in seen for row in commit.released]
        # Once over the backoff, with the time to wake it; never over the attempt that hung.
        assert [row.wake_at is not None for row in released] == [True] * len(released)
        assert len(released) <= 2
        assert env.clock.time() - began < 15 * MINUTE
        rows = await env.crash_points.list_attempts(env.namespace, run.key)
        assert [row.status for row in rows] == ["failed", "timed_out"]


async def test_a_task_that_hangs_before_its_first_heartbeat_is_ended_and_tried_again(
    store_url: str, catalog: Catalog
) -> None:
    """Hatchet 2432: the worker lost the task as it got it, and only the execution timeout tells."""
    hang = asyncio.Event()
    ended: list[int] = []

    @task(catalog=catalog, retry=Retry(max_attempts=2), heartbeat=5 * SECOND, timeout=15 * MINUTE)
    async def silent() -> str:
        if task_context().attempt == 1:
            try:
                await hang.wait()
            finally:
                ended.append(task_context().attempt)
        return "done"

    @workflow(catalog=catalog)
    async def flow() -> str:
        return await silent()

    async with Environment(store_url, catalog=catalog, queues={"default": 1}) as env:
        began = env.clock.time()

        async with passing_time(env, SECOND):
            assert await env.run(flow) == "done"
        assert env.clock.time() - began < MINUTE
        assert ended == [1]


async def test_a_task_that_outlives_a_restart_has_its_whole_timeout_again_and_ends_by_it(
    store_url: str, catalog: Catalog
) -> None:
    """Restate 5196: restarting the worker did not help; the retry meets the same hang and nothing ends it."""
    hang = asyncio.Event()

    @task(catalog=catalog, timeout=MINUTE)
    async def hanging() -> None:
        await hang.wait()

    @workflow(catalog=catalog)
    async def flow() -> str:
        try:
            await hanging()
        except TimeoutError:
            return "timed out"
        return "done"

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow)
        async with passing_time(env, SECOND):
            await asyncio.sleep(0.05)
            await env.crash()
            recovered = env.clock.time()

            assert await run.result() == "timed out"
        assert MINUTE <= env.clock.time() - recovered < 2 * MINUTE
        assert (await env.list_tasks(run))[0].status is TaskStatus.FAILED


async def test_runs_behind_one_that_waits_for_ever_for_the_outside_are_not_kept_waiting(
    store_url: str, catalog: Catalog
) -> None:
    """Restate 5196: the stuck invocation holds its key, and everything after it is queued behind it."""

    @workflow(catalog=catalog)
    async def stuck() -> None:
        await context().promise("never")

    @workflow(catalog=catalog)
    async def other() -> str:
        return "done"

    async with Environment(store_url, catalog=catalog, max_resident=1) as env:
        waiting = await env.start(stuck, id="stuck")
        await env.skip(MINUTE)

        assert await env.run(other) == "done"
        assert (await waiting.describe()).waiting == "promise 'never'"
        assert await env.doctor() == []
