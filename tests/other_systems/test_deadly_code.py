"""Work that takes down the process that does it, as a crash inside a C extension does, or memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.chaos.processes import running

from holdfast import Holdfast, RunInfo, RunStatus
from holdfast.core.policies import LOST_ATTEMPTS_ALLOWED, SETBACKS_ALLOWED

INNOCENT = 30
"""More than are taken together after one setback, so that it must be found out which of them it is."""

_NODE = f"""
import asyncio, datetime as dt, os, sys
from holdfast import Catalog, Holdfast, context, task, workflow

catalog = Catalog()

@task(catalog=catalog, queue="narrow")
async def work() -> str:
    await asyncio.sleep(0.01)
    return "done"

@workflow(catalog=catalog)
async def innocent() -> str:
    return await work()

@workflow(catalog=catalog)
async def deadly_after_news() -> None:
    await context().signal("go")
    os._exit(7)

@workflow(catalog=catalog)
async def deadly_after_a_task() -> None:
    await work()
    os._exit(7)

async def main() -> None:
    async with Holdfast(sys.argv[1], catalog=catalog, lease_seconds=0.3, queues={{"narrow": 1}}) as hf:
        if sys.argv[2] == "first":
            for number in range({INNOCENT}):
                await hf.start("innocent", id=f"innocent {{number}}")
            await hf.start(sys.argv[3], id="deadly")
            await hf.signal("deadly", "go")
        while [run for run in await hf.list() if run.status in ("pending", "running")]:
            await asyncio.sleep(0.02)

asyncio.run(main())
"""


async def live_and_die(url: str, folder: Path, workflow: str) -> tuple[RunInfo, list[int]]:
    """One node after the other, until one of them sees the end of everything. Answers what became of the
    deadly run, and how each node ended."""
    script = folder / "node.py"
    script.write_text(_NODE)
    codes: list[int] = []
    while 0 not in codes and len(codes) < 20:
        turn = "later" if codes else "first"
        with running([str(script), url, turn, workflow], folder / "out") as node:
            codes.append(node.wait(20))
    async with Holdfast(url, engine=False) as hf:
        for number in range(INNOCENT):
            assert (await hf.describe(f"innocent {number}")).status is RunStatus.SUCCESS
        return await hf.describe("deadly"), codes


@pytest.mark.timeout(120)
async def test_a_run_whose_code_ends_its_process_is_parked_after_a_number_of_nodes_and_all_others_end_well(
    store_url: str, tmp_path: Path
) -> None:
    """DBOS 759 and its dead letters: what kills its process does so for ever."""
    deadly, codes = await live_and_die(store_url, tmp_path, "deadly_after_news")

    assert codes == [7] * SETBACKS_ALLOWED + [0]
    assert deadly.status is RunStatus.PARKED
    assert deadly.failure is not None
    assert deadly.failure.message.startswith(f"{SETBACKS_ALLOWED} nodes in a row have taken this run")


@pytest.mark.timeout(120)
async def test_where_a_task_may_be_what_ends_the_process_it_is_the_task_that_fails(
    store_url: str, tmp_path: Path
) -> None:
    """Its outcome dies with the step that would have heard of it, so nobody can tell which of them it was."""
    deadly, codes = await live_and_die(store_url, tmp_path, "deadly_after_a_task")

    # The first attempt of a task that had to wait for its slot is not counted.
    assert codes in ([7] * (LOST_ATTEMPTS_ALLOWED + more) + [0] for more in (1, 2))
    assert deadly.status is RunStatus.FAILED
    assert deadly.failure is not None
    assert deadly.failure.type == "holdfast.errors:TaskLost"
