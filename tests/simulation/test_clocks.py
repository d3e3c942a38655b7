"""Clocks that are set, in either direction, while runs and tasks are under way."""

from __future__ import annotations

import asyncio
import datetime as dt
from itertools import pairwise

import pytest
from tests.simulation.jobs import Job, Jobs

from holdfast import Catalog, context, task, task_context, workflow
from holdfast.testing.simulation.faults import Fault, Jump
from holdfast.testing.simulation.simulation import Simulation
from holdfast.testing.simulation.world import SECOND

HOUR = 3600 * SECOND
EVERYWHERE = ("client", "node-1", "node-2", "node-3")


class Observed(Job):
    """Whatever it ends with is looked at afterwards."""

    def is_right(self) -> bool:
        return self.ending is not None and self.ending[0] == "success"


def run_with(jumps: list[Fault], job: Job, catalog: Catalog, *, nodes: int) -> Simulation:
    simulation = Simulation(1, OneNode([job], catalog), plan=jumps, span=300 * SECOND, nodes=nodes)
    simulation.run()
    return simulation


class OneNode(Jobs):
    """The client has no engine of its own."""

    is_client_spared = True
    deadly = ()


def everywhere(at: int, by: int) -> list[Fault]:
    return [Jump(machine, at * SECOND, by) for machine in EVERYWHERE]


def test_the_time_of_a_run_never_goes_back() -> None:
    catalog = Catalog()

    @task(catalog=catalog)
    async def step() -> None: ...

    @workflow(catalog=catalog)
    async def looks_at_the_clock() -> list[float]:
        seen: list[float] = []
        for _ in range(12):
            seen.append(context().now().timestamp())
            await step()
            await asyncio.sleep(5)
        return seen

    job = Observed("job", looks_at_the_clock)
    simulation = run_with([*everywhere(15, -HOUR), *everywhere(30, HOUR // 2)], job, catalog, nodes=3)

    assert simulation.struck["Jump"] >= 4
    assert job.ending is not None
    assert all(earlier <= later for earlier, later in pairwise(job.ending[1]))


@pytest.mark.parametrize("by", [HOUR, -HOUR])
def test_a_clock_that_is_set_does_not_time_out_a_task(by: int) -> None:
    catalog = Catalog()

    @task(catalog=catalog, timeout=dt.timedelta(minutes=5), heartbeat=dt.timedelta(minutes=2))
    async def long() -> int:
        await asyncio.sleep(100)
        return task_context().attempt

    @workflow(catalog=catalog)
    async def works() -> int:
        return await long()

    job = Observed("job", works)
    simulation = run_with(everywhere(10, by), job, catalog, nodes=1)

    assert simulation.struck["Jump"] >= 2
    assert simulation.failed_attempts == []
