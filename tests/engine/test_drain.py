"""Stopping a node: what is short finishes, what is long is handed back whole, and nothing is lost."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from tests.patience import PATIENCE, SOON

from holdfast import Catalog, Holdfast, RunStatus, context, task, task_context, workflow
from holdfast.core.values import TaskStatus
from holdfast.ports.store import Store
from holdfast.stores import store_for


class Work:
    def __init__(self) -> None:
        self.catalog = Catalog()
        self.began = asyncio.Event()
        self.seconds = 0.0
        self.attempts: list[int] = []
        self.was_cancelled = False
        work = self

        @task(catalog=self.catalog)
        async def labour() -> str:
            work.attempts.append(task_context().attempt)
            work.began.set()
            try:
                await asyncio.sleep(work.seconds)
            except asyncio.CancelledError:
                work.was_cancelled = True
                raise
            return "worked"

        @workflow(catalog=self.catalog)
        async def labouring() -> list[str]:
            return [await labour(), await labour()]

        @workflow(catalog=self.catalog)
        async def idling() -> int:
            return await context().signal("go")

        self.labouring, self.idling = labouring, idling


@pytest.fixture
def work() -> Work:
    return Work()


async def look(url: str, id: str) -> tuple[RunStatus, list[tuple[TaskStatus, int]], int]:
    """The run's status, that of its tasks with their attempt, and how many attempts ended badly."""
    store: Store = store_for(url)
    await store.open()
    record = await store.find_run("default", id)
    assert record is not None
    assert record.owner is None
    tasks = await store.list_tasks("default", record.key)
    attempts = await store.list_attempts("default", record.key)
    await store.close()
    return record.status, [(each.status, each.attempt) for each in tasks], len(attempts)


async def test_a_short_task_finishes_and_is_recorded_before_the_node_stops(
    store_url: str, work: Work
) -> None:
    work.seconds = 0.1
    async with Holdfast(store_url, catalog=work.catalog) as hf:
        await hf.start(work.labouring, id="run")
        await work.began.wait()

    status, tasks, ended = await look(store_url, "run")
    assert (status, ended) == (RunStatus.RUNNING, 0)
    assert tasks[0] == (TaskStatus.SUCCESS, 1)
    assert not work.was_cancelled
    async with Holdfast(store_url, catalog=work.catalog) as hf:
        run = await hf.get("run")
        assert await run.result(timeout=SOON) == ["worked", "worked"]
    assert work.attempts == [1, 1]


async def test_a_long_task_is_handed_back_as_if_it_had_not_begun_and_done_by_the_next_node(
    store_url: str, work: Work
) -> None:
    work.seconds = 10 * PATIENCE
    async with Holdfast(store_url, catalog=work.catalog, drain_seconds=0.1) as hf:
        await hf.start(work.labouring, id="run")
        await work.began.wait()
        began = time.monotonic()
    took = time.monotonic() - began

    assert await look(store_url, "run") == (RunStatus.RUNNING, [(TaskStatus.PENDING, 1)], 0)
    assert work.was_cancelled
    assert took < PATIENCE
    work.seconds = 0
    async with Holdfast(store_url, catalog=work.catalog) as hf:
        run = await hf.get("run")
        assert await run.result(timeout=SOON) == ["worked", "worked"]
    assert work.attempts == [1, 1, 1]
    assert (await look(store_url, "run"))[2] == 0


async def test_a_thread_that_is_at_work_is_interrupted_and_its_task_handed_back(sqlite_url: str) -> None:
    catalog = Catalog()
    began, interrupted = threading.Event(), threading.Event()
    is_long = True

    @task(catalog=catalog)
    def grind() -> str:
        began.set()
        try:
            for _ in range(50_000 if is_long else 0):
                time.sleep(0.0005)
        except asyncio.CancelledError:
            interrupted.set()
            raise
        return "ground"

    @workflow(catalog=catalog)
    async def grinding() -> str:
        return await grind()

    async with Holdfast(sqlite_url, catalog=catalog, drain_seconds=0) as hf:
        await hf.start(grinding, id="run")
        await asyncio.to_thread(began.wait, PATIENCE)

    assert interrupted.is_set()
    assert await look(sqlite_url, "run") == (RunStatus.RUNNING, [(TaskStatus.PENDING, 1)], 0)
    is_long = False
    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        assert await (await hf.get("run")).result(timeout=SOON) == "ground"


async def test_runs_that_wait_are_let_go_and_taken_by_the_next_node_at_once(
    store_url: str, work: Work
) -> None:
    async with Holdfast(store_url, catalog=work.catalog, lease_seconds=10 * PATIENCE) as hf:
        runs = [await hf.start(work.idling, id=f"idle-{n}") for n in range(20)]
        assert len(runs) == 20
    async with Holdfast(store_url, catalog=work.catalog) as hf:
        began = time.monotonic()
        for n in range(20):
            await hf.signal(f"idle-{n}", "go", n)
        results = [await (await hf.get(f"idle-{n}")).result(timeout=SOON) for n in range(20)]

        assert results == list(range(20))
        assert time.monotonic() - began < PATIENCE  # less than the lease of the node that left


async def test_two_nodes_share_the_work_and_one_goes_on_when_the_other_leaves(
    store_url: str, work: Work
) -> None:
    work.seconds = 0.02
    async with Holdfast(store_url, catalog=work.catalog) as stays:
        async with Holdfast(store_url, catalog=work.catalog, drain_seconds=0) as leaves:
            runs = await leaves.start_many(work.labouring, [() for _ in range(20)])
            await work.began.wait()
        results = [await (await stays.get(run.id)).result(timeout=SOON) for run in runs]

        assert results == [["worked", "worked"]] * 20
        assert await stays.doctor() == []
