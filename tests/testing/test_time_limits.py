"""Limits of tasks in an `Environment`: they are exceeded as in production, and never by tasks that work."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
import time
from collections.abc import Callable

import pytest
from tests.patience import PATIENCE

from holdfast import Catalog, Retry, task, task_context, workflow
from holdfast.testing import Environment, assert_durable, loop_waits

SECOND = dt.timedelta(seconds=1)
MINUTE = dt.timedelta(minutes=1)
LONG = dt.timedelta(seconds=PATIENCE)
"""More patience than a test has: what takes it does not pass."""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads and processes that other tests have left behind are nothing to wait for."""
    monkeypatch.setattr(loop_waits, "_has_other_threads", lambda: False)
    monkeypatch.setattr(loop_waits, "_has_child_processes", lambda: False)


def asking(catalog: Catalog, work: Callable[..., object], **options: object) -> object:
    """A workflow that says how its one task ended."""
    wanted = task(catalog=catalog, **options)(work)  # type: ignore[call-overload]

    @workflow(catalog=catalog)
    async def flow() -> str:
        try:
            return await wanted()
        except TimeoutError as error:
            return str(error)

    return flow


async def test_a_task_that_sleeps_past_its_timeout_is_timed_out_at_once(store_url: str) -> None:
    async def sleepy() -> str:
        await asyncio.sleep(3600)
        return "done"

    catalog = Catalog()
    flow = asking(catalog, sleepy, timeout=10 * MINUTE)
    async with asyncio.timeout(PATIENCE), Environment(store_url, catalog=catalog, patience=LONG) as env:
        began = env.clock.time()

        assert await env.run(flow) == "task 'sleepy' ran longer than 10m"
        assert env.clock.time() - began == 10 * MINUTE


async def test_a_sleep_that_ends_before_the_timeout_is_waited_for() -> None:
    async def sleepy() -> str:
        async with asyncio.timeout(60):
            for _ in range(3):
                await asyncio.sleep(0.2)
        return "done"

    catalog = Catalog()
    flow = asking(catalog, sleepy, timeout=10 * MINUTE)
    async with Environment(catalog=catalog, patience=SECOND / 10) as env:
        began = env.clock.time()

        assert await env.run(flow) == "done"
        assert env.clock.time() == began


async def test_the_sleep_of_a_task_and_timers_of_workflows_end_in_the_order_of_their_times() -> None:
    catalog = Catalog()

    @task(catalog=catalog)
    async def sleepy() -> str:
        await asyncio.sleep(1)
        return "task"

    @workflow(catalog=catalog)
    async def flow() -> list[str]:
        async def timer(seconds: float) -> str:
            await asyncio.sleep(seconds)
            return f"{seconds}"

        ends = asyncio.as_completed([sleepy(), timer(0.9), timer(1.1), timer(0.8)])
        return [await end for end in ends]

    async with Environment(catalog=catalog) as env:
        assert await env.run(flow) == ["0.8", "0.9", "task", "1.1"]


@pytest.mark.usefixtures("alone")
async def test_a_task_that_waits_for_what_nobody_sets_is_timed_out() -> None:
    async def hang() -> str:
        await asyncio.Event().wait()
        return "done"

    catalog = Catalog()
    flow = asking(catalog, hang, timeout=10 * MINUTE)
    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog, patience=LONG) as env:
        assert await env.run(flow) == "task 'hang' ran longer than 10m"


@pytest.mark.usefixtures("alone")
async def test_a_test_that_looks_at_its_results_now_and_then_does_not_hold_up_the_clock() -> None:
    async def hang() -> str:
        await asyncio.Event().wait()
        return "done"

    catalog = Catalog()
    flow = asking(catalog, hang, timeout=10 * MINUTE)
    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog, patience=LONG) as env:
        ending = asyncio.create_task(env.run(flow))
        while not ending.done():
            await asyncio.wait([ending], timeout=0.05)

        assert ending.result() == "task 'hang' ran longer than 10m"


async def test_a_task_that_the_test_sets_going_again_is_not_timed_out() -> None:
    go = asyncio.Event()

    async def hang() -> str:
        await go.wait()
        return "done"

    async def set_going() -> None:
        await asyncio.sleep(0.6)
        go.set()

    catalog = Catalog()
    flow = asking(catalog, hang, timeout=10 * MINUTE)
    async with Environment(catalog=catalog) as env:
        done, _ = await asyncio.gather(env.run(flow), set_going())

    assert done == "done"


async def test_a_task_that_waits_for_an_answer_is_not_timed_out() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.6)
        writer.write(b"done")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]

    async def ask() -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        answered = (await reader.read()).decode()
        writer.close()
        return answered

    catalog = Catalog()
    flow = asking(catalog, ask, timeout=10 * MINUTE)
    async with server, Environment(catalog=catalog) as env:
        assert await env.run(flow) == "done"


async def test_a_thread_that_blocks_is_timed_out_when_it_has_really_run_so_long() -> None:
    release = threading.Event()

    def block() -> str:
        release.wait()
        return "done"

    catalog = Catalog()
    flow = asking(catalog, block, timeout=SECOND / 2)
    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog, patience=LONG) as env:
        began = time.monotonic()
        try:
            assert await env.run(flow) == "task 'block' ran longer than 0.5s"
            assert time.monotonic() - began >= 0.5
        finally:
            release.set()


async def test_a_thread_that_does_nothing_is_timed_out_when_patience_is_over() -> None:
    release = threading.Event()

    def block() -> str:
        release.wait()
        return "done"

    catalog = Catalog()
    flow = asking(catalog, block, timeout=10 * MINUTE)
    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog, patience=SECOND / 2) as env:
        try:
            assert await env.run(flow) == "task 'block' ran longer than 10m"
        finally:
            release.set()


async def test_a_thread_that_computes_is_not_timed_out() -> None:
    def compute() -> str:
        end = time.thread_time() + 1
        while time.thread_time() < end:
            pass
        return "done"

    catalog = Catalog()
    flow = asking(catalog, compute, timeout=10 * MINUTE)
    async with Environment(catalog=catalog, patience=SECOND / 4) as env:
        assert await env.run(flow) == "done"


async def test_a_task_that_sends_no_heartbeat_is_timed_out_and_tried_again() -> None:
    catalog = Catalog()

    async def silent() -> str:
        if task_context().attempt == 1:
            await asyncio.sleep(3600)
        return "done"

    flow = asking(catalog, silent, heartbeat=MINUTE, retry=Retry(max_attempts=2))
    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog, patience=LONG) as env:
        began = env.clock.time()

        assert await env.run(flow) == "done"
        assert MINUTE <= env.clock.time() - began < 2 * MINUTE


async def test_a_task_that_sends_heartbeats_goes_on_until_its_timeout() -> None:
    async def lively() -> str:
        while True:
            task_context().heartbeat()
            await asyncio.sleep(0.05)

    catalog = Catalog()
    flow = asking(catalog, lively, heartbeat=SECOND, timeout=1.5 * SECOND)
    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog) as env:
        assert await env.run(flow) == "task 'lively' ran longer than 1.5s"


@pytest.mark.usefixtures("alone")
async def test_a_task_that_gets_no_slot_is_timed_out() -> None:
    catalog = Catalog()

    @task(catalog=catalog, queue="narrow")
    async def hang() -> None:
        await asyncio.Event().wait()

    @task(catalog=catalog, queue="narrow", start_timeout=MINUTE)
    async def late() -> None: ...

    @workflow(catalog=catalog)
    async def flow() -> str:
        holding = hang()
        try:
            await late()
        except TimeoutError as error:
            holding.cancel()
            return str(error)
        return "done"

    async with (
        asyncio.timeout(PATIENCE),
        Environment(catalog=catalog, queues={"narrow": 1}, patience=LONG) as env,
    ):
        assert await env.run(flow) == "task 'late' waited longer than 1m for a free slot"


@pytest.mark.usefixtures("alone")
async def test_a_workflow_does_not_wait_longer_for_a_task_than_it_says() -> None:
    catalog = Catalog()

    @task(catalog=catalog)
    async def hang() -> None:
        await asyncio.Event().wait()

    @workflow(catalog=catalog)
    async def flow() -> str:
        try:
            await asyncio.wait_for(hang(), 3600)
        except TimeoutError:
            return "given up"
        return "done"

    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog, patience=LONG) as env:
        assert await env.run(flow) == "given up"


@pytest.mark.usefixtures("alone")
async def test_a_skip_does_not_wait_for_a_task_that_only_waits() -> None:
    async def hang() -> str:
        await asyncio.Event().wait()
        return "done"

    catalog = Catalog()
    flow = asking(catalog, hang, timeout=10 * MINUTE)
    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog, patience=LONG) as env:
        run = await env.start(flow)
        await env.skip(9 * MINUTE)
        assert (await env.list_tasks(run))[0].status == "running"

        await env.skip(2 * MINUTE)

        assert (await env.list_tasks(run))[0].status == "failed"


async def test_a_task_that_outlives_its_timeout_does_not_hold_up_the_clock() -> None:
    release = threading.Event()
    catalog = Catalog()

    @task(catalog=catalog, timeout=SECOND / 2)
    def block() -> None:
        time.sleep(0.01)
        while not release.wait(PATIENCE):
            pass

    @workflow(catalog=catalog)
    async def flow() -> str:
        try:
            await block()
        except TimeoutError:
            for _ in range(30):
                await asyncio.sleep(86_400)
        return "a month later"

    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog, patience=LONG) as env:
        try:
            assert await env.run(flow) == "a month later"
        finally:
            release.set()


async def test_timeouts_of_tasks_are_the_same_after_a_crash() -> None:
    async def sleepy() -> str:
        await asyncio.sleep(3600)
        return "done"

    catalog = Catalog()
    flow = asking(catalog, sleepy, timeout=MINUTE)

    assert await assert_durable(flow, catalog=catalog) == "task 'sleepy' ran longer than 1m"
