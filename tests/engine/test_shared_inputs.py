"""What all branches of a foreach have in common is stored once, and every branch gets it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import msgspec
import pytest
from tests.engine.test_bounded_work import watch_commits

from holdfast import Catalog, FlowWorkflow, Holdfast, RunFailed, load_dag, load_flow, task
from holdfast.authoring.flow import branches
from holdfast.client.workers import queue_id
from holdfast.core.journal import BranchAsked, TaskAsked, read_step
from holdfast.core.values import TaskStatus
from holdfast.ports.commits import Commit
from holdfast.testing import Environment, assert_durable

BALLAST = "x" * 50_000
ITEMS = list(range(20))

FLOW = """
start: work
nodes:
  work:
    kind: foreach
    exec_type: local_func
    func: work
    parallel_mode: concurrent
    max_parallel: 3
    prep: {input_key: $params.items}
    post: {output_key: all}
"""
FOR_WORKERS = FLOW.replace("local_func", "queue").replace("func: work", "service: work")


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


def foreach(folder: Path, catalog: Catalog, text: str = FLOW) -> FlowWorkflow:
    file = folder / "flow.yaml"
    file.write_text(text)

    @task(name="work", catalog=catalog)
    async def work(item: int, ballast: str, items: list[int]) -> int:
        assert ballast == BALLAST
        if item in broken:
            raise ValueError(f"{item} is broken")
        return item + len(items)

    return load_flow(file, catalog=catalog)


broken: set[int] = set()


@pytest.fixture(autouse=True)
def nothing_is_broken() -> None:
    broken.clear()


def stored_bytes(commits: list[Commit]) -> int:
    steps = sum(len(step.step) for commit in commits for step in commit.steps)
    tasks = sum(len(row.input) for commit in commits for row in (*commit.tasks, *commit.branches))
    return steps + tasks + sum(len(row.fields) for commit in commits for row in commit.shared_inputs)


async def test_the_params_of_a_foreach_are_stored_once(
    store_url: str, tmp_path: Path, catalog: Catalog
) -> None:
    flow = foreach(tmp_path, catalog)
    async with Holdfast(store_url, catalog=catalog) as hf:
        commits = watch_commits(hf)
        result = await hf.run(flow, items=ITEMS, ballast=BALLAST)

    assert result["all"] == [item + 20 for item in ITEMS]
    assert stored_bytes(commits) < 1.2 * len(BALLAST)


async def test_the_inputs_of_a_dags_foreach_are_stored_once(
    store_url: str, tmp_path: Path, catalog: Catalog
) -> None:
    (tmp_path / "work.py").write_text(
        "def work(item, ballast, again, index):\n    return [item, len(ballast), ballast == again, index]\n"
    )
    (tmp_path / "dag.yaml").write_text(
        dedent("""
        name: dag
        input: {items: [any], ballast: str}
        tasks:
          work:
            foreach: input.items
            file: work.py
            function: work
            inputs:
              item: {ref: item}
              ballast: {ref: input.ballast}
              index: {ref: parallel_index}
              again: {ref: input.ballast}
        """)
    )
    dag = load_dag(tmp_path / "dag.yaml", catalog=catalog)
    async with Holdfast(store_url, catalog=catalog) as hf:
        commits = watch_commits(hf)
        run = await hf.start(dag, items=["a", "b", "c"], ballast=BALLAST)
        result = await run.result()
        rows = await hf.list_tasks(run)
        summaries = await hf._store.list_task_summaries(hf.namespace, rows[0].run, 0, 10)

    assert result["work"] == [["a", 50_000, True, 0], ["b", 50_000, True, 1], ["c", 50_000, True, 2]]
    assert stored_bytes(commits) < 2.2 * len(BALLAST)
    assert [(row.index, row.count) for row in summaries] == [(0, 3), (1, 3), (2, 3)]
    given = [msgspec.json.decode(row.input) for row in rows]
    assert [each["item"] for each in given] == ["a", "b", "c"]
    assert all(each["ballast"] == each["again"] == BALLAST for each in given)


async def test_small_params_are_stored_with_every_branch_as_ever(tmp_path: Path, catalog: Catalog) -> None:
    flow = foreach(tmp_path, catalog, FLOW.replace("func: work", "func: small"))

    @task(name="small", catalog=catalog)
    async def small(item: int, ballast: str) -> int:
        return item

    async with Environment(catalog=catalog) as env:
        run = await env.start(flow, items=ITEMS, ballast="small")
        await run.result()
        rows = await env.list_tasks(run)
        asked = [each for data in (await env.history(run)).steps for each in read_step(0, data).asked]

    assert rows[1].input == msgspec.json.encode(
        {"input": 0, "params": {"items": ITEMS, "ballast": "small"}, "index": 0}
    )
    assert {type(each) for each in asked if isinstance(each, TaskAsked)} == {TaskAsked}


async def test_a_foreach_goes_on_after_a_crash_at_every_commit(
    tmp_path: Path, catalog: Catalog, new_database: Callable[[], str]
) -> None:
    flow = foreach(tmp_path, catalog)

    result = await assert_durable(
        flow, catalog=catalog, new_database=new_database, items=ITEMS[:5], ballast=BALLAST
    )

    assert result["all"] == [item + 5 for item in ITEMS[:5]]


async def test_branches_that_are_started_after_a_crash_use_what_is_stored(
    store_url: str, tmp_path: Path, catalog: Catalog
) -> None:
    flow = foreach(tmp_path, catalog, FOR_WORKERS)
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow, items=ITEMS[:6], ballast=BALLAST)
        await env.wait_until_quiet()
        given: list[dict[str, Any]] = []
        for number in range(6):
            await env.crash()
            await env.wait_until_quiet()
            item = await env.workers.poll("w1", ["work"])
            assert item is not None
            given.append(msgspec.json.decode(item.input))
            await env.workers.complete(queue_id(item), result=number)
            await env.wait_until_quiet()

        assert (await run.result())["all"] == list(range(6))
        asked = [each for data in (await env.history(run)).steps for each in read_step(0, data).asked]
    assert [each["input"] for each in given] == ITEMS[:6]
    assert all(each["params"]["ballast"] == BALLAST for each in given)
    assert {each.shares for each in asked if isinstance(each, BranchAsked)} == {1}


async def test_a_retry_gives_failed_branches_their_whole_input(
    store_url: str, tmp_path: Path, catalog: Catalog
) -> None:
    flow = foreach(tmp_path, catalog)
    broken.update((2, 4))
    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow, items=ITEMS, ballast=BALLAST)
        with pytest.raises(RunFailed):
            await run.result()
        broken.clear()
        await env.retry(run)

        assert (await run.result())["all"] == [item + 20 for item in ITEMS]
        rows = await env.list_tasks(run)
    assert {row.status for row in rows if row.name == "work/item"} == {TaskStatus.SUCCESS}


async def test_a_foreach_that_an_earlier_version_began_goes_on(
    store_url: str, tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = foreach(tmp_path, catalog, FOR_WORKERS)
    async with Environment(store_url, catalog=catalog) as env:
        with monkeypatch.context() as patch:
            patch.setattr(branches, "SHARED_FROM", 10**9)
            run = await env.start(flow, items=ITEMS[:6], ballast=BALLAST)
            await env.wait_until_quiet()
        await env.crash()
        await env.skip(dt.timedelta(minutes=1))
        for number in range(6):
            item = await env.workers.poll("w1", ["work"])
            assert item is not None
            assert msgspec.json.decode(item.input)["params"]["ballast"] == BALLAST
            await env.workers.complete(queue_id(item), result=number)
            await env.wait_until_quiet()

        assert (await run.result())["all"] == list(range(6))
        asked = [each for data in (await env.history(run)).steps for each in read_step(0, data).asked]
    assert [type(each) for each in asked if isinstance(each, TaskAsked)] == [TaskAsked] * 3 + [
        BranchAsked
    ] * 3


async def test_an_input_that_is_too_large_in_all_is_refused(tmp_path: Path, catalog: Catalog) -> None:
    flow = foreach(tmp_path, catalog)
    async with Environment(catalog=catalog, max_payload_bytes=60_000) as env:
        run = await env.start(flow, items=[1, 2], ballast=BALLAST)
        await run.result()
        with pytest.raises(RunFailed, match="the input of node 'work' takes"):
            await env.run(flow, items=[1, "y" * 5_000], ballast="x" * 54_900)
