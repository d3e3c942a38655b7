"""New runs that take the ids of others: of ended runs, and of runs that are ended for it (`id_policy`)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from tests.patience import PATIENCE, SOON, until

from holdfast import (
    Catalog,
    Holdfast,
    RunCancelled,
    RunExists,
    RunNotFound,
    RunStatus,
    TaskStatus,
    context,
    task,
    workflow,
)
from holdfast.errors import BadOption
from holdfast.testing import assert_durable

catalog = Catalog()
heard: list[Any] = []
is_broken: list[bool] = []


@task(catalog=catalog)
async def endless(name: str) -> None:
    heard.append(f"{name} began")
    try:
        await asyncio.Event().wait()
    finally:
        heard.append(f"{name} ended")


@task(catalog=catalog)
async def note_down(what: str) -> str:
    if is_broken:
        raise ValueError("broken")
    heard.append(what)
    return what


@workflow(catalog=catalog)
async def simple(number: int = 0) -> str:
    return await note_down(f"{context().run_id} {number}")


@workflow(catalog=catalog)
async def patient(name: str = "go") -> Any:
    return await context().signal(name)


@workflow(catalog=catalog)
async def busy(name: str) -> None:
    await endless(name)


@workflow(catalog=catalog)
async def parent(name: str) -> Any:
    left = patient.options(id=f"{name} left", detached=True)()
    return await asyncio.gather(patient("attached"), asyncio.shield(left))


@workflow(catalog=catalog)
async def grandparent() -> str:
    try:
        await patient.options(id="child")()
    except RunCancelled as error:
        return "it was replaced" if "replaced by run" in str(error) else str(error)
    return "it ended"


@pytest.fixture(autouse=True)
def forget() -> None:
    heard.clear()
    is_broken.clear()


async def _appeared(hf: Holdfast, id: str) -> Any:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await hf.get(id)
            except RunNotFound:
                await asyncio.sleep(0.01)


async def _is_recorded(hf: Holdfast, run: Any) -> bool:
    return [each.status for each in await hf.tasks(run)] == [TaskStatus.RUNNING]


# --- restart_ended


async def test_an_ended_run_gives_its_id_to_a_new_one_and_stays_readable(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        again = simple.options(id="a", id_policy="restart_ended")
        old = await hf.start(again, 1)
        assert await old.result(timeout=SOON) == "a 1"

        new = await hf.start(again, 2)

        assert await new.result(timeout=SOON) == "a 2"
        assert new.key != old.key
        assert (await hf.get("a")).key == new.key
        assert await old.result(timeout=SOON) == "a 1"
        assert await hf.result(str((await old.describe()).key)) == "a 1"
        before, now = await old.describe(), await new.describe()
        assert (before.id, before.former_id, before.previous) == (before.key, "a", None)
        assert (now.id, now.former_id, now.previous) == ("a", None, before.key)
        assert {info.key for info in await hf.list()} == {before.key, now.key}


async def test_a_run_that_goes_on_keeps_its_id(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        again = patient.options(id="a", id_policy="restart_ended")
        run = await hf.start(again, "go")

        assert (await hf.start(again, "go")).key == run.key
        with pytest.raises(RunExists, match="it has name='go', not name='stop'"):
            await hf.start(again, "stop")
        with pytest.raises(RunExists, match="it is a run of 'patient'"):
            await hf.start(simple.options(id="a", id_policy="restart_ended"))

        assert not (await run.status()).is_final
        assert len(await hf.list()) == 1


async def test_a_run_that_has_lost_its_id_is_retried_as_what_it_was(store_url: str) -> None:
    is_broken.append(True)
    async with Holdfast(store_url, catalog=catalog) as hf:
        again = simple.options(id="a", id_policy="restart_ended")
        old = await hf.start(again, 1)
        with pytest.raises(Exception, match="broken"):
            await old.result(timeout=SOON)
        is_broken.clear()
        new = await hf.start(again, 2)
        assert await new.result(timeout=SOON) == "a 2"

        await old.retry()

        assert await old.result(timeout=SOON) == "a 1"
        assert (await hf.get("a")).key == new.key


# --- replace


async def test_a_run_that_no_node_has_is_replaced(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        old = await hf.start(patient, id="a")

        new = await hf.start(simple.options(id="a", id_policy="replace", by="ann"), 5)

        info = await old.describe()
        assert info.status is RunStatus.CANCELLED
        assert info.failure is not None
        assert info.failure.message == f"terminated by ann: replaced by run {(await new.describe()).key}"
        [told] = await hf.messages(old)
        assert (told.kind, told.by, told.is_read) == ("terminate", "ann", True)
        assert (await hf.get("a")).key == new.key
        assert await new.status() is RunStatus.PENDING


async def test_a_run_is_replaced_while_a_node_runs_its_task(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=catalog) as node,
        Holdfast(store_url, catalog=catalog, engine=False) as hf,
    ):
        old = await node.start(busy, "first", id="a")
        await until(lambda: _is_recorded(hf, old))  # the node has nothing more to write for it

        new = await hf.start(busy.options(id="a", id_policy="replace"), "second")

        with pytest.raises(RunCancelled, match="replaced by run"):
            await old.result(timeout=SOON)
        await until(lambda: "first ended" in heard and "second began" in heard)
        assert [each.status for each in await hf.tasks(old)] == [TaskStatus.CANCELLED]
        assert not (await new.status()).is_final
        await new.terminate()
        await until(lambda: "second ended" in heard)


async def test_a_node_forgets_a_run_that_waits_when_it_is_replaced(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "holdfast.engine")
    async with (
        Holdfast(store_url, catalog=catalog) as node,
        Holdfast(store_url, catalog=catalog, engine=False) as hf,
    ):
        old = await node.start(patient, "go", id="a")
        engine: Any = node._engine  # pyright: ignore[reportPrivateUsage]
        await until(lambda: engine.has(old.key))

        new = await hf.start(patient.options(id="a", id_policy="replace"), "go")

        await until(lambda: not engine.has(old.key))
        await hf.signal("a", "go", 7)
        assert await new.result(timeout=SOON) == 7
        assert (await old.describe()).status is RunStatus.CANCELLED
    assert "forgets 1 runs that newer ones have replaced" in caplog.text
    assert "lost" not in caplog.text


async def test_a_run_is_replaced_at_every_crash(new_database: Callable[[], str]) -> None:
    async def replace(run: Any) -> None:
        hf = run._client
        await _appeared(hf, "child")
        new = await hf.start(simple.options(id="child", id_policy="replace"), 2)
        assert await new.result() == "child 2"

    result = await assert_durable(grandparent, during=replace, catalog=catalog, new_database=new_database)

    assert result == "it was replaced"


async def test_clients_that_replace_one_run_at_the_same_time_leave_one(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=catalog) as node,
        Holdfast(store_url, catalog=catalog, engine=False) as one,
        Holdfast(store_url, catalog=catalog, engine=False) as other,
    ):
        await node.start(patient, "0", id="a")
        starts = [
            hf.start(patient.options(id="a", id_policy="replace"), str(number))
            for number, hf in enumerate([one, other] * 10)
        ]
        runs = await asyncio.gather(*starts)

        last = await node.get("a")
        alive = [info for info in await node.list() if not info.status.is_final]
        assert [info.id for info in alive] == ["a"]
        assert last.key in {run.key for run in runs}
        assert len(await node.list()) == 21
        chain, info = 0, await last.describe()
        while info.previous is not None:
            chain, info = chain + 1, await node.describe(info.previous)
        assert chain == 20


async def test_clients_that_restart_an_ended_run_at_the_same_time_start_one(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=catalog, engine=False) as one,
        Holdfast(store_url, catalog=catalog, engine=False) as other,
    ):
        await (await one.start(patient, id="a")).terminate()
        again = patient.options(id="a", id_policy="restart_ended")

        runs = await asyncio.gather(*(hf.start(again) for hf in [one, other] * 5))

        assert len({run.key for run in runs}) == 1
        assert len(await one.list()) == 2


async def test_children_of_a_replaced_run_end_or_stay_and_the_new_run_has_its_own(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        await hf.start(parent, "one", id="a")
        attached, left = await _appeared(hf, "a/1"), await _appeared(hf, "one left")

        new = await hf.start(parent.options(id="a", id_policy="replace"), "two")

        with pytest.raises(RunCancelled, match="its parent was replaced"):
            await attached.result(timeout=SOON)
        assert not (await left.status()).is_final
        theirs = await _appeared(hf, "a~2/1")
        await theirs.signal("attached", 1)
        await (await _appeared(hf, "two left")).signal("go", 2)
        assert await new.result(timeout=SOON) == [1, 2]


async def test_a_parent_hears_that_its_child_was_replaced(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(grandparent)
        await _appeared(hf, "child")

        await hf.start(patient.options(id="child", id_policy="replace"))

        assert await run.result(timeout=SOON) == "it was replaced"


# --- many, and refusals


async def test_many_ids_are_taken_in_one_call(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as hf:
        ids = ["a", "b", "c"]
        await (await hf.start(patient, id="a")).terminate()
        alive = await hf.start(patient, id="b")

        again = await hf.start_many(patient.options(id_policy="restart_ended"), ["go"] * 3, ids=ids)
        assert again[1].key == alive.key
        assert len(await hf.list()) == 4

        await hf.start_many(patient.options(id_policy="replace"), ["go"] * 3, ids=ids)
        assert await hf.select(status="pending").count() == 3
        assert await alive.status() is RunStatus.CANCELLED
        with pytest.raises(BadOption, match="each once"):
            await hf.start_many(patient.options(id_policy="replace"), ["go"] * 2, ids=["a", "a"])
        with pytest.raises(BadOption, match="together with an id"):
            await hf.start_many(patient.options(id_policy="replace"), ["go"] * 2)
        with pytest.raises(BadOption, match="together with an id"):
            await hf.start(patient.options(id_policy="replace"))
        assert len(await hf.list()) == 7


async def test_a_process_that_has_only_its_own_runs_takes_up_the_new_one(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine="own") as hf:
        await hf.start(patient, id="a")

        new = await hf.start(simple.options(id="a", id_policy="replace"), 3)

        assert await new.result(timeout=SOON) == "a 3"
