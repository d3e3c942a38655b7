"""A start that the disk has no room for takes everything of its own out of the commit, and nothing else."""

from __future__ import annotations

import asyncio

import pytest
from tests.other_systems.staging import passing_time, watch_commits
from tests.patience import PATIENCE

from holdfast import Catalog, RunStatus, context, task, workflow
from holdfast.errors import StoreFull
from holdfast.ports.commits import ROWS_OF_RUNS, Commit, Receipt
from holdfast.testing import Environment


def _refuse_new_runs(env: Environment) -> list[list[str]]:
    """There is no room for what has not begun yet. Gives back the workflows of each refused commit."""
    commit_for_real = env.crash_points.commit
    refused: list[list[str]] = []

    async def commit(commit: Commit) -> Receipt:
        if commit.created:
            refused.append([run.workflow for run in commit.created])
            raise StoreFull("the disk", "it is full")
        return await commit_for_real(commit)

    env.crash_points.commit = commit  # type: ignore[method-assign]
    return refused


async def test_what_a_refused_run_asked_for_is_left_out_and_what_others_did_is_kept(store_url: str) -> None:
    catalog = Catalog()
    finish = asyncio.Event()
    starting: list[asyncio.Task[object]] = []

    @task(catalog=catalog)
    async def wait() -> str:
        await finish.wait()
        # Now, so that one tick hears of both: the end of this task, and the start of the other run.
        starting.append(asyncio.create_task(env.start(new, id="new")))
        return "kept"

    @workflow(catalog=catalog)
    async def under_way() -> str:
        return await wait()

    @workflow(catalog=catalog)
    async def child() -> None: ...

    @workflow(catalog=catalog)
    async def new() -> None:
        ctx = context()
        ctx.state.set("seen", True)
        await asyncio.gather(ctx.start_child(child), wait())

    async with Environment(store_url, catalog=catalog) as env, passing_time(env):
        run = await env.start(under_way)
        while not env.executions:  # noqa: ASYNC110  # nothing tells of it
            await asyncio.sleep(0.005)
        committed = watch_commits(env)
        refused = _refuse_new_runs(env)
        finish.set()
        async with asyncio.timeout(PATIENCE):
            assert await run.result() == "kept"

        with pytest.raises(StoreFull):
            await starting[0]
        assert refused == [["new", "child"]]
        named = {row.run for commit, _ in committed for name in ROWS_OF_RUNS for row in getattr(commit, name)}
        assert named == {run.key}
        assert [record.id for record in await env.list()] == [run.id]
        assert await run.status() is RunStatus.SUCCESS
        assert not env.engine.has(run.key)
        assert len(env.executions) == 1
