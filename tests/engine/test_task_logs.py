"""What tasks say, through the whole engine: when it can be read, how much of it, and with which commit."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import itertools
import logging
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from tests.patience import PATIENCE

from holdfast import Catalog, Retry, Run, TaskTimedOut, Workflow, context, task, task_context, workflow
from holdfast.client.logs import LogLine
from holdfast.core.values import TaskStatus
from holdfast.ports.commits import Commit
from holdfast.testing import Environment

EVERY = dt.timedelta(milliseconds=250)

say = logging.getLogger("shop").warning


def texts(taken: bytes) -> list[str]:
    return [text for _, _, text in msgspec.json.decode(taken)]


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def call(catalog: Catalog, ask: Callable[[], Any]) -> Workflow[[], Any]:
    @workflow(catalog=catalog, name="call")
    async def ask_once() -> Any:
        return await ask()

    return ask_once


class Watched(Environment):
    """Keeps every commit that came through."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.commits: list[Commit] = []
        commit = self.crash_points.commit

        async def watch(one: Commit) -> Any:
            receipt = await commit(one)
            self.commits.append(one)
            return receipt

        self.crash_points.commit = watch  # type: ignore[method-assign]


def brief(found: Sequence[LogLine]) -> list[str]:
    return [f"{line.task} {line.attempt} {line.stream}: {line.text}" for line in found]


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  # no event tells of what a node has in mind
            await asyncio.sleep(0.001)


async def until_logged(env: Environment, run: Run[Any], count: int) -> list[str]:
    """Time goes on in small steps until so many lines can be read."""
    async with asyncio.timeout(PATIENCE):
        while len(found := brief(await env.logs(run))) < count:
            env.clock.advance(EVERY / 5)
            await asyncio.sleep(0.002)
    return found


@pytest.mark.parametrize("is_async", [True, False])
async def test_what_a_task_logs_can_be_read_with_its_level_attempt_and_time(
    store_url: str, catalog: Catalog, is_async: bool
) -> None:
    def work() -> str:
        logger = logging.getLogger("shop.orders")
        logger.setLevel(logging.INFO)
        logger.info("order %s of %d", "grüße", 7)
        logger.debug("not asked for")
        logger.error("two\nlines")
        return "done"

    async def work_async() -> str:
        return work()

    named = task(catalog=catalog, name="work")(work_async if is_async else work)
    before = dt.datetime.now(dt.UTC)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, named))
        assert await run.result() == "done"

        found = await env.logs(run)

    assert brief(found) == ["work 1 INFO: order grüße of 7", "work 1 ERROR: two", "work 1 ERROR: lines"]
    assert [line.index for line in found] == [None] * 3
    for line in found:
        assert before <= line.at <= dt.datetime.now(dt.UTC)


async def test_lines_are_written_in_the_commit_that_records_how_their_attempt_ended(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog, retry=Retry(max_attempts=2))
    async def flaky() -> None:
        say("attempt %d", task_context().attempt)
        if task_context().attempt == 1:
            raise ValueError("no")

    async with Watched(store_url, catalog=catalog) as env:
        await env.run(call(catalog, flaky))

        written = [(commit, row) for commit in env.commits for row in commit.logs]
    assert [(row.seq, row.attempt, texts(row.lines)) for _, row in written] == [
        (0, 1, ["attempt 1"]),
        (0, 2, ["attempt 2"]),
    ]
    (first, _), (second, _) = written
    assert [row.attempt for row in first.attempts] == [1]
    assert [row.attempt for row in second.settled] == [2]


@pytest.mark.parametrize("crash_after", [False, True])
async def test_of_an_attempt_whose_commit_was_lost_only_the_one_that_counts_has_said_something(
    store_url: str, catalog: Catalog, crash_after: bool
) -> None:
    @task(catalog=catalog)
    async def work() -> int:
        say("attempt %d", task_context().attempt)
        return task_context().attempt

    async with Environment(store_url, catalog=catalog, crash_at=2, crash_after=crash_after) as env:
        run = await env.start(call(catalog, work))
        attempt = await run.result()

        assert brief(await env.logs(run)) == [f"work {attempt} WARNING: attempt {attempt}"]
        assert (env.crashes, attempt) == (1, 1 if crash_after else 2)


async def test_lines_can_be_read_while_the_task_runs_and_a_quarter_of_a_second_later(
    store_url: str, catalog: Catalog
) -> None:
    steps = itertools.count()
    may_go_on = [asyncio.Event(), asyncio.Event()]

    @task(catalog=catalog)
    async def talkative() -> None:
        for event in may_go_on:
            say("step %d", next(steps))
            await event.wait()

    async with Watched(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, talkative))
        first = await until_logged(env, run, 1)
        may_go_on[0].set()
        second = await until_logged(env, run, 2)
        [row] = await env.list_tasks(run)
        may_go_on[1].set()
        await run.result()

        assert await env.logs(run)
    assert first == ["talkative 1 WARNING: step 0"]
    assert second == ["talkative 1 WARNING: step 0", "talkative 1 WARNING: step 1"]
    assert not row.status.is_final


async def test_a_line_waits_no_longer_than_a_quarter_of_a_second_for_its_commit(catalog: Catalog) -> None:
    may_end = asyncio.Event()

    @task(catalog=catalog)
    async def talkative() -> None:
        say("hello")
        await may_end.wait()

    async with Watched(catalog=catalog) as env:
        run = await env.start(call(catalog, talkative))
        await until(lambda: env.engine._decider._logs.next_due() is not None)
        env.clock.advance(EVERY - dt.timedelta(microseconds=1))
        await asyncio.sleep(0.02)
        early = [row for commit in env.commits for row in commit.logs]
        env.clock.advance(dt.timedelta(microseconds=1))
        await until(lambda: [row for commit in env.commits for row in commit.logs])
        may_end.set()
        await run.result()

    assert early == []


async def test_a_task_that_says_too_much_is_cut_in_the_middle_and_its_last_lines_are_kept(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog)
    async def chatterbox() -> None:
        for number in range(3000):
            say("%04d %s", number, "x" * 463)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, chatterbox))
        await run.result()

        found = [line.text for line in await env.logs(run)]

    numbers = [int(text[:4]) for text in found if not text.startswith("…")]
    assert numbers == [*range(2000), *range(2936, 3000)]
    assert found[2000] == "… 936 lines (438,984 characters) were cut here"


async def test_one_endless_line_is_no_way_around_the_bound(store_url: str, catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def chatterbox() -> None:
        say("x" * 3_000_000)
        say("the end")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, chatterbox))
        await run.result()

        found = [line.text for line in await env.logs(run)]

    total, words = sum(map(len, found)), [text for text in found if "were cut here" in text]
    longest = max(map(len, found))
    assert total < 1_100_000
    assert longest < 20_000
    assert len(words) == 1
    assert found[-1] == "the end"


async def test_last_words_of_an_attempt_that_took_too_long_are_kept_with_it(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog, timeout=dt.timedelta(seconds=5))
    async def slow() -> None:
        say("begun")
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            say("cleaning up")
            await asyncio.sleep(0.01)
            say("clean")
            raise

    @workflow(catalog=catalog)
    async def patient() -> str:
        with contextlib.suppress(TaskTimedOut):
            await slow()
        return await context().signal("go", str)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient)
        await until(lambda: env.engine._dispatcher.running == 1)
        await asyncio.sleep(0.01)
        env.clock.advance(dt.timedelta(seconds=5))
        await until(lambda: env.engine._dispatcher.running == 0)

        found = await until_logged(env, run, 3)
        await run.signal("go", "on")

        assert await run.result() == "on"
    assert found == [f"slow 1 WARNING: {text}" for text in ("begun", "cleaning up", "clean")]


async def test_lines_that_were_written_before_a_crash_are_kept_and_the_next_attempt_has_its_own(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog)
    async def work() -> int:
        say("attempt %d", task_context().attempt)
        if task_context().attempt == 1:
            await asyncio.sleep(3600)
        return task_context().attempt

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, work))
        await until_logged(env, run, 1)
        await env.crash()

        assert await run.result() == 2
        assert brief(await env.logs(run)) == ["work 1 WARNING: attempt 1", "work 2 WARNING: attempt 2"]


async def test_a_node_that_hands_its_tasks_back_writes_what_they_have_said(
    store_url: str, catalog: Catalog
) -> None:
    @task(catalog=catalog)
    async def work() -> None:
        say("begun")
        await asyncio.sleep(3600)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, work))
        await until(lambda: env.engine._decider._logs.next_due() is not None)
    async with Environment(store_url, catalog=catalog) as env:
        found = brief(await env.logs(run.id))
        await env.cancel(run.id)
        [row] = await env.list_tasks(run.id)

    assert found == ["work 1 WARNING: begun"]
    assert row.status is TaskStatus.DISPATCHED or not row.status.is_final


async def test_whoever_follows_hears_lines_as_they_come_and_stops_with_the_run(
    store_url: str, catalog: Catalog
) -> None:
    heard: list[str] = []
    may_end = asyncio.Event()

    @task(catalog=catalog)
    async def talkative() -> None:
        say("first")
        await may_end.wait()
        say("last")

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(call(catalog, talkative))

        async def follow() -> None:
            async for line in env.follow(run):
                heard.append(line.text)

        following = asyncio.create_task(follow())
        async with asyncio.timeout(PATIENCE):
            while heard != ["first"]:
                env.clock.advance(EVERY)
                await asyncio.sleep(0.01)
        may_end.set()
        await run.result()
        async with asyncio.timeout(PATIENCE):
            await following

    assert heard == ["first", "last"]


async def test_a_run_that_says_nothing_costs_no_row_and_no_wake(catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def silent() -> None:
        pass

    async with Watched(catalog=catalog) as env:
        await env.run(call(catalog, silent))

        assert [row for commit in env.commits for row in commit.logs] == []
        assert env.engine._decider._logs.next_due() is None
