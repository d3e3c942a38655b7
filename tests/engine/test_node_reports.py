"""What a node says of itself, as operators see it."""

from __future__ import annotations

import asyncio

import pytest
from tests.patience import until

from holdfast import Catalog, Holdfast, NodeQueue, task, workflow
from holdfast.parts import version_of_package


@pytest.fixture
async def go_on() -> asyncio.Event:
    return asyncio.Event()


@pytest.fixture
def catalog(go_on: asyncio.Event) -> Catalog:
    made = Catalog()

    @task(queue="narrow", catalog=made)
    async def hold(number: int) -> int:
        await go_on.wait()
        return number

    @workflow(catalog=made)
    async def many(count: int) -> int:  # pyright: ignore[reportUnusedFunction]
        return sum(await asyncio.gather(*[hold(number) for number in range(count)]))

    return made


async def narrow_queue(client: Holdfast, waiting: int) -> NodeQueue:
    found: list[NodeQueue] = []

    async def is_told() -> bool:
        queues = (await client.queues()).queues
        found[:] = [it for it in queues if (it.queue, it.waiting) == ("narrow", waiting)]
        return bool(found)

    await until(is_told)
    return found[0]


async def test_operators_see_who_holds_the_slots_of_a_queue_and_who_waits(
    store_url: str, catalog: Catalog, go_on: asyncio.Event
):
    async with (
        Holdfast(store_url, catalog=catalog, queues={"narrow": 2}) as hf,
        Holdfast(store_url, catalog=catalog, engine=False) as operator,
    ):
        run = await hf.start("many", 15, id="wide")

        queue = await narrow_queue(operator, waiting=13)
        [node] = await operator.nodes()

        assert (queue.node, queue.limit, queue.running) == (node.id, 2, 2)
        assert [(it.run, it.seq, it.task) for it in queue.first] == [
            ("wide", seq, "hold") for seq in range(2, 12)
        ]
        assert (node.version, node.is_stopping) == (version_of_package(), False)

        go_on.set()
        assert await run.result() == sum(range(15))
        assert (await operator.queues()).queues == []  # it has no runs


async def test_a_node_that_stops_says_so_while_its_tasks_end(
    store_url: str, catalog: Catalog, go_on: asyncio.Event
):
    async with Holdfast(store_url, catalog=catalog, engine=False) as operator:
        hf = Holdfast(store_url, catalog=catalog, queues={"narrow": 1}, drain_seconds=30)
        await hf.open()
        await hf.start("many", 1)
        await narrow_queue(operator, waiting=0)

        stopping = asyncio.create_task(hf.close())

        async def is_told() -> bool:
            return any(node.is_stopping for node in await operator.nodes())

        await until(is_told)
        go_on.set()
        await stopping
        assert await operator.nodes() == []
