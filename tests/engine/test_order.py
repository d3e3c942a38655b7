"""In which order things happen that are overdue or that wait: timers, ended children, tasks."""

from __future__ import annotations

import asyncio
import datetime as dt

import pytest

from holdfast import Catalog, Retry, task, workflow
from holdfast.testing import Environment

MINUTE = dt.timedelta(minutes=1)
DELAYS = (50, 10, 40, 20, 30)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


async def test_overdue_timers_of_many_runs_fire_in_the_order_of_their_due_times(catalog: Catalog) -> None:
    order: list[int] = []

    @task(catalog=catalog, queue="narrow")
    async def note(minutes: int) -> None:
        order.append(minutes)

    @workflow(catalog=catalog)
    async def sleeper(minutes: int) -> None:
        await asyncio.sleep(minutes * 60)
        await note(minutes)

    async with Environment(catalog=catalog, queues={"narrow": 1}) as env:
        runs = [await env.start(sleeper, minutes) for minutes in DELAYS]
        await env.wait_until_quiet()
        env.clock.advance(60 * MINUTE)  # all are overdue when the next node loads them
        await env.crash()
        await asyncio.gather(*[run.result() for run in runs])

    assert order == sorted(DELAYS)


async def test_overdue_sleeps_of_children_end_in_the_order_of_their_due_times(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def sleeper(minutes: int) -> int:
        await asyncio.sleep(minutes * 60)
        return minutes

    @workflow(catalog=catalog)
    async def parent() -> list[int]:
        order: list[int] = []

        async def wait(minutes: int) -> None:
            order.append(await sleeper(minutes))

        await asyncio.gather(*[wait(minutes) for minutes in DELAYS])
        return order

    async with Environment(catalog=catalog) as env:
        run = await env.start(parent)
        await env.wait_until_quiet()
        env.clock.advance(60 * MINUTE)
        await env.crash()
        order = await run.result()

    assert order == sorted(DELAYS)


async def test_a_retry_takes_no_slot_from_a_new_task_of_higher_priority(catalog: Catalog) -> None:
    order: list[str] = []

    @task(catalog=catalog, queue="narrow", retry=Retry(max_attempts=2, first_delay=MINUTE))
    async def fail_once() -> None:
        order.append("low")
        if len(order) == 1:
            raise ValueError

    @task(catalog=catalog, queue="narrow")
    async def note() -> None:
        order.append("high")

    @workflow(catalog=catalog)
    async def retrying() -> None:
        await fail_once()

    @workflow(catalog=catalog)
    async def sleeping() -> None:
        await asyncio.sleep(60)
        await note.options(priority=5)()

    async with Environment(catalog=catalog, queues={"narrow": 1}) as env:
        runs = [await env.start(retrying), await env.start(sleeping)]
        await env.wait_until_quiet()
        env.clock.advance(5 * MINUTE)  # the backoff and the sleep end in one tick
        await asyncio.gather(*[run.result() for run in runs])

    assert order == ["low", "high", "low"]
