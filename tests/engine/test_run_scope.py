"""A node that is for its own runs: those that it starts or is told of, and their children."""

from __future__ import annotations

import asyncio
import datetime as dt

import pytest

from holdfast import Catalog, Holdfast, RunStatus, task, workflow
from holdfast.errors import BadOption


class World:
    def __init__(self) -> None:
        self.catalog = Catalog()
        self.done: list[str] = []

        @task(catalog=self.catalog)
        async def do(what: str) -> str:
            self.done.append(what)
            return what

        @workflow(catalog=self.catalog)
        async def child(what: str) -> str:
            await asyncio.sleep(0.01)
            return await do(what)

        @workflow(catalog=self.catalog)
        async def parent(what: str) -> list[str]:
            return [await do(what), await child(f"{what}'s child")]

        self.parent = parent

    def holdfast(self, url: str, engine: object) -> Holdfast:
        return Holdfast(url, catalog=self.catalog, engine=engine)  # pyright: ignore[reportArgumentType]


async def test_it_leaves_what_others_have_started_and_does_its_own(
    store_url: str,
) -> None:
    world = World()
    async with world.holdfast(store_url, engine=False) as outside:
        others = [await outside.start(world.parent, f"other {number}") for number in range(3)]
        async with world.holdfast(store_url, engine="own") as hf:
            results = await asyncio.gather(*(hf.run(world.parent, f"own {number}") for number in range(3)))
            await asyncio.sleep(0.3)

        assert results == [[f"own {number}", f"own {number}'s child"] for number in range(3)]
        assert len(world.done) == 6
        assert {(await run.describe()).status for run in others} == {RunStatus.PENDING}


async def test_it_takes_up_what_it_is_told_to_and_nothing_else(store_url: str) -> None:
    world = World()
    async with world.holdfast(store_url, engine=False) as outside:
        await outside.start(world.parent, "left", id="left")
        await outside.start(world.parent, "taken", id="taken")
    async with world.holdfast(store_url, engine="own") as hf:
        await hf.take_up("taken")

        assert await hf.result("taken") == ["taken", "taken's child"]
        assert (await hf.describe("left")).status is RunStatus.PENDING


async def test_an_id_that_is_there_already_is_taken_up(store_url: str) -> None:
    world = World()
    async with world.holdfast(store_url, engine=False) as outside:
        await outside.start(world.parent, "first", id="it")
    async with world.holdfast(store_url, engine="own") as hf:
        assert await hf.run(world.parent, "first", id="it") == ["first", "first's child"]


async def test_it_fires_no_schedule(sqlite_url: str) -> None:
    world = World()
    async with world.holdfast(sqlite_url, engine="own") as hf:
        await hf.schedules.put("often", world.parent, every=dt.timedelta(seconds=1), input={"what": "tick"})
        await asyncio.sleep(1.5)

        assert await hf.list() == []


def test_an_engine_of_another_kind_is_refused() -> None:
    with pytest.raises(BadOption, match='True, False or "own"'):
        World().holdfast("sqlite:///nowhere.db", engine="mine")
