"""Several nodes on one Postgres: who is woken, and who gets which run."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from tests.patience import SOON, until

import holdfast.parts
from holdfast import Catalog, Holdfast, context, task, workflow
from holdfast.engine.tuning import Tuning
from holdfast.parts import tuning_of

_QUICKLY = dt.timedelta(milliseconds=50)


@pytest.fixture
def catalog() -> Catalog:
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def hear() -> str:
        return await context().signal("word")

    return catalog


@pytest.fixture
def use_tuning(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def use(**numbers: Any) -> None:
        usual = tuning_of
        monkeypatch.setattr(
            holdfast.parts,
            "tuning_of",
            lambda settings: Tuning(lease=usual(settings).lease, idle_after=_QUICKLY, **numbers),
        )

    return use


@asynccontextmanager
async def fleet(url: str, catalog: Catalog, size: int) -> AsyncIterator[list[Holdfast]]:
    async with AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(Holdfast(url, catalog=catalog)) for _ in range(size)]
        await until(lambda: all(node._engine.is_quiet for node in nodes))
        yield nodes


def statements(nodes: list[Holdfast]) -> list[int]:
    return [node._parts.store._driver._lanes.statements for node in nodes]


async def test_a_signal_to_a_cold_run_wakes_the_node_that_had_it_and_no_other(
    postgres_url: str, catalog: Catalog, use_tuning: Callable[..., None]
) -> None:
    use_tuning()
    async with fleet(postgres_url, catalog, 4) as nodes, Holdfast(postgres_url, engine=False) as client:
        run = await nodes[2].start("hear", id="run")
        await until(lambda: not nodes[2]._engine.has(run.key))
        await until(lambda: all(node._engine.is_quiet for node in nodes))
        await asyncio.sleep(0.2)
        before = statements(nodes)

        await client.signal("run", "word", "hello")
        assert await (await client.get("run")).result(SOON) == "hello"

        sent = [after - before for before, after in zip(before, statements(nodes), strict=True)]
        assert sent[2] > 0
        assert sent[0] == sent[1] == sent[3] == 0


async def test_a_node_without_room_passes_on_what_was_meant_for_it(
    postgres_url: str, catalog: Catalog, use_tuning: Callable[..., None]
) -> None:
    use_tuning(max_resident=1)
    over = asyncio.Event()

    @task(catalog=catalog)
    async def last() -> None:
        await over.wait()

    @workflow(catalog=catalog)
    async def stay() -> None:
        await last()

    async with fleet(postgres_url, catalog, 2) as nodes:
        cold = await nodes[0].start("hear")
        await until(lambda: not nodes[0]._engine.has(cold.key))
        staying = await nodes[0].start("stay")
        await until(lambda: nodes[0]._engine._dispatcher.running == 1)

        await cold.signal("word", "hello")
        # The other node would look by itself after five seconds.
        assert await cold.result(dt.timedelta(seconds=4)) == "hello"
        over.set()
        await staying.result(SOON)


def _working(places: list[int], place: int, *, tasks_take: float) -> Catalog:
    """A workflow whose one task notes the node that does it, and whose node does one task at a time."""
    catalog = Catalog()

    @task(catalog=catalog, queue="narrow")
    async def where() -> None:
        places.append(place)
        await asyncio.sleep(tasks_take)

    @workflow(catalog=catalog)
    async def work(number: int) -> None:
        await where()

    return catalog


async def test_a_batch_that_is_started_on_one_node_is_spread_over_all(postgres_url: str) -> None:
    places: list[int] = []
    async with AsyncExitStack() as stack:
        nodes = [
            await stack.enter_async_context(
                Holdfast(postgres_url, catalog=_working(places, place, tasks_take=0.02))
            )
            for place in range(4)
        ]
        await until(lambda: all(node._engine._poller._admission.peers == 4 for node in nodes))

        runs = await nodes[0].start_many("work", range(1_000))
        await asyncio.gather(*[run.result(SOON) for run in runs])

    shares = Counter(places)
    assert sum(shares.values()) == 1_000
    assert len(shares) == 4
    assert max(shares.values()) < 600


async def test_a_node_that_joins_gets_its_share_of_what_waits_for_a_slot(postgres_url: str) -> None:
    places: list[int] = []
    limits = {"narrow": 1}
    first = Holdfast(postgres_url, catalog=_working(places, 0, tasks_take=0.01), queues=limits)
    second = Holdfast(postgres_url, catalog=_working(places, 1, tasks_take=0.01), queues=limits)
    async with first:
        runs = await first.start_many("work", range(400))
        await until(lambda: len(places) > 3)
        async with second:
            await asyncio.gather(*[run.result(SOON) for run in runs])

    shares = Counter(places)
    assert sum(shares.values()) == 400  # nothing was done twice
    assert shares[1] > 80
