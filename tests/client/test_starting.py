"""Starting runs: once for each id, many at once, here or for another process, and refused whole."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.patience import SOON

from holdfast import Catalog, Holdfast, RunStatus, context, task, workflow
from holdfast.errors import (
    BadOption,
    BadUrl,
    CannotStore,
    NotOpen,
    PayloadTooLarge,
    UnknownWorkflow,
    VersionConflict,
    WrongType,
)
from holdfast.testing import Environment

catalog = Catalog()


@task(catalog=catalog)
async def double(number: int) -> int:
    return number * 2


@task(catalog=catalog)
def triple(number: int) -> int:
    return number * 3


@workflow(catalog=catalog)
async def both(number: int, label: str = "none") -> list[Any]:
    return [await double(number), await triple(number), label]


@workflow(catalog=catalog)
async def patient() -> Any:
    return await context().signal("go")


# --- idempotent on id


async def test_many_starts_of_one_id_at_once_are_one_run(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        runs = await asyncio.gather(*[hf.start(both, 3, id="order-42") for _ in range(50)])
        results = await asyncio.gather(*[run.result(timeout=SOON) for run in runs])

        assert len({run.key for run in runs}) == 1
        assert all(result == results[0] for result in results)
        assert len(await hf.list()) == 1


async def test_starting_an_id_again_gives_the_run_there_is_also_after_it_ended(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        first = await env.start(both, 1, id="order-42")
        await first.result()
        await env.crash()
        second = await env.start(both, 1, id="order-42")

        assert second.key == first.key
        assert await second.result() == [2, 3, "none"]
        assert env.executions == [f"{(await first.describe()).key}:0", f"{(await first.describe()).key}:1"]


async def test_two_processes_that_start_one_id_start_one_run(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=catalog) as one,
        Holdfast(store_url, catalog=catalog) as other,
        Holdfast(store_url, catalog=catalog, engine=False) as third,
    ):
        starts = [hf.start(both, 5, id=f"id-{n}") for n in range(20) for hf in (one, other, third)]
        runs = await asyncio.gather(*starts)
        results = await asyncio.gather(*[run.result(timeout=SOON) for run in runs])

        assert results == [[10, 15, "none"]] * 60
        assert len(await third.list(limit=1000)) == 20


# --- many at once


async def test_many_runs_are_started_in_one_batch_in_the_order_of_their_inputs(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        before = env.crash_points.commits
        runs = await env.start_many(both, [1, (2,), (3, "x")], ids=["a", "b", "c"])

        assert env.crash_points.commits == before + 1
        assert [run.id for run in runs] == ["a", "b", "c"]
        assert [await run.result() for run in runs] == [[2, 3, "none"], [4, 6, "none"], [6, 9, "x"]]


async def test_a_batch_with_one_bad_input_starts_nothing() -> None:
    async with Environment(catalog=catalog) as env:
        with pytest.raises(WrongType):
            await env.start_many(both, [1, "two", 3])
        with pytest.raises(BadOption, match="as many as there are inputs"):
            await env.start_many(both, [1, 2], ids=["a"])
        with pytest.raises(BadOption, match="id"):
            await env.start_many(both, [1, 2], ids=["a", ""])

        assert await env.start_many(both, []) == []
        assert await env.list() == []


# --- without an engine


async def test_a_client_without_an_engine_starts_what_another_process_does(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        run = await client.start(both, 4, id="remote")
        assert await run.status() is RunStatus.PENDING
        waiting = asyncio.ensure_future(run.result(timeout=SOON))

        async with Holdfast(store_url, catalog=catalog) as worker:
            assert await waiting == [8, 12, "none"]
            many = await client.start_many(both, range(30))
            assert [(await each.result(timeout=SOON))[0] for each in many] == [2 * n for n in range(30)]
            assert await worker.doctor() == []


async def test_a_client_without_an_engine_can_signal_and_cancel(store_url: str) -> None:
    async with (
        Holdfast(store_url, catalog=catalog) as worker,
        Holdfast(store_url, catalog=catalog, engine=False) as client,
    ):
        run = await worker.start(patient, id="patient")
        await client.signal("patient", "go", "from afar")

        assert await run.result(timeout=SOON) == "from afar"
        assert await client.result("patient") == "from afar"


async def test_a_run_can_be_started_by_name_only_where_it_is_known(store_url: str) -> None:
    async with Holdfast(store_url, catalog=Catalog(), engine=False) as stranger:
        with pytest.raises(UnknownWorkflow, match="no workflow 'both' is registered here; none are"):
            await stranger.start("both", 1)


# --- refused whole, at the door


async def test_bad_starts_are_refused_with_the_reason_and_change_nothing() -> None:
    async with Environment(catalog=catalog, max_payload_bytes=1000) as env:
        with pytest.raises(UnknownWorkflow, match=r"no workflow 'nobody' is registered here; known are both"):
            await env.start("nobody")
        with pytest.raises(UnknownWorkflow, match="'both version 9'"):
            await env.start("both", 1, version="9")
        with pytest.raises(WrongType, match="is @workflow or @task missing"):
            await env.start(double.function)  # pyright: ignore[reportArgumentType, reportCallIssue]
        with pytest.raises(
            WrongType, match="the arguments of workflow 'both': number: expected int, got str"
        ):
            await env.start(both, "one")
        with pytest.raises(WrongType, match="missing a required argument: 'number'"):
            await env.start(both)
        with pytest.raises(WrongType, match="unexpected keyword argument 'colour'"):
            await env.start(both, 1, colour="red")
        with pytest.raises(
            WrongType, match=r"'tags'; tags is an option of the run: start\(workflow.options\(tags=…"
        ):
            await env.start(both, 1, tags=["red"])
        with pytest.raises(CannotStore, match="number is of type object"):
            await env.start(both, object())
        with pytest.raises(PayloadTooLarge, match=r"over the limit of 1,000; .* max_payload_bytes"):
            await env.start(both, 1, "x" * 2000)
        for id in ("", "x" * 501, "a\x00b", "\ud800", 5):
            with pytest.raises(BadOption, match="id is"):
                await env.start(both, 1, id=id)  # pyright: ignore[reportArgumentType, reportCallIssue]

        assert await env.list() == []
        assert await env.run(both, 1) == [2, 3, "none"]


async def test_a_payload_of_a_hundred_megabytes_is_refused_with_the_limit_named(sqlite_url: str) -> None:
    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        with pytest.raises(
            PayloadTooLarge, match=r"takes 104,857,6.. bytes as JSON, over the limit of 4,194,304"
        ):
            await hf.start(both, 1, "x" * 100 * 1024 * 1024)

        assert await hf.run(both, 1) == [2, 3, "none"]


@pytest.mark.parametrize("url", ["", "shop.db", "mysql://localhost/shop", "sqlite://", "sqlite:///", "://"])
async def test_a_url_that_cannot_be_understood_is_refused(url: str) -> None:
    with pytest.raises(BadUrl) as raised:
        async with Holdfast(url, catalog=catalog):
            pass
    assert repr(url) in str(raised.value)


async def test_a_workflow_with_other_code_under_a_known_version_is_refused(sqlite_url: str) -> None:
    def deployed(answer: int) -> Catalog:
        made = Catalog()

        if answer == 1:

            @workflow(catalog=made, name="fixed", version="1")
            async def one() -> int:
                return 1
        else:

            @workflow(catalog=made, name="fixed", version="1")
            async def two() -> int:
                return 2

        return made

    async with Holdfast(sqlite_url, catalog=deployed(1)) as hf:
        await hf.run("fixed")
    with pytest.raises(VersionConflict, match="give the changed workflow a new version"):
        async with Holdfast(sqlite_url, catalog=deployed(2)):
            pass
    async with Holdfast(sqlite_url, catalog=deployed(2), engine=False) as client:
        with pytest.raises(VersionConflict):
            await client.start("fixed")


async def test_a_holdfast_that_is_not_open_says_so(tmp_path: Path) -> None:
    hf = Holdfast(f"sqlite:///{tmp_path}/x.db", catalog=catalog)
    with pytest.raises(NotOpen, match="async with"):
        await hf.start(both, 1)
    async with hf:
        run = await hf.start(patient, id="patient")

    with pytest.raises(NotOpen):
        await hf.start(both, 1)
    with pytest.raises(NotOpen):
        await run.result()


async def test_namespaces_know_nothing_of_each_other(store_url: str) -> None:
    async with (
        Environment(store_url, catalog=catalog, namespace="one") as one,
        Environment(store_url, catalog=catalog, namespace="two") as two,
    ):
        first, second = await one.start(both, 1, id="same"), await two.start(both, 2, id="same")
        await one.start(patient, id="only-here")
        await one.start(patient, id="both-have")
        await two.start(patient, id="both-have")
        await one.signal("both-have", "go", "one")

        assert (await first.result(), await second.result()) == ([2, 3, "none"], [4, 6, "none"])
        assert await one.result("both-have") == "one"
        assert await (await two.get("both-have")).status() is RunStatus.RUNNING
        assert {run.id for run in await two.list()} == {"same", "both-have"}
        with pytest.raises(LookupError, match="no run 'only-here' in namespace 'two'"):
            await two.signal("only-here", "go")


async def test_a_result_can_be_awaited_gathered_and_made_a_task_of(sqlite_url: str) -> None:
    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        run = await hf.start(both, 2)
        task: Any = asyncio.create_task(run.result())  # pyright: ignore[reportArgumentType]
        async with asyncio.TaskGroup() as group:
            grouped: Any = group.create_task(run.result())  # pyright: ignore[reportArgumentType]

        assert await task == [4, 6, "none"]
        assert grouped.result() == await run.result() == [4, 6, "none"]
        assert await asyncio.gather(run.result(), run.result()) == [[4, 6, "none"]] * 2


async def test_a_task_that_waits_for_a_result_can_be_cancelled_and_others_still_get_it(
    sqlite_url: str,
) -> None:
    async with Holdfast(sqlite_url, catalog=catalog) as hf:
        run = await hf.start(patient)
        impatient: Any = asyncio.create_task(run.result())  # pyright: ignore[reportArgumentType]
        await asyncio.sleep(0)
        impatient.cancel()
        with pytest.raises(asyncio.CancelledError):
            await impatient

        await run.signal("go", "now")
        assert await run.result(timeout=SOON) == "now"


async def test_a_version_asked_for_by_number_wins_over_that_of_the_workflow_given(sqlite_url: str) -> None:
    versions = Catalog()

    @workflow(name="greet", version=1, catalog=versions)
    async def first() -> str:
        return "hello"

    @workflow(name="greet", version=2, catalog=versions)
    async def second() -> str:
        return "good day"

    async with Holdfast(sqlite_url, catalog=versions) as hf:
        assert await (await hf.start(second, version="1")).result() == "hello"
        assert await (await hf.start(first, version="2")).result() == "good day"
        with pytest.raises(UnknownWorkflow):
            await hf.start(first, version="3")
