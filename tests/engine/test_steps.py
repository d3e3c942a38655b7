"""Steps of workflow code as the engine runs them: retries, limits, cancellation, reopening, a killed node."""

from __future__ import annotations

import asyncio
import datetime as dt
import itertools
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE, until

from holdfast import (
    Catalog,
    Holdfast,
    Retry,
    RunCancelled,
    RunFailed,
    TaskTimedOut,
    context,
    task,
    task_context,
    workflow,
)
from holdfast.core.values import TaskStatus, moment
from holdfast.testing import Environment, assert_durable

NewDatabase = Callable[[], str]

SECOND = dt.timedelta(seconds=1)
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


async def statuses(env: Environment, run: Any) -> list[TaskStatus]:
    return [row.status for row in await env.list_tasks(run)]


# --- crashes


async def test_a_crash_at_every_commit_repeats_no_recorded_step(
    new_database: NewDatabase, catalog: Catalog
) -> None:
    """`assert_durable` counts the starts of steps, and compares what each step counted itself."""
    calls: Counter[str] = Counter()
    seen: dict[str, int] = {}

    @workflow(catalog=catalog)
    async def counting() -> list[str]:
        ctx = context()

        async def count(name: str) -> str:
            seen[task_context().task_id] = calls[name] = calls[name] + 1
            return name

        def fail_at_first() -> str:
            calls["flaky"] += 1
            if calls["flaky"] % 2:
                raise ConnectionError("try again")
            return "flaky"

        first = await ctx.step("count", partial(count, "first"))
        both = await asyncio.gather(
            ctx.step("count", partial(count, "second")), ctx.step("count", partial(count, "third"))
        )
        await asyncio.sleep(5)
        retry = Retry(max_attempts=3, first_delay=SECOND)
        return [first, *both, await ctx.step("flaky", fail_at_first, retry=retry)]

    result = await assert_durable(counting, new_database=new_database, catalog=catalog)

    assert result == ["first", "second", "third", "flaky"]


async def test_a_step_under_way_is_lost_with_its_node_and_made_again(
    store_url: str, catalog: Catalog
) -> None:
    attempts: list[int] = []

    @workflow(catalog=catalog)
    async def holding(value: int) -> list[int]:
        async def hold() -> list[int]:
            attempts.append(task_context().attempt)
            if task_context().attempt == 1:
                await asyncio.Event().wait()
            return [value, task_context().attempt]

        return await context().step("hold", hold)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(holding, 5)
        await until(lambda: attempts == [1])
        await env.crash()

        assert await run.result() == [5, 2]
        [row] = await env.list_tasks(run)
        assert (row.lost, row.attempt) == (1, 2)


KILLED = """
import asyncio, sys
from holdfast import Catalog, Holdfast, context, task_context, workflow

catalog = Catalog()

@workflow(catalog=catalog)
async def held(value: int) -> list[int]:
    done = await context().step("before", lambda: print("before", flush=True) or 1)

    async def hold() -> list[int]:
        if task_context().attempt == 1:
            print("holding", flush=True)
            await asyncio.sleep(3600)
        return [value, done, task_context().attempt]

    return await context().step("hold", hold)

async def main() -> None:
    async with Holdfast(sys.argv[1], catalog=catalog, lease_seconds=1.5) as hf:
        await hf.start(held, 7, id="held")
        print(await hf.result("held"), flush=True)

asyncio.run(main())
"""


async def test_a_step_survives_kill_nine(store_url: str, tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(KILLED)

    async def start() -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, str(script), store_url, stdout=asyncio.subprocess.PIPE, env=dict(os.environ)
        )

    async with asyncio.timeout(PATIENCE):
        first = await start()
        assert first.stdout is not None
        assert [await first.stdout.readline() for _ in range(2)] == [b"before\n", b"holding\n"]
        first.send_signal(signal.SIGKILL)
        await first.wait()

        second = await start()
        output, _ = await second.communicate()

    assert output == b"[7, 1, 2]\n"


# --- retries and limits


async def test_a_step_in_backoff_leaves_memory_and_is_tried_again_with_its_closure(
    store_url: str, catalog: Catalog
) -> None:
    began: list[dt.datetime] = []
    retry = Retry(max_attempts=3, first_delay=HOUR, factor=2, max_delay=10 * HOUR, jitter=0)

    @workflow(catalog=catalog)
    async def flaky(value: int) -> int:
        async def fail_twice() -> int:
            began.append(env.clock.time())
            if len(began) < 3:
                raise ConnectionError(f"time {len(began)}")
            return value

        return await context().step("flaky", fail_twice, retry=retry)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flaky, 3)
        await env.skip(60 * SECOND)
        assert len(env.engine._residents) == 0  # it has left memory

        assert await run.result() == 3
        [row] = await env.list_tasks(run)
        ended = await env.crash_points.list_attempts(env.namespace, run.key)
    assert [later - earlier for earlier, later in itertools.pairwise(began)] == [HOUR, 2 * HOUR]
    assert [each.failure.message for each in ended if each.failure] == ["time 1", "time 2"]
    assert moment(row.created_at) == began[0]


@pytest.mark.parametrize("limit", ["timeout", "heartbeat"])
async def test_a_step_that_takes_too_long_or_is_silent_is_cancelled_and_fails(
    limit: str, store_url: str, catalog: Catalog
) -> None:
    ends: list[str] = []
    is_begun = asyncio.Event()

    @workflow(catalog=catalog)
    async def hanging() -> None:
        async def hang() -> None:
            is_begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                ends.append("cancelled")
                raise

        await context().step("hang", hang, **{limit: 20 * SECOND})

    async with Environment(store_url, catalog=catalog) as env, asyncio.timeout(PATIENCE):
        run = await env.start(hanging)
        await is_begun.wait()
        env.clock.advance(21 * SECOND)
        with pytest.raises(TaskTimedOut, match="task 'hang'"):
            await run.result()
        await until(lambda: ends == ["cancelled"])


async def test_the_next_attempt_at_a_step_gets_the_heartbeat_details(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def copies(pages: int) -> list[Any]:
        async def copy() -> list[Any]:
            first = task_context().heartbeat_details(int) or 0
            for page in range(first, pages):
                task_context().heartbeat(page)
                if page == 3 and not first:
                    raise ConnectionError
            return [first, task_context().attempt, task_context().name]

        return await context().step("copy", copy, heartbeat=HOUR, retry=Retry(max_attempts=2))

    async with Environment(store_url, catalog=catalog) as env:
        assert await env.run(copies, 10) == [3, 2, "copy"]


async def test_a_failed_step_of_an_ended_run_is_tried_again(store_url: str, catalog: Catalog) -> None:
    is_up = False
    calls: Counter[str] = Counter()

    @workflow(catalog=catalog)
    async def ordering(order: str) -> str:
        def note(name: str) -> str:
            calls[name] += 1
            return name

        def charge() -> str:
            if not is_up:
                raise ConnectionError("down")
            return f"charged {order}"

        await context().step("reserve", lambda: note("reserve"))
        charged = await context().step("charge", charge)
        return f"{charged}, {await context().step('mail', lambda: note('mail'))}"

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(ordering, "A1")
        with pytest.raises(RunFailed, match="down"):
            await run.result()
        is_up = True
        await run.retry()

        assert await run.result() == "charged A1, mail"
        assert await statuses(env, run) == [TaskStatus.SUCCESS] * 3
    assert calls == {"reserve": 1, "mail": 1}


# --- cancellation


@pytest.mark.parametrize("whose", ["handle", "run"])
async def test_cancelling_ends_an_async_step(whose: str, store_url: str, catalog: Catalog) -> None:
    ends: list[str] = []
    is_begun = asyncio.Event()

    @workflow(catalog=catalog)
    async def hanging() -> str:
        async def hang() -> None:
            is_begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                ends.append("cancelled")
                raise

        step = context().step("hang", hang)
        await context().signal("go")
        step.cancel()
        return "went on"

    async with Environment(store_url, catalog=catalog) as env, asyncio.timeout(PATIENCE):
        run = await env.start(hanging)
        await is_begun.wait()
        if whose == "handle":
            await run.signal("go")
            assert await run.result() == "went on"
        else:
            await run.cancel("enough")
            with pytest.raises(RunCancelled, match="enough"):
                await run.result()
        await until(lambda: ends == ["cancelled"])
        assert await statuses(env, run) == [TaskStatus.CANCELLED]


# --- queues


@pytest.mark.parametrize(("queue", "most"), [(None, 4), ("narrow", 1)])
async def test_a_step_counts_against_the_limit_of_a_queue_only_if_it_names_the_queue(
    queue: str | None, most: int, store_url: str
) -> None:
    catalog = Catalog()
    under_way, highest = 0, 0

    async def work() -> None:
        nonlocal under_way, highest
        under_way += 1
        highest = max(highest, under_way)
        for _ in range(20):
            await asyncio.sleep(0.001)
        under_way -= 1

    @workflow(catalog=catalog)
    async def several() -> None:
        options: Any = {} if queue is None else {"queue": queue}
        await asyncio.gather(*[context().step("work", work, **options) for _ in range(4)])

    async with Holdfast(store_url, catalog=catalog, queues={"default": 1, "narrow": 1}) as hf:
        await hf.run(several)

    assert highest == most


async def test_a_step_named_like_a_task_does_not_run_the_task(store_url: str, catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def charge() -> str:
        return "the task"

    @workflow(catalog=catalog)
    async def both() -> list[str]:
        return [await context().step("charge", lambda: "the step"), await charge()]

    async with Environment(store_url, catalog=catalog) as env:
        assert await env.run(both) == ["the step", "the task"]


async def test_a_plain_step_that_is_cancelled_is_interrupted(store_url: str, catalog: Catalog) -> None:
    ends: list[str] = []
    is_begun = threading.Event()

    @workflow(catalog=catalog)
    async def hanging() -> str:
        def hang() -> None:
            is_begun.set()
            try:
                while True:
                    threading.Event().wait(0.001)
            except asyncio.CancelledError:
                ends.append("interrupted")
                raise

        try:
            await asyncio.wait_for(context().step("hang", hang), 60)
        except TimeoutError:
            return "gave up"
        return ""

    async with Environment(store_url, catalog=catalog) as env, asyncio.timeout(PATIENCE):
        run = await env.start(hanging)
        await until(is_begun.is_set)
        env.clock.advance(61 * SECOND)

        assert await run.result() == "gave up"
        await until(lambda: ends == ["interrupted"])
