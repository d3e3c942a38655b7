"""Cancellation: a run is asked to end, may clean up, and takes its work with it."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast import Catalog, Holdfast, Retry, Run, RunCancelled, RunStatus, context, task, workflow
from holdfast.core.values import TaskStatus
from holdfast.errors import RunEnded, RunNotFound
from holdfast.testing import Environment, assert_durable

HOUR = dt.timedelta(hours=1)

catalog = Catalog()


@task(catalog=catalog)
async def echo(value: Any) -> Any:
    return value


@workflow(catalog=catalog)
async def tidy(seconds: int) -> str:
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError as error:
        context().state.set("reason", error.args[0] if error.args else None)
        context().state.set("cleaned", await echo("swept"))
        await asyncio.sleep(60)
        context().state.set("cleaned", [context().state.get("cleaned"), await echo("mopped")])
        raise
    return "slept"


@workflow(catalog=catalog)
async def stubborn() -> str:
    try:
        await context().signal("never")
    except asyncio.CancelledError:
        return await echo("compensated")
    return "no"


async def test_a_cancelled_run_cleans_up_with_tasks_and_timers_and_ends_cancelled(
    new_database: Callable[[], str],
) -> None:
    async def cancel(run: Run) -> None:
        await run.cancel("too late")

    with pytest.raises(RunCancelled, match="run 'durable' was cancelled: too late"):
        await assert_durable(tidy, 10**6, during=cancel, catalog=catalog, new_database=new_database)


async def test_the_reason_and_the_clean_up_are_there_to_see() -> None:
    async with Environment(catalog=catalog) as env:
        run = await env.start(tidy, 10**6)
        await env.wait_until_quiet()
        await run.cancel("too late")
        with pytest.raises(RunCancelled) as raised:
            await run.result()

        assert raised.value.reason == "too late"
        assert await env.state(run) == {"reason": "too late", "cleaned": ["swept", "mopped"]}
        info = await run.describe()
        assert info.status is RunStatus.CANCELLED
        assert info.finished_at is not None


async def test_a_run_that_swallows_its_cancellation_and_returns_has_succeeded(
    new_database: Callable[[], str],
) -> None:
    result = await assert_durable(stubborn, during=Run.cancel, catalog=catalog, new_database=new_database)

    assert result == "compensated"


async def test_asking_twice_is_asking_once_and_does_not_disturb_the_clean_up() -> None:
    async with Environment(catalog=catalog) as env:
        run = await env.start(tidy, 10**6)
        await env.wait_until_quiet()
        for reason in ("first", "second"):
            await run.cancel(reason)
            await env.wait_until_quiet()
        with pytest.raises(RunCancelled, match="first"):
            await run.result()

        assert await env.state(run) == {"reason": "first", "cleaned": ["swept", "mopped"]}


async def test_a_run_that_fails_in_its_clean_up_has_failed() -> None:
    @workflow(catalog=catalog)
    async def clumsy() -> None:
        try:
            await context().signal("never")
        except asyncio.CancelledError:
            raise ValueError("slipped") from None

    async with Environment(catalog=catalog) as env:
        run = await env.start(clumsy)
        await env.wait_until_quiet()
        await run.cancel()

        with pytest.raises(ValueError, match="slipped"):
            await run.result()
        assert await run.status() is RunStatus.FAILED


async def test_cancelled_error_without_a_request_is_a_failure() -> None:
    @workflow(catalog=catalog)
    async def confused() -> None:
        handle = echo(1)
        handle.cancel()
        await handle

    async with Environment(catalog=catalog) as env:
        run = await env.start(confused)

        with pytest.raises(Exception, match="awaited something that it had cancelled itself"):
            await run.result()
        assert await run.status() is RunStatus.FAILED


async def test_tasks_in_flight_are_told_and_ended(store_url: str) -> None:
    mine = Catalog()
    began, ended = asyncio.Event(), asyncio.Event()

    @task(catalog=mine, retry=Retry(max_attempts=5))
    async def hang() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    @workflow(catalog=mine)
    async def working() -> None:
        await hang()

    async with Environment(store_url, catalog=mine) as env:
        run = await env.start(working)
        await began.wait()
        await run.cancel()

        with pytest.raises(RunCancelled):
            await run.result()
        await asyncio.wait_for(ended.wait(), PATIENCE)
        [row] = await env.list_tasks(run)
        assert row.status is TaskStatus.CANCELLED


# --- in every state a run can be in


async def test_a_run_that_left_memory_can_be_cancelled(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(tidy, 10**6)
        await env.skip(HOUR)
        assert not env.engine.has(run.key)
        await run.cancel("cold")

        with pytest.raises(RunCancelled, match="cold"):
            await run.result()
        assert await env.state(run) == {"reason": "cold", "cleaned": ["swept", "mopped"]}


async def test_a_run_that_has_not_begun_can_be_cancelled_before_it_does_anything(store_url: str) -> None:
    mine = Catalog()
    done: list[int] = []

    @task(catalog=mine)
    async def note() -> None:
        done.append(1)

    @workflow(catalog=mine, version=1)
    async def unserved() -> None:
        await note()

    async with Holdfast(store_url, catalog=mine, engine=False) as client:
        run = await client.start(unserved, id="unserved")
        assert await run.status() is RunStatus.PENDING
        await run.cancel("never mind")
    async with Holdfast(store_url, catalog=mine) as hf:
        with pytest.raises(RunCancelled, match="never mind"):
            await hf.result("unserved")

    assert done == []


async def test_a_run_that_is_parked_is_cancelled_at_once() -> None:
    @workflow(catalog=catalog)
    async def stuck() -> None:
        await asyncio.Event().wait()

    async with Environment(catalog=catalog) as env:
        run = await env.start(stuck)
        await env.wait_until_quiet()
        assert await run.status() is RunStatus.PARKED
        await run.cancel()

        with pytest.raises(RunCancelled):
            await run.result()
        assert await run.status() is RunStatus.CANCELLED


async def test_a_run_in_backoff_can_be_cancelled() -> None:
    mine = Catalog()

    @task(catalog=mine, retry=Retry(max_attempts=9, first_delay=HOUR, max_delay=HOUR))
    async def flaky() -> None:
        raise ValueError("not yet")

    @workflow(catalog=mine)
    async def trying() -> None:
        await flaky()

    async with Environment(catalog=mine) as env:
        run = await env.start(trying)
        await env.skip(dt.timedelta(minutes=1))
        await run.cancel()

        with pytest.raises(RunCancelled):
            await run.result()
        [row] = await env.list_tasks(run)
        assert row.status is TaskStatus.CANCELLED
        assert await env.doctor() == []


async def test_a_run_that_has_ended_cannot_be_cancelled_and_one_that_is_not_there_neither() -> None:
    async with Environment(catalog=catalog) as env:
        run = await env.start(tidy, 1)
        assert await run.result() == "slept"

        with pytest.raises(RunEnded, match="takes no cancellation any more"):
            await run.cancel()
        with pytest.raises(RunNotFound):
            await env.cancel("nobody")
        assert await run.status() is RunStatus.SUCCESS
