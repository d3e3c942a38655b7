"""Retries of runs that operators or deadlines have ended: what ended them does not do so again."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.patience import SOON, until

from holdfast import (
    Catalog,
    DeadlineExceeded,
    DeadlineOver,
    Holdfast,
    RunCancelled,
    RunStatus,
    context,
    load_dag,
    load_flow,
    task,
    with_options,
    workflow,
)
from holdfast.core.run_options import NewDeadline
from holdfast.core.values import moment
from holdfast.errors import BadOption
from holdfast.testing import Environment, assert_durable

catalog = Catalog()
SECOND = dt.timedelta(seconds=1)
HOUR = dt.timedelta(hours=1)
done: list[str] = []
gates: dict[str, asyncio.Event] = {}


@task(catalog=catalog)
async def gated(name: str) -> str:
    done.append(name)
    await gates[name].wait()
    return name


@task(catalog=catalog)
async def note_down(what: str) -> str:
    done.append(what)
    return what


@workflow(catalog=catalog)
async def one_task() -> str:
    return await gated("first")


@workflow(catalog=catalog)
async def patient() -> Any:
    return await context().signal("go")


@workflow(catalog=catalog)
async def tidy() -> Any:
    try:
        return await context().signal("go")
    except asyncio.CancelledError:
        await note_down("dirt")
        await note_down("dust")
        raise


@workflow(catalog=catalog)
async def hurried_parent() -> Any:
    return await patient.options(id="child", deadline=60 * SECOND)()


@pytest.fixture(autouse=True)
def forget() -> None:
    done.clear()
    gates.clear()


# --- what operators did


async def test_a_pause_that_came_too_late_does_not_pause_the_retried_run(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        gates["first"] = asyncio.Event()
        run = await hf.start(one_task)
        await until(lambda: done)
        await run.pause("wait")  # the node has heard of it, and lets the task end
        await asyncio.sleep(0.1)
        await run.terminate("no, end it")
        with pytest.raises(RunCancelled):
            await run.result(timeout=SOON)

        gates["first"].set()
        await run.retry()

        assert await run.result(timeout=SOON) == "first"
        assert all(message.is_read for message in await hf.messages(run))


async def test_a_run_that_its_node_has_terminated_goes_on_when_it_is_retried(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        gates["first"] = asyncio.Event()
        run = await hf.start(one_task)
        await until(lambda: done)
        await run.terminate("enough")
        with pytest.raises(RunCancelled):
            await run.result(timeout=SOON)

        gates["first"].set()
        await run.retry()

        assert await run.result(timeout=SOON) == "first"


async def test_a_pause_from_before_the_failed_step_does_not_come_back_with_a_retry(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(patient)
        await env.pause(run)
        await env.wait_until_quiet()
        await env.resume(run)
        await run.cancel()
        with pytest.raises(RunCancelled):
            await run.result()

        await run.retry()
        await env.wait_until_quiet()

        assert await run.status() is RunStatus.RUNNING
        await run.signal("go", 7)
        assert await run.result() == 7


# --- deadlines


async def test_a_run_whose_deadline_has_passed_is_not_retried_without_a_new_one(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await _miss_deadline(env, patient.options(id="late", deadline=60 * SECOND))

        with pytest.raises(
            DeadlineOver, match=r"deadline of run 'late' passed at .* deadline=None"
        ) as refused:
            await run.retry()

        assert (refused.value.id, await run.status()) == ("late", RunStatus.FAILED)
        report = await env.select(workflow="patient").retry()
        assert (report.done, report.refusals) == (0, 1)


@pytest.mark.parametrize("deadline", [HOUR, None, "at"])
async def test_a_new_deadline_counts_from_the_retry_on(store_url: str, deadline: Any) -> None:
    async with Environment(store_url, catalog=catalog) as env:

        def now() -> dt.datetime:
            return moment(env.clock.now())

        run = await _miss_deadline(env, tidy.options(deadline=60 * SECOND, tags=["kept"]))
        assert done == ["dirt", "dust"]

        await run.retry(deadline=now() + HOUR if deadline == "at" else deadline)
        await env.skip(600 * SECOND)

        info = await run.describe()
        assert (info.status, info.tags) == (RunStatus.RUNNING, ("kept",))
        assert info.deadline is None if deadline is None else (info.deadline or now()) > now()
        await run.signal("go", 7)
        assert await run.result() == 7
        assert done == ["dirt", "dust"]


async def test_a_run_misses_its_new_deadline_as_it_missed_the_first(new_database: Callable[[], str]) -> None:
    async def retry(run: Any) -> None:
        info = await run.describe()
        if info.deadline == info.created_at + 60 * SECOND:  # otherwise it was done before the crash
            with pytest.raises(DeadlineExceeded):
                await run.result()
            await run.retry(deadline=90 * SECOND)

    with pytest.raises(DeadlineExceeded):
        await assert_durable(
            tidy.options(deadline=60 * SECOND), during=retry, catalog=catalog, new_database=new_database
        )


@pytest.mark.parametrize("kind", ["dag", "flow"])
async def test_dags_and_flows_get_new_deadlines_too(store_url: str, kind: str, tmp_path: Path) -> None:
    files = Catalog()
    path = tmp_path / "slow.yaml"
    if kind == "dag":
        path.write_text("name: slow\ntasks:\n  wait: {sleep: 10m}\n")
        slow: Any = load_dag(path, catalog=files)
    else:
        path.write_text("name: slow-flow\nstart: wait\nnodes:\n  wait: {kind: approval}\n")
        slow = load_flow(path, catalog=files)
    async with Environment(store_url, catalog=files) as env:
        run = await _miss_deadline(env, with_options(slow, deadline=60 * SECOND))

        await run.retry(deadline=HOUR)
        await env.skip(300 * SECOND)

        assert await run.status() is RunStatus.RUNNING
        if kind == "flow":
            await env.approve(run, "wait")
        await run.result()


async def test_a_dag_ends_at_its_new_deadline(store_url: str, tmp_path: Path) -> None:
    files = Catalog()
    (tmp_path / "slow.yaml").write_text("name: slow\ntasks:\n  wait: {sleep: 10m}\n")
    slow = load_dag(tmp_path / "slow.yaml", catalog=files)
    async with Environment(store_url, catalog=files) as env:
        run = await _miss_deadline(env, with_options(slow, deadline=60 * SECOND))

        await run.retry(deadline=300 * SECOND)

        with pytest.raises(DeadlineExceeded):
            await run.result()
        info = await run.describe()
        assert info.finished_at - info.deadline < 10 * SECOND


async def test_a_task_by_itself_gets_a_new_deadline_too(store_url: str) -> None:
    async with Holdfast(store_url, catalog=catalog) as hf:
        gates["alone"] = asyncio.Event()
        run = await hf.start(with_options(gated, deadline=0.2 * SECOND), "alone")
        with pytest.raises(DeadlineExceeded):
            await run.result(timeout=SOON)

        gates["alone"].set()
        await run.retry(deadline=HOUR)

        assert await run.result(timeout=SOON) == "alone"


async def test_children_whose_deadline_has_passed_get_the_new_one(store_url: str) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await _miss_deadline(env, hurried_parent)
        with pytest.raises(DeadlineOver, match="'child'"):
            await run.retry()

        await run.retry(deadline=HOUR)
        await env.signal("child", "go", 7)

        assert await run.result() == 7


@pytest.mark.parametrize("deadline", ["soon", dt.timedelta(0), dt.datetime(2030, 1, 1)])  # noqa: DTZ001
async def test_a_deadline_that_makes_no_sense_is_refused(store_url: str, deadline: NewDeadline) -> None:
    async with Environment(store_url, catalog=catalog) as env:
        run = await _miss_deadline(env, patient.options(deadline=60 * SECOND))

        with pytest.raises(BadOption, match="deadline"):
            await run.retry(deadline=deadline)

        assert await run.status() is RunStatus.FAILED


async def _miss_deadline(env: Environment, target: Any) -> Any:
    run = await env.start(target)
    with pytest.raises(DeadlineExceeded):
        await run.result()
    return run
