"""A node in a process of its own: `python -m tests.engine.neighbour URL`. It serves until it is killed."""

from __future__ import annotations

import asyncio
import sys

from holdfast import Catalog, Holdfast, task, task_context, workflow

LEASE = 600.0
"""Seconds: longer than any test waits, so what is taken sooner was not waited for."""

catalog = Catalog()


@task(catalog=catalog)
async def hold() -> int:
    """The first attempt never ends."""
    if task_context().attempt == 1:
        print("holding", flush=True)
        await asyncio.sleep(3600)
    return task_context().attempt


@workflow(catalog=catalog)
async def held() -> int:
    return await hold()


async def main(url: str) -> None:
    async with Holdfast(url, catalog=catalog, lease_seconds=LEASE) as hf:
        await hf.start(held, id="held")
        await hf.serve()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
