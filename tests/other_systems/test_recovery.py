"""Work that was left behind: by a node that died, by a rescuer that died, by a database that went away.

Each test is the shape of a bug that another system had; its docstring names system and issue.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pytest
from tests.chaos.evidence import query
from tests.other_systems.staging import (
    change,
    crash_after,
    lose_connection,
    passing_time,
    replace_node,
    watch_commits,
)

from holdfast import Catalog, Holdfast, RunStatus, Task, Workflow, context, task, workflow
from holdfast.core.values import TaskStatus
from holdfast.testing import Environment

SECOND = dt.timedelta(seconds=1)
HOUR = dt.timedelta(hours=1)


def two_steps(catalog: Catalog, **options: Any) -> Workflow[[int], int]:
    step: Task[[int], int] = task(catalog=catalog, name="step", **options)(_step)

    @workflow(catalog=catalog, name="two_steps")
    async def walk(number: int) -> int:
        return await step(await step(number))

    return walk


async def _step(number: int) -> int:
    return number + 1


async def post_runs(url: str, catalog: Catalog, flow: Workflow[[int], int], count: int) -> None:
    """Runs that nobody has taken yet: `run-0`, `run-1`, …"""
    async with Holdfast(url, engine=False, catalog=catalog) as hf:
        await hf.start_many(flow, range(count), ids=[f"run-{number}" for number in range(count)])


async def attempts(env: Environment, id: str) -> list[tuple[int, str]]:
    rows = await env.crash_points.list_attempts(env.namespace, await env.key_of(id))
    return [(row.seq, row.status) for row in rows]


async def test_runs_of_a_node_that_dies_between_claiming_and_starting_them_are_taken_again(
    store_url: str, catalog: Catalog
) -> None:
    """DBOS 546, Prefect 18324, Hatchet 2432: claimed in one commit, started later or never."""
    flow = two_steps(catalog)
    await post_runs(store_url, catalog, flow, 10)
    async with Environment(store_url, catalog=catalog) as env:
        crash_after(env, lambda _, receipt: bool(receipt.claimed))

        results = [await env.result(f"run-{number}") for number in range(10)]

        assert env.crashes == 1
        assert results == [number + 2 for number in range(10)]
        assert await env.doctor() == []


async def test_a_task_that_was_dispatched_and_never_begun_does_not_wait_for_its_timeout(
    store_url: str, catalog: Catalog
) -> None:
    """Hatchet 2432: assigned in the database, unknown to any worker, until the execution timeout ends it."""
    await post_runs(store_url, catalog, two_steps(catalog, timeout=HOUR), 1)
    async with Environment(store_url, catalog=catalog) as env:
        crash_after(env, lambda commit, _: bool(commit.tasks))
        began = env.clock.time()

        assert await env.result("run-0") == 2
        assert env.crashes == 1
        assert len(env.executions) == 2
        assert await attempts(env, "run-0") == [(0, "lost")]
        assert env.clock.time() - began < 60 * SECOND


@pytest.mark.parametrize(
    ("damage", "status"),
    [
        ("UPDATE journal SET step = {bytes} WHERE run = ({bad})", RunStatus.PARKED),
        ("UPDATE runs SET input = '[]' WHERE key = ({bad})", RunStatus.PARKED),
        ("DELETE FROM tasks WHERE run = ({bad})", RunStatus.PARKED),
        ("UPDATE runs SET version = 'auto-other' WHERE key = ({bad})", RunStatus.SUCCESS),
    ],
)
async def test_one_bad_run_in_a_batch_does_not_keep_the_others_from_starting(
    damage: str, status: RunStatus, store_url: str, catalog: Catalog
) -> None:
    """DBOS 546: one of N claimed runs raises on its way to its start, and those after it are abandoned."""
    step: Task[[int], int] = task(catalog=catalog, name="step")(_step)

    @workflow(catalog=catalog)
    async def flow(number: int) -> int:
        first = await step(number)
        await context().signal("go")
        return await step(first)

    async with Environment(store_url, catalog=catalog) as env:
        await env.start_many(flow, range(5), ids=[f"run-{number}" for number in range(5)])
        await env.wait_until_quiet()
    literal = "'\\xc1'::bytea" if store_url.startswith("postgresql") else "x'c1'"
    bad = "SELECT key FROM runs WHERE id = 'run-2'"
    assert change(store_url, damage.format(bytes=literal, bad=bad))

    async with Environment(store_url, catalog=catalog) as env:
        for number in range(5):
            await env.signal(f"run-{number}", "go")
        results = [await env.result(f"run-{number}") for number in (0, 1, 3, 4)]
        await env.wait_until_quiet()

        assert results == [2, 3, 5, 6]
        assert (await env.describe("run-2")).status is status
        assert await env.doctor() == []


@pytest.mark.parametrize(
    ("method", "is_done"),
    [("load_short_histories", False), ("commit", False), ("commit", True), ("next_work", False)],
)
async def test_recovery_goes_on_when_the_database_comes_back_in_the_middle_of_it(
    method: str, is_done: bool, store_url: str, catalog: Catalog
) -> None:
    """DBOS 716, Kestra 8356: recovery happens once; what an outage takes out of it is forgotten for good."""
    await post_runs(store_url, catalog, two_steps(catalog), 20)
    async with Environment(store_url, catalog=catalog) as env:
        crash_after(env, lambda commit, _: bool(commit.tasks))
        failed = lose_connection(env, method, times=3, is_done=is_done, when=lambda: env.crashes == 1)

        async with passing_time(env):
            results = [await env.result(f"run-{number}") for number in range(20)]

        assert len(failed) == 3
        assert results == [number + 2 for number in range(20)]
        assert env.repeated == []
        assert await env.doctor() == []


async def test_the_end_of_a_child_is_heard_although_the_database_was_away_when_it_was_read(
    store_url: str, catalog: Catalog
) -> None:
    """Kestra 8356: state moves by messages, and one that is lost in an outage is not derived again."""

    @workflow(catalog=catalog)
    async def child(number: int) -> int:
        return await context().signal("go", int) + number

    @workflow(catalog=catalog)
    async def parent() -> list[int]:
        return await asyncio.gather(*[child.options(id=f"child-{n}")(n) for n in range(3)])

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(parent)
        await env.wait_until_quiet()
        failed = lose_connection(env, "ended_runs", times=2)
        for number in range(3):
            await env.signal(f"child-{number}", "go", 10)

        async with passing_time(env):
            results = await run.result()

        assert results == [10, 11, 12]
        assert failed == ["ended_runs"] * 2


async def test_a_rescuer_that_dies_while_rescuing_is_rescued_by_the_next(
    store_url: str, catalog: Catalog
) -> None:
    """Procrastinate 1408: the rescuer is a job itself, dies with its lock, and nobody rescues any more."""
    await post_runs(store_url, catalog, two_steps(catalog), 1)
    async with Environment(store_url, catalog=catalog) as env:
        crash_after(env, lambda _, receipt: bool(receipt.claimed), times=5)

        assert await env.result("run-0") == 2
        assert env.crashes == 5
        assert len(env.executions) == 2
        assert query(store_url, "SELECT id FROM nodes") == [(env.engine.node,)]


async def test_the_row_of_a_dead_node_goes_in_the_commit_that_frees_its_runs(
    store_url: str, catalog: Catalog
) -> None:
    """Procrastinate 1518: the dead worker's row is pruned first, and its jobs belong to nobody."""
    await post_runs(store_url, catalog, two_steps(catalog), 3)
    nobody: list[tuple[Any, ...]] = []

    def note_owners(*_: Any) -> bool:
        nobody.extend(query(store_url, "SELECT owner FROM runs WHERE owner NOT IN (SELECT id FROM nodes)"))
        return False

    async with Environment(store_url, catalog=catalog) as env:
        crash_after(env, lambda commit, _: bool(commit.tasks))
        crash_after(env, note_owners)

        assert [await env.result(f"run-{number}") for number in range(3)] == [2, 3, 4]
        assert env.crashes == 1
        assert nobody == []


async def test_work_of_a_dead_node_whose_lease_is_young_is_taken_when_it_runs_out(
    store_url: str, catalog: Catalog
) -> None:
    """Celery 4976: the new worker looks once, when the dead one's work is not old enough, and never again."""
    go = asyncio.Event()

    @task(catalog=catalog)
    async def wait_here() -> str:
        await go.wait()
        return "done"

    @workflow(catalog=catalog)
    async def flow() -> str:
        return await wait_here()

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow, id="young")
        lease = env._parts.tuning.lease
        died = env.clock.time()
        await replace_node(env)
        go.set()
        await env.skip(lease / 2)
        status_then = (await env.list_tasks(run))[0].status

        assert status_then is TaskStatus.DISPATCHED
        assert await run.result() == "done"
        assert lease <= env.clock.time() - died < 2 * lease


async def test_a_lost_attempt_is_told_from_a_slow_one_by_the_lease_of_its_node(
    store_url: str, catalog: Catalog
) -> None:
    """Procrastinate 740, Prefect 16746: 'doing' has no owner, so a dead worker's job looks slow."""
    go = asyncio.Event()

    @task(catalog=catalog)
    async def slow() -> None:
        await go.wait()

    @workflow(catalog=catalog)
    async def flow() -> str:
        await slow()
        return "done"

    async with Environment(store_url, catalog=catalog) as env:
        run = await env.start(flow, id="slow")
        seen = watch_commits(env)
        for _ in range(20):
            env.clock.advance(env._parts.tuning.lease / 3)
            await asyncio.sleep(0.01)
        while_slow = await attempts(env, "slow")
        renewed = [commit.lease_until for commit, _ in seen]
        await env.crash()
        go.set()

        assert await run.result() == "done"
        assert while_slow == []
        assert len(renewed) >= 20
        assert await attempts(env, "slow") == [(0, "lost")]
        assert len(env.executions) == 2


async def test_a_recovered_run_goes_on_behind_a_queue_of_one_slot(store_url: str, catalog: Catalog) -> None:
    """DBOS 805, Prefect 16746, 18324: it holds the only slot after recovery though nobody executes it."""
    flow = two_steps(catalog, queue="narrow")
    async with Environment(store_url, catalog=catalog, queues={"narrow": 1}) as env:
        crash_after(env, lambda commit, _: any(task.seq == 0 for task in commit.settled))
        runs = await env.start_many(flow, range(5))

        results = [await run.result() for run in runs]
        await env.crash()
        behind = await env.run(flow, 10)

        assert results == [2, 3, 4, 5, 6]
        assert behind == 12
        assert env.repeated == []
