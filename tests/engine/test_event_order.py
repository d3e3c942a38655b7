"""Two things that happen between one tick and the next: whichever came first decides, also on replay."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable

import pytest
from tests.other_systems.staging import watch_commits

from holdfast import Catalog, Retry, RunStatus, context, task, workflow
from holdfast.core.values import NodeId, TaskStatus, later
from holdfast.ports.commits import ClaimRequest, Commit, Receipt
from holdfast.testing import Environment

SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


Act = Callable[[], Awaitable[None]]


def once_after(env: Environment, is_it: Callable[[Commit], bool], act: Act) -> None:
    """Have something happen when the first such commit stands, and its node has not heard of it yet."""
    _once(env, is_it, _do_nothing, act)


def once_before(env: Environment, is_it: Callable[[Commit], bool], act: Act) -> None:
    """Have something happen while the first such commit is on its way to the store."""
    _once(env, is_it, act, _do_nothing)


def _once(env: Environment, is_it: Callable[[Commit], bool], before: Act, after: Act) -> None:
    commit_for_real = env.crash_points.commit

    async def commit(commit: Commit) -> Receipt:
        if not is_it(commit):
            return await commit_for_real(commit)
        env.crash_points.commit = commit_for_real  # type: ignore[method-assign]
        await before()
        receipt = await commit_for_real(commit)
        await after()
        return receipt

    env.crash_points.commit = commit  # type: ignore[method-assign]


async def _do_nothing() -> None:
    pass


def collects(commit: Commit) -> bool:
    return commit.collect


async def take_turns(turns: int = 100) -> None:
    """Let everybody else on the loop do what they can. (Nothing here waits for a thread.)"""
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
        await take_turns()

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

        once_before(env, lambda commit: bool(commit.ended), lambda: run.signal("stop"))
        await env.signal("child", "finish", "done")
        await env.wait_until_quiet()
        await env.crash()
        await run.signal("end")

        assert await run.result() == "cancelled"
        assert await env.result("child") == "done"
        messages = (await env.history(run)).messages
        assert [message.kind.value for message in messages] == ["signal", "child", "signal"]
        assert all(message.taken is not None for message in messages)


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
        await take_turns()

        async def finish_and_let_it_time_out() -> None:
            finish.set()
            await take_turns()
            env.clock.advance(3 * SECOND)

        once_after(env, lambda commit: bool(commit.created), finish_and_let_it_time_out)
        await env.start(other)

        assert await run.result() == "done"
        assert await env.crash_points.list_attempts(env.namespace, run.key) == []


async def test_of_attempts_that_wait_for_slots_one_that_was_cancelled_does_not_start(
    catalog: Catalog,
) -> None:
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
        await env.wait_until_quiet()
        for _ in range(10):
            env.clock.advance(0.5 * SECOND)
            await take_turns()
        # Both slots come free in one tick, and both attempts would have their turn.
        blocking.set()

        assert await run.result() == ["kept"]
        assert begun == ["kept", "dropped", "kept"]
        statuses = {each.seq: each.status for each in await env.list_tasks(run)}
        assert statuses[1] is TaskStatus.CANCELLED


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
        await take_turns()

        commits = watch_commits(env)

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
        assert [bool(receipt.lost) for commit, receipt in commits if commit.held][-1:] == [True]
        assert sum(bool(receipt.lost) for _, receipt in commits) == 1  # it has learned that, and asks no more
        history = await env.history(run)
        assert history.run.owner == "thief"
        assert [message.taken for message in history.messages] == [None]
        assert [each.status for each in history.tasks] == [TaskStatus.DISPATCHED]
        assert await run.status() is RunStatus.RUNNING


async def test_a_result_that_stands_is_told_also_if_the_node_hears_of_it_after_its_lease(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def waiting() -> str:
        return await context().signal("go", str)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(waiting)
        await env.wait_until_quiet()

        async def freeze() -> None:
            env.clock.advance(20 * SECOND)

        once_after(env, lambda commit: bool(commit.ended), freeze)
        await run.signal("go", "late, and true")

        assert await run.result() == "late, and true"
        assert not env.engine.has(run.key)


async def test_a_slot_that_comes_free_while_it_is_asked_whose_the_runs_are_is_not_given_away(
    store_url: str, catalog: Catalog
) -> None:
    """A commit that was long on its way renews a lease that had run out, and says nothing of other runs."""
    go, started = asyncio.Event(), []

    @task(catalog=catalog, queue="narrow")
    async def work(number: int) -> None:
        started.append(number)
        await go.wait()

    @workflow(catalog=catalog)
    async def flow(number: int) -> None:
        await work(number)

    @workflow(catalog=catalog)
    async def bystander() -> None:
        await context().signal("never")

    async with Environment(store_url, catalog=catalog, queues={"narrow": 1}) as env:
        await env.start(flow, 1)
        await env.start(flow, 2)

        async def let_another_node_take_them() -> None:
            env.clock.advance(10 * SECOND)
            now = env.clock.now()
            other = Commit(env.namespace, NodeId("other"), 1, now, later(now, 60 * SECOND))
            other.claim = ClaimRequest(["flow"], 10)
            await env._store.commit(other)
            once_before(env, lambda commit: bool(commit.held), free_the_slot)

        async def free_the_slot() -> None:
            go.set()
            await take_turns()

        once_before(env, lambda commit: bool(commit.created), let_another_node_take_them)
        env.clock.advance(10 * SECOND)  # of the fifteen that the lease lasts
        await env.start(bystander)
        await env.wait_until_quiet()

    assert started == [1]
