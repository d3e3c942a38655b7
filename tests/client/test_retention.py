"""Deleting runs: what goes, what stays, what is refused; and what the setting `retention` does."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pytest
from tests.patience import until
from tests.stores.test_retention import counts

from holdfast import (
    Catalog,
    Holdfast,
    NeededByParent,
    NotEnded,
    RunFailed,
    RunNotFound,
    RunStatus,
    context,
    task,
    workflow,
)
from holdfast.errors import BadOption
from holdfast.testing.crash_points import Crash

catalog = Catalog()
NOW = dt.timedelta(0)
DAY = dt.timedelta(days=1)


@task(catalog=catalog)
async def double(number: int) -> int:
    return number * 2


@workflow(catalog=catalog)
async def twice(number: int) -> int:
    context().state.set("number", number)
    print("hello")
    return await double(number)


@workflow(catalog=catalog)
async def broken() -> None:
    raise ValueError("broken")


@workflow(catalog=catalog)
async def parent(waits: bool = False) -> int:
    total = await context().start_child(twice, 1, id="child")
    detached = await context().start_child(twice, 2, id="detached", detached=True)
    if waits:
        await context().signal("go")
    return total + detached


def holdfast(url: str, **settings: Any) -> Holdfast:
    return Holdfast(url, catalog=catalog, **settings)


async def rows(hf: Holdfast) -> dict[str, int]:
    return await counts(hf._parts.store)  # pyright: ignore[reportArgumentType]


async def is_there(hf: Holdfast, id: str) -> bool:
    return id in [info.id for info in await hf.list()]


async def test_a_run_is_deleted_with_all_its_rows(store_url: str) -> None:
    async with holdfast(store_url) as hf:
        run = await hf.start(twice.options(tags=["red"]), 1, id="one")
        await run.result()

        report = await hf.delete(run)

        assert report.runs == 1
        assert report.rows > 3
        assert set((await rows(hf)).values()) == {0}
        with pytest.raises(RunNotFound):
            await hf.describe("one")
        assert await hf.run(twice, 2, id="one") == 4


async def test_a_run_that_has_not_ended_is_refused(store_url: str) -> None:
    async with holdfast(store_url) as hf:
        run = await hf.start(parent, True, id="p")

        with pytest.raises(NotEnded, match="'p' is running; only a run that has ended can be deleted"):
            await hf.delete("p")

        await run.signal("go")
        assert await run.result() == 6


async def test_an_ended_child_of_a_live_parent_stays(store_url: str) -> None:
    async with holdfast(store_url) as hf:
        run = await hf.start(parent, True, id="p")
        for child in ("child", "detached"):
            await until(lambda child=child: is_there(hf, child))
            await hf.result(child)

        for child in ("child", "detached"):
            with pytest.raises(NeededByParent, match=f"'{child}' is a child of 'p'"):
                await hf.delete(child)
        assert (await hf.prune(NOW)).runs == 0

    async with holdfast(store_url) as hf:  # replays what it has heard from its children
        await hf.signal("p", "go")
        assert await hf.result("p") == 6
        assert run.id == "p"


async def test_a_family_goes_together_and_a_detached_child_by_itself(store_url: str) -> None:
    async with holdfast(store_url) as hf:
        await hf.run(parent, id="p")

        assert (await hf.delete("p")).runs == 2

        assert [info.id for info in await hf.list()] == ["detached"]
        await hf.delete("detached")
        assert set((await rows(hf)).values()) == {0}


async def test_a_deleted_run_ends_the_wait_of_those_who_have_a_handle(store_url: str) -> None:
    async with holdfast(store_url) as hf, holdfast(store_url, engine=False) as other:
        run = await hf.start(twice, 1, id="one")
        handle = await other.get("one")
        await run.result()
        await hf.delete(run)

        with pytest.raises(RunNotFound, match="one"):
            await asyncio.wait_for(handle.result(), 30)


async def test_prune_deletes_by_age_status_and_workflow(store_url: str) -> None:
    async with holdfast(store_url) as hf:
        for number in range(3):
            await hf.run(twice, number, id=f"twice-{number}")
        with pytest.raises(RunFailed):
            await hf.run(broken, id="broken")

        assert (await hf.prune(DAY)).runs == 0
        assert (await hf.prune(NOW, status="cancelled")).runs == 0
        assert (await hf.prune(NOW, workflow=broken, status="success")).runs == 0
        assert (await hf.prune(NOW, dry_run=True)).runs == 4
        assert (await hf.prune(NOW, workflow="twice", limit=2)).runs == 2
        assert [info.id for info in await hf.list()] == ["broken", "twice-2"]
        assert (await hf.prune(NOW, status=RunStatus.FAILED)).runs == 1
        assert [info.id for info in await hf.list()] == ["twice-2"]
        with pytest.raises(BadOption, match="must be zero or more; a negative age would mean every run"):
            await hf.prune(-dt.timedelta(days=30))
        with pytest.raises(BadOption, match="only ended runs are deleted"):
            await hf.prune(NOW, status="running")


async def test_a_crash_in_the_middle_leaves_what_the_next_prune_deletes(store_url: str) -> None:
    async with holdfast(store_url) as hf:
        await hf.run(parent, id="p")
        store: Any = hf._parts.store

        async def crash(rows: int, bytes: int) -> None:
            raise Crash

        cleared, store.clear_buried = store.clear_buried, crash
        with pytest.raises(Crash):
            await hf.delete("p")
        store.clear_buried = cleared
        listed = [info.id for info in await hf.list()]
        assert await hf.doctor() == []

        await hf.prune(DAY)

        assert listed == ["detached", "child"]
        assert [info.id for info in await hf.list()] == ["detached"]
        await hf.prune(NOW)
        assert set((await rows(hf)).values()) == {0}


async def test_two_processes_prune_at_once(store_url: str) -> None:
    async with holdfast(store_url) as hf, holdfast(store_url, engine=False) as other:
        for run in await hf.start_many(twice, range(300)):
            await run.result()

        one, two = await asyncio.gather(hf.prune(NOW), other.prune(NOW))
        await hf.prune(NOW)

        assert one.runs + two.runs <= 300
        assert set((await rows(hf)).values()) == {0}


async def test_nodes_delete_what_is_older_than_the_setting(store_url: str) -> None:
    rules = {"success": "0s", "broken": {"failed": "0s"}, "parent": {"success": "forever"}}
    async with holdfast(store_url, retention=rules) as hf, holdfast(store_url, retention=rules):
        await hf.run(twice, 1)
        await hf.run(parent, id="p")
        with pytest.raises(RunFailed):
            await hf.run(broken)

        async def is_pruned() -> bool:
            return sorted(info.id for info in await hf.list()) == ["child", "detached", "p"]

        await until(is_pruned)


async def test_without_the_setting_nothing_is_deleted(sqlite_url: str) -> None:
    async with holdfast(sqlite_url) as hf:
        assert hf._engine is not None
        assert hf._engine._pruner is not None
        assert hf._engine._pruner.every is None


async def test_a_node_with_nothing_to_prune_asks_three_times_in_five_minutes(store_url: str) -> None:
    async with holdfast(store_url, retention={"success": "30d", "failed": "90d"}) as hf:
        await hf.run(twice, 1)
        assert hf._engine is not None
        pruner, store = hf._engine._pruner, hf._parts.store
        assert pruner is not None
        assert pruner.every == dt.timedelta(minutes=5)
        await pruner.look()  # connects
        before = store.statements  # pyright: ignore[reportAttributeAccessIssue]

        await pruner.look()

        assert store.statements - before == 3  # pyright: ignore[reportAttributeAccessIssue]
