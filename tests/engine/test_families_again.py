"""Retries of a DAG that calls workflows: parent and children are opened at once, and go on in turn."""

from __future__ import annotations

import asyncio
import datetime as dt
from pathlib import Path

import pytest

from holdfast import Catalog, RunFailed, RunStatus, context, load_dag, workflow
from holdfast.testing import Environment

DAG = """\
name: parent
tasks:
  call: {workflow: child}
  after: {depends_on: call, command: echo after}
"""


@pytest.mark.parametrize("is_quick", [True, False], ids=["it has ended since", "it goes on"])
async def test_a_dag_whose_child_was_opened_again_without_it_can_be_retried(
    store_url: str, tmp_path: Path, is_quick: bool
) -> None:
    catalog = Catalog()
    is_broken = True

    @workflow(catalog=catalog)
    async def child() -> str:
        if is_broken:
            raise ValueError("broken")
        if not is_quick:
            await context().signal("go")
        return "mended"

    file = tmp_path / "parent.yaml"
    file.write_text(DAG)
    dag = load_dag(file, catalog=catalog)
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(dag, id="parent")
        with pytest.raises(RunFailed, match="broken"):
            await run.result()
        is_broken = False
        [history] = await env.crash_points.load(env.namespace, [await env.key_of("parent/call")])
        assert await env.crash_points.reopen(env.namespace, await env._families._plan(history))
        await env.wait_until_quiet()

        await env.crash()
        await run.retry()
        await env.wait_until_quiet()
        if not is_quick:
            await env.signal("parent/call", "go")

        assert await run.result() == {"after": None}
        assert [(task.name, task.status) for task in await env.list_tasks(run)][-1] == ("after", "success")
        assert (await env.describe("parent/call")).status is RunStatus.SUCCESS
        assert await env.doctor() == []


FAN_OUT = """\
name: parent
tasks:
  call: {workflow: child, parallel: 6, concurrency: 2, inputs: {number: {ref: parallel_index}}}
"""


async def test_a_retry_lets_no_more_children_go_on_at_once_than_the_task_allows(
    store_url: str, tmp_path: Path
) -> None:
    catalog = Catalog()
    is_broken = True
    under_way: set[int] = set()
    most = 0

    @workflow(catalog=catalog)
    async def child(number: int) -> int:
        nonlocal most
        if is_broken:
            raise ValueError("broken")
        under_way.add(number)
        most = max(most, len(under_way))
        await asyncio.sleep(5)
        under_way.discard(number)
        return number

    file = tmp_path / "parent.yaml"
    file.write_text(FAN_OUT)
    dag = load_dag(file, catalog=catalog)
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(dag, id="parent")
        with pytest.raises(RunFailed, match="broken"):
            await run.result()
        is_broken = False

        await run.retry()
        await env.skip(dt.timedelta(seconds=1))

        waiting = [(await env.describe(f"parent/call/{index}")).waiting for index in range(6)]
        assert waiting[2:] == ["its turn in parent"] * 4
        assert await run.result() == {"call": [0, 1, 2, 3, 4, 5]}
        assert most == 2
        assert [task.index for task in await env.tasks(run)] == [0, 1, 2, 3, 4, 5] * 2
        assert await env.doctor() == []


async def test_a_child_that_is_cancelled_before_its_turn_fails_its_task_and_holds_up_nobody(
    store_url: str, tmp_path: Path
) -> None:
    catalog = Catalog()
    is_broken = True

    @workflow(catalog=catalog)
    async def child(number: int) -> int:
        if is_broken:
            raise ValueError("broken")
        await asyncio.sleep(5)
        return number

    file = tmp_path / "parent.yaml"
    file.write_text(FAN_OUT)
    dag = load_dag(file, catalog=catalog)
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(dag, id="parent")
        with pytest.raises(RunFailed, match="broken"):
            await run.result()
        is_broken = False
        await run.retry()
        await env.skip(dt.timedelta(seconds=1))

        await env.cancel("parent/call/4", "not this one")
        await env.crash()
        with pytest.raises(RunFailed, match="not this one"):
            await run.result()

        states = [(await env.describe(f"parent/call/{index}")).status for index in range(6)]
        assert [str(state) for state in states] == [*["success"] * 4, "cancelled", "success"]
        await run.retry()
        assert await run.result() == {"call": [0, 1, 2, 3, 4, 5]}
