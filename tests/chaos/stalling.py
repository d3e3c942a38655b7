"""Workflows whose code blocks the event loop: for a while, or for ever. `holdfast serve` runs this file."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from holdfast import context, task, workflow

LOG = Path(os.environ.get("STALLING_LOG", "/dev/null"))


def note(what: str) -> None:
    with LOG.open("a") as file:
        file.write(f"{what} {os.getpid()}\n")


@task
async def quick(x: int) -> int:
    note("quick")
    return x


@task
async def block(seconds: float) -> float:
    """Blocks the loop, as a library without asyncio does."""
    note("block")
    time.sleep(seconds)  # noqa: ASYNC251  # that is the point
    return seconds


@task
async def block_for_ever() -> None:
    note("block for ever")
    await asyncio.create_task(_spin())


async def _spin() -> None:
    while True:
        pass


@workflow
async def spin() -> None:
    await quick(1)
    while True:
        pass


@workflow
async def spin_in_a_task() -> None:
    await block_for_ever()


@workflow
async def blocked(seconds: float) -> float:
    return await block(seconds)


@workflow
async def thinking(seconds: float) -> int:
    """Each time that it is replayed, it blocks for this long. Between two signals it may leave memory."""
    count = 0
    while count < 2:
        await quick(count)
        await context().signal("go")
        time.sleep(seconds)  # noqa: ASYNC251
        count += 1
    return count


@workflow
async def good(x: int) -> int:
    return await quick(x)
