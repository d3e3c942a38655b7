"""Orders of events that are rare, and in which something could be lost: a wake-up, a message, a fence."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast import Catalog, Context, Holdfast, Retry, RunStatus, context, task, task_context, workflow
from holdfast.errors import RunExists, UnknownWorkflow
from holdfast.ports.commits import Commit, Receipt
from holdfast.testing import Environment

SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def before_commits(env: Environment, act: Callable[[Commit], Awaitable[None]]) -> None:
    """Have something happen while a commit is on its way to the store."""
    commit_for_real = env.crash_points.commit

    async def commit(commit: Commit) -> Receipt:
        await act(commit)
        return await commit_for_real(commit)

    env.crash_points.commit = commit  # type: ignore[method-assign]


async def test_the_end_of_a_child_that_was_cancelled_is_read_and_leaves_nobody_stranded(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def child() -> None:
        await context().signal("never")

    @workflow(catalog=catalog)
    async def parent() -> None:
        handle = child()
        await asyncio.sleep(1)
        handle.cancel()
        await context().signal("go")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(parent)
        await env.skip(10 * SECOND)

        assert [message.taken is None for message in (await env.history(run)).messages] == [False]
        assert await env.doctor() == []


async def test_a_parent_that_left_memory_reads_of_the_end_of_a_child_that_it_had_cancelled(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def child() -> None:
        try:
            await context().signal("never")
        finally:
            await asyncio.sleep(300)  # longer than its parent stays in memory

    @workflow(catalog=catalog)
    async def parent() -> Any:
        handle = child()
        await asyncio.sleep(1)
        handle.cancel()
        return await context().signal("go")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(parent)
        await env.skip(100 * SECOND)
        was_in_memory = env.engine.has(run.key)
        await env.skip(900 * SECOND)

        assert not was_in_memory
        assert [message.taken is None for message in (await env.history(run)).messages] == [False]
        assert await env.doctor() == []
        await run.signal("go", 1)
        assert await run.result() == 1


async def test_a_start_under_a_taken_id_starts_no_children(store_url: str, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def first() -> None:
        await context().signal("go")

    @workflow(catalog=catalog)
    async def second() -> None:
        await first()

    async with Environment(store_url, catalog=catalog) as env:
        await env.start(first, id="taken")
        with pytest.raises(RunExists):
            await env.start(second, id="taken")
        await env.wait_until_quiet()

        assert [info.id for info in await env.list()] == ["taken"]


async def test_a_parent_that_leaves_memory_at_once_hears_that_the_id_of_its_child_is_taken(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def child() -> None:
        await context().signal("never")

    @workflow(catalog=catalog)
    async def parent(_: int) -> str:
        try:
            await child.options(id="same")()
        except RunExists:
            return "taken"
        return "had it"

    async with Environment(store_url, catalog=catalog) as env:
        runs = await env.start_many(parent, range(300))  # more than may wait in memory
        await env.wait_until_quiet()

        assert await env.doctor() == []
        results = await asyncio.gather(*[run.result() for run in runs[1:]])
        assert results == ["taken"] * 299


async def test_news_that_come_while_a_run_is_released_are_not_forgotten(catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def sleeper() -> None:
        await asyncio.sleep(86_400)

    @workflow(catalog=catalog)
    async def listener() -> None:
        await context().signal("go")

    async with Environment(catalog=catalog) as env:
        listening = await env.start(listener)
        await env.skip(10 * SECOND)
        await env.start(sleeper)
        told: list[Commit] = []

        async def tell(commit: Commit) -> None:
            if commit.released and not told:
                told.append(commit)
                await listening.signal("go")

        before_commits(env, tell)
        await env.skip(10 * SECOND)

        assert told
        assert await listening.status() is RunStatus.SUCCESS


async def test_a_node_that_was_full_claims_as_soon_as_it_has_room(tmp_path: Path, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def quick(number: int) -> int:
        return number

    async with Holdfast(f"sqlite:///{tmp_path}/full.db", catalog=catalog, max_resident=10) as hf:
        runs = await hf.start_many(quick, range(100))

        async with asyncio.timeout(15):  # less than the time between two polls
            assert await asyncio.gather(*[run.result() for run in runs]) == list(range(100))


async def test_news_for_a_node_that_drains_do_not_make_it_spin(tmp_path: Path, catalog: Catalog) -> None:
    begun, finish = asyncio.Event(), asyncio.Event()

    @task(catalog=catalog)
    async def slow() -> None:
        begun.set()
        await finish.wait()

    @workflow(catalog=catalog)
    async def working() -> None:
        await slow()

    hf = Holdfast(f"sqlite:///{tmp_path}/drain.db", catalog=catalog)
    await hf.open()
    await hf.start(working)
    await begun.wait()
    waits = 0
    clock: Any = hf._parts.clock  # pyright: ignore[reportPrivateUsage]
    wait = clock.wait

    async def counted_wait(event: asyncio.Event, until: Any) -> None:
        nonlocal waits
        waits += 1
        await wait(event, until)

    clock.wait = counted_wait
    closing = asyncio.create_task(hf.close())
    await asyncio.sleep(0.01)
    hf._parts.store._driver._changes.tell(None)  # type: ignore[attr-defined]
    await asyncio.sleep(0.1)
    finish.set()
    await closing

    assert waits < 20


async def test_a_run_that_leaves_memory_does_none_of_its_side_effects(catalog: Catalog) -> None:
    done: list[str] = []

    @workflow(catalog=catalog)
    async def careful(ctx: Context) -> None:
        try:
            await asyncio.sleep(86_400)
        finally:
            await ctx.run("clean up", lambda: done.append("cleaned"))

    async with Environment(catalog=catalog) as env:
        run = await env.start(careful)
        await env.skip(10 * SECOND)

        assert not env.engine.has(run.key)
        assert done == []
        await run.result()
        assert done == ["cleaned"]


async def test_a_workflow_of_another_catalog_is_refused_at_the_door(catalog: Catalog) -> None:
    @workflow(catalog=Catalog())
    async def stranger() -> None: ...

    @workflow(catalog=catalog)
    async def familiar() -> str:
        try:
            await stranger()
        except UnknownWorkflow:
            return "refused"
        return "taken"

    async with Environment(catalog=catalog) as env:
        with pytest.raises(UnknownWorkflow, match="stranger"):
            await env.start(stranger)

        assert await env.run(familiar) == "refused"


async def test_a_task_that_kills_its_node_on_its_second_attempt_is_given_up(catalog: Catalog) -> None:
    attempts: list[int] = []

    @task(catalog=catalog, retry=Retry(max_attempts=3, first_delay=SECOND, jitter=0))
    async def deadly() -> None:
        attempts.append(task_context().attempt)
        if len(attempts) == 1:
            raise ValueError("this time it only failed")
        await asyncio.Event().wait()

    @workflow(catalog=catalog)
    async def doomed() -> None:
        await deadly()

    async with Environment(catalog=catalog) as env:
        run = await env.start(doomed)
        await env.wait_until_quiet()
        env.clock.advance(SECOND)
        for begun in range(2, 13):
            while len(attempts) < begun:  # and no longer: it is not shown as running yet
                await asyncio.sleep(0.001)
                env.clock.advance(SECOND)
            await env.crash()
        await env.wait_until_quiet()

        assert attempts == list(range(1, 13))
        info = await run.describe()
        assert info.failure is not None
        assert info.failure.type == "holdfast.errors:TaskLost"


@pytest.mark.parametrize("is_after", [False, True])
async def test_runs_that_were_freed_behind_the_back_of_their_node_are_taken_up_again(
    store_url: str, catalog: Catalog, is_after: bool
) -> None:
    """Another node with a clock ahead of ours may think that our lease has run out, when we do not."""

    @task(catalog=catalog)
    async def echo(value: int) -> int:
        return value

    @workflow(catalog=catalog)
    async def steps() -> list[int]:
        first = await echo(1)
        word = await context().signal("go")
        return [first, word, await echo(3)]

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(steps)
        await env.wait_until_quiet()
        await env.crash_points.remove_node(env.namespace, env.engine.node)
        if is_after:
            await env.wait_until_quiet()
        await run.signal("go", 2)

        async with asyncio.timeout(10):
            assert await run.result() == [1, 2, 3]
        assert len(env.executions) == 2


async def test_a_signal_that_comes_when_its_run_leaves_memory_is_heard_at_once() -> None:
    mine = Catalog()

    @workflow(catalog=mine)
    async def waiting() -> int:
        return await context().signal("go", int)

    async with Environment(catalog=mine) as env:
        run = await env.start(waiting)
        await env.wait_until_quiet()

        # The instant at which the run has only waited for long enough to leave memory. The tick that the
        # signal leads to learns by its peek that there is mail, asks for it in its commit, and releases
        # the run in that same commit: so the mail is nobody's, the run is due, and no node looks before
        # its next poll.
        env.clock.advance(dt.timedelta(seconds=5))
        await run.signal("go", 7)
        await env.wait_until_quiet()

        assert await run.status() is RunStatus.SUCCESS
