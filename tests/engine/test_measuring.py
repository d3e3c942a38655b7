"""What a node tells its telemetry: once for each commit, and only what was written."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from holdfast import Catalog, Retry, TaskStatus, task, workflow
from holdfast.core.values import RunStatus
from holdfast.engine.engine import Engine
from holdfast.ports.telemetry import CommitFacts, RunGroup, TaskGroup
from holdfast.testing import Environment
from holdfast.testing.clock import ManualClock

SECOND = 1_000_000

catalog = Catalog()


clocks: list[ManualClock] = []


@task(catalog=catalog, queue="mail")
async def send(number: int) -> int:
    clocks[-1].advance(dt.timedelta(seconds=2))
    return number


@task(catalog=catalog, retry=Retry(max_attempts=3, first_delay=dt.timedelta(seconds=1), jitter=0))
async def fragile() -> None:
    raise ValueError("broken")


@workflow(catalog=catalog)
async def mailing(count: int) -> int:
    await asyncio.sleep(60)
    return sum(await asyncio.gather(*[send(number) for number in range(count)]))


thefts: list[Callable[[], Awaitable[None]]] = []


@task(catalog=catalog)
async def lose_the_run() -> int:
    if thefts:
        await thefts.pop()()
    return 1


@workflow(catalog=catalog)
async def robbed() -> int:
    return await lose_the_run()


@workflow(catalog=catalog)
async def failing() -> None:
    await fragile()


class Heard:
    """All that a telemetry is told."""

    def __init__(self) -> None:
        self.all: list[CommitFacts] = []

    def committed(self, facts: CommitFacts) -> None:
        self.all.append(facts)

    def counted(self, field: str) -> Counter[str]:
        return sum((Counter(getattr(facts, field)) for facts in self.all), Counter())


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    heard = Heard()

    def new_engine(*args: Any, **options: Any) -> Engine:
        return Engine(*args, **{**options, "telemetry": heard})

    monkeypatch.setattr("holdfast.parts.Engine", new_engine)
    return heard


async def test_runs_and_tasks_are_told_with_their_times(store_url: str, heard: Heard) -> None:
    async with Environment(store_url, catalog=catalog, queues={"mail": 1}) as env:
        clocks.append(env.clock)
        run = await env.start(mailing, 3)
        assert await run.result() == 3

    assert heard.counted("begun") == {"mailing": 1}
    ended = [facts.ended for facts in heard.all if facts.ended]
    assert ended == [{RunGroup("mailing", RunStatus.SUCCESS): [66 * SECOND]}]
    group = TaskGroup("mailing", "mail", TaskStatus.SUCCESS)
    times = [facts.tasks[group] for facts in heard.all if facts.tasks]
    assert sum(each.count for each in times) == 3
    assert sorted(time for each in times for time in each.ran) == [2 * SECOND] * 3
    # One slot for three tasks: the second waits for the first, and the third for both.
    assert sorted(time for each in times for time in each.waited) == [0, 2 * SECOND, 4 * SECOND]
    assert all(facts.seconds >= 0 and facts.bytes >= 0 for facts in heard.all)
    assert sum(facts.bytes for facts in heard.all) > 0
    assert [facts.overdue for facts in heard.all if facts.overdue is not None] == [0]


async def test_retries_and_runs_that_come_back_are_told(store_url: str, heard: Heard) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        clocks.append(env.clock)
        run = await env.start(failing)
        asleep = await env.start(mailing, 1)
        await env.skip(dt.timedelta(seconds=30))  # the sleeper leaves memory, and comes back
        assert not env.engine.has(asleep.key)
        assert await asleep.result() == 0

        assert (await run.describe()).status == RunStatus.FAILED

    assert heard.counted("retries") == {"failing": 2}
    failed = TaskGroup("failing", "default", TaskStatus.FAILED)
    assert [facts.tasks[failed].count for facts in heard.all if failed in facts.tasks] == [1]
    assert len([replay for facts in heard.all for replay in facts.replays]) == 1


async def test_what_was_decided_for_a_lost_run_is_not_counted(heard: Heard) -> None:
    async with Environment(catalog=catalog) as env:
        thefts.append(lambda: env._parts.store.expire_nodes(env.namespace, [env.engine.node]))
        run = await env.start(robbed)

        assert await run.result() == 1

    assert sum(facts.lost_runs for facts in heard.all) == 1
    settled = [times for facts in heard.all for times in facts.tasks.values()]
    assert sum(each.count for each in settled) == 1, "the end that was not written counts"
    assert heard.counted("retries") == {"robbed": 1}
    assert sum(len(runs) for facts in heard.all for runs in facts.ended.values()) == 1


async def test_without_a_telemetry_nothing_is_collected() -> None:
    async with Environment(catalog=catalog) as env:
        clocks.append(env.clock)
        run = await env.start(mailing, 1)
        await env.wait_until_quiet()
        tick = env.engine._decider.decide(env.clock.now(), hand_back=False)

        assert tick.begun is None
        assert tick.recorder.ended is None
        assert env.engine._loader.replays is None
        await run.result()
