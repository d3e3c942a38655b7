"""Random flows through the whole engine, which crashes at a commit and whenever the dice say so."""

from __future__ import annotations

import asyncio
import datetime as dt
from random import Random

import pytest
from tests.flows.drawing import Manner, awaited_keys, draw_flow, draw_params
from tests.flows.engine import RETRIES, FlowRun, register
from tests.flows.signals import DrawnSignals
from tests.patience import PATIENCE

from holdfast import Catalog, Run
from holdfast.core.values import TaskStatus, task_id
from holdfast.errors import NodeStopped, NotOpen
from holdfast.testing import Environment

FLOWS = 60
MANNER = Manner(exec_types=("local_func",), is_bounded=True, is_patient=True)
_MOST_LOOKS = 300
_HOUR = dt.timedelta(hours=1)


@pytest.mark.parametrize("batch", range(4))
async def test_a_flow_on_an_engine_that_crashes_ends_as_the_interpreter_says(batch: int) -> None:
    crashes = 0
    for seed in range(batch * FLOWS // 4, (batch + 1) * FLOWS // 4):
        async with asyncio.timeout(PATIENCE):
            crashes += await play(seed)

    assert crashes > 5


async def play(seed: int) -> int:
    """One flow to its end. Answers how often the engine has crashed."""
    flow, params = draw_flow(Random(f"{seed} flow"), MANNER), draw_params(Random(f"{seed} params"))
    made = FlowRun("first", flow, params, DrawnSignals(str(seed), awaited_keys(flow), is_cancelled=False))
    catalog, dice = Catalog(), Random(f"{seed} crashes")
    register(catalog, [made])
    crash_at = dice.randint(1, 8)
    async with Environment(
        catalog=catalog, seed=seed, crash_at=crash_at, crash_after=dice.random() < 0.5
    ) as environment:
        run = await _start(environment, made)
        for _ in range(_MOST_LOOKS):
            if await _look_after(environment, made, run):
                break
            if dice.random() < 0.2:
                await environment.crash()
        history = await environment.history(run)
        told = made.problems(history.run, history.tasks, await made.read_state(environment))
        assert told == [], f"seed {seed}: {told[0]}"
        assert not environment.repeated, (
            f"seed {seed}: recorded tasks were done again: {environment.repeated}"
        )
        assert not environment.crash_points.parked, f"seed {seed}: {environment.crash_points.parked}"
        assert not await environment.doctor(), f"seed {seed}"
        return environment.crashes


async def _start(environment: Environment, made: FlowRun) -> Run[object]:
    """A crash may come before the start is recorded. Its id makes it safe to ask again."""
    while True:
        try:
            return await environment.start(made.workflow, id=made.id, **made.params)
        except (NotOpen, NodeStopped):
            await asyncio.sleep(0.001)


async def _look_after(environment: Environment, made: FlowRun, run: Run[object]) -> bool:
    """Do what is to be done for the run now. Whether it has ended for good."""
    await environment.wait_until_quiet()
    status = str(await run.status())
    if status == "success" or (status == "failed" and made.retried == RETRIES):
        return True
    if status == "failed":
        made.retried += 1
        for each in (await environment.history(run)).tasks:
            if each.status is not TaskStatus.SUCCESS:
                environment.recorded.discard(task_id(each.run, each.seq))  # it is to be done again
        await environment.retry(run)
    elif not await made.tell(environment):
        # No longer than a long wait, so that one that begins meanwhile is seen before it is over.
        await environment.skip(_HOUR)
    return False
