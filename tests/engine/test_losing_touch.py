"""Notifications that never come, and messages that came when nobody was interested yet."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest

from holdfast import Catalog, RunStatus, context, workflow
from holdfast.engine.tuning import Tuning
from holdfast.testing import Environment

SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


async def _go_on_deaf(env: Environment) -> None:
    """Replace the node by one that hears of nothing, and looks without a reason every 20 seconds."""

    def hear_nothing(on_change: Callable[[], None]) -> Callable[[], None]:
        return lambda: None

    await env.engine.stop()
    env.crash_points.listen = hear_nothing
    env._parts.tuning = Tuning(drain=dt.timedelta(0))
    env.engine = env._parts.engine(env._skipping)
    env.engine.start()


async def test_a_message_that_nobody_was_told_of_is_found_at_the_next_poll(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def waiting() -> str:
        return await context().signal("go", str)

    async with Environment(store_url, catalog=catalog) as env:
        await _go_on_deaf(env)
        run = await env.start(waiting)
        await env.skip(10 * SECOND)
        assert not env.engine.has(run.key)

        await run.signal("go", "at last")
        await env.skip(21 * SECOND)

        assert await run.status() is RunStatus.SUCCESS


async def test_a_message_that_asks_for_nothing_is_journaled_and_survives_a_crash(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def patient() -> list[str]:
        ctx = context()
        return [await ctx.signal("first", str), await ctx.signal("second", str)]

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient)
        await env.wait_until_quiet()
        await run.signal("second", "too early")
        await env.wait_until_quiet()

        await env.crash()
        await run.signal("first", "in time")
        await env.skip(SECOND)

        assert await run.status() is RunStatus.SUCCESS
        assert await run.result() == ["in time", "too early"]
