"""`hf.watch` through the whole engine: order, offsets, ends, other processes, and what is gone."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.chaos.processes import Process
from tests.differential.changes import Watcher
from tests.engine import publisher
from tests.patience import PATIENCE

from holdfast import Catalog, Change, Holdfast, OffsetGone, RunNotFound, context, task, workflow
from holdfast.core.changes import LAST_OF_ROW, Place, offset_text
from holdfast.core.values import later
from holdfast.errors import BadOption
from holdfast.stores import SqlStore
from holdfast.sync import Holdfast as SyncHoldfast


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture
async def hf(store_url: str, catalog: Catalog) -> AsyncIterator[Holdfast]:
    @task(catalog=catalog)
    async def double(number: int) -> int:
        return 2 * number

    @workflow(catalog=catalog)
    async def order(count: int) -> int:
        doubled = await asyncio.gather(*[double(number) for number in range(count)])
        return sum(doubled)

    @workflow(catalog=catalog)
    async def patient() -> None:
        await context().signal("go")

    async with Holdfast(store_url, catalog=catalog) as opened:
        yield opened


async def read(changes: AsyncIterator[Change], at_most: int | None = None) -> list[Change]:
    found: list[Change] = []
    async with asyncio.timeout(PATIENCE):
        async for change in changes:
            found.append(change)
            if len(found) == at_most:
                break
    return found


async def test_one_run_is_told_until_it_has_ended_and_again_from_each_offset(hf: Holdfast) -> None:
    begin = await hf.watch_offset()
    run = await hf.start("order", 3, id="order-1")
    await hf.start("order", 2)

    found = await read(hf.watch(run, after=begin))

    assert {(it.run, it.workflow) for it in found} == {("order-1", "order")}
    assert found[0].kind == "run_created"
    assert (found[-1].kind, found[-1].status) == ("run_status", "success")
    for seq in range(3):
        mine = [it.status for it in found if it.seq == seq]
        assert (mine[0], mine[-1]) == ("dispatched", "success")
    for number, change in enumerate(found):
        assert await read(hf.watch("order-1", after=change.offset)) == found[number + 1 :]
    assert await read(hf.watch(run)) == [], "nothing happens to it from now on"


async def test_a_run_that_has_ended_is_told_whole_after_many_pages_of_others(hf: Holdfast) -> None:
    begin = await hf.watch_offset()
    for _ in range(100):
        await hf.run("order", 0)
    run = await hf.start("order", 1)
    await run.result()

    assert [it.status for it in await read(hf.watch(run, after=begin))][-1:] == ["success"]


async def test_a_run_that_is_opened_again_is_told_to_its_second_end(hf: Holdfast) -> None:
    begin = await hf.watch_offset()
    run = await hf.start("patient", id="patient-1")
    await run.cancel()
    first = await read(hf.watch(run, after=begin))
    await run.retry(by="ada")
    await run.signal("go")

    found = await read(hf.watch(run, after=begin))

    assert [it.status for it in first][-1] == "cancelled"
    assert found[: len(first)] == first
    assert ("act", "retry", "ada") in [(it.kind, it.what, it.by) for it in found]
    assert found[-1].status == "success"


async def test_a_filter_goes_on_and_tells_what_happens_meanwhile(hf: Holdfast) -> None:
    watching = asyncio.ensure_future(read(hf.watch(workflow="order", status="success"), 3))
    await asyncio.sleep(0.2)

    for number in range(3):
        await hf.run("order", 1, id=f"order-{number}")
        await (await hf.start("patient")).cancel()

    assert [it.run for it in await watching] == ["order-0", "order-1", "order-2"]


async def test_what_cannot_be_watched_is_refused_by_name(hf: Holdfast) -> None:
    with pytest.raises(BadOption, match="fingerprint"):
        await read(hf.watch(fingerprint="abc"))
    with pytest.raises(BadOption, match="conditions"):
        await read(hf.watch("order-1", workflow="order"))
    with pytest.raises(BadOption, match="after"):
        await read(hf.watch(after="yesterday"))
    with pytest.raises(RunNotFound):
        await read(hf.watch("nobody"))
    with pytest.raises(OffsetGone, match=r"not come so far.*watch_offset"):
        await read(hf.watch(after=offset_text(Place(10**6, 0))))


async def test_who_comes_back_too_late_is_told_so(hf: Holdfast) -> None:
    begin = await hf.watch_offset()
    for _ in range(4):
        await hf.run("order", 1)
    middle = await hf.watch_offset()
    run = await hf.start("order", 1)
    await run.result()

    store = hf._parts.store
    hour = dt.timedelta(hours=1)
    await store.remove_changes(later(hf._now(), -hour), 10**9, 10**9)
    assert await read(hf.watch(run, after=middle))
    await store.remove_changes(later(hf._now(), hour), 10**9, 10**9)

    with pytest.raises(OffsetGone, match="removed"):
        await read(hf.watch(after=begin))
    with pytest.raises(OffsetGone, match="removed"):
        await read(hf.watch(run, after=middle))


async def test_a_deleted_run_ends_its_watcher(hf: Holdfast) -> None:
    run = await hf.start("order", 1, id="order-1")
    await run.result()
    begin = await hf.watch_offset()
    await hf.delete(run)

    assert [it.kind for it in await read(hf.watch(run, after=begin))] == ["run_deleted"]
    with pytest.raises(RunNotFound):
        await read(hf.watch(run))


async def test_old_changes_are_removed_by_a_node_at_work(store_url: str, catalog: Catalog) -> None:
    @workflow(catalog=catalog)
    async def nothing() -> None: ...

    async with Holdfast(store_url, catalog=catalog, watch_kept_seconds=0.1) as hf:
        begin = await hf.watch_offset()
        deadline = time.monotonic() + PATIENCE
        while (await hf._parts.store.change_bounds()).first == 1:
            assert time.monotonic() < deadline
            await hf.run(nothing)
            await asyncio.sleep(0.05)
        with pytest.raises(OffsetGone):
            await read(hf.watch(after=begin))


async def test_a_node_that_is_killed_has_told_what_it_committed_and_nothing_else(
    store_url: str, tmp_path: Path
) -> None:
    """Another process watches. Whatever it was told must agree with the tables, before and after the kill."""
    process = Process(["-m", "tests.engine.publisher", store_url], tmp_path / "publisher.log")
    async with Holdfast(store_url, catalog=publisher.catalog, engine=False) as client:
        begin = offset_text(Place((await client._parts.store.change_bounds()).first, LAST_OF_ROW))
        try:
            async with asyncio.timeout(PATIENCE):
                async for change in client.watch(after=begin):
                    if (change.kind, change.status) == ("task", "running"):
                        break
        finally:
            process.kill()
        before = await watched(client, "talk")
        async with Holdfast(store_url, catalog=publisher.catalog):
            async with asyncio.timeout(PATIENCE):
                await client.result("talk")
            after = await watched(client, "talk")

        assert before == await watched_again(client, "talk", len(before))
        assert after[: len(before)] == before
        lost = [(it.status, it.attempt) for it in after if it.kind == "task"]
        assert lost[-1] == ("success", 2)
        assert after[-1].status == "success"


async def watched(client: Holdfast, run: str) -> list[Change]:
    """All that there is to tell of a run now."""
    store = client._parts.store
    begin = offset_text(Place((await store.change_bounds()).first, LAST_OF_ROW))
    end = await client.watch_offset()
    found: list[Change] = []
    changes = client.watch(run, after=begin)
    try:
        async with asyncio.timeout(1.0):
            async for change in changes:
                found.append(change)
    except TimeoutError:
        pass
    return [it for it in found if it.offset <= end]


async def watched_again(client: Holdfast, run: str, count: int) -> list[Change]:
    return (await watched(client, run))[:count]


async def test_two_nodes_at_once_tell_all_that_their_runs_did(postgres_url: str) -> None:
    catalog = Catalog()

    @task(catalog=catalog)
    async def double(number: int) -> int:
        return 2 * number

    @workflow(catalog=catalog)
    async def order(count: int) -> int:
        return sum(await asyncio.gather(*[double(number) for number in range(count)]))

    async with (
        Holdfast(postgres_url, catalog=catalog) as one,
        Holdfast(postgres_url, catalog=catalog) as two,
        Holdfast(postgres_url, catalog=catalog, engine=False) as client,
    ):
        begin = await client.watch_offset()
        watching = asyncio.ensure_future(until_ended(client.watch(after=begin), 60))
        runs = [await node.start_many(order, [5] * 10) for _ in range(3) for node in (one, two)]
        for batch in runs:
            await asyncio.gather(*[run.result() for run in batch])
        found = await watching

        store = client._parts.store
        assert isinstance(store, SqlStore)
        watcher = Watcher(store, "default")
        watcher.hear(found)
        assert {status for status, _ in watcher.runs.values()} == {"success"}
        assert len(watcher.runs) == 60
        assert set(watcher.tasks.values()) == {("double", "success")}
        assert len(watcher.tasks) == 300
        offsets = [it.offset for it in found]
        assert offsets == sorted(set(offsets))


async def until_ended(changes: AsyncIterator[Change], count: int) -> list[Change]:
    found: list[Change] = []
    async with asyncio.timeout(PATIENCE):
        async for change in changes:
            found.append(change)
            count -= change.kind == "run_status" and change.status == "success"
            if not count:
                break
    return found


async def test_another_process_is_told_within_milliseconds(store_url: str, hf: Holdfast) -> None:
    delays: list[float] = []
    async with Holdfast(store_url, catalog=Catalog(), engine=False) as client:
        changes = client.watch(workflow="order", status="success")
        first = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(1.2)
        for _ in range(10):
            await hf.run("order", 1)
            ended = dt.datetime.now(dt.UTC)
            async with asyncio.timeout(PATIENCE):
                await first
            delays.append((dt.datetime.now(dt.UTC) - ended).total_seconds())
            first = asyncio.ensure_future(anext(changes))
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)

    assert sorted(delays)[5] < 0.5, "it does not wait for the next poll"


def test_without_await_it_is_a_plain_iterator(sqlite_url: str) -> None:
    catalog = Catalog()

    @workflow(catalog=catalog)
    async def nothing() -> None: ...

    with SyncHoldfast(sqlite_url, catalog=catalog) as hf:
        begin = hf.watch_offset()
        run = hf.start(nothing)
        assert [it.status for it in hf.watch(run, after=begin)] == ["running", "success"]
