"""Ids of runs: what may be one, and what a run is known by when it has none."""

from __future__ import annotations

import pytest
from tests.other_systems.staging import change, crash_after

from holdfast import Catalog, Holdfast, TaskLost, context, task, workflow
from holdfast.core.policies import LOST_ATTEMPTS_ALLOWED
from holdfast.errors import BadOption
from holdfast.testing import Environment


async def test_an_empty_id_is_refused_at_every_door_and_nothing_is_started(
    store_url: str, catalog: Catalog
) -> None:
    """DBOS 759: an empty id is taken for no id in one place and for an id in another."""

    @workflow(catalog=catalog)
    async def child() -> None: ...

    @workflow(catalog=catalog)
    async def parent() -> str:
        try:
            await child.options(id="")()
        except BadOption:
            return "refused"
        return "started"

    async with Environment(store_url, catalog=catalog) as env:
        with pytest.raises(BadOption):
            await env.start(child, id="")
        with pytest.raises(BadOption):
            await env.start_many(child, [(), ()], ids=["good", ""])
        with pytest.raises(BadOption):
            await env.run(child, id="")
        parents = await env.run(parent, id="parent")

        assert parents == "refused"
        assert [info.id for info in await env.list()] == ["parent"]


@pytest.mark.parametrize("id", [" ", "\t\n", "\u200b", "0", "None", "false"])
async def test_an_id_that_looks_like_nothing_is_an_id_like_any_other(
    id: str, store_url: str, catalog: Catalog
) -> None:
    """DBOS 759: what is blank means 'make one up', and each recovery makes up another."""

    @workflow(catalog=catalog)
    async def flow() -> str:
        await context().signal("go")
        return context().run_id

    async with Environment(store_url, catalog=catalog) as env:
        first = await env.start(flow, id=id)
        again = await env.start(flow, id=id)
        await env.crash()
        await (await env.get(id)).signal("go")

        assert first.key == again.key
        assert await env.result(id) == id
        assert len(await env.list()) == 1


async def test_a_run_that_has_an_empty_id_all_the_same_is_recovered_as_itself(
    store_url: str, catalog: Catalog
) -> None:
    """DBOS 759: recovery looks the row up by its empty id, and runs a copy beside the original."""

    @task(catalog=catalog)
    async def step() -> str:
        return "done"

    @workflow(catalog=catalog)
    async def flow() -> str:
        return await step()

    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        key = (await hf.start(flow)).key
    assert change(store_url, "UPDATE runs SET id = ''")

    async with Environment(store_url, catalog=catalog) as env:
        crash_after(env, lambda commit, _: bool(commit.tasks), times=2)
        [info] = await env.list()

        assert await env.result(info.key) == "done"
        assert [each.key for each in await env.list()] == [info.key]
        assert (await env.history(info.key)).run.key == key


async def test_attempts_that_died_with_their_node_are_counted_on_the_task_they_belong_to(
    store_url: str, catalog: Catalog
) -> None:
    """DBOS 759: what should stop a deadly task is counted on another row, so it kills for ever."""

    @task(catalog=catalog)
    async def deadly() -> None: ...

    @workflow(catalog=catalog)
    async def flow() -> None:
        await deadly()

    async with Holdfast(store_url, engine=False, catalog=catalog) as hf:
        await hf.start(flow, id="deadly")

    async with Environment(store_url, catalog=catalog) as env:
        dispatched = {"dispatched"}
        crash_after(
            env,
            lambda commit, _: any(row.status in dispatched for row in (*commit.tasks, *commit.moved)),
            times=100,
        )

        with pytest.raises(TaskLost, match=f"{LOST_ATTEMPTS_ALLOWED + 1} times"):
            await env.result("deadly")
        [row] = (await env.history("deadly")).tasks
        assert env.crashes == LOST_ATTEMPTS_ALLOWED + 1
        assert row.attempt == LOST_ATTEMPTS_ALLOWED + 1
        assert len(await env.list()) == 1
