"""What is pushed over HTTP: changes, logs and streams, each once, also over connections that break."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.patience import PATIENCE, until
from tests.remote.conftest import Pair
from tests.remote.lossy_proxy import LossyProxy, lossy_proxy

from holdfast import BadOption, Holdfast, OffsetGone, RunNotFound, RunStatus, ServerUnavailable
from holdfast.core.changes import Place, offset_text


@pytest.fixture
async def broken(pair: Pair) -> AsyncIterator[tuple[Holdfast, Holdfast, LossyProxy]]:
    """The local one, and a remote one behind a proxy that breaks connections."""
    async with (
        lossy_proxy(pair.url) as (proxy, url),
        Holdfast(url, catalog=pair.catalog, retry_seconds=20) as remote,
    ):
        yield pair.local, remote, proxy


async def collect(items: Any) -> list[Any]:
    async with asyncio.timeout(PATIENCE):
        return [each async for each in items]


async def test_what_happens_to_a_run_is_told_once_whatever_breaks(
    broken: tuple[Holdfast, Holdfast, LossyProxy],
):
    local, remote, proxy = broken
    begin = await local.watch_offset()
    await local.run("doubled", 1, 60, id="a")
    proxy.cut_after = 900  # some changes, and the middle of the next one

    told = await collect(remote.watch("a", after=begin))

    assert told == await collect(local.watch("a", after=begin))
    assert len(told) > 60
    assert sum("/events?" in line for line in proxy.seen) > 3


async def test_the_log_is_followed_over_connections_that_break(
    broken: tuple[Holdfast, Holdfast, LossyProxy],
):
    local, remote, proxy = broken
    proxy.cut_after = 2_000
    run = await local.start("talking", [f"line {n}" for n in range(30)], id="a")
    following = asyncio.create_task(collect(remote.follow("a")))
    await until(lambda: local.logs("a"))
    await local.signal("a", "go")
    await run.result()

    lines = await following

    assert lines == await local.logs("a") == await remote.logs("a")
    assert [line.text for line in lines] == [*(f"line {n}" for n in range(30)), "goodbye"]


async def test_a_stream_is_read_once_and_its_values_have_their_type(
    broken: tuple[Holdfast, Holdfast, LossyProxy],
):
    local, remote, proxy = broken
    run = await local.start("publishing", 30, id="a")
    proxy.cut_after = 1_000
    reading = asyncio.create_task(collect(remote.stream("a", "numbers")))
    await until(lambda: local.streams("a"))
    await local.signal("a", "go")
    await run.result()

    items = await reading

    assert [item.value for item in items] == [*range(30), "last"]
    assert items == await collect(local.stream("a", "numbers"))
    assert items[5:] == await collect(remote.stream("a", "numbers", after=4, follow=False))
    texts = await collect(remote.stream("a", "numbers", type=int | str, follow=False))
    assert [item.value for item in texts] == [*range(30), "last"]


async def test_only_what_meets_the_conditions_is_told(pair: Pair):
    begin = await pair.remote.watch_offset()
    await pair.local.run("doubled", 1)
    await pair.local.start("waiting", id="a")

    async with asyncio.timeout(PATIENCE):
        async for change in pair.remote.watch(after=begin, workflow="waiting", status="running"):
            assert (change.workflow, change.run, change.status) == ("waiting", "a", RunStatus.RUNNING)
            break


async def test_without_an_offset_what_happens_from_now_on_is_told(pair: Pair):
    await pair.local.run("doubled", 1, id="before")
    changes = pair.remote.watch()
    first = asyncio.ensure_future(anext(changes))
    await asyncio.sleep(0.05)
    await pair.local.run("doubled", 1, id="after")

    assert (await first).run == "after"


async def test_what_cannot_be_told_is_refused_as_by_the_local_one(pair: Pair):
    run = await pair.local.start("waiting", id="a")

    with pytest.raises(BadOption, match="after"):
        await anext(pair.remote.watch(after="x"))
    with pytest.raises(OffsetGone):
        await anext(pair.remote.watch(after=offset_text(Place(10**9, 1))))
    with pytest.raises(RunNotFound):
        await anext(pair.remote.watch("b"))
    with pytest.raises(BadOption, match="one run is watched"):
        await anext(pair.remote.watch(run, status="failed"))
    with pytest.raises(RunNotFound):
        await anext(pair.remote.follow("b"))
    with pytest.raises(RunNotFound):
        await anext(pair.remote.stream("b", "numbers"))
    await pair.local.signal("a", "go")


async def test_a_server_that_goes_away_for_good_ends_the_events_with_an_error(pair: Pair):
    async with Holdfast(pair.url, catalog=pair.catalog, retry_seconds=0.2) as remote:
        await pair.local.start("waiting", id="a")
        reading = asyncio.ensure_future(collect(remote.watch("a")))
        waiting = asyncio.ensure_future(remote.result("a"))
        await asyncio.sleep(0.1)
        await pair.server.stop()

        for each in (reading, waiting):
            with pytest.raises(ServerUnavailable):
                await each
