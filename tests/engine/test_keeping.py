"""Runs that only wait: cheap ones leave memory soon, expensive ones stay while there is room."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from holdfast import Catalog, Run, context, task, workflow
from holdfast.core.records import RunRecord
from holdfast.engine.tuning import Tuning
from holdfast.testing import Environment

MINUTE = dt.timedelta(minutes=1)
TASKS = 20
LARGE = 1000
"""Bytes of a result. A run with TASKS of them has some 21,000 bytes of history."""


class Archive:
    def __init__(self) -> None:
        self.catalog = Catalog()

        @task(catalog=self.catalog)
        async def read(size: int) -> str:
            return "x" * size

        @workflow(catalog=self.catalog)
        async def keep(size: int) -> str:
            for _ in range(TASKS):
                await read(size)
            word = await context().signal("word", str)
            await read(0)
            return word + await context().signal("word", str)

        self.keep = keep


@asynccontextmanager
async def _environment(archive: Archive, **tuning: Any) -> AsyncGenerator[Environment]:
    async with Environment(catalog=archive.catalog) as env:
        env._parts.tuning = Tuning(
            long_history=10_000, drain=dt.timedelta(0), poll=dt.timedelta(days=1), **tuning
        )
        await env.crash()
        yield env


async def _row(env: Environment, run: Run[Any]) -> RunRecord:
    return await env.crash_points.find_run(env.namespace, run.key)


def _count_loads(env: Environment) -> list[str]:
    loads: list[str] = []
    load = env.crash_points.load_short_histories

    async def load_short_histories(*args: Any) -> Any:
        loads.append("load")
        return await load(*args)

    env.crash_points.load_short_histories = load_short_histories  # pyright: ignore[reportAttributeAccessIssue]
    return loads


async def test_a_run_with_a_long_history_stays_in_memory_and_says_what_it_waits_for() -> None:
    archive = Archive()
    async with _environment(archive) as env:
        run = await env.start(archive.keep, LARGE)
        await env.skip(MINUTE)
        waiting = await _row(env, run)
        loads = _count_loads(env)
        await run.signal("word", "a")
        await env.wait_until_quiet()
        gone_on = await _row(env, run)
        await env.skip(MINUTE)
        waiting_again = await _row(env, run)
        await run.signal("word", "b")
        result = await run.result()

    assert (waiting.owner is not None, waiting.waiting) == (True, "signal 'word'")
    assert gone_on.waiting is None, "it does not wait for the first signal any more"
    assert (waiting_again.owner is not None, waiting_again.waiting) == (True, "signal 'word'")
    assert (result, loads) == ("ab", [])


async def test_a_run_with_a_short_history_leaves_memory() -> None:
    archive = Archive()
    async with _environment(archive) as env:
        run = await env.start(archive.keep, 1)
        await env.skip(MINUTE)
        row = await _row(env, run)

    assert (row.owner, row.waiting) == (None, "signal 'word'")


async def test_if_there_is_no_room_for_all_those_leave_that_were_used_least_recently() -> None:
    archive = Archive()
    async with _environment(archive, idle_bytes=50_000) as env:
        runs = [await env.start(archive.keep, LARGE) for _ in range(2)]
        await env.skip(MINUTE)
        await runs[0].signal("word", "a")
        await env.skip(MINUTE)
        runs.append(await env.start(archive.keep, LARGE))
        await env.skip(MINUTE)
        owners = [(await _row(env, run)).owner for run in runs]
        for run in runs:
            await run.signal("word", "b")
            await run.signal("word", "c")
        results = [await run.result() for run in runs]

    assert [owner is not None for owner in owners] == [True, False, True]
    assert results == ["ab", "bc", "bc"]


async def test_what_was_loaded_is_as_large_as_before() -> None:
    archive = Archive()
    async with _environment(archive) as env:
        run = await env.start(archive.keep, LARGE)
        await env.skip(MINUTE)
        await env.crash()
        await run.signal("word", "a")
        await env.skip(MINUTE)
        row = await _row(env, run)

    assert row.owner is not None


async def test_a_node_without_room_releases_them() -> None:
    archive = Archive()
    async with _environment(archive, max_resident=3) as env:
        runs = [await env.start(archive.keep, LARGE) for _ in range(3)]
        await env.skip(MINUTE)
        runs += [await env.start(archive.keep, 1) for _ in range(4)]
        await env.skip(MINUTE)
        waiting = [(await _row(env, run)).waiting for run in runs]

    assert waiting == ["signal 'word'"] * 7


async def test_a_node_that_stops_hands_them_back_without_waking_them() -> None:
    archive = Archive()
    async with _environment(archive) as env:
        run = await env.start(archive.keep, LARGE)
        await env.skip(MINUTE)
        await env.engine.stop()
        row = await _row(env, run)
        await env.crash()
        await run.signal("word", "a")
        await run.signal("word", "b")
        result = await run.result()

    assert (row.owner, row.wake_at, row.waiting) == (None, None, "signal 'word'")
    assert result == "ab"
