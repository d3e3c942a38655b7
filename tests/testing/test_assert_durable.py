"""`assert_durable` must pass what is durable and, above all, find what is not."""

from __future__ import annotations

import asyncio
import datetime as dt
import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast import Catalog, Run, context, task, workflow
from holdfast.engine.attempt_recorder import AttemptRecorder
from holdfast.testing import assert_durable

catalog = Catalog()
memory: list[int] = []
numbers = itertools.count()


@task(catalog=catalog)
async def echo(value: Any) -> Any:
    return value


@task(catalog=catalog)
async def mimic(value: Any) -> Any:
    return value


@task(catalog=catalog)
async def refuse() -> None:
    raise ValueError("no")


async def test_it_gives_the_result_of_a_workflow_that_survives(new_database: Callable[[], str]) -> None:
    @workflow(catalog=catalog)
    async def honest(number: int, *, plus: int = 0) -> int:
        await asyncio.sleep(60)
        return await echo(number) + plus

    assert await assert_durable(honest, 1, plus=2, catalog=catalog, new_database=new_database) == 3


async def test_it_raises_what_the_workflow_raises() -> None:
    @workflow(catalog=catalog)
    async def failing() -> None:
        await refuse()

    with pytest.raises(ValueError, match="no"):
        await assert_durable(failing, catalog=catalog)


async def test_it_sends_what_the_workflow_waits_for() -> None:
    @workflow(catalog=catalog)
    async def asking() -> str:
        return await context().promise("word", str)

    async def answer(run: Run[str]) -> None:
        await run.resolve("word", "please", ahead=True)

    assert await assert_durable(asking, during=answer, catalog=catalog) == "please"


async def test_it_finds_a_workflow_that_relies_on_memory() -> None:
    @workflow(catalog=catalog)
    async def forgetful() -> int:
        memory.append(1)
        await echo(1)
        return len(memory)

    with pytest.raises(AssertionError, match=r"a crash right .* commit . of . changed how the run ended"):
        await assert_durable(forgetful, catalog=catalog)


async def test_it_finds_a_workflow_that_rolls_dice_of_its_own() -> None:
    @workflow(catalog=catalog)
    async def gambling() -> bool:
        roll = random.SystemRandom().random()
        return await echo(roll) == roll

    with pytest.raises(AssertionError, match="now asks for task 'echo' with other arguments"):
        await assert_durable(gambling, catalog=catalog)


async def test_it_finds_a_workflow_that_asks_for_something_else_on_replay(tmp_path: Path) -> None:
    lives: list[int] = []

    def new_database() -> str:
        lives.clear()
        return f"sqlite:///{tmp_path}/{next(numbers)}.db"

    @workflow(catalog=catalog)
    async def fickle() -> Any:
        lives.append(1)
        return await (echo if len(lives) == 1 else mimic)(1)

    with pytest.raises(AssertionError, match=r"is parked: .*has task 'echo' .* asks for task 'mimic'"):
        await assert_durable(fickle, catalog=catalog, new_database=new_database)


async def test_it_does_not_wait_for_a_workflow_that_can_never_end() -> None:
    @workflow(catalog=catalog)
    async def stuck() -> None:
        await echo(1)
        await asyncio.Event().wait()

    with pytest.raises(AssertionError, match=r"parked: .*the workflow waits, but has no task"):
        await assert_durable(stuck, catalog=catalog)


async def test_it_would_find_an_engine_that_forgets_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Break the engine: it journals that a task ended, but does not keep with what."""

    @workflow(catalog=catalog)
    async def steps() -> list[int]:
        return [await echo(1), await echo(2)]

    assert await assert_durable(steps, catalog=catalog) == [1, 2]
    monkeypatch.setattr(AttemptRecorder, "settle_row", lambda *_: None)

    with pytest.raises(AssertionError, match="task 0 ended, says the journal, but its row is dispatched"):
        await assert_durable(steps, catalog=catalog)


async def test_it_finds_code_that_asks_for_something_else_each_time_although_it_goes_on_in_the_end() -> None:
    mine = Catalog()
    turns = itertools.count()

    for name in ("heads", "tails"):

        async def toss() -> None: ...

        task(catalog=mine, name=name)(toss)

    @workflow(catalog=mine)
    async def fickle() -> None:
        for _ in range(3):
            await context().schedule(("heads", "tails")[next(turns) % 2])

    with pytest.raises(AssertionError, match="could not go on after a crash, and was parked: the code"):
        await assert_durable(fickle, catalog=mine)


async def test_it_does_not_wait_for_ever_for_a_task_that_does_not_end() -> None:
    mine = Catalog()

    @task(catalog=mine)
    async def restless() -> None:
        while True:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    @workflow(catalog=mine)
    async def waits() -> None:
        await restless()

    with pytest.raises(AssertionError, match="of real time: run durable waits for a task that runs"):
        await assert_durable(waits, catalog=mine, patience=dt.timedelta(seconds=0.5))
