"""Cancelling in workflow code really ends the work: the task is told, and its row says so."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

from holdfast import Catalog, context, task, workflow
from holdfast.core.values import TaskStatus
from holdfast.testing import Environment


class Observed:
    """A task that waits for ever and says what became of it."""

    def __init__(self) -> None:
        self.catalog = Catalog()
        self.began = asyncio.Event()
        self.ended = ""
        observed = self

        @task(catalog=self.catalog)
        async def wait_for_ever() -> None:
            observed.began.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                observed.ended = "cancelled"
                raise

        self.task = wait_for_ever


async def _task_statuses(env: Environment, run: Any) -> list[TaskStatus]:
    return [each.status for each in await env.list_tasks(run)]


async def test_wait_for_ends_the_work_of_a_task_that_takes_too_long(store_url: str) -> None:
    observed = Observed()

    @workflow(catalog=observed.catalog)
    async def impatient() -> str:
        try:
            await asyncio.wait_for(observed.task(), 60)
        except TimeoutError:
            return "gave up"
        return "no timeout"

    async with Environment(store_url, catalog=observed.catalog) as env:
        run = await env.start(impatient)
        await observed.began.wait()
        env.clock.advance(dt.timedelta(seconds=61))

        assert await run.result() == "gave up"
        await env.wait_until_quiet()
        assert observed.ended == "cancelled"
        assert await _task_statuses(env, run) == [TaskStatus.CANCELLED]


async def test_cancelling_a_handle_ends_the_work_of_its_task(store_url: str) -> None:
    observed = Observed()

    @workflow(catalog=observed.catalog)
    async def fickle() -> list[Any]:
        handle = observed.task()
        await context().signal("enough")
        was_pending = handle.cancel()
        try:
            await handle
        except asyncio.CancelledError:
            return [was_pending, handle.cancel(), handle.cancelled()]
        return []

    async with Environment(store_url, catalog=observed.catalog) as env:
        run = await env.start(fickle)
        await observed.began.wait()
        await run.signal("enough")

        assert await run.result() == [True, False, True]
        await env.wait_until_quiet()
        assert observed.ended == "cancelled"
        assert await _task_statuses(env, run) == [TaskStatus.CANCELLED]


async def test_a_task_that_is_cancelled_before_it_could_begin_never_begins() -> None:
    observed = Observed()

    @workflow(catalog=observed.catalog)
    async def hasty() -> bool:
        handle = observed.task()
        handle.cancel()
        await asyncio.sleep(1)
        return handle.cancelled()

    async with Environment(catalog=observed.catalog) as env:
        run = await env.start(hasty)

        assert await run.result() is True
        assert not observed.began.is_set()
        assert await _task_statuses(env, run) == [TaskStatus.CANCELLED]


async def test_tasks_that_nobody_awaited_end_with_their_run() -> None:
    observed = Observed()

    @workflow(catalog=observed.catalog)
    async def careless() -> str:
        observed.task()
        await context().signal("enough")
        return "done"

    async with Environment(catalog=observed.catalog) as env:
        run = await env.start(careless)
        await observed.began.wait()
        await run.signal("enough")

        assert await run.result() == "done"
        await env.wait_until_quiet()
        assert observed.ended == "cancelled"
        assert await _task_statuses(env, run) == [TaskStatus.CANCELLED]
