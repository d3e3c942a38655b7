"""A server that is killed while a remote client uses it: nobody who calls notices, and all happens once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

from tests.chaos.killed_server import Server
from tests.patience import PATIENCE

from holdfast import Holdfast, RunCancelled

RUNS = 40


async def live(hf: Holdfast, number: int) -> tuple[str, Any]:
    """The id of a run, which the client has made, and its result."""
    run = await hf.start("counter", number)
    ending = asyncio.ensure_future(run.result())
    await asyncio.gather(
        *[run.signal("note", each) for each in range(2)],
        *[run.update("add", 1) for _ in range(2)],
    )
    await run.signal("note", "end")
    return run.id, await ending


async def live_and_be_cancelled(hf: Holdfast, number: int) -> str:
    run = await hf.start("counter", number)
    ending = asyncio.ensure_future(run.result())
    await run.cancel("no more")
    try:
        await ending
    except RunCancelled:
        return run.id
    raise AssertionError("it was not cancelled")


async def heard_ends(hf: Holdfast, after: str) -> set[str]:
    """The ids of runs whose ends were told, up to the last one."""
    ended: set[str] = set()
    async for change in hf.watch(after=after):
        if change.status in ("success", "cancelled") and change.task is None:
            assert change.run not in ended
            ended.add(change.run)
            if len(ended) == 2 * RUNS:
                break
    return ended


async def test_nobody_notices_and_everything_happens_once(store_url: str, tmp_path: Path):
    server, dice = Server(store_url, tmp_path), Random(5)
    server.start()
    try:
        async with (
            asyncio.timeout(3 * PATIENCE),
            Holdfast(f"http://127.0.0.1:{server.port}", retry_seconds=PATIENCE) as hf,
        ):
            watching = asyncio.ensure_future(heard_ends(hf, await hf.watch_offset()))
            living = asyncio.gather(*[live(hf, number) for number in range(RUNS)])
            dying = asyncio.gather(*[live_and_be_cancelled(hf, number) for number in range(RUNS)])
            for _ in range(3):
                await asyncio.sleep(dice.uniform(0.5, 2.0))
                server.kill()
                server.start()

            results, cancelled = dict(await living), set(await dying)

            for number, (total, notes) in enumerate(results.values()):
                assert (total, sorted(notes)) == (number + 2, [0, 1])
            assert {run.id for run in await hf.list(limit=1000)} == {*results, *cancelled}
            assert await watching == {*results, *cancelled}
    finally:
        server.kill()
