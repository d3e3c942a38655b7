"""Edited code that asks for the same tasks and children as before, but later than their outcomes came."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.patience import PATIENCE

from holdfast import Catalog, context, task, workflow
from holdfast.testing import Environment


def _deployment(changing: Any) -> Catalog:
    """What one deployment of a program has: the same task and child, and `changing` as it is then."""
    catalog = Catalog()

    @task(catalog=catalog)
    async def work(name: str) -> str:
        await asyncio.sleep(0.03 * (ord("c") - ord(name)))  # the last to be asked for is the first to end
        return f"{name} done"

    @workflow(catalog=catalog)
    async def child(name: str) -> str:
        return await context().schedule("work", name)

    workflow(catalog=catalog, name="changing")(changing)
    return catalog


async def test_tasks_that_were_asked_for_together_may_be_asked_for_one_after_the_other(
    store_url: str,
) -> None:
    async def together() -> list[str]:
        results = await asyncio.gather(*[context().schedule("work", name) for name in "abc"])
        await context().signal("go")
        return results

    async def one_after_the_other() -> list[str]:
        results = [await context().schedule("work", name) for name in "abc"]
        await context().signal("go")
        return results

    async with Environment(store_url, catalog=_deployment(together)) as env:
        await env.start("changing", id="changing")
        await env.wait_until_quiet()
    async with Environment(store_url, catalog=_deployment(one_after_the_other)) as env:
        await env.signal("changing", "go")

        async with asyncio.timeout(PATIENCE):
            assert await env.result("changing") == ["a done", "b done", "c done"]
        assert env.executions == []


async def test_children_that_were_started_together_may_be_started_one_after_the_other(
    store_url: str,
) -> None:
    async def together() -> list[str]:
        results = await asyncio.gather(*[context().start_child("child", name) for name in "ab"])
        await context().signal("go")
        return results

    async def one_after_the_other() -> list[str]:
        results = [await context().start_child("child", name) for name in "ab"]
        await context().signal("go")
        return results

    async with Environment(store_url, catalog=_deployment(together)) as env:
        await env.start("changing", id="changing")
        await env.wait_until_quiet()
    async with Environment(store_url, catalog=_deployment(one_after_the_other)) as env:
        await env.signal("changing", "go")

        async with asyncio.timeout(PATIENCE):
            assert await env.result("changing") == ["a done", "b done"]
        assert env.executions == []
