"""Tasks that are started by themselves: a run like any other, without a workflow around the task."""

from __future__ import annotations

import asyncio
import datetime as dt
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE, SOON

from holdfast import (
    Catalog,
    Holdfast,
    Retry,
    Run,
    RunCancelled,
    RunStatus,
    context,
    task,
    task_context,
    with_options,
    workflow,
)
from holdfast.core.records import TASK_VERSION
from holdfast.errors import BadOption, NotPublished, UnknownTask, UnknownWorkflow, WrongType
from holdfast.testing import Environment

SECOND = dt.timedelta(seconds=1)
catalog = Catalog()
broken: set[str] = set()
hanging = asyncio.Event()


class Declined(Exception):
    pass


@task(catalog=catalog)
async def charge(order: str, cents: int = 5) -> str:
    if order in broken:
        raise Declined(order)
    return f"{order}: {cents}"


@task(catalog=catalog, retry=Retry(max_attempts=3, first_delay=SECOND))
async def try_thrice() -> int:
    if task_context().attempt < 3:
        raise Declined("not yet")
    return task_context().attempt


@task(catalog=catalog)
async def hang_once() -> int:
    if task_context().attempt == 1:
        hanging.set()
        await asyncio.sleep(1_000_000)
    return task_context().attempt


@task(catalog=catalog, name="same")
async def task_same(value: int) -> str:
    return f"task {value}"


@workflow(catalog=catalog, name="same")
async def workflow_same(value: int) -> str:
    return f"workflow around {await task_same(value)}"


FLOW = {"start": "a", "nodes": {"a": {"kind": "executor", "service": "sum"}}, "edges": []}


# --- starting


async def test_a_task_is_run_without_a_workflow(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        run: Run[str] = await hf.start(charge, "a", cents=7, id="order-1")
        result: str = await run.result(timeout=SOON)

        assert result == "a: 7"
        assert await hf.run(charge, "b") == "b: 5"
        info = await hf.describe("order-1")
        [row] = await hf.list_tasks("order-1")
        assert (info.workflow, info.version, info.status) == ("charge", TASK_VERSION, RunStatus.SUCCESS)
        assert (row.seq, row.name, row.input) == (0, "charge", b'{"order":"a","cents":7}')
        assert info.input == {"order": "a", "cents": 7}
        assert await hf.result("order-1", str) == "a: 7"
        assert [info.id for info in await hf.list(workflow=charge, limit=10)][-1] == "order-1"
        assert await hf.doctor() == []


async def test_many_are_started_together_and_an_id_is_one_run(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        runs = await hf.start_many(charge, [("a", 1), "b", ("c", 3)], ids=["1", "2", "3"])
        again = await hf.start(charge, "b", id="2")

        assert [await run.result(timeout=SOON) for run in runs] == ["a: 1", "b: 5", "c: 3"]
        assert again.key == runs[1].key
        assert len(await hf.list()) == 3


async def test_a_task_is_started_by_its_name_for_another_process(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        run = await client.start("charge", "a")
        async with Holdfast(store_url, catalog=catalog):
            assert await run.result(timeout=SOON) == "a: 5"


async def test_a_node_without_the_task_leaves_its_runs_alone(store_url: str) -> None:
    async with (
        Environment(store_url, catalog=Catalog()) as env,
        Holdfast(store_url, catalog=catalog, engine=False) as client,
    ):
        run = await client.start(charge, "a")
        await env.skip(60 * SECOND)

        assert await run.status() is RunStatus.PENDING
        [stranded] = await env.doctor()
        assert "no node has task 'charge'" in stranded.problem


async def test_a_name_means_the_workflow_if_there_is_one(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        by_name = await hf.start("same", 1)
        by_version = await hf.start("same", 2, version=TASK_VERSION)
        runs = [by_name, by_version, await hf.start(task_same, 3), await hf.start(workflow_same, 4)]

        assert [await run.result(timeout=SOON) for run in runs] == [
            "workflow around task 1",
            "task 2",
            "task 3",
            "workflow around task 4",
        ]
        versions = [(await run.describe()).version for run in runs]
        assert [version == TASK_VERSION for version in versions] == [False, True, True, False]


async def test_a_name_means_the_published_flow_if_there_is_one(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        await hf.flows.create("charge")
        await hf.flows.save_draft("charge", FLOW)
        with pytest.raises(NotPublished):
            await hf.start("charge", order="a")

        await hf.flows.publish("charge", FLOW)
        run = await hf.start("charge")

        assert (await run.describe()).version == "2"
        assert await hf.run(charge, "a") == "a: 5"


async def test_what_no_task_can_be_started_with_is_refused(store_url: str) -> None:
    other = Catalog()

    @task(catalog=other)
    async def elsewhere() -> None: ...

    async with Holdfast(store_url, catalog=catalog) as hf:
        with pytest.raises(UnknownTask, match="elsewhere"):
            await hf.start(elsewhere)
        with pytest.raises(UnknownWorkflow, match="elsewhere"):
            await hf.start("elsewhere")
        with pytest.raises(BadOption, match="version is '2', but must be left out: 'charge' is a task"):
            await hf.start(charge, "a", version=2)
        with pytest.raises(WrongType, match="cents"):
            await hf.start(charge, "a", cents="x")
        with pytest.raises(WrongType, match="is @workflow or @task missing"):
            await hf.start(charge.function, "a")
        assert await hf.list() == []


# --- what a run can do


async def test_the_policy_of_the_task_counts(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(try_thrice, id="thrice")

        assert await run.result() == 3
        assert len(await env.attempts(run)) == 2


async def test_or_the_options_that_a_run_of_it_was_given_on_whichever_node_it_runs(store_url: str) -> None:
    changed = charge.options(retry=Retry(max_attempts=2, first_delay=SECOND))
    broken.add("twice")
    async with Holdfast(store_url, engine=False, catalog=catalog) as caller:
        await caller.start(with_options(changed, id="charge-twice", tags=["vip"]), "twice")
    async with Environment(store_url, catalog=catalog) as env:
        with pytest.raises(Declined):
            await env.result("charge-twice")
        with pytest.raises(Declined):
            await env.run(charge, "twice", id="charge-once")

        assert len(await env.attempts("charge-twice")) == 2
        assert len(await env.attempts("charge-once")) == 1
        assert (await env.describe("charge-twice")).tags == ("vip",)
    with pytest.raises(BadOption, match="give all of them at once"):
        with_options(with_options(charge, id="a"), tags=["b"])


async def test_a_failed_task_is_retried_under_the_same_key(store_url: str) -> None:
    broken.add("card")
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(charge, "card")
        with pytest.raises(Declined, match="card"):
            await run.result()
        failed = await run.describe()
        await env.crash()
        broken.clear()
        await env.retry(run)

        assert await run.result() == "card: 5"
        assert failed.failure is not None
        assert failed.failure.task == f"{failed.key}:0"
        assert env.executions == [f"{failed.key}:0"] * 2


async def test_a_task_is_cancelled_while_it_runs_and_retried(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        run = await hf.start(hang_once)
        await asyncio.wait_for(hanging.wait(), SOON.total_seconds())
        await hf.cancel(run, "enough")
        with pytest.raises(RunCancelled, match="enough"):
            await run.result(timeout=SOON)
        [row] = await hf.tasks(run)
        assert row.status == "cancelled"

        await hf.retry(run)

        assert await run.result(timeout=SOON) == 2


async def test_a_task_that_was_cancelled_before_a_node_took_it_is_retried(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog, engine=False) as client:
        run = await client.start(charge, "a")
        await client.cancel(run, "enough")
        async with Holdfast(store_url, catalog=catalog) as hf:
            with pytest.raises(RunCancelled, match="enough"):
                await run.result(timeout=SOON)
            assert await hf.tasks(run) == []
            await hf.retry(run)

            assert await run.result(timeout=SOON) == "a: 5"


async def test_a_signal_to_a_task_is_recorded_and_changes_nothing(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(try_thrice)
        await env.signal(run, "go", 1)
        await env.resolve(run, "approval", ahead=True)
        await env.crash()

        assert await run.result() == 3
        history = await env.history(run)
        assert [message.name for message in history.messages if message.taken is not None] == [
            "go",
            "approval",
        ]


async def test_a_task_is_started_on_a_schedule(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        await env.schedules.put("nightly", charge, every=dt.timedelta(days=1), input={"order": "{date}"})
        await env.skip(dt.timedelta(days=2))
        triggered = await env.schedules.trigger("nightly")
        await triggered.result()

        infos = await env.list(workflow="charge")
        assert {(info.version, info.status) for info in infos} == {(TASK_VERSION, RunStatus.SUCCESS)}
        assert len(infos) == 3
        assert (await env.schedules.get("nightly")).workflow == "charge@task"


# --- definitions


async def test_a_task_is_registered_when_it_is_first_started_and_may_then_be_edited(store_url: str) -> None:
    def edition(answer: str) -> tuple[Catalog, Any]:
        own = Catalog()

        @task(catalog=own, name="edited")
        async def edited() -> str:
            return answer

        return own, edited

    first, old = edition("old")
    async with Holdfast(store_url, catalog=first) as hf:
        assert not await hf._store.find_definitions("default", [("edited", TASK_VERSION)])
        run = await hf.start(old)
        assert await run.result(timeout=SOON) == "old"
        definition = await hf.definition(run)
        assert definition is not None
        assert (definition.kind, definition.origin.partition(":")[0]) == ("task", __name__)
        assert "async def edited" in definition.source

    other = Catalog()

    @task(catalog=other)
    def edited(added: int = 1) -> str:
        return f"new {added}"

    async with Holdfast(store_url, catalog=other) as hf:
        assert await hf.run(edited) == "new 1"


async def test_a_workflow_cannot_have_the_version_of_tasks_nor_start_a_task_as_a_child(
    store_url: str,
) -> None:
    own = Catalog()
    with pytest.raises(BadOption, match="kept for tasks"):

        @workflow(catalog=own, version=TASK_VERSION)
        async def reserved() -> None: ...

    @task(catalog=own)
    async def small() -> int:
        return 1

    @workflow(catalog=own)
    async def parent() -> list[str]:
        refusals: list[str] = []
        for given, version in ((small, None), ("small", TASK_VERSION)):
            try:
                context().start_child(given, version=version)
            except WrongType as error:
                refusals.append(str(error))
        return [*refusals, str(await small())]

    async with Holdfast(store_url, catalog=own) as hf:
        *refusals, result = await hf.run(parent)

        assert result == "1"
        assert len(refusals) == 2
        assert all("'small' is a task; a workflow calls it as a function" in refusal for refusal in refusals)


_SCRIPT = """
import asyncio, os, sys
from holdfast import Holdfast, task

@task
async def deliver(letter: str) -> str:
    {body}

async def main():
    async with Holdfast(sys.argv[1], lease_seconds=2) as hf:
        run = await hf.start(deliver, "a", id="letter")
        print(await run.result())

asyncio.run(main())
"""


def test_a_task_goes_on_with_edited_code_in_the_next_process(store_url: str, tmp_path: Path) -> None:
    def run(body: str) -> str:
        file = tmp_path / "letters.py"
        file.write_text(_SCRIPT.format(body=body))
        command = [sys.executable, str(file), store_url]
        return subprocess.run(
            command, stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=False
        ).stdout

    assert run("os._exit(9)") == ""
    assert run('return f"delivered {letter}"') == "delivered a\n"
