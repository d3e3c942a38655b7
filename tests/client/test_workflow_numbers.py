"""What the newest runs say about workflows: statistics, and what happened lately."""

from __future__ import annotations

import datetime as dt
import threading

import pytest

from holdfast import Catalog, Retry, RunFailed, context, task, workflow
from holdfast.core.run_points import RunColumns, RunPoint
from holdfast.core.values import Instant, RunKey, RunStatus, TaskStatus
from holdfast.core.workflow_numbers import TaskTimes, activity_of, numbers_of_runs, took_numbers
from holdfast.errors import BadOption, WorkflowNotFound
from holdfast.testing import Environment

SECOND = 1_000_000
HOUR = dt.timedelta(hours=1)

catalog = Catalog()
tries: list[int] = []


@task(catalog=catalog, retry=Retry(max_attempts=2))
async def pay(cents: int) -> int:
    tries.append(cents)
    if cents < 0 or (cents == 7 and tries.count(7) == 1):
        raise ValueError(cents)
    return cents


@workflow(catalog=catalog, version=3)
async def order(cents: int) -> int:
    if cents == 0:
        await context().signal("go")
    return await pay(cents)


@workflow(catalog=catalog)
async def idle() -> None:
    pass


async def test_the_newest_runs_of_a_workflow_are_summed_up(store_url: str) -> None:
    tries.clear()
    async with Environment(store_url, catalog=catalog) as env:
        for cents in (1, 7, -1, 0):
            run = await env.start(order, cents, id=f"order {cents}")
            if cents:
                try:
                    await run.result()
                except RunFailed:
                    pass
        await env.skip(dt.timedelta(seconds=1))

        found = await env.workflows.statistics("order")
        none = await env.workflows.statistics("idle")

        assert (found.runs, found.looked_at, found.is_all) == (4, 4, True)
        assert (found.succeeded, found.failed, found.cancelled) == (2, 1, 0)
        [version] = found.by_version
        assert (version.version, version.runs, version.failed, version.open) == ("3", 4, 1, 1)
        [paid] = found.tasks
        assert (paid.name, paid.visits, paid.retried, paid.failed) == ("pay", 3, 2, 1)
        assert paid.took is not None
        assert [run.id for run in found.strip] == ["order 0", "order -1", "order 7", "order 1"]
        assert [run.took is None for run in found.strip] == [True, False, False, False]
        assert found.took is not None
        assert found.took.least <= found.took.median <= found.took.p95 <= found.took.most
        assert (none.runs, none.took, none.strip, none.since) == (0, None, [], None)
        with pytest.raises(WorkflowNotFound):
            await env.workflows.statistics("nobody")
        with pytest.raises(BadOption, match="last"):
            await env.workflows.statistics("order", last=dt.timedelta(0))


async def test_statistics_look_at_so_many_runs_and_count_the_rest(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.client.workflow_numbers._RUNS", 2)
    async with Environment(store_url, catalog=catalog) as env:
        for _ in range(5):
            await (await env.start(idle)).result()

        for last in (None, HOUR):
            found = await env.workflows.statistics("idle", last=last)
            assert (found.runs, found.looked_at, found.is_all) == (5, 2, False)


async def test_what_happened_lately_is_told_for_each_workflow(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries.clear()
    async with Environment(store_url, catalog=catalog) as env:
        for cents in (0, 1, -1):
            run = await env.start(order, cents, id=f"order {cents}")
            if cents:
                try:
                    await run.result()
                except RunFailed:
                    pass

        found = await env.workflows.activity(last=HOUR, step=dt.timedelta(minutes=1))
        monkeypatch.setattr("holdfast.client.workflow_numbers._MOST_RUNS", 2)
        some = await env.workflows.activity(last=HOUR)

        assert [item.name for item in found.items] == ["idle", "order"]
        empty, orders = found.items
        assert (empty.kind, empty.ended, empty.last, empty.median_took) == ("code", 0, [], None)
        assert (orders.version, orders.open, orders.ended, orders.failed) == ("3", 1, 2, 1)
        assert sum(point.succeeded for point in orders.points) == 1
        assert sum(point.failed for point in orders.points) == 1
        assert all(point.at.second == 0 for point in orders.points)
        assert [run.id for run in orders.last] == ["order -1", "order 1", "order 0"]
        assert (found.looked_at, found.is_all, found.step_seconds) == (3, True, 60)
        assert (some.looked_at, some.is_all) == (2, False)
        with pytest.raises(BadOption, match="step"):
            await env.workflows.activity(last=HOUR, step=dt.timedelta(seconds=1))


async def test_points_are_made_beside_the_event_loop(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loop_thread, made_in = threading.current_thread(), list[threading.Thread]()
    points = RunColumns.points

    def seen(columns: RunColumns) -> list[RunPoint]:
        made_in.append(threading.current_thread())
        return points(columns)

    monkeypatch.setattr(RunColumns, "points", seen)
    async with Environment(store_url, catalog=catalog) as env:
        await (await env.start(idle)).result()

        await env.workflows.activity(last=HOUR)
        await env.workflows.statistics("idle")

    assert len(made_in) == 2
    assert loop_thread not in made_in


# --- the numbers


def point(number: int, status: RunStatus, took: int | None, version: str = "1") -> RunPoint:
    begin = Instant(number * 10 * SECOND)
    end = None if took is None else Instant(begin + took)
    return RunPoint(RunKey(number.to_bytes(16, "big")), None, "w", version, status, begin, begin, end)


def test_quantiles_are_times_that_runs_took():
    assert took_numbers([]) is None
    found = took_numbers([float(number) for number in range(100, 0, -1)])
    assert found is not None
    assert (found.median, found.p95, found.p99, found.least, found.most) == (51, 96, 100, 1, 100)


def test_versions_are_in_the_order_of_their_newest_runs():
    points = [
        point(3, RunStatus.RUNNING, None, "2"),
        point(2, RunStatus.FAILED, SECOND, "1"),
        point(1, RunStatus.SUCCESS, SECOND, "2"),
    ]

    found = numbers_of_runs("w", 3, points, TaskTimes([], [], [], []), is_all=True)

    assert [(each.version, each.runs, each.failed, each.open) for each in found.by_version] == [
        ("2", 2, 0, 1),
        ("1", 1, 1, 0),
    ]
    assert found.by_version[0].first_at.timestamp() == 10


def test_tasks_are_in_the_order_in_which_runs_ask_for_them():
    states = [TaskStatus.SUCCESS, TaskStatus.FAILED, TaskStatus.RUNNING]
    tasks = TaskTimes(["b", "a", "a"], states, [1, 3, 1], [SECOND, 2 * SECOND, None])

    found = numbers_of_runs("w", 0, [], tasks, is_all=True).tasks

    assert [(each.name, each.visits, each.retried, each.failed) for each in found] == [
        ("b", 1, 0, 0),
        ("a", 2, 1, 1),
    ]
    assert [None if each.took is None else each.took.most for each in found] == [1, 2]


def test_points_of_activity_are_when_runs_ended():
    points = [point(2, RunStatus.FAILED, 15 * SECOND), point(1, RunStatus.SUCCESS, SECOND)]

    found = activity_of("w", "code", "1", 0, points, 20 * SECOND)

    assert [(it.at.timestamp(), it.succeeded, it.failed) for it in found.points] == [(0, 1, 0), (20, 0, 1)]
