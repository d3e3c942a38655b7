"""Runs as points, and counted in bins: both databases count as the plain functions do."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from tests.stores.builders import SECOND, SPACE, Node, at, key, new_run, new_task

from holdfast.core.ids import first_key_of
from holdfast.core.records import RunRecord
from holdfast.core.run_points import COLUMNS, MOST_TOOK, NOT_ENDED, ROWS, BinnedRuns, column_of, row_of
from holdfast.core.values import Instant, RunKey, RunStatus, TaskStatus
from holdfast.ports.commits import SettledTask
from holdfast.ports.runs import RunFilter
from holdfast.stores import SqlStore

COUNT = 300


def some_runs() -> list[RunRecord]:
    """One each second, of every status, that took from nothing to two months; the newest first."""
    dice = Random(1)
    made: list[RunRecord] = []
    for number in range(COUNT):
        created = at(number)
        status = list(RunStatus)[number % len(RunStatus)]
        began = None if status is RunStatus.PENDING else Instant(created + 500)
        took = round(10 ** dice.uniform(1, 12.7))
        made.append(
            new_run(
                number,
                key=RunKey(first_key_of(created)[:6] + number.to_bytes(10, "big")),
                id=f"run {number}" if number % 3 == 0 else None,
                status=status,
                workflow=f"w{number % 4}",
                version="12"[number % 2],
                wake_at=None,
                created_at=created,
                started_at=began,
                finished_at=Instant((began or created) + took) if status.is_final else None,
            )
        )
    return made[::-1]


@pytest.fixture
async def runs(store: SqlStore) -> list[RunRecord]:
    made = some_runs()
    await store.create_runs(SPACE, made)
    await store.create_runs("other", [new_run(1000, namespace="other")])
    return made


def facts(run: Any) -> tuple[Any, ...]:
    names = ("key", "id", "workflow", "version", "status", "created_at", "started_at", "finished_at")
    return tuple(getattr(run, name) for name in names)


async def test_points_are_the_newest_runs_that_match(store: SqlStore, runs: list[RunRecord]) -> None:
    failed = [run for run in runs if run.status is RunStatus.FAILED]

    page = await store.list_points(SPACE, RunFilter(limit=7))
    rest = await store.list_points(SPACE, RunFilter(limit=500, before=page.next))
    since = await store.list_points(SPACE, RunFilter(limit=500, since=runs[9].key))
    some = await store.list_points(SPACE, RunFilter((RunStatus.FAILED,), limit=5))

    assert [facts(point) for point in page.columns.points()] == [facts(run) for run in runs[:7]]
    assert (page.next, page.bins, rest.next) == (runs[6].key, None, None)
    assert [facts(point) for point in rest.columns.points()] == [facts(run) for run in runs[7:]]
    assert [facts(point) for point in since.columns.points()] == [facts(run) for run in runs[:10]]
    assert [facts(point) for point in some.columns.points()] == [facts(run) for run in failed[:5]]
    assert some.columns.took() == [point.took for point in some.columns.points()]
    assert (await store.list_points(SPACE, RunFilter(limit=COUNT))).next is None
    assert (await store.list_points("nobody", RunFilter())).columns.keys == []


def counted(found: BinnedRuns | None) -> dict[tuple[int, int, RunStatus], int]:
    assert found is not None
    return {(each.column, each.row, each.status): each.runs for each in found.counts}


def expected(runs: list[RunRecord], found: BinnedRuns | None) -> dict[tuple[int, int, RunStatus], int]:
    assert found is not None
    return Counter(
        (
            column_of(run.created_at, found.begin, found.end),
            row_of(None if run.finished_at is None else (run.finished_at - (run.started_at or 0)) / SECOND),
            run.status,
        )
        for run in runs
    )


async def test_more_runs_than_a_page_are_counted_in_bins(store: SqlStore, runs: list[RunRecord]) -> None:
    every = await store.list_points(SPACE, RunFilter(limit=5), 1000)
    newest = await store.list_points(SPACE, RunFilter(limit=5, before=runs[10].key), 20)
    of_one = await store.list_points(SPACE, RunFilter(workflow="w1", limit=5), 1000)

    assert every.bins is not None
    assert every.bins.is_all
    assert counted(every.bins) == expected(runs, every.bins)
    assert {column for column, _, _ in counted(every.bins)} <= set(range(COLUMNS))
    assert {NOT_ENDED, ROWS - 1} <= {row for _, row, _ in counted(every.bins)} <= {NOT_ENDED, *range(ROWS)}
    assert newest.bins is not None
    assert not newest.bins.is_all
    assert counted(newest.bins) == expected(runs[11:31], newest.bins)
    assert counted(of_one.bins) == expected([run for run in runs if run.workflow == "w1"], of_one.bins)
    assert (await store.list_points(SPACE, RunFilter(limit=COUNT), 1000)).bins is None


def test_rows_are_even_on_a_logarithmic_scale_and_have_room_for_everything():
    assert row_of(None) == NOT_ENDED
    assert [row_of(took) for took in (0.0, 0.001, 1.0, MOST_TOOK / SECOND, 1e9)] == [0, 0, 12, 39, 39]
    assert column_of(Instant(-5), Instant(0), Instant(10)) == 0
    assert column_of(Instant(50), Instant(0), Instant(10)) == COLUMNS - 1


async def test_the_times_of_tasks_are_read_for_some_runs(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2, 3)
    await node.commit(
        held=node.held(1, 2, 3),
        tasks=[new_task(run, seq) for run in (1, 2, 3) for seq in (1, 2)],
        settled=[SettledTask(key(2), 2, TaskStatus.FAILED, 3, None, None, at(4), at(10))],
    )

    hexes = [key(number).hex() for number in (2, 1)]
    every = await store.read_task_times(SPACE, hexes, 100, 100)
    first = await store.read_task_times(SPACE, hexes, 2, 100)

    failed = every.statuses.index(TaskStatus.FAILED)
    assert (every.names[failed], every.attempts[failed], every.took[failed]) == ("charge", 3, 6 * SECOND)
    assert every.statuses.count(TaskStatus.FAILED) == 1
    assert TaskStatus.FAILED not in first.statuses
    assert failed < len(every.names) / 2, "the tasks of the first run come first"
    assert len((await store.read_task_times(SPACE, hexes, 100, 1)).names) == 1
    assert (await store.read_task_times("elsewhere", hexes, 100, 100)).names == []
    assert (await store.read_task_times(SPACE, [], 100, 100)).names == []


async def test_open_runs_are_counted_by_workflow(store: SqlStore, runs: list[RunRecord]) -> None:
    node = Node(store)
    for number in (1001, 1002):
        await node.start(number, workflow="w1")
    names = ["w1", "w3", "none"]

    counts = await store.count_open_runs(SPACE, names, 1000)
    few = await store.count_open_runs(SPACE, names, 5)

    asleep = {
        name: sum(run.workflow == name and not run.status.is_final for run in runs) for name in ("w1", "w3")
    }
    assert counts == {"w1": asleep["w1"] + 2, "w3": asleep["w3"], "none": 0}
    assert few == {"w1": 5, "w3": 5, "none": 0}
    assert await store.count_open_runs("elsewhere", names, 5) == dict.fromkeys(names, 0)
