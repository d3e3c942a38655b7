"""Two things that happen between one tick and the next: whichever came first decides, also on replay."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable

import pytest

from holdfast import Catalog, Retry, RunStatus, context, task, workflow
from holdfast.core.values import NodeId, TaskStatus
from holdfast.ports.store import ClaimRequest, Commit, Receipt
from holdfast.testing import Environment

SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def once_after(env: Environment, is_it: Callable[[Commit], bool], act: Callable[[], Awaitable[None]]) -> None:
    """Have something happen when the first such commit stands, and its node has not heard of it yet."""
    commit_for_real = env.crash_points.commit
    is_done = False

    async def commit(commit: Commit) -> Receipt:
        nonlocal is_done
        receipt = await commit_for_real(commit)
        if not is_done and is_it(commit):
            is_done = True
            await act()
        return receipt

    env.crash_points.commit = commit  # type: ignore[method-assign]


def collects(commit: Commit) -> bool:
    return commit.collect


async def take_turns(turns: int = 20) -> None:
    """Let everybody else on the loop have their turn."""
    for _ in range(turns):
        await asyncio.sleep(0)


async def test_a_signal_that_came_before_the_timeout_was_noticed_wins(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def hurried() -> str:
        try:
            async with asyncio.timeout(2):
                word = await context().signal("go", str)
        except TimeoutError:
            word = "too late"
        await context().signal("end")
        return word

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(hurried)
        await env.wait_until_quiet()

        async def let_it_time_out() -> None:
            env.clock.advance(3 * SECOND)

        once_after(env, collects, let_it_time_out)
        await run.signal("go", "in time")
        await env.wait_until_quiet()
        await env.crash()
        await run.signal("end")

        assert await run.result() == "in time"


async def test_a_task_that_ends_while_its_cancellation_is_on_its_way_is_cancelled_for_its_run(
    store_url: str, catalog: Catalog
) -> None:
    finish = asyncio.Event()

    @task(catalog=catalog)
    async def slow() -> str:
        await finish.wait()
        return "done"

    @workflow(catalog=catalog)
    async def fickle() -> str:
        handle = slow()
        await context().signal("stop")
        handle.cancel()
        try:
            answer = await handle
        except asyncio.CancelledError:
            answer = "cancelled"
        await context().signal("end")
        return answer

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(fickle)
        await env.wait_until_quiet()

        async def let_it_finish() -> None:
            finish.set()
            await take_turns()

        once_after(env, collects, let_it_finish)
        await run.signal("stop")
        await env.wait_until_quiet()
        statuses = [each.status for each in await env.list_tasks(run)]
        await env.crash()
        await run.signal("end")

        assert await run.result() == "cancelled"
        assert statuses == [TaskStatus.SUCCESS]  # it did what it did, and that is recorded too
        assert len(env.executions) == 1


async def test_a_child_that_ends_while_its_cancellation_is_on_its_way_is_cancelled_for_its_parent(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def child() -> str:
        return await context().signal("finish", str)

    @workflow(catalog=catalog)
    async def parent() -> str:
        handle = child.options(id="child")()
        await context().signal("stop")
        handle.cancel()
        try:
            answer = await handle
        except asyncio.CancelledError:
            answer = "cancelled"
        await context().signal("end")
        return answer

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(parent)
        await env.wait_until_quiet()

        # In one batch of mail: the signal for the parent, and then the news of its child's end.
        await env.signal("child", "finish", "done")
        await run.signal("stop")
        await env.wait_until_quiet()
        await env.crash()
        await run.signal("end")

        assert await run.result() in ("cancelled", "done")
        assert await env.doctor() == []
        assert all(message.taken is not None for message in (await env.history(run)).messages)


async def test_an_outcome_that_came_before_the_timeout_was_noticed_counts(
    store_url: str, catalog: Catalog
) -> None:
    finish = asyncio.Event()

    @task(catalog=catalog, timeout=2 * SECOND)
    async def slow() -> str:
        await finish.wait()
        return "done"

    @workflow(catalog=catalog)
    async def waiting() -> str:
        return await slow()

    @workflow(catalog=catalog)
    async def other() -> None:
        await context().signal("never")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(waiting)
        await env.wait_until_quiet()

        async def finish_and_let_it_time_out() -> None:
            finish.set()
            await take_turns()
            env.clock.advance(3 * SECOND)

        once_after(env, lambda commit: bool(commit.created), finish_and_let_it_time_out)
        await env.start(other)

        assert await run.result() == "done"
        assert await env.list_attempts(run) == []


async def test_of_attempts_that_wait_for_slots_one_that_was_cancelled_does_not_start(catalog: Catalog) -> None:
    blocking = asyncio.Event()
    begun: list[str] = []

    @task(catalog=catalog, queue="narrow")
    async def block() -> None:
        await blocking.wait()

    @task(catalog=catalog, queue="narrow", retry=Retry(max_attempts=3, first_delay=SECOND, jitter=0))
    async def stumble(name: str) -> str:
        begun.append(name)
        if begun.count(name) == 1:
            raise ValueError(name)
        return name

    @workflow(catalog=catalog)
    async def crowd() -> list[str]:
        kept, dropped = stumble("kept"), stumble("dropped")
        await asyncio.sleep(0.5)
        blocks = [block(), block()]
        await asyncio.sleep(2)
        dropped.cancel()
        await asyncio.gather(*blocks)
        return [await kept]

    async with Environment(catalog=catalog, queues={"narrow": 2}) as env:
        run = await env.start(crowd)
        await env.skip(5 * SECOND)
        # Both slots come free in one tick, and both attempts would have their turn.
        blocking.set()

        assert await run.result() == ["kept"]
        assert begun == ["kept", "dropped", "kept"]


@pytest.mark.parametrize("is_done", [False, True])
async def test_a_node_that_finds_its_runs_taken_ends_their_tasks_and_leaves_their_mail(
    store_url: str, catalog: Catalog, is_done: bool
) -> None:
    finish = asyncio.Event()
    ends: list[str] = []

    @task(catalog=catalog)
    async def slow() -> str:
        try:
            await finish.wait()
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise
        ends.append("done")
        return "done"

    @workflow(catalog=catalog)
    async def waiting() -> None:
        slow()
        await context().signal("go")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(waiting)
        await env.wait_until_quiet()

        async def freeze_and_lose_it() -> None:
            env.clock.advance(20 * SECOND)
            if is_done:
                finish.set()
                await take_turns()
            now, until = env.clock.now(), env.clock.now() + 3_600_000_000
            thief = Commit(env.namespace, NodeId("thief"), 1, now, type(now)(until))
            thief.claim = ClaimRequest([(await env.history(run)).run.claim], 10)
            await env.crash_points._store.commit(thief)

        once_after(env, collects, freeze_and_lose_it)
        await run.signal("go")
        await env.wait_until_quiet()

        assert ends == ["done" if is_done else "cancelled"]
        assert not env.engine.has(run.key)
        history = await env.history(run)
        assert history.run.owner == "thief"
        assert [message.taken for message in history.messages] == [None]
        assert [each.status for each in history.tasks] == [TaskStatus.DISPATCHED]
        assert await run.status() is RunStatus.RUNNING
