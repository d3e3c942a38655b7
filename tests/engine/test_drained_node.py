"""A node that somebody drains from elsewhere ends in order, and others go on with its runs."""

from __future__ import annotations

import asyncio

import pytest
from tests.patience import SOON, until

from holdfast import Catalog, Holdfast, RunStatus, context, task, workflow


class Work:
    """`labouring` has a task that ends when the test says so; `listening` waits for a signal."""

    def __init__(self) -> None:
        self.catalog = Catalog()
        self.began, self.may_end = asyncio.Event(), asyncio.Event()
        self.attempts = 0
        work = self

        @task(catalog=self.catalog)
        async def labour() -> str:
            work.attempts += 1
            work.began.set()
            await work.may_end.wait()
            return "worked"

        @workflow(catalog=self.catalog)
        async def labouring() -> str:
            return await labour()

        @workflow(catalog=self.catalog)
        async def listening() -> str:
            return await context().signal("word")

        self.labouring, self.listening = labouring, listening


@pytest.fixture
async def work() -> Work:
    return Work()


async def ids(client: Holdfast) -> list[str]:
    return [node.id for node in await client.nodes()]


async def are_there(client: Holdfast, count: int) -> bool:
    return len(await ids(client)) == count


def node_of(client: Holdfast) -> str:
    assert client._engine is not None
    return client._engine.node


async def test_a_task_under_way_finishes_and_the_other_runs_go_on_elsewhere(store_url: str, work: Work):
    async with (
        Holdfast(store_url, catalog=work.catalog, drain_seconds=60) as hf,
        Holdfast(store_url, catalog=work.catalog, engine=False) as operator,
    ):
        serving = asyncio.create_task(hf.serve())
        busy = await hf.start(work.labouring, id="busy")
        waiting = await hf.start(work.listening, id="waiting")
        await work.began.wait()
        result = asyncio.create_task(busy.result(timeout=SOON))
        async with Holdfast(store_url, catalog=work.catalog) as other:
            await until(lambda: are_there(operator, 2))
            asked = await operator.drain_node(node_of(hf), by="ann")
            await until(lambda: hf.drained_by == "ann")
            later = await hf.start(work.listening, id="later")  # hf is a client now
            for run in (waiting, later):
                await operator.signal(run.id, "word", "hello")
            assert await later.result(timeout=SOON) == "hello"
            assert not serving.done()
            assert (await operator.drain_node(node_of(hf), by="bob")).by == "ann"

            work.may_end.set()

            assert await result == "worked"
            assert await waiting.result(timeout=SOON) == "hello"
            await asyncio.wait_for(serving, SOON.total_seconds())
            assert await ids(operator) == [node_of(other)]
            assert (asked.node, asked.by, asked.others) == (node_of(hf), "ann", 1)
            assert (work.attempts, hf.drained_by, other.drained_by) == (1, "ann", None)


@pytest.mark.parametrize("engine", [True, "own"])
async def test_an_idle_node_hears_it_too(store_url: str, work: Work, engine: bool):
    async with (
        Holdfast(store_url, catalog=work.catalog, engine=engine) as hf,
        Holdfast(store_url, catalog=work.catalog, engine=False) as operator,
    ):
        run = await hf.start(work.listening)
        await until(lambda: ids(operator))

        await operator.drain_node(node_of(hf))

        await asyncio.wait_for(hf.serve(), SOON.total_seconds())
        assert (hf.drained_by, await ids(operator)) == ("", [])
        async with Holdfast(store_url, catalog=work.catalog):
            await hf.signal(run.id, "word", "hello")
            assert await run.result(timeout=SOON) == "hello"


async def test_starts_that_wait_for_a_commit_are_recorded_before_the_node_ends(store_url: str, work: Work):
    async with Holdfast(store_url, catalog=work.catalog, engine=False) as operator:
        hf = Holdfast(store_url, catalog=work.catalog)
        await hf.open()
        starting = asyncio.create_task(hf.start_many(work.listening, [()] * 3_000))
        await until(lambda: ids(operator))
        await operator.drain_node(node_of(hf))
        await until(lambda: hf.drained_by is not None)

        assert len(await starting) == 3000
        await hf.serve()
        found = await operator.list(limit=10_000)
        assert len(found) == 3000
        assert {run.status for run in found} <= {RunStatus.PENDING, RunStatus.RUNNING}
        await hf.close()


async def test_closing_while_the_node_is_drained_waits_for_its_end(store_url: str, work: Work):
    async with Holdfast(store_url, catalog=work.catalog, engine=False) as operator:
        hf = Holdfast(store_url, catalog=work.catalog, drain_seconds=60)
        await hf.open()
        await hf.start(work.labouring, id="busy")
        await work.began.wait()
        await operator.drain_node(node_of(hf))
        await until(lambda: hf.drained_by is not None)

        closing = asyncio.create_task(hf.close())
        await asyncio.sleep(0.1)
        assert not closing.done()
        work.may_end.set()
        await closing

        assert await ids(operator) == []
    async with Holdfast(store_url, catalog=work.catalog) as hf:
        assert await (await hf.get("busy")).result(timeout=SOON) == "worked"
    assert work.attempts == 1
