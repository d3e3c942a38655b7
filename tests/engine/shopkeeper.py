"""A node in a process of its own that answers updates: `python -m tests.engine.shopkeeper URL FILE`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from holdfast import Catalog, Holdfast, context, task, workflow

catalog = Catalog()
HANGS = "hang"
"""A file of this name beside the list of bookings: while it is there, tasks do not end."""


@task(catalog=catalog)
async def book(item: str, file: str) -> int:
    """Writes down each time that it is executed."""
    with open(file, "a") as bookings:
        bookings.write(f"{item}\n")
    if Path(file).with_name(HANGS).exists():
        await asyncio.sleep(3600)
    return len(item)


@workflow(catalog=catalog)
async def shop(file: str) -> list[str]:
    items: list[str] = []
    is_closed = False

    async def add(item: str) -> int:
        items.append(item)
        return await book(item, file)

    def close() -> int:
        nonlocal is_closed
        is_closed = True
        return len(items)

    context().on_update("add", add)
    context().on_update("close", close)
    await context().wait_until(lambda: is_closed)
    return items


async def main(url: str, file: str) -> None:
    async with Holdfast(url, catalog=catalog, lease_seconds=600) as hf:
        await hf.start(shop, file, id="shop")
        await hf.serve()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
