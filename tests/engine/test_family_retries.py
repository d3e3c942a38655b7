"""Retries of a DAG that calls workflows: parent and children are reopened together and go on in turn."""

from __future__ import annotations

import asyncio
import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from holdfast import Catalog, Run, RunCancelled, RunFailed, RunStatus, context, load_dag, workflow
from holdfast.testing import Environment

_SECOND = dt.timedelta(seconds=1)


class Family:
    """A DAG and the workflows that it calls, which fail until they are mended."""

    def __init__(self, folder: Path) -> None:
        self.catalog = Catalog()
        self.is_broken = True
        self.most = 0
        """That were at work at once."""
        self._at_work: set[int] = set()
        self._file = folder / "parent.yaml"

    def check(self) -> None:
        if self.is_broken:
            raise ValueError("broken")

    async def work(self, number: int) -> int:
        self.check()
        self._at_work.add(number)
        self.most = max(self.most, len(self._at_work))
        await asyncio.sleep(5)
        self._at_work.discard(number)
        return number

    async def start(self, env: Environment, tasks: str) -> Run[Any]:
        self._file.write_text(f"name: parent\n{tasks}")
        return await env.start(load_dag(self._file, catalog=self.catalog), id="parent")

    async def fail(self, run: Run[Any]) -> None:
        """Wait for the end of all that is broken, and mend it."""
        with pytest.raises(RunFailed, match="broken"):
            await run.result()
        self.is_broken = False


@pytest.fixture
def family(tmp_path: Path) -> Family:
    return Family(tmp_path)


@pytest.fixture
def workers(family: Family) -> Family:
    """Its children work for five seconds."""

    @workflow(catalog=family.catalog)
    async def child(number: int) -> int:
        return await family.work(number)

    return family


def fan_out(count: int, *, at_once: int) -> str:
    more = "inputs: {number: {ref: parallel_index}}"
    return f"tasks: {{call: {{workflow: child, parallel: {count}, concurrency: {at_once}, {more}}}}}\n"


CALL_AND_GO_ON = """\
tasks:
  call: {workflow: child}
  after: {depends_on: call, command: echo after}
"""


@pytest.mark.parametrize("is_quick", [True, False], ids=["it has ended since", "it goes on"])
async def test_a_dag_whose_child_was_opened_again_without_it_can_be_retried(
    store_url: str, family: Family, is_quick: bool
) -> None:
    @workflow(catalog=family.catalog)
    async def child() -> str:
        family.check()
        if not is_quick:
            await context().signal("go")
        return "mended"

    async with Environment(store_url, catalog=family.catalog) as env:
        run = await family.start(env, CALL_AND_GO_ON)
        await family.fail(run)
        [history] = await env.crash_points.load_histories(env.namespace, [await env.key_of("parent/call")])
        assert await env.crash_points.reopen_runs(env.namespace, await env._families._plan(history.run))
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


ONE = "tasks: {call: {workflow: child, inputs: {number: {const: 7}}}}\n"
EACH = """\
input: {numbers: "[int] = [10, 20]"}
tasks: {call: {workflow: child, foreach: input.numbers, inputs: {number: {ref: item}}}}
"""


@pytest.mark.parametrize(
    ("tasks", "output", "children"),
    [(ONE, 7, ["parent/call"]), (EACH, [10, 20], ["parent/call/0", "parent/call/1"])],
    ids=["one", "each"],
)
async def test_children_that_succeeded_though_they_were_cancelled_are_not_begun_anew_by_a_retry(
    store_url: str, family: Family, tasks: str, output: object, children: list[str]
) -> None:
    @workflow(catalog=family.catalog)
    async def child(number: int) -> int:
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            pass  # as code may that has nothing to give up
        return number

    async with Environment(store_url, catalog=family.catalog) as env:
        run = await family.start(env, tasks)
        await env.skip(_SECOND)
        await run.cancel("stop")
        with pytest.raises(RunCancelled):
            await run.result()
        await env.wait_until_quiet()
        assert [(await env.describe(child)).status for child in children] == ["success"] * len(children)

        await run.retry()

        assert await run.result() == {"call": output}
        assert sorted(str(each.id) for each in await env.list()) == ["parent", *children]
        assert await env.doctor() == []


async def test_a_retry_lets_no_more_children_go_on_at_once_than_the_task_allows(
    store_url: str, workers: Family
) -> None:
    async with Environment(store_url, catalog=workers.catalog) as env:
        run = await workers.start(env, fan_out(6, at_once=2))
        await workers.fail(run)

        await run.retry()
        await env.skip(_SECOND)

        waiting = [(await env.describe(f"parent/call/{index}")).waiting for index in range(6)]
        assert waiting[2:] == ["its turn in parent"] * 4
        assert await run.result() == {"call": [0, 1, 2, 3, 4, 5]}
        assert workers.most == 2
        assert [task.index for task in await env.tasks(run)] == [0, 1, 2, 3, 4, 5] * 2
        assert await env.doctor() == []


async def test_a_signal_does_not_let_a_child_go_on_before_its_turn(store_url: str, workers: Family) -> None:
    async with Environment(store_url, catalog=workers.catalog) as env:
        run = await workers.start(env, fan_out(4, at_once=1))
        await workers.fail(run)
        await run.retry()
        await env.skip(_SECOND)

        for index in (1, 2, 3):
            await env.signal(f"parent/call/{index}", "hello")

        assert await run.result() == {"call": [0, 1, 2, 3]}
        assert workers.most == 1


async def test_a_grandchild_does_not_go_on_before_the_turn_of_its_parent(
    store_url: str, family: Family
) -> None:
    @workflow(catalog=family.catalog)
    async def grandchild(number: int) -> int:
        return await family.work(number)

    @workflow(catalog=family.catalog)
    async def child(number: int) -> int:
        return await context().start_child(grandchild, number)

    async with Environment(store_url, catalog=family.catalog) as env:
        run = await family.start(env, fan_out(4, at_once=1))
        await family.fail(run)

        await run.retry()

        assert await run.result() == {"call": [0, 1, 2, 3]}
        assert family.most == 1
        assert await env.doctor() == []


async def test_a_child_that_has_a_message_to_read_when_its_turn_comes_is_not_stranded(
    store_url: str, family: Family
) -> None:
    @workflow(catalog=family.catalog)
    async def child(number: int) -> int:
        await context().signal("go")
        return await family.work(number)

    async with Environment(store_url, catalog=family.catalog) as env:
        run = await family.start(env, fan_out(3, at_once=1))
        for index in range(3):
            await env.wait_until_quiet()
            await env.signal(f"parent/call/{index}", "go")
        await family.fail(run)

        await run.retry()
        await env.skip(_SECOND)

        assert await env.doctor() == []
        assert await run.result() == {"call": [0, 1, 2]}


async def test_a_run_that_is_cancelled_while_children_wait_for_their_turn_can_be_retried_once_more(
    store_url: str, workers: Family
) -> None:
    async with Environment(store_url, catalog=workers.catalog) as env:
        run = await workers.start(env, fan_out(4, at_once=1))
        await workers.fail(run)
        await run.retry()
        await env.skip(_SECOND)
        await run.cancel("not now")
        with pytest.raises(RunCancelled):
            await run.result()
        await env.wait_until_quiet()

        await run.retry()

        assert await run.result() == {"call": [0, 1, 2, 3]}
        assert await env.doctor() == []


async def test_a_child_that_is_cancelled_before_its_turn_fails_its_task_and_holds_up_nobody(
    store_url: str, workers: Family
) -> None:
    async with Environment(store_url, catalog=workers.catalog) as env:
        run = await workers.start(env, fan_out(6, at_once=2))
        await workers.fail(run)
        await run.retry()
        await env.skip(_SECOND)

        await env.cancel("parent/call/4", "not this one")
        await env.crash()
        with pytest.raises(RunFailed, match="not this one"):
            await run.result()

        states = [(await env.describe(f"parent/call/{index}")).status for index in range(6)]
        assert [str(state) for state in states] == [*["success"] * 4, "cancelled", "success"]
        await run.retry()
        assert await run.result() == {"call": [0, 1, 2, 3, 4, 5]}


async def test_a_child_with_a_past_goes_on_after_two_retries_in_a_row(store_url: str, family: Family) -> None:
    @workflow(catalog=family.catalog)
    async def child(number: int) -> int:
        context().state.set("number", number)
        await asyncio.sleep(1)
        return await family.work(number)

    async with Environment(store_url, catalog=family.catalog) as env:
        run = await family.start(env, fan_out(3, at_once=1))
        await family.fail(run)
        await run.retry()
        await env.skip(_SECOND)
        await env.cancel("parent/call/2", "not this one")
        with pytest.raises(RunFailed, match="not this one"):
            await run.result()

        await run.retry()
        await env.skip(_SECOND)
        await env.crash()

        assert await run.result() == {"call": [0, 1, 2]}
        assert await env.doctor() == []
