"""Code that is not there any more, not there yet, or there in two versions at once."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pytest
from tests.other_systems.staging import watch_commits
from tests.patience import PATIENCE

from holdfast import Catalog, RunStatus, TaskStatus, context, task, workflow
from holdfast.core.policies import SETBACKS_ALLOWED
from holdfast.errors import UnknownTask
from holdfast.testing import Environment

DAY = dt.timedelta(days=1)


async def _step(number: int) -> int:
    return number + 1


def deployment(*tasks: str, flows: dict[str, str | None]) -> Catalog:
    """A catalog with these tasks, and a workflow `name` of each version given."""
    catalog = Catalog()
    for name in tasks:
        task(catalog=catalog, name=name, queue="narrow")(_step)
    for name, version in flows.items():

        async def walk(number: int) -> int:
            await context().signal("go")
            return await context().schedule("step", number=number)

        workflow(catalog=catalog, name=name, version=version)(walk)
    return catalog


async def begin(url: str, catalog: Catalog, *names: str) -> None:
    async with Environment(url, catalog=catalog) as env:
        for name in names:
            await env.start(name, 1, id=name)
        await env.wait_until_quiet()


async def test_runs_of_a_workflow_that_was_removed_hold_nothing_and_go_on_when_it_is_back(
    store_url: str,
) -> None:
    """Airflow 13542 (b): nobody can load it, and its queued tasks hold their pool's slots for ever."""
    both = deployment("step", flows={"removed": None, "kept": None})
    await begin(store_url, both, "removed", "kept")

    async with Environment(
        store_url, catalog=deployment("step", flows={"kept": None}), queues={"narrow": 1}
    ) as env:
        for name in ("removed", "kept"):
            await env.signal(name, "go")
        kept = await env.result("kept")
        await env.skip(DAY)
        meanwhile = await env.describe("removed")
        tasks = await env.list_tasks(await env.get("removed"))
        commits = env.crash_points.commits
        await env.skip(DAY)
        commits_a_day = env.crash_points.commits - commits
    async with Environment(store_url, catalog=both) as env:
        assert await env.result("removed") == 2

    assert kept == 2
    assert meanwhile.status is RunStatus.RUNNING
    assert tasks == []
    assert commits_a_day == 0


async def test_a_task_that_was_removed_fails_and_says_so_instead_of_staying_in_its_queue(
    store_url: str,
) -> None:
    """Airflow 13542 (b): the worker finds no such task and exits; it stays 'queued' for ever."""
    await begin(store_url, deployment("step", flows={"flow": None}), "flow")

    async with Environment(store_url, catalog=deployment(flows={"flow": None}), queues={"default": 1}) as env:
        run = await env.get("flow")
        await run.signal("go")
        with pytest.raises(UnknownTask, match="step"):
            await run.result()
        [row] = await env.list_tasks(run)
    async with Environment(store_url, catalog=deployment("step", flows={"flow": None})) as env:
        await (await env.get("flow")).retry()

        assert await env.result("flow") == 2
    assert row.status is TaskStatus.FAILED


async def test_runs_of_an_old_version_wait_for_a_node_that_has_it_and_new_ones_go_on(store_url: str) -> None:
    """druks 619 on DBOS: rows carry the version of a process that is gone after an upgrade in place."""
    await begin(store_url, deployment("step", flows={"flow": "1"}), "flow")

    async with Environment(store_url, catalog=deployment("step", flows={"flow": "2"})) as env:
        await env.signal("flow", "go")
        new = await env.start("flow", 10)
        await new.signal("go")
        result = await new.result()
        meanwhile = await env.describe("flow")
    both = Catalog()
    for version in ("1", "2"):
        for known in deployment("step", flows={"flow": version}).workflows():
            both.add_workflow(known)
    both.add_task(deployment("step", flows={}).task("step"))
    async with Environment(store_url, catalog=both) as env:
        assert await env.result("flow") == 2

    assert result == 11
    assert (meanwhile.status, meanwhile.version) == (RunStatus.RUNNING, "1")


async def test_a_parent_that_leaves_memory_hears_of_a_child_that_ended_under_another_deployment(
    store_url: str,
) -> None:
    """n8n 37553, Trigger.dev 4971: the child is over, and the parent that waits for it is never woken."""

    async def child() -> str:
        return str(await context().signal("go"))

    async def parent() -> Any:
        return await context().start_child("child", id="child")

    whole, half = Catalog(), Catalog()
    for catalog in (whole, half):
        workflow(catalog=catalog, name="child")(child)
    workflow(catalog=whole, name="parent")(parent)
    async with Environment(store_url, catalog=whole) as env:
        await env.start("parent", id="parent")
        await env.skip(dt.timedelta(minutes=1))
    async with Environment(store_url, catalog=half) as env:
        await env.signal("child", "go", "news")
        assert await env.result("child") == "news"
        await env.skip(DAY)

    async with Environment(store_url, catalog=whole) as env:
        async with asyncio.timeout(PATIENCE):
            assert await env.result("parent") == "news"
        assert await env.doctor() == []


def _rewritten(step: str) -> Catalog:
    """A deployment whose workflow, under the same name and without a version, begins with another task."""

    async def flow() -> str:
        await context().schedule(step, number=1)
        await context().signal("go")
        return step

    catalog = Catalog()
    task(catalog=catalog, name=step)(_step)
    workflow(catalog=catalog, name="flow")(flow)
    return catalog


async def test_a_run_of_newer_code_that_a_node_with_older_code_took_goes_on_by_itself(store_url: str) -> None:
    """DBOS 804's cousin: in a rolling deploy the old node takes a run of the new code, and it is stuck."""
    async with Environment(store_url, catalog=_rewritten("new")) as env:
        await env.start("flow", id="flow")
        await env.wait_until_quiet()
    async with Environment(store_url, catalog=_rewritten("old")) as env:
        await env.wait_until_quiet()
        with_older = await env.describe("flow")

    async with Environment(store_url, catalog=_rewritten("new")) as env:
        await env.signal("flow", "go")
        result = await env.result("flow")

    assert (with_older.status, with_older.waiting) == (
        RunStatus.PARKED,
        "code that it fits; it is tried again 2030-01-01T00:00:05+00:00",
    )
    assert result == "new"


async def test_a_run_that_fits_no_node_is_left_alone_after_a_while_and_can_be_resumed(store_url: str) -> None:
    async with Environment(store_url, catalog=_rewritten("new")) as env:
        await env.start("flow", id="flow")
        await env.wait_until_quiet()
    async with Environment(store_url, catalog=_rewritten("old")) as env:
        seen = watch_commits(env)
        await env.skip(DAY)
        tries = len([row for commit, _ in seen for row in commit.released])
        left_alone = await env.describe("flow")
    async with Environment(store_url, catalog=_rewritten("new")) as env:
        await env.skip(DAY)
        asleep = await env.describe("flow")
        await env.resume("flow")
        await env.signal("flow", "go")

        assert await env.result("flow") == "new"

    assert tries == SETBACKS_ALLOWED
    assert (left_alone.status, left_alone.waiting) == (RunStatus.PARKED, None)
    assert asleep.status is RunStatus.PARKED
