"""A node that is to end when nothing is due: what it waits for, and what it does not."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import Catalog, Holdfast, Retry, RunStatus, Workflow, context, task, workflow
from holdfast.core.values import RunKey
from holdfast.errors import BadOption, NotOpen

HOUR = dt.timedelta(hours=1)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def node(url: str, catalog: Catalog, **settings: Any) -> Holdfast:
    return Holdfast(url, catalog=catalog, **settings)


def has(client: Holdfast, key: RunKey) -> bool:
    engine = client._engine
    assert engine is not None
    return engine.has(key)


def from_now(at: dt.datetime | None) -> dt.timedelta:
    assert at is not None
    return at - dt.datetime.now(dt.UTC)


async def test_without_anything_to_do_a_node_is_idle_at_once(store_url: str, catalog: Catalog) -> None:
    async with node(store_url, catalog) as hf:
        assert await hf.wait_until_idle() is None
        assert await hf.wait_until_idle() is None


async def test_a_backlog_with_its_tasks_and_children_is_done_first(store_url: str, catalog: Catalog) -> None:
    @task(catalog=catalog)
    async def work(number: int) -> int:
        await asyncio.sleep(0.02)
        return number

    @workflow(catalog=catalog)
    async def child(number: int) -> int:
        return await work(number) + await work(0)

    @workflow(catalog=catalog)
    async def parent(number: int) -> int:
        return await context().start_child(child, number)

    async with node(store_url, catalog) as first:
        await first.close()
    async with node(store_url, catalog, engine=False) as client:
        runs = await client.start_many(parent, range(60))

        async with node(store_url, catalog, max_resident=10) as hf:
            assert await hf.wait_until_idle() is None

        assert {await run.status() for run in runs} == {RunStatus.SUCCESS}


async def test_a_run_that_sleeps_is_not_waited_for_and_its_time_is_told(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def sleeper() -> None:
        await asyncio.sleep(3600)

    async with node(store_url, catalog) as hf:
        run = await hf.start(sleeper)
        next_at = await hf.wait_until_idle()
    async with node(store_url, catalog) as later:
        again = await later.wait_until_idle()
        is_loaded = has(later, run.key)

    assert HOUR - dt.timedelta(minutes=1) < from_now(next_at) < HOUR
    assert again == next_at
    assert not is_loaded


async def test_neither_is_one_that_waits_for_a_person_or_for_its_next_try(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def asking() -> None:
        await context().signal("go")

    @task(catalog=catalog, retry=Retry(max_attempts=2, first_delay=HOUR, jitter=0))
    async def failing() -> None:
        raise ValueError

    @workflow(catalog=catalog)
    async def trying() -> None:
        await failing()

    async with node(store_url, catalog) as hf:
        run = await hf.start(asking)
        assert await hf.wait_until_idle() is None
        await hf.start(trying)
        next_at = await hf.wait_until_idle()
        await run.signal("go")
        await hf.wait_until_idle()

        assert await run.status() is RunStatus.SUCCESS
    assert HOUR - dt.timedelta(minutes=1) < from_now(next_at) < HOUR


async def test_a_task_that_runs_is_waited_for_on_a_thread_too(store_url: str, catalog: Catalog) -> None:
    @task(catalog=catalog)
    def slow() -> None:
        import time

        time.sleep(0.5)

    @workflow(catalog=catalog)
    async def run_slow() -> None:
        await slow()

    async with node(store_url, catalog) as hf:
        run = await hf.start(run_slow)
        await hf.wait_until_idle()

        assert await run.status() is RunStatus.SUCCESS


async def test_what_is_due_and_nobody_has_told_the_node_of_is_done(store_url: str, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def quick() -> str:
        return "done"

    def hear_nothing(on_change: Callable[[], None], *topics: str) -> Callable[[], None]:
        return lambda: None

    deaf = node(store_url, catalog)
    deaf._parts._engine_store.listen = hear_nothing  # pyright: ignore[reportAttributeAccessIssue]
    async with deaf, node(store_url, catalog, engine=False) as client:
        await deaf.wait_until_idle()
        run = await client.start(quick)
        await deaf.wait_until_idle()

        assert await run.status() is RunStatus.SUCCESS


async def test_schedules_that_are_due_are_fired_and_the_next_tick_is_told(
    store_url: str, catalog: Catalog
) -> None:
    @workflow(catalog=catalog)
    async def nightly() -> None: ...

    await _put_due_schedule(store_url, catalog, nightly)
    async with node(store_url, catalog) as hf:
        next_at = await hf.wait_until_idle()
        runs = await hf.list()

    assert [run.status for run in runs] == [RunStatus.SUCCESS]
    assert dt.timedelta(hours=22) < from_now(next_at) <= dt.timedelta(hours=24)


async def _put_due_schedule(url: str, catalog: Catalog, workflow: Workflow[[], None]) -> None:
    """A schedule whose tick has just passed, while no node was there."""
    async with node(url, catalog, engine=False) as client:
        await client.register_all()
        soon = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=1.5)
        cron = f"{soon.second} {soon.minute} {soon.hour} * * *"
        await client.schedules.put("nightly", workflow, cron=cron)
        await asyncio.sleep(2)


async def test_a_schedule_that_cannot_fire_keeps_nobody(
    store_url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    @workflow(catalog=catalog)
    async def nightly() -> None: ...

    await _put_due_schedule(store_url, catalog, nightly)
    hf = node(store_url, catalog)

    def refuse(name: str, version: str | None = None) -> Any:
        raise BadOption("version", version, "another")

    monkeypatch.setattr(hf._parts.definitions, "pin", refuse)
    async with hf:
        next_at = await hf.wait_until_idle()

    assert dt.timedelta(0) < from_now(next_at) <= dt.timedelta(minutes=1)


async def test_runs_of_other_workflows_and_other_nodes_are_theirs(store_url: str, catalog: Catalog) -> None:
    others = Catalog()
    may_end = asyncio.Event()

    @task(catalog=others)
    async def wait() -> None:
        await may_end.wait()

    @workflow(catalog=others)
    async def other() -> None:
        await wait()

    async with node(store_url, others) as neighbour, node(store_url, catalog) as hf:
        run = await neighbour.start(other)
        next_at = await hf.wait_until_idle()
        may_end.set()
        await run.result()

    assert dt.timedelta(0) < from_now(next_at) <= dt.timedelta(seconds=15)


async def test_only_an_open_node_can_be_waited_for(sqlite_url: str, catalog: Catalog) -> None:
    hf = node(sqlite_url, catalog)
    with pytest.raises(NotOpen):
        await hf.wait_until_idle()
    async with node(sqlite_url, catalog, engine=False) as client:
        with pytest.raises(BadOption, match="engine"):
            await client.wait_until_idle()
