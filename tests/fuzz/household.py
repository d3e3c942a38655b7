"""Runs with one of everything in their past and their present, for damage to be done to one of them."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from typing import Any

from holdfast import Catalog, Retry, Run, context, task, workflow
from holdfast.testing import Environment

catalog = Catalog()


@task(catalog=catalog)
async def echo(value: Any) -> Any:
    logging.getLogger("household").warning("echo of %r", value)
    return value


@task(catalog=catalog)
async def refuse() -> None:
    raise ValueError("as it always does")


@task(
    catalog=catalog,
    retry=Retry(max_attempts=3, first_delay=dt.timedelta(days=1), max_delay=dt.timedelta(days=1)),
)
async def try_daily() -> None:
    raise ValueError("not today")


@workflow(catalog=catalog)
async def resting(value: int) -> int:
    if value:
        await context().signal("rest")
    return value


@workflow(catalog=catalog)
async def eventful(value: str) -> str:
    """Tasks 0 (succeeded), 1 (failed) and 2 (backing off); children 0 (ended) and 1 (open); a timer; a
    signal that was heard and one that is waited for; state; a local side effect."""
    ctx = context()
    await echo(value)
    try:
        await refuse()
    except ValueError:
        ctx.state.set("refused", True)
    await resting(0)
    await ctx.signal("first")
    daily, nap, child = try_daily(), asyncio.create_task(asyncio.sleep(10**6)), resting(1)
    await ctx.run("look", lambda: 5)
    await ctx.signal("go")
    for open_work in (daily, nap, child):
        open_work.cancel()
    return value


@workflow(catalog=catalog)
async def simple(value: int) -> int:
    return await echo(value)


async def settle_in(env: Environment, *names: str) -> list[Run[Any]]:
    """Runs that have come to where they wait for `go`."""
    runs = [await env.start(eventful, name, id=name) for name in names]
    await env.wait_until_quiet()
    for run in runs:
        await env.signal(run, "first", 1)
    await env.wait_until_quiet()
    return runs
