"""Items of streams are kept for the setting `stream_kept_seconds`, and no longer."""

from __future__ import annotations

import asyncio

import pytest
from tests.patience import PATIENCE, SOON

from holdfast import Catalog, Holdfast, StreamGap, context, workflow

catalog = Catalog()


@workflow(catalog=catalog)
async def talk() -> None:
    for number in range(3):
        context().publish("words", number)
        await context().signal("go on")


async def test_items_are_dropped_when_they_are_too_old(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, stream_kept_seconds=0.2) as hf:
        run = await hf.start(talk)
        await _until_dropped(hf, run.id, 1)

        with pytest.raises(StreamGap) as gone:
            await _read(hf, run.id, after=-1)
        assert (gone.value.wanted, gone.value.first) == (0, 1)
        assert await _read(hf, run.id) == []  # a reader without an offset does not wait for what is gone
        await run.signal("go on")
        await _until_dropped(hf, run.id, 2)
        for _ in range(2):
            await run.signal("go on")
        await run.result(timeout=SOON)
        assert [stream.count for stream in await hf.streams(run.id)] == [3]


async def test_a_follower_gets_new_items_though_all_before_are_gone(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, stream_kept_seconds=0.2) as hf:
        run = await hf.start(talk)
        await _until_dropped(hf, run.id, 1)
        reader = asyncio.create_task(_read_one(hf, run.id))
        await asyncio.sleep(0.05)

        await run.signal("go on")

        assert await asyncio.wait_for(reader, PATIENCE) == (1, 1)


async def test_other_nodes_keep_what_their_setting_says(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, namespace="long") as keeper:
        kept = await keeper.start(talk)
        async with Holdfast(store_url, catalog=catalog, stream_kept_seconds=0.2, namespace="short") as hf:
            run = await hf.start(talk)
            await _until_dropped(hf, run.id, 1)

        assert await _read(keeper, kept.id) == [0]


async def _read(hf: Holdfast, run: str, after: int | None = None) -> list[object]:
    async with asyncio.timeout(10):
        return [item.value async for item in hf.stream(run, "words", after=after, follow=False)]


async def _read_one(hf: Holdfast, run: str) -> tuple[int, object]:
    async for item in hf.stream(run, "words"):
        return item.offset, item.value
    raise AssertionError("it has ended")


async def _until_dropped(hf: Holdfast, run: str, first: int) -> None:
    """A look comes after a commit, now and then, so there must be some."""
    for _ in range(300):
        if [stream.first for stream in await hf.streams(run)] == [first]:
            return
        await hf.signal(run, "nobody waits for this")
        await asyncio.sleep(0.1)
    raise AssertionError("the items are still there")
