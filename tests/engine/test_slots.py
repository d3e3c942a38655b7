"""Slots: how many tasks of a queue run at once, and which of them go first."""

from __future__ import annotations

import asyncio

import pytest

from holdfast import Catalog, task, workflow
from holdfast.core.values import TaskStatus
from holdfast.testing import Environment


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


async def test_no_more_tasks_of_a_queue_run_at_once_than_it_allows(catalog: Catalog) -> None:
    running = most = 0

    async def occupy() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(5):
            await asyncio.sleep(0)
        running -= 1

    narrow = task(catalog=catalog, name="narrow", queue="narrow")(occupy)

    @workflow(catalog=catalog)
    async def crowd() -> None:
        await asyncio.gather(*[narrow() for _ in range(20)])

    async with Environment(catalog=catalog, queues={"narrow": 3}) as env:
        await asyncio.gather(env.run(crowd), env.run(crowd))

    assert most == 3


async def test_higher_priorities_go_first_and_equals_in_the_order_they_were_asked_for(
    catalog: Catalog,
) -> None:
    order: list[str] = []
    go = asyncio.Event()

    @task(catalog=catalog, queue="narrow")
    async def block() -> None:
        await go.wait()

    @task(catalog=catalog, queue="narrow")
    async def note(name: str) -> None:
        order.append(name)

    @workflow(catalog=catalog)
    async def crowd() -> None:
        wanted = [("low", -1), ("a", 0), ("high", 5), ("b", 0), ("higher", 6)]
        await asyncio.gather(
            block.options(priority=9)(), *[note.options(priority=p)(name) for name, p in wanted]
        )

    async with Environment(catalog=catalog, queues={"narrow": 1}) as env:
        run = await env.start(crowd)
        statuses = [each.status for each in await env.list_tasks(run)]
        go.set()
        await run.result()

    assert statuses == [TaskStatus.DISPATCHED] + [TaskStatus.PENDING] * 5
    assert order == ["higher", "high", "a", "b", "low"]


async def test_priority_counts_among_tasks_that_are_asked_for_in_one_step(catalog: Catalog) -> None:
    order: list[int] = []

    @task(catalog=catalog, queue="narrow")
    async def note(number: int) -> None:
        order.append(number)

    @workflow(catalog=catalog)
    async def crowd() -> None:
        await asyncio.gather(*[note.options(priority=number)(number) for number in (0, 1, 5, 3, 9, 2)])

    async with Environment(catalog=catalog, queues={"narrow": 1}) as env:
        await (await env.start(crowd)).result()

    assert order == [9, 5, 3, 2, 1, 0]
