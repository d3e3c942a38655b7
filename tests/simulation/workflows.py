"""Workflows that use every feature, and how each must end whatever goes wrong."""

from __future__ import annotations

import asyncio
import datetime as dt
from functools import partial
from typing import Any

from holdfast import Catalog, Retry, context, task, task_context, workflow
from holdfast.testing.simulation.process import end_this_process

SECOND = dt.timedelta(seconds=1)
catalog = Catalog()


class Unlucky(Exception):
    pass


# --- tasks


@task(catalog=catalog)
async def add(a: int, b: int) -> int:
    return a + b


@task(catalog=catalog)
def double(number: int) -> int:
    return 2 * number


@task(catalog=catalog, retry=Retry(max_attempts=4, first_delay=SECOND))
async def succeed_at(attempt: int) -> str:
    if task_context().attempt < attempt:
        raise Unlucky(f"attempt {task_context().attempt}")
    return "done"


@task(catalog=catalog, retry=Retry(max_attempts=2, first_delay=SECOND))
async def fail_always(what: str) -> None:
    raise Unlucky(what)


@task(catalog=catalog)
async def hang() -> None:
    await asyncio.sleep(1_000_000)


@task(catalog=catalog, timeout=20 * SECOND, retry=Retry(max_attempts=50, first_delay=SECOND))
async def hang_at_first() -> int:
    if task_context().attempt == 1:
        await asyncio.sleep(1_000_000)
    return task_context().attempt


@task(catalog=catalog, heartbeat=10 * SECOND, retry=Retry(max_attempts=50, first_delay=SECOND))
async def beat(times: int) -> int:
    for number in range(times):
        task_context().heartbeat(number)
        await asyncio.sleep(3)
    return times


@task(catalog=catalog, queue="narrow", priority=1)
async def squeeze(number: int) -> int:
    await asyncio.sleep(1)
    return number


# --- workflows


@workflow(catalog=catalog)
async def sequence(length: int) -> int:
    total = 0
    for number in range(length):
        total = await add(total, number)
    return total


@workflow(catalog=catalog)
async def fan_out(width: int) -> list[int]:
    return await asyncio.gather(*[double(number) for number in range(width)])


@workflow(catalog=catalog)
async def narrow(width: int) -> list[int]:
    return await asyncio.gather(*[squeeze(number) for number in range(width)])


@workflow(catalog=catalog)
async def retries(attempt: int) -> str:
    return await succeed_at(attempt)


@workflow(catalog=catalog)
async def catches(what: str) -> str:
    try:
        await fail_always(what)
    except Unlucky as error:
        return f"caught {error}"
    return "not caught"


@workflow(catalog=catalog)
async def fails(what: str) -> None:
    await add(1, 1)
    await fail_always(what)


@workflow(catalog=catalog)
async def sleeps(seconds: float) -> float:
    begun = context().now()
    await asyncio.sleep(seconds)
    await add(1, 1)
    return (context().now() - begun).total_seconds()


@workflow(catalog=catalog)
async def receives(count: int) -> list[int]:
    return [await context().signal("number", int) for _ in range(count)]


@workflow(catalog=catalog)
async def receives_all_until_stop() -> list[int]:
    received: list[int] = []
    while (number := await context().signal("number", int)) >= 0:
        received.append(number)
        context().state.set("count", len(received))
    return received


@workflow(catalog=catalog)
async def approval() -> str:
    try:
        async with asyncio.timeout(40 * 3600):
            return f"approved by {await context().promise('approval', str, same=True)}"
    except TimeoutError:
        return "nobody came"


@workflow(catalog=catalog)
async def parent(children: int) -> list[int]:
    return await asyncio.gather(*[sequence(number) for number in range(children)])


@workflow(catalog=catalog)
async def grandparent(id: str) -> list[Any]:
    named = parent.options(id=f"{id}-child")
    return [await named(2), await sequence(3)]


@workflow(catalog=catalog)
async def abandons_a_child(id: str) -> str:
    waiting = receives.options(id=f"{id}-child")(1)
    await add(1, 1)
    await asyncio.sleep(2)
    waiting.cancel()
    return "left"


@workflow(catalog=catalog)
async def races() -> str:
    slow = asyncio.ensure_future(hang())
    quick = asyncio.ensure_future(add(1, 2))
    done, _ = await asyncio.wait([slow, quick], return_when=asyncio.FIRST_COMPLETED)
    slow.cancel()
    return f"{len(done)} first, {await quick}"


@workflow(catalog=catalog)
async def limits() -> str:
    try:
        await asyncio.wait_for(hang(), 30)
    except TimeoutError:
        return "gave up"
    return "did it"


@workflow(catalog=catalog)
async def takes_steps(width: int) -> list[int]:
    """Steps: async and plain, in a row and at once, retried, with a limit."""
    ctx = context()

    async def square(number: int) -> int:
        await asyncio.sleep(number)
        if task_context().attempt == 1 and number == 2:
            raise Unlucky("the second")
        return number * number

    retry = Retry(max_attempts=4, first_delay=SECOND)
    first = await ctx.step("first", lambda: width)
    squares = await asyncio.gather(
        *[ctx.step("square", partial(square, number), retry=retry) for number in range(first)]
    )
    slow = ctx.step("slow", partial(asyncio.sleep, 1_000_000))
    await asyncio.sleep(3)
    slow.cancel()
    return [*squares, await ctx.step("sum", lambda: sum(squares), timeout=600 * SECOND, retry=retry)]


@workflow(catalog=catalog)
async def hangs_once() -> bool:
    return await hang_at_first() > 1


@workflow(catalog=catalog)
async def beats(times: int) -> int:
    return await beat(times)


@workflow(catalog=catalog)
async def deadly() -> None:
    await context().signal("go")
    end_this_process()


@workflow(catalog=catalog)
async def deadly_after_a_task() -> None:
    await add(1, 1)
    end_this_process()


@workflow(catalog=catalog)
async def cleans_up() -> None:
    try:
        await context().signal("never")
    finally:
        await add(1, 1)


@workflow(catalog=catalog)
async def draws() -> list[Any]:
    """Everything that the journal must reproduce."""
    ctx = context()
    first = [ctx.random.random(), str(ctx.uuid4()), ctx.now().isoformat()]
    await add(1, 2)
    await asyncio.sleep(7)
    await add(2, 3)
    return [*first, ctx.random.random()]
