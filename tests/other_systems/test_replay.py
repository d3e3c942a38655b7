"""Replay of code that does several things at once: numbers are taken by order of asking, not of ending."""

from __future__ import annotations

import asyncio
import datetime as dt
import itertools
from collections.abc import Callable

import pytest

from holdfast import Catalog, RunStatus, context, task, workflow
from holdfast.core.history import read_steps
from holdfast.core.policies import SETBACKS_ALLOWED
from holdfast.testing import Environment, assert_durable

DAY = dt.timedelta(days=1)


async def test_branches_of_several_steps_each_survive_a_crash_at_every_commit(
    new_database: Callable[[], str], catalog: Catalog
) -> None:
    """DBOS 688, 714: concurrent steps take their numbers in another order on replay, and it fails."""

    @task(catalog=catalog)
    async def first(branch: int) -> int:
        # Those asked for first end last, so that the order of ending is not the order of asking.
        for _ in range(6 - 2 * branch):
            await asyncio.sleep(0)
        return branch

    @task(catalog=catalog)
    async def second(branch: int) -> int:
        return 10 * branch

    @task(catalog=catalog)
    async def third(branch: int) -> int:
        return 100 * branch

    @workflow(catalog=catalog)
    async def branches() -> list[int]:
        async def walk(branch: int) -> int:
            total = await first(branch)
            if branch == 1:
                await asyncio.sleep(1)
            total += await second(branch)
            return total + await third(branch)

        return list(await asyncio.gather(*[walk(branch) for branch in range(1, 4)]))

    result = await assert_durable(branches, catalog=catalog, new_database=new_database)

    assert result == [111, 222, 333]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
async def test_a_branch_gets_the_recorded_result_that_is_its_own_in_whatever_order_they_came(
    order: tuple[int, ...], store_url: str, catalog: Catalog
) -> None:
    """Prefect 22259: on a retry concurrent subflows adopt each other's stored results, and nobody notices."""
    gates = [asyncio.Event() for _ in range(3)]

    @task(catalog=catalog)
    async def ask(branch: int) -> str:
        await gates[branch].wait()
        return f"answer {branch}"

    @workflow(catalog=catalog)
    async def child(branch: int) -> str:
        return await ask(branch)

    @workflow(catalog=catalog)
    async def parent() -> list[tuple[str, str]]:
        async def walk(branch: int) -> tuple[str, str]:
            own = await child.options(id=f"child-{branch}")(branch)
            return own, await ask(branch)

        answers = await asyncio.gather(*[walk(branch) for branch in range(3)])
        await context().signal("go")
        return list(answers)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(parent)
        for branch in order:
            gates[branch].set()
            await asyncio.sleep(0.02)
            await env.crash()
        await run.signal("go")

        assert [list(answer) for answer in await run.result()] == [[f"answer {n}"] * 2 for n in range(3)]
        assert env.repeated == []


async def test_who_came_first_of_several_that_ended_in_one_step_is_the_same_after_a_crash(
    store_url: str, catalog: Catalog
) -> None:
    """DBOS 714: what the code does next depends on which of them was first, and replay has another first."""
    gates = [asyncio.Event() for _ in range(3)]

    @task(catalog=catalog)
    async def ask(branch: int) -> int:
        await gates[branch].wait()
        return branch

    @task(catalog=catalog)
    async def note(order: list[int]) -> list[int]:
        return order

    @workflow(catalog=catalog)
    async def race() -> list[list[int]]:
        order = [await answer for answer in asyncio.as_completed([ask(0), ask(1), ask(2)])]
        noted = await note(order)
        await context().signal("go")
        return [order, noted]

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(race)
        for branch in (2, 0, 1):
            gates[branch].set()  # all before the node can look: they end in one tick, in this order
        await env.wait_until_quiet()
        heard = [len(step.heard) for step in read_steps(await env.history(run))]
        await env.crash()
        await run.signal("go")

        assert await run.result() == [[2, 0, 1], [2, 0, 1]]
        assert heard == [0, 3, 1]


async def test_code_whose_order_does_depend_on_chance_is_parked_and_not_tried_in_a_loop(
    store_url: str, catalog: Catalog
) -> None:
    """DBOS 688: an unexpected step fails each recovery, and recovery tries again, for ever."""
    names = ["charge", "refund"]

    @workflow(catalog=catalog)
    async def fickle() -> None:
        await context().schedule(names[0])
        await context().signal("go")

    for name in names:

        async def do() -> None: ...

        task(catalog=catalog, name=name)(do)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(fickle)
        await env.wait_until_quiet()
        names.reverse()
        await env.crash()
        await env.wait_until_quiet()
        commits = env.crash_points.commits
        for _ in range(3):
            await env.crash()
            await env.wait_until_quiet()
        await env.skip(DAY)
        info = await run.describe()

        assert info.status is RunStatus.PARKED
        assert info.failure is not None
        assert "charge" in info.failure.message
        assert "refund" in info.failure.message
        # It is tried again a few times, ever more rarely: another node might have the code that it fits.
        assert env.crash_points.commits - commits <= 4 * SETBACKS_ALLOWED
        assert (await env.history(run)).run.epoch == SETBACKS_ALLOWED  # a dead node is the first setback
