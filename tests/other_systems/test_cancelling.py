"""Runs that are told to end: they do, once, and leave nothing going round."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pytest
from tests.other_systems.staging import lose_connection, passing_time

from holdfast import (
    Catalog,
    Retry,
    Run,
    RunCancelled,
    RunStatus,
    Task,
    TaskStatus,
    Workflow,
    context,
    task,
    workflow,
)
from holdfast.errors import RunEnded
from holdfast.ports.commits import Commit, Receipt
from holdfast.testing import Environment

SECOND = dt.timedelta(seconds=1)
HOUR = dt.timedelta(hours=1)
DAY = dt.timedelta(days=1)
FOR_EVER = Retry(max_attempts=2**30, first_delay=SECOND, max_delay=SECOND)


def failing(catalog: Catalog, retry: Retry = FOR_EVER) -> Task[[], None]:
    @task(catalog=catalog, retry=retry)
    async def fail() -> None:
        raise ConnectionError("refused")

    return fail


async def test_a_cancelled_run_whose_task_keeps_failing_ends_and_is_then_silent(
    store_url: str, catalog: Catalog
) -> None:
    """Kestra 15829: it stays in KILLING, its task is retried in a tight loop, 250 GB of log in six days."""
    fail = failing(catalog)

    @workflow(catalog=catalog)
    async def flow() -> None:
        unwatched = fail()
        await fail()
        await unwatched

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow)
        await env.skip(10 * SECOND)
        await run.cancel("enough")
        with pytest.raises(RunCancelled, match="enough"):
            await run.result()
        executed, commits = len(env.executions), env.crash_points.commits
        await env.skip(DAY)

        assert executed >= 9
        assert len(env.executions) == executed
        assert env.crash_points.commits == commits
        assert (await run.describe()).status is RunStatus.CANCELLED
        assert {row.status for row in await env.list_tasks(run)} == {TaskStatus.CANCELLED}


@pytest.mark.parametrize("clean_up", ["raises", "calls a task that fails", "waits for ever", "goes on"])
async def test_a_clean_up_that_goes_wrong_does_not_keep_a_run_between_two_states(
    clean_up: str, store_url: str, catalog: Catalog
) -> None:
    """Kestra 15829, 5983: the way from KILLING to KILLED has an error in it, and there is no other."""
    fail = failing(catalog, Retry())

    @workflow(catalog=catalog)
    async def flow() -> Any:
        try:
            await context().promise("never")
        except asyncio.CancelledError:
            if clean_up == "raises":
                raise ValueError("in the clean-up") from None
            if clean_up == "calls a task that fails":
                await fail()
            if clean_up == "waits for ever":
                await asyncio.sleep(10 * DAY.total_seconds())
        return "went on"

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow)
        await run.cancel()
        await run.cancel()  # again is harmless
        await asyncio.gather(run.result(), return_exceptions=True)
        info = await run.describe()
        commits = env.crash_points.commits
        await env.skip(DAY)

        expected = {
            "raises": RunStatus.FAILED,
            "calls a task that fails": RunStatus.FAILED,
            "waits for ever": RunStatus.SUCCESS,
            "goes on": RunStatus.SUCCESS,
        }
        assert info.status is expected[clean_up]
        assert env.crash_points.commits == commits
        assert await env.doctor() == []
        with pytest.raises(RunEnded):
            await run.cancel()


async def test_a_cancellation_that_came_in_an_outage_is_carried_out_after_it(
    store_url: str, catalog: Catalog
) -> None:
    """Kestra 19848, 13426: the kill is a message, and one that is lost on its way leaves the run going."""
    go = asyncio.Event()
    ended: list[str] = []

    @task(catalog=catalog)
    async def work() -> None:
        try:
            await go.wait()
        finally:
            ended.append("work")

    @workflow(catalog=catalog)
    async def flow() -> None:
        await work()

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow)
        failed = [
            lose_connection(env, method, times=2)
            for method in ("next_work", "commit", "load_short_histories")
        ]
        await run.cancel()

        async with passing_time(env):
            with pytest.raises(RunCancelled):
                await run.result()
            await env.wait_until_quiet()

        assert failed[0] == ["next_work"] * 2
        assert failed[1] == ["commit"] * 2
        assert ended == ["work"]


async def test_a_task_that_ends_well_after_its_run_was_cancelled_changes_nothing(
    store_url: str, catalog: Catalog
) -> None:
    """Prefect 16429: a run that was marked as crashed turns out as completed later on."""
    stubborn_until = asyncio.Event()

    @task(catalog=catalog)
    async def stubborn() -> str:
        while not stubborn_until.is_set():
            try:
                await stubborn_until.wait()
            except asyncio.CancelledError:
                continue
        return "done after all"

    @workflow(catalog=catalog)
    async def flow() -> str:
        return await stubborn()

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow)
        await run.cancel()
        with pytest.raises(RunCancelled):
            await run.result()
        before = await env.history(run)
        stubborn_until.set()
        await env.skip(10 * SECOND)

        assert await env.history(run) == before
        assert [row.status for row in before.tasks] == ["cancelled"]


def _rewritten(catalog: Catalog, names: list[str]) -> Workflow[[], None]:
    """A workflow whose code can be changed under its runs."""
    for name in names:

        async def wait() -> None:
            await asyncio.Event().wait()

        task(catalog=catalog, name=name)(wait)

    @workflow(catalog=catalog)
    async def flow() -> None:
        await asyncio.gather(context().schedule(names[0]), child.options(id="child")())

    @workflow(catalog=catalog)
    async def child() -> None:
        await context().signal("never")

    return flow


async def _park(env: Environment, run: Run[None], names: list[str]) -> None:
    while not await env.list_tasks(run):  # noqa: ASYNC110  # nobody tells
        await asyncio.sleep(0)
    names.reverse()
    await env.crash()
    await env.wait_until_quiet()
    assert await run.status() is RunStatus.PARKED


async def test_a_cancelled_run_that_was_parked_leaves_no_task_and_no_child_open(
    store_url: str, catalog: Catalog
) -> None:
    names = ["one", "two"]
    flow = _rewritten(catalog, names)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow)
        await _park(env, run, names)
        await run.cancel("enough")
        await env.skip(HOUR)

        assert await run.status() is RunStatus.CANCELLED
        assert [row.status for row in await env.list_tasks(run)] == [TaskStatus.CANCELLED]
        assert (await env.describe("child")).status is RunStatus.CANCELLED


async def test_a_cancellation_that_comes_while_a_parked_run_is_tried_again_is_carried_out(
    store_url: str, catalog: Catalog
) -> None:
    """Kestra 15829: between two states nobody listens. During a trial it is not parked, and then again is."""
    names = ["one", "two"]
    flow = _rewritten(catalog, names)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow)
        await _park(env, run, names)
        commit_for_real = env.crash_points.commit
        seen: list[RunStatus] = []

        async def commit(commit: Commit) -> Receipt:
            receipt = await commit_for_real(commit)
            if receipt.claimed and not seen:
                seen.append(await run.status())
                await run.cancel("enough")
            return receipt

        env.crash_points.commit = commit  # type: ignore[method-assign]
        await env.skip(HOUR)

        assert seen == [RunStatus.RUNNING]
        assert await run.status() is RunStatus.CANCELLED
        assert [row.status for row in await env.list_tasks(run)] == [TaskStatus.CANCELLED]
        assert (await env.describe("child")).status is RunStatus.CANCELLED
