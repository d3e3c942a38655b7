"""A node in a process of its own that publishes: `python -m tests.engine.publisher URL`."""

from __future__ import annotations

import asyncio
import sys

from holdfast import Catalog, Holdfast, context, task, task_context, workflow

SECOND = 50
"""How many items the second attempt publishes. The first one never ends."""

catalog = Catalog()


@task(catalog=catalog)
async def talk() -> None:
    number = 0
    while task_context().attempt == 1 or number < SECOND:
        await task_context().publish("tokens", number)
        number += 1
        if number % 10 == 0:
            await asyncio.sleep(0.002)


@workflow(catalog=catalog)
async def talking() -> None:
    context().publish("progress", "begun")
    await talk()
    context().publish("progress", "ended")


async def main(url: str) -> None:
    async with Holdfast(url, catalog=catalog, lease_seconds=600) as hf:
        await hf.start(talking, id="talk")
        await hf.serve()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
