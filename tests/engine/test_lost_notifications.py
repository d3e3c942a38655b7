"""Notifications that never come, messages that come too early, and answers that come in two parts."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from tests.other_systems.staging import watch_commits
from tests.patience import until

from holdfast import Catalog, RunStatus, context, task, task_context, workflow
from holdfast.core.records import MessageKind, MessageRecord, new_run
from holdfast.core.values import NULL, Instant, RunKey, later
from holdfast.engine.committing import combine_receipts
from holdfast.engine.tuning import Tuning
from holdfast.errors import StoreUnavailable
from holdfast.ports.commits import Claimed, Receipt
from holdfast.testing import Environment

SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


async def _go_on_deaf(env: Environment) -> None:
    """Replace the node by one that hears of nothing, and looks without a reason every 20 seconds."""

    def hear_nothing(on_change: Callable[[], None], *topics: str) -> Callable[[], None]:
        return lambda: None

    await env.engine.stop()
    env.crash_points.listen = hear_nothing  # pyright: ignore[reportAttributeAccessIssue]
    env._parts.tuning = Tuning(drain=dt.timedelta(0))
    env.engine = env._parts.engine(env._skipping)
    env.engine.start()


async def test_a_message_that_nobody_was_told_of_is_found_at_the_next_poll(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def waiting() -> str:
        return await context().signal("go", str)

    async with Environment(store_url, catalog=catalog) as env:
        await _go_on_deaf(env)
        run = await env.start(waiting)
        await env.skip(10 * SECOND)
        assert not env.engine.has(run.key)

        await run.signal("go", "at last")
        await env.skip(21 * SECOND)

        assert await run.status() is RunStatus.SUCCESS


async def test_a_message_that_asks_for_nothing_is_journaled_and_survives_a_crash(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def patient() -> list[str]:
        ctx = context()
        return [await ctx.signal("first", str), await ctx.signal("second", str)]

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient)
        await env.wait_until_quiet()
        await run.signal("second", "too early")
        await env.wait_until_quiet()

        await env.crash()
        await run.signal("first", "in time")
        await env.skip(SECOND)

        assert await run.status() is RunStatus.SUCCESS
        assert await run.result() == ["in time", "too early"]


async def test_what_a_long_task_says_of_itself_is_recorded_more_than_once(
    store_url: str, catalog: Catalog
) -> None:
    said, say_more = asyncio.Event(), asyncio.Event()

    @task(catalog=catalog)
    async def copying() -> int | None:
        here = task_context()
        if here.attempt > 1:
            return here.heartbeat_details(int)
        here.heartbeat(1)
        said.set()
        await say_more.wait()
        here.heartbeat(2)
        said.set()
        return await asyncio.Event().wait()

    @workflow(catalog=catalog)
    async def copy() -> int | None:
        return await copying()

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(copy)
        for count in (1, 2):
            await said.wait()
            said.clear()

            async def is_shown(count: int = count) -> bool:
                env.clock.advance(SECOND)
                return (await env.list_tasks(run))[0].heartbeat == b"%d" % count

            await until(is_shown)
            say_more.set()

        await env.crash()

        assert await run.result() == 2


async def test_a_clock_that_is_set_back_does_not_turn_back_the_time_of_a_run(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def tells_the_time() -> list[float]:
        times = [context().now().timestamp()]
        while len(times) < 3:
            await context().signal("tell")
            times.append(context().now().timestamp())
        return times

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(tells_the_time)
        await env.skip(SECOND)
        await run.signal("tell")
        await env.wait_until_quiet()

        env.clock._now = later(env.clock.now(), -60 * SECOND)
        await run.signal("tell")
        await env.wait_until_quiet()

        first, second, third = await run.result()
        assert (second - first, third - second) == (1, 0)


async def test_news_do_not_make_a_node_poll_a_store_that_is_away(
    store_url: str, catalog: Catalog, caplog: pytest.LogCaptureFixture
) -> None:
    @workflow(catalog=catalog)
    async def waits() -> str:
        return await context().signal("go", str)

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(waits)
        await env.wait_until_quiet()
        look, looks = env.crash_points.next_work, 0

        async def be_away(*_: Any) -> Any:
            nonlocal looks
            looks += 1
            raise StoreUnavailable("the store", "too many connections")

        env.crash_points.next_work = be_away  # pyright: ignore[reportAttributeAccessIssue]
        await run.signal("go", "on")
        for _ in range(20):
            env.engine._poller.poll_now()
            await env.wait_until_quiet()
        at_once = looks
        for _ in range(5):
            await env.skip(2 * SECOND)
        later_on = looks - at_once
        env.crash_points.next_work = look  # pyright: ignore[reportAttributeAccessIssue]
        await env.skip(2 * SECOND)

        assert (at_once, await run.result()) == (1, "on")
        assert 5 <= later_on <= 10
        assert caplog.text.count("too many connections") == 2, "one at once, and one after ten seconds"


def test_what_came_of_two_commits_in_a_row_is_in_order_and_without_what_the_second_has_lost() -> None:
    one, two, three = (RunKey(bytes(15) + bytes([number])) for number in (1, 2, 3))

    def mail(id: int) -> MessageRecord:
        return MessageRecord(id, one, MessageKind.SIGNAL, "go", NULL, None)

    def claimed(key: RunKey) -> Claimed:
        return Claimed(new_run(key, "default", None, "flow", "1", "flow", NULL, Instant(1)), False)

    both = combine_receipts(
        Receipt(frozenset({three}), {two: one}, [claimed(one), claimed(two)], [mail(3), mail(5)]),
        Receipt(frozenset({two}), {}, [claimed(one)], [mail(4), mail(5)]),
    )

    assert both.lost == {two, three}
    assert both.existing == {two: one}
    assert [each.run.key for each in both.claimed] == [one]
    assert [message.id for message in both.mail] == [3, 4, 5]


async def test_what_waited_for_a_slot_while_the_machine_slept_begins_only_under_a_new_lease(
    store_url: str, catalog: Catalog
) -> None:
    """The first report after the sleep comes before any tick, and frees a slot."""
    go, leases = asyncio.Event(), []

    @task(catalog=catalog, queue="narrow")
    async def work(number: int) -> None:
        leases.append((env.clock.now(), seen[-1][0].lease_until))
        await go.wait()

    @workflow(catalog=catalog)
    async def flow(number: int) -> None:
        await work(number)

    def wake_up() -> None:
        if not go.is_set():
            return
        env.clock.catch_up = lambda: None
        env.clock.advance(60 * SECOND)

    async with Environment(store_url, catalog=catalog, queues={"narrow": 1}) as env:
        seen = watch_commits(env)
        runs = [await env.start(flow, number) for number in range(2)]
        while [len(await env.list_tasks(run)) for run in runs] != [1, 1]:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0)
        assert len(leases) == 1
        env.clock.catch_up = wake_up
        go.set()
        for run in runs:
            await run.result()

    assert len(leases) == 2
    assert all(now < lease_until for now, lease_until in leases)


async def test_the_clock_is_set_again_over_a_line_that_takes_a_second(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings: list[tuple[int, int]] = []

    async def ask_over_a_slow_line() -> Instant:
        env.clock.advance(SECOND)
        return env.clock.now()

    def set_to(there: Instant, within: int) -> None:
        readings.append((there - env.clock.now(), within))

    async with Environment(store_url, catalog=catalog) as env:
        monkeypatch.setattr(env.crash_points, "now", ask_over_a_slow_line)
        monkeypatch.setattr(env.clock, "set_to", set_to)
        await _go_on_deaf(env)
        for _ in range(10):
            await env.skip(20 * SECOND)

    assert len(readings) >= 5
    assert set(readings) == {(500_000, 500_000)}
