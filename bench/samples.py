"""The workflows that are measured. Their tasks do nothing, so all the time is spent in holdfast."""

from __future__ import annotations

import asyncio
import time

from holdfast import context, task, task_context, workflow

ONE_DAY = 86_400


@task
async def no_op(number: int) -> int:
    return number


@workflow
async def one_task(number: int) -> int:
    return await no_op(number)


@workflow
async def ten_tasks(number: int) -> int:
    for _ in range(10):
        number = await no_op(number)
    return number


@workflow
async def fan_out(width: int) -> int:
    return len(await asyncio.gather(*[no_op(number) for number in range(width)]))


@workflow
async def hear_signals(count: int) -> int:
    for _ in range(count):
        await context().signal("word")
    return count


@workflow
async def sleep_a_day(number: int) -> int:
    await asyncio.sleep(ONE_DAY)
    return number


@task
async def publish_at_rate(count: int, per_s: int) -> None:
    began = time.monotonic()
    for number in range(count):
        if number > (time.monotonic() - began) * per_s:
            await asyncio.sleep(0.001)
        await task_context().publish("items", time.time())


@workflow
async def publish_items(count: int, per_s: int) -> None:
    await publish_at_rate(count, per_s)
