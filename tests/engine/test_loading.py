"""Runs that are loaded in pages and pieces: what happens between two of them is heard, and heard once."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.other_systems.staging import watch_commits
from tests.patience import until

from holdfast import Catalog, Holdfast, RunCancelled, RunStatus, context, task, workflow
from holdfast.engine.tuning import Tuning
from holdfast.testing import Environment

SHORT = dt.timedelta(seconds=30)
STEPS = 30


class Shop:
    """A workflow that does many tasks, and then answers signals until one says that it is enough."""

    def __init__(self) -> None:
        self.catalog = Catalog()
        self.done: list[int] = []
        shop = self

        @task(catalog=self.catalog)
        async def pack(number: int) -> int:
            shop.done.append(number)
            return number * number

        @workflow(catalog=self.catalog)
        async def long() -> list[str]:
            assert [await pack(number) for number in range(STEPS)] == [n * n for n in range(STEPS)]
            heard: list[str] = []
            while not heard or heard[-1] != "enough":
                heard.append(await context().signal("order", str))
                context().state.set("heard", len(heard))
            return heard

        @workflow(catalog=self.catalog)
        async def parent() -> str:
            for number in range(STEPS):
                await pack(number)
            return f"{await child()}, {await context().signal('order', str)}"

        @workflow(catalog=self.catalog)
        async def child() -> str:
            return await context().signal("order", str)

        @workflow(catalog=self.catalog)
        async def other(number: int) -> int:
            return await pack(number)

        self.long, self.parent, self.child, self.other = long, parent, child, other


async def _load_slowly(env: Environment, **tuning: Any) -> None:
    """From now on, the node reads two rows at a time, and replays one step at a time."""
    env._parts.tuning = Tuning(
        page_rows=2, piece=dt.timedelta(0), piece_steps=1, drain=dt.timedelta(0), **tuning
    )
    await env.crash()


def _between_pages(env: Environment, act: Callable[[int], Awaitable[None]]) -> list[int]:
    """Call `act` after each page of a history, with the number of the page."""
    pages: list[int] = []
    read_page = env.crash_points.load_history_page

    async def load_history_page(*args: Any) -> Any:
        page = await read_page(*args)
        pages.append(len(pages))
        await act(pages[-1])
        return page

    env.crash_points.load_history_page = load_history_page  # pyright: ignore[reportAttributeAccessIssue]
    return pages


async def _cold(env: Environment, run: Any) -> None:
    while (await run.describe()).waiting is None:
        await env.skip(SHORT)


async def test_a_run_that_is_loaded_in_pieces_goes_on_where_it_was(store_url: str) -> None:
    shop = Shop()
    async with Environment(store_url, catalog=shop.catalog) as env:
        await _load_slowly(env)
        run = await env.start(shop.long)
        for word in ("one", "two", "enough"):
            await _cold(env, run)
            await run.signal("order", word)
        result = await run.result()

    assert result == ["one", "two", "enough"]
    assert shop.done == list(range(STEPS)), "each task was done once"


async def test_mail_that_comes_while_a_run_is_loaded_is_heard_once_and_in_order() -> None:
    shop = Shop()
    async with Environment(catalog=shop.catalog) as env:
        await _load_slowly(env)
        run = await env.start(shop.long)
        await _cold(env, run)

        async def post(page: int) -> None:
            await run.signal("order", f"{page}")

        pages = _between_pages(env, post)
        await run.signal("order", "first")
        while not pages or (await run.describe()).waiting is None:
            await env.skip(SHORT)
        del env.crash_points.load_history_page
        heard = (await env.state(run))["heard"]
        await run.signal("order", "enough")
        result = await run.result()

    assert len(pages) > STEPS / 2
    assert heard == 1 + len(pages), "nothing waits for the next message"
    assert result == ["first", *map(str, pages), "enough"]


async def test_a_run_that_is_cancelled_while_it_is_loaded_is_cancelled() -> None:
    shop = Shop()
    async with Environment(catalog=shop.catalog) as env:
        await _load_slowly(env)
        run = await env.start(shop.long)
        await _cold(env, run)

        async def cancel(page: int) -> None:
            if page == 3:
                await run.cancel("no more")

        _between_pages(env, cancel)
        await run.signal("order", "one")
        with pytest.raises(RunCancelled, match="no more"):
            await run.result()


@pytest.mark.parametrize("page", [0, 7, 14, 15])
async def test_a_child_that_ends_while_its_parent_is_loaded_is_heard_once(page: int) -> None:
    shop = Shop()
    async with Environment(catalog=shop.catalog) as env:
        await _load_slowly(env)
        run = await env.start(shop.parent, id="shop")
        await _cold(env, run)

        async def end_child(now: int) -> None:
            if now == page:
                await env.signal("shop/0", "order", "child")

        pages = _between_pages(env, end_child)
        await run.signal("order", "parent")
        result = await run.result()

    assert result == "child, parent"
    assert len(pages) > page


async def test_other_runs_go_on_while_one_is_loaded() -> None:
    shop = Shop()
    async with Environment(catalog=shop.catalog) as env:
        await _load_slowly(env)
        run = await env.start(shop.long)
        await _cold(env, run)
        ended: list[int] = []

        async def note_end(number: int, page: int) -> None:
            other = await env.start(shop.other, number)
            await other.result()
            ended.append(page)

        tasks: list[asyncio.Task[None]] = []

        async def start_another(page: int) -> None:
            if page == 0:
                tasks.append(asyncio.create_task(note_end(1000, page)))
            await asyncio.sleep(0)

        pages = _between_pages(env, start_another)
        await run.signal("order", "enough")
        await run.result()
        progress = [len(pages), len(ended)]
        await asyncio.gather(*tasks)

    assert progress[1] == 1, "it ended before the long one was loaded"
    assert 1000 in shop.done


async def test_a_node_that_stops_while_it_loads_a_run_hands_it_back(store_url: str) -> None:
    shop = Shop()
    async with Environment(store_url, catalog=shop.catalog) as env:
        await _load_slowly(env)
        run = await env.start(shop.long)
        await _cold(env, run)
        stopping: list[asyncio.Task[None]] = []
        is_stopping = asyncio.Event()

        async def stop(page: int) -> None:
            if page == 3:
                stopping.append(asyncio.create_task(env.engine.stop()))
                is_stopping.set()
                await asyncio.sleep(0)

        _between_pages(env, stop)
        await run.signal("order", "enough")
        await is_stopping.wait()
        await asyncio.gather(*stopping)
        found = await env.crash_points.find_run(env.namespace, run.key)
        await env.crash()
        result = await run.result()

    assert (found.owner, found.setbacks) == (None, 0)
    assert result == ["enough"]
    assert shop.done == list(range(STEPS))


async def test_a_run_that_cannot_be_loaded_is_not_advanced_before_it_is_parked() -> None:
    catalog, words, may_end = Catalog(), ["order"], asyncio.Event()

    @task(catalog=catalog)
    async def work() -> str:
        await may_end.wait()
        return "done"

    @workflow(catalog=catalog)
    async def busy() -> None:
        await asyncio.gather(*[work() for _ in range(5)])

    @workflow(catalog=catalog)
    async def edited() -> str:
        return await context().signal(words[-1], str)

    async with Environment(catalog=catalog) as env:
        # A tick takes the result of one task, and a run that only waits leaves memory at once.
        env._parts.tuning = Tuning(tick_bytes=1, max_idle=0, drain=dt.timedelta(0))
        await env.crash()
        await env.start(busy)
        run = await env.start(edited)
        await until(lambda: not env.engine.has(run.key))
        [before] = await env.crash_points.load_histories(env.namespace, [run.key])
        read = env.crash_points.load_short_histories

        async def read_while_tasks_end(*args: Any) -> Any:
            """Their results come before the fact that the run cannot go on."""
            may_end.set()
            await asyncio.sleep(0.01)
            return await read(*args)

        env.crash_points.load_short_histories = read_while_tasks_end  # pyright: ignore[reportAttributeAccessIssue]
        words.append("another")
        await run.signal("order", "it")
        await until(lambda: _is_parked(env, run))

        [after] = await env.crash_points.load_histories(env.namespace, [run.key])
    assert before.steps
    assert after.steps == before.steps
    assert after.run.failure is not None
    assert after.run.failure.type == "holdfast.errors:DeterminismError"


async def _is_parked(env: Environment, run: Any) -> bool:
    return await run.status() is RunStatus.PARKED


async def test_nothing_is_claimed_while_a_run_is_loaded_that_a_node_has_died_with() -> None:
    """A run that is claimed meanwhile would get a setback before it has taken a step, if the one that is
    loaded kills this node too."""
    shop = Shop()
    async with Environment(catalog=shop.catalog) as env:
        await _load_slowly(env, claim_batch=4)  # after one setback a run is claimed alone
        await env.start(shop.long)
        await env.wait_until_quiet()
        seen = watch_commits(env)

        async def let_another_come(page: int) -> None:
            if page == 0:
                async with Holdfast(env.settings.url, engine=False, catalog=shop.catalog) as client:
                    await client.start(shop.other, 1000)
            env.engine._poller.poll_now()

        pages = _between_pages(env, let_another_come)
        await env.crash()
        await until(lambda: 1000 in shop.done)

    first, *later = [commit for commit, receipt in seen if receipt.claimed]
    proof = next(commit for commit, _ in seen if commit.proved)
    assert len(pages) > STEPS / 2
    assert not [it for it, _ in seen if first.tick < it.tick < proof.tick and it.claim is not None]
    assert len(later) == 1


async def test_a_run_that_is_lost_while_it_is_loaded_is_left_alone() -> None:
    """Another node has declared this one dead, and the run is claimed again, with another epoch."""
    shop = Shop()
    async with Environment(catalog=shop.catalog) as env:
        await _load_slowly(env)
        run = await env.start(shop.long)
        await _cold(env, run)

        async def lose(page: int) -> None:
            if page == 3:
                await env.crash_points.expire_nodes(env.namespace, [env.engine.node])

        pages = _between_pages(env, lose)
        await run.signal("order", "enough")
        result = await run.result()

    assert result == ["enough"]
    assert STEPS / 2 + 3 < len(pages) < STEPS, "it was loaded again, and the first time not to the end"
    assert shop.done == list(range(STEPS))


async def test_large_histories_are_read_one_after_the_other(store_url: str) -> None:
    shop = Shop()
    read: list[tuple[int, int]] = []
    async with Environment(store_url, catalog=shop.catalog) as env:
        runs = [await env.start(shop.long) for _ in range(6)]
        for run in runs:
            await _cold(env, run)
        env._parts.tuning = Tuning(tick_bytes=2 * STEPS, drain=dt.timedelta(0))
        load = env.crash_points.load_short_histories

        async def load_short_histories(*args: Any) -> Any:
            found = await load(*args)
            read.append((len(args[1]), len(found.loaded)))
            return found

        env.crash_points.load_short_histories = load_short_histories  # pyright: ignore[reportAttributeAccessIssue]
        await env.crash()
        for run in runs:
            await run.signal("order", "enough")
        results = [await run.result() for run in runs]

    assert results == [["enough"]] * 6
    assert {loaded for _, loaded in read} == {1}
    assert all(asked <= 2 for asked, _ in read[1:]), "and nobody asks for what there is no room for"


async def test_a_replay_lets_others_run_between_its_pieces() -> None:
    shop = Shop()
    async with Environment(catalog=shop.catalog) as env:
        env._parts.tuning = Tuning(piece=dt.timedelta(0), piece_steps=1, drain=dt.timedelta(0))
        await env.crash()
        run = await env.start(shop.long)
        await _cold(env, run)
        turns = 0

        async def count_turns() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        counting: list[asyncio.Task[None]] = []
        load = env.crash_points.load_short_histories

        async def load_short_histories(*args: Any) -> Any:
            found = await load(*args)
            counting.append(asyncio.create_task(count_turns()))
            return found

        env.crash_points.load_short_histories = load_short_histories  # pyright: ignore[reportAttributeAccessIssue]
        await run.signal("order", "enough")
        await run.result()
        counting[0].cancel()

    assert turns > 2 * STEPS, "after each step that was restored, and after each that was replayed"
