"""Work that takes down the process that does it, as a crash inside a C extension does, or memory."""

from __future__ import annotations

import asyncio
import datetime as dt
from pathlib import Path
from typing import Any

from tests.chaos.processes import running
from tests.other_systems.staging import watch_commits
from tests.patience import until
from tests.simulation import workflows as w
from tests.simulation.jobs import Failing, Job, Jobs

from holdfast import Catalog, Holdfast, RunInfo, RunStatus, TaskStatus, task, workflow
from holdfast.core.policies import LOST_ATTEMPTS_ALLOWED, SETBACKS_ALLOWED
from holdfast.ports.commits import Commit, Receipt
from holdfast.testing import Environment
from holdfast.testing.simulation.simulation import Simulation

SECOND = dt.timedelta(seconds=1)
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
async def deadly() -> None:
    await context().signal("go")
    os._exit(7)

async def main() -> None:
    async with Holdfast(sys.argv[1], catalog=catalog, lease_seconds=0.3, queues={{"narrow": 1}}) as hf:
        if sys.argv[2] == "first":
            for number in range({INNOCENT}):
                await hf.start("innocent", id=f"innocent {{number}}")
            await hf.start("deadly", id="deadly")
            await hf.signal("deadly", "go")
        while [run for run in await hf.list() if run.status in ("pending", "running")]:
            await asyncio.sleep(0.02)

asyncio.run(main())
"""


async def live_and_die(url: str, folder: Path) -> tuple[RunInfo, list[int]]:
    """One node after the other, until one of them sees the end of everything. Answers what became of the
    deadly run, and how each node ended."""
    script = folder / "node.py"
    script.write_text(_NODE)
    codes: list[int] = []
    while 0 not in codes and len(codes) < 20:
        turn = "later" if codes else "first"
        with running([str(script), url, turn], folder / "out") as node:
            codes.append(node.wait())
    async with Holdfast(url, engine=False) as hf:
        for number in range(INNOCENT):
            assert (await hf.describe(f"innocent {number}")).status is RunStatus.SUCCESS
        return await hf.describe("deadly"), codes


async def test_a_run_whose_code_ends_its_process_is_parked_after_a_number_of_nodes_and_all_others_end_well(
    store_url: str, tmp_path: Path
) -> None:
    """DBOS 759 and its dead letters: what kills its process does so for ever."""
    deadly, codes = await live_and_die(store_url, tmp_path)

    assert codes == [7] * SETBACKS_ALLOWED + [0]
    assert deadly.status is RunStatus.PARKED
    assert deadly.failure is not None
    assert deadly.failure.message.startswith(f"{SETBACKS_ALLOWED} nodes in a row claimed this run")


class Deadly:
    """A task that ends its process, in an environment that can be asked how often it did."""

    def __init__(self) -> None:
        self.catalog = Catalog()
        self.is_armed = False
        self.deaths = 0
        self.env: Any = None
        deadly = self

        @task(catalog=self.catalog)
        async def kill() -> None:
            if deadly.is_armed:
                deadly.deaths += 1
                deadly.env.engine._main.cancel()  # as a process that dies: it gets no further turn
            await asyncio.Event().wait()

        @workflow(catalog=self.catalog)
        async def killer() -> None:
            await kill()

        self.killer = killer

    async def rage(self) -> None:
        """One node after the other, each for as long as it lives, until the task has failed for good."""
        self.is_armed = True
        env = self.env
        for _ in range(5 * LOST_ATTEMPTS_ALLOWED):
            await env.crash()
            for _ in range(400):
                for _ in range(20):
                    await asyncio.sleep(0)
                if env.engine._main.done() or not await env.list(status="running", workflow="killer"):
                    break
                env.clock.advance(SECOND)
            if not env.engine._main.done():
                return


async def test_a_run_that_is_taken_while_a_deadly_task_starts_does_not_share_the_blame() -> None:
    deadly = Deadly()

    @task(catalog=deadly.catalog, queue="narrow")
    async def wait_for_ever() -> None:
        await asyncio.Event().wait()

    @workflow(catalog=deadly.catalog)
    async def innocent(number: int) -> None:
        await wait_for_ever()

    async with Environment(catalog=deadly.catalog, queues={"narrow": 1}) as deadly.env:
        killers = await deadly.env.start_many(deadly.killer, [()] * 3)
        await deadly.env.start_many(innocent, range(700))
        await deadly.rage()
        killed = await killers[0].describe()
        parked = await deadly.env.list(status="parked")

    assert deadly.deaths >= LOST_ATTEMPTS_ALLOWED
    assert killed.failure is not None
    assert killed.failure.type == "holdfast.errors:TaskLost"
    assert parked == []


async def test_a_commit_that_starts_what_a_node_has_died_with_takes_no_runs() -> None:
    """They would have a setback before they have taken a step, each time that it happens again."""
    deadly = Deadly()

    @workflow(catalog=deadly.catalog)
    async def innocent(number: int) -> int:
        return number

    async with Environment(catalog=deadly.catalog) as env:
        deadly.env = env
        await env.start(deadly.killer)
        await asyncio.sleep(0.05)
        seen = watch_commits(env)
        commit_for_real = env.crash_points.commit

        async def commit(commit: Commit) -> Receipt:
            """When the deadly one is taken again, others come in, and the node hears of them at once."""
            receipt = await commit_for_real(commit)
            if receipt.claimed:
                env.crash_points.commit = commit_for_real  # type: ignore[method-assign]
                async with Holdfast(env.settings.url, engine=False, catalog=deadly.catalog) as client:
                    await client.start_many(innocent, range(5))
                env.engine._poller.poll_now()
            return receipt

        env.crash_points.commit = commit  # type: ignore[method-assign]
        await env.crash()
        await until(lambda: sum(len(receipt.claimed) for _, receipt in seen) >= 6)
        await asyncio.sleep(0.1)

    dispatched = TaskStatus.DISPATCHED
    starts = [it for it, _ in seen if any(row.lost and row.status is dispatched for row in it.moved)]
    assert [commit.claim for commit in starts] == [None]
    assert sum(len(receipt.claimed) for _, receipt in seen) == 6


async def test_tasks_that_run_beside_one_that_ends_the_process_are_not_failed_with_it() -> None:
    deadly = Deadly()

    @task(catalog=deadly.catalog)
    async def take_long() -> None:
        await asyncio.Event().wait()

    @workflow(catalog=deadly.catalog)
    async def bystander(number: int) -> None:
        await take_long()

    async with Environment(catalog=deadly.catalog) as deadly.env:
        killer = await deadly.env.start(deadly.killer)
        await deadly.env.start_many(bystander, range(10))
        await asyncio.sleep(0.05)
        await deadly.rage()
        is_killer_over = (await killer.status()).is_final
        statuses = [run.status for run in await deadly.env.list(workflow="bystander")]

    assert is_killer_over
    assert statuses == [RunStatus.RUNNING] * 10


def test_a_task_before_deadly_code_is_what_fails_in_the_end_and_all_others_end_well() -> None:
    """Its outcome dies with the step that would have heard of it, so nobody can tell which of them it was."""
    deadly = Failing("deadly", w.deadly_after_a_task, expected="was running when its node died")
    others = [Job(f"other-{number}", w.sequence, 5, expected=10) for number in range(6)]

    # With this seed a tick takes whatever there is. If the outcome were recorded in a tick before the deadly
    # step, the run would be parked instead.
    Simulation(3, Jobs([deadly, *others]), plan=[]).run()
