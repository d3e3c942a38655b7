"""How much is due and not taken."""

from __future__ import annotations

import datetime as dt

from tests.engine.test_queued_work import ONE, start, take

from holdfast import Backlog, Catalog, Holdfast, task, workflow
from holdfast.testing import Environment

catalog = Catalog()


@task(catalog=catalog)
async def nothing() -> None: ...


@workflow(catalog=catalog)
async def plain() -> None:
    await nothing()


@workflow(catalog=catalog)
async def other() -> None:
    await nothing()


async def test_due_runs_that_nobody_has_are_counted_by_workflow(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        assert await hf.backlog() == Backlog(0, 0, 0, 0, (), ())
        for _ in range(3):
            await hf.start(plain)
        await hf.start(other)
        await hf.start(other.options(delay=dt.timedelta(hours=1)))  # it is not due

        found = await hf.backlog()
        assert (found.due_runs, found.waiting_tasks) == (4, 0)
        assert [(it.workflow, it.due_runs) for it in found.workflows] == [("plain", 3), ("other", 1)]
        assert found.oldest_due_seconds == found.workflows[0].oldest_due_seconds > 0
        assert (await hf.backlog("other")).due_runs == 1
        assert await hf.backlogs.open_runs() == {"pending": 5, "running": 0, "paused": 0, "parked": 0}
        async with Holdfast(store_url, catalog=catalog, engine=False, namespace="elsewhere") as elsewhere:
            assert (await elsewhere.backlog()).due_runs == 0


async def test_tasks_in_the_queue_are_counted_until_a_worker_takes_them(store_url: str) -> None:
    async with Environment(store_url) as env:
        await start(env, ONE)
        env.clock.advance(dt.timedelta(seconds=7))
        waiting = await env.backlog()
        none = await env.backlog(service="crop")
        await take(env, "resize")
        taken = await env.backlog()

    assert (waiting.waiting_tasks, waiting.oldest_waiting_seconds) == (1, 7)
    assert [(it.service, it.waiting_tasks) for it in waiting.services] == [("resize", 1)]
    assert none.waiting_tasks == 0
    assert taken.waiting_tasks == 0
    assert waiting.due_runs == 0, "a run that waits for a worker is not due"


async def test_what_is_late_is_told_with_the_reason(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        assert await hf.backlogs.problems(dt.timedelta(0)) == []
        await hf.start(plain)

        (problem,) = await hf.backlogs.problems(dt.timedelta(0))
        assert problem.startswith("a run of workflow 'plain' has been due for 0 s, and no node is running")
        assert await hf.backlogs.problems(dt.timedelta(hours=1)) == []
