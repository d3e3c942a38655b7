"""A retry begins where the failure was: what had been given up before stays given up."""

from __future__ import annotations

import asyncio

import pytest

from holdfast import Catalog, RunStatus, context, task, workflow
from holdfast.core.values import TaskStatus
from holdfast.errors import RunFailed
from holdfast.testing import Environment


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


async def test_tasks_and_children_that_were_cancelled_before_the_failure_are_not_taken_up_by_a_retry(
    store_url: str, catalog: Catalog
) -> None:
    is_broken = True
    begun: list[str] = []
    is_under_way = asyncio.Event()

    @task(catalog=catalog)
    async def slow() -> None:
        begun.append("slow")
        is_under_way.set()
        await asyncio.sleep(3600)

    @task(catalog=catalog)
    async def fragile() -> str:
        begun.append("fragile")
        if is_broken:
            raise ValueError("not yet")
        return "mended"

    @workflow(catalog=catalog)
    async def child() -> None:
        await context().signal("never")

    @workflow(catalog=catalog)
    async def fickle() -> str:
        work, family = slow(), child.options(id="child")()
        await context().signal("drop")
        work.cancel()
        family.cancel()
        await asyncio.sleep(1)
        return await fragile()

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(fickle)
        await is_under_way.wait()
        await run.signal("drop")
        with pytest.raises(RunFailed, match="not yet"):
            await run.result()
        is_broken = False
        await run.retry()

        assert await run.result() == "mended"
        assert begun == ["slow", "fragile", "fragile"]
        assert [each.status for each in await env.list_tasks(run)] == [
            TaskStatus.CANCELLED,
            TaskStatus.SUCCESS,
        ]
        assert (await env.describe("child")).status is RunStatus.CANCELLED
        assert await env.doctor() == []


async def test_a_run_that_was_cancelled_before_its_first_step_is_retried_from_its_beginning(
    store_url: str, catalog: Catalog
) -> None:
    is_broken = True

    @workflow(catalog=catalog)
    async def awkward(word: str) -> str:
        if is_broken:
            raise KeyboardInterrupt
        return word

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(awkward, "hello")
        await env.wait_until_quiet()
        assert await run.status() is RunStatus.PARKED
        await run.cancel()
        assert await run.status() is RunStatus.CANCELLED
        is_broken = False
        await run.retry()

        assert await run.result() == "hello"
