"""Waiting in vain: `result` says so, and never while something could still happen."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
import time
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast import Catalog, Run, context, task, workflow
from holdfast.core.policies import TaskOptions
from holdfast.errors import RunStuck
from holdfast.testing import Environment, assert_durable, loop_waits

SECOND = dt.timedelta(seconds=1)
SOON = SECOND / 2

catalog = Catalog()


@workflow(catalog=catalog)
async def asks() -> int:
    return await context().signal("go", int)


@workflow(catalog=catalog)
async def promised() -> int:
    return await context().promise("word", int)


@workflow(catalog=catalog)
async def parent() -> int:
    return await asks.options(id="child")()


@task(catalog=catalog)
async def post() -> None: ...


post.task_options = TaskOptions(service="mail")  # as a node of a flow has it


@workflow(catalog=catalog)
async def posts() -> None:
    await post()


@task(catalog=catalog)
async def hang() -> None:
    await asyncio.Event().wait()


@workflow(catalog=catalog)
async def hangs() -> None:
    await hang()


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads and processes that other tests have left behind are nothing to wait for."""
    monkeypatch.setattr(loop_waits, "_has_other_threads", lambda: False)
    monkeypatch.setattr(loop_waits, "_has_child_processes", lambda: False)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("flow", "waiting", "advice"),
    [
        (asks, "signal 'go'", "await env.signal('it', 'go', value)"),
        (promised, "promise 'word'", "await env.resolve('it', 'word', value)"),
        (parent, "child child; run 'child' waits for signal 'go'", "await env.signal('child', 'go', value)"),
        (posts, "a worker of service 'mail' (post)", "run a worker of service 'mail'"),
        (hangs, "task 'hang', which waits for something that nobody in this process sets", "patience="),
    ],
    ids=lambda it: getattr(it, "name", None),
)
async def test_a_wait_that_nothing_can_end_is_refused(
    store_url: str, flow: Any, waiting: str, advice: str
) -> None:
    patience = dt.timedelta(seconds=2 * PATIENCE)
    async with asyncio.timeout(PATIENCE), Environment(store_url, catalog=catalog, patience=patience) as env:
        run = await env.start(flow, id="it")

        with pytest.raises(RunStuck) as stuck:
            await run.result()

    assert (stuck.value.id, stuck.value.waiting) == ("it", waiting)
    assert advice in str(stuck.value)


async def test_a_run_that_was_refused_goes_on_when_the_message_comes() -> None:
    async with Environment(catalog=catalog, patience=SOON) as env:
        run = await env.start(asks)
        with pytest.raises(RunStuck):
            await run.result()

        await run.signal("go", 7)

        assert await run.result() == 7


async def test_a_task_of_the_test_that_sleeps_is_waited_for_whatever_the_patience() -> None:
    async def send(run: Run[int]) -> None:
        await asyncio.sleep(1)
        await run.signal("go", 7)

    async with Environment(catalog=catalog, patience=SECOND / 10) as env:
        run = await env.start(asks)
        sending = asyncio.create_task(send(run))

        assert await run.result() == 7
        await sending


async def test_other_code_of_the_test_may_take_as_long_as_the_patience() -> None:
    loop = asyncio.get_running_loop()

    def on_a_thread(run: Run[int]) -> None:
        time.sleep(0.7)
        asyncio.run_coroutine_threadsafe(run.signal("go", 1), loop).result()

    def by_a_timer(run: Run[int]) -> None:
        loop.call_later(0.7, lambda: sending.append(asyncio.ensure_future(run.signal("go", 2))))

    sending: list[asyncio.Future[None]] = []
    async with Environment(catalog=catalog) as env:
        run = await env.start(asks)
        thread = threading.Thread(target=on_a_thread, args=(run,))
        thread.start()
        assert await run.result() == 1
        thread.join()

        run = await env.start(asks)
        by_a_timer(run)
        assert await run.result() == 2


async def test_time_in_which_the_event_loop_is_held_up_does_not_use_up_patience() -> None:
    async def send(run: Run[int]) -> None:
        await asyncio.sleep(0.2)  # by now the wait has begun
        for _ in range(4):
            time.sleep(0.6)  # noqa: ASYNC251  # as a machine that is busy does
            await asyncio.sleep(0.01)
        await run.signal("go", 7)

    async with Environment(catalog=catalog, patience=SECOND) as env:
        run = await env.start(asks)
        sending = asyncio.create_task(send(run))

        assert await run.result() == 7
        await sending


async def test_code_of_the_test_that_never_sends_anything_is_not_waited_for_longer() -> None:
    async def tick() -> None:
        while True:  # noqa: ASYNC110
            await asyncio.sleep(0.05)

    async with asyncio.timeout(PATIENCE), Environment(catalog=catalog, patience=SOON) as env:
        others = [asyncio.create_task(tick()), asyncio.create_task(asyncio.Event().wait())]

        with pytest.raises(RunStuck, match="waits for signal 'go'"):
            await env.run(asks)
        for other in others:
            other.cancel()


async def test_a_long_history_that_stays_in_memory_is_refused_too() -> None:
    mine = Catalog()

    @task(catalog=mine)
    async def echo(text: str) -> str:
        return text

    @workflow(catalog=mine)
    async def long() -> None:
        await echo("x" * 100_000)
        await context().signal("go")

    async with asyncio.timeout(PATIENCE), Environment(catalog=mine, patience=SOON) as env:
        run = await env.start(long)

        with pytest.raises(RunStuck, match="waits for signal 'go'"):
            await run.result()


async def test_assert_durable_refuses_to_wait_for_what_during_does_not_send() -> None:
    async def send_another(run: Run[int]) -> None:
        await run.signal("stop")

    with pytest.raises(RunStuck, match="run 'durable' waits for signal 'go'"):
        await assert_durable(asks, during=send_another, catalog=catalog)
