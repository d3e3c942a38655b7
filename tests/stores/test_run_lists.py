"""Lists of runs are merged from several indexes: no run is missed, and none is shown twice."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random

import msgspec
import pytest
from tests.stores.builders import SPACE, Node, at, ended, key, new_run, released, step

from holdfast.core.records import RunRecord
from holdfast.core.values import RunStatus
from holdfast.ports.runs import Reopening, RunFilter, RunPage
from holdfast.stores import SqlStore, run_lists, runs

WORKFLOWS = ["order", "invoice", "report"]
COUNT = 120


def some_runs(seed: int = 1) -> list[RunRecord]:
    """Runs of every workflow and status. Some of the running ones are owned."""
    dice = Random(seed)
    made: list[RunRecord] = []
    for number in range(COUNT):
        status = dice.choice(list(RunStatus))
        owner = "node-1" if status is RunStatus.RUNNING and dice.random() < 0.5 else None
        made.append(
            new_run(
                number,
                owner=owner,
                status=status,
                workflow=dice.choice(WORKFLOWS),
                version=dice.choice("12"),
                wake_at=None,
                waiting="signal",
                finished_at=at(1) if status.is_final else None,
            )
        )
    return made


def matching(all_runs: list[RunRecord], holds: Callable[[RunRecord], bool]) -> list[bytes]:
    return [run.key for run in sorted(all_runs, key=lambda run: run.key, reverse=True) if holds(run)]


@pytest.fixture
async def stored(store: SqlStore) -> list[RunRecord]:
    made = some_runs()
    await store.create_runs(SPACE, made)
    await store.create_runs("other", [new_run(1000 + n, namespace="other") for n in range(5)])
    return made


@pytest.mark.parametrize("workflow", [None, "order", "no_such"])
async def test_a_list_has_the_newest_runs_that_match(
    store: SqlStore, stored: list[RunRecord], workflow: str | None
) -> None:
    for status in (None, *RunStatus):
        for before, limit in ((None, 5), (None, 500), (key(60), 7)):
            found = await store.list_runs(
                SPACE, RunFilter(None if status is None else (status,), workflow, before, limit)
            )

            wanted = matching(
                stored,
                lambda run, status=status, before=before: (
                    status in (None, run.status)
                    and workflow in (None, run.workflow)
                    and (before is None or run.key < before)
                ),
            )
            assert [run.key for run in found] == wanted[:limit], (status, before, limit)


@pytest.mark.parametrize("workflow", [None, "order"])
@pytest.mark.parametrize("version", [None, "1"])
async def test_a_page_and_its_total_count_the_runs_that_match(
    store: SqlStore, stored: list[RunRecord], workflow: str | None, version: str | None
) -> None:
    choices = [
        None,
        [RunStatus.SUCCESS],
        [RunStatus.SUCCESS, RunStatus.RUNNING, RunStatus.FAILED],
        list(RunStatus),
    ]
    for statuses in choices:
        page = RunPage(statuses, workflow, version, limit=6, offset=4)

        found = await store.list_run_overviews(SPACE, page)

        wanted = matching(
            stored,
            lambda run, statuses=statuses: (
                (statuses is None or run.status in statuses)
                and workflow in (None, run.workflow)
                and version in (None, run.version)
            ),
        )
        assert [each.run.key for each in found] == wanted[4:10], statuses
        assert await store.count_runs(SPACE, page, 1000) == len(wanted), statuses
        assert await store.count_runs(SPACE, page, 3) == 3, statuses


@pytest.mark.parametrize("workflow", [None, "order", "no_such"])
async def test_runs_of_a_time_are_counted_by_state_and_workflow(
    store: SqlStore, stored: list[RunRecord], workflow: str | None
) -> None:
    states = [None, (RunStatus.SUCCESS,), (RunStatus.RUNNING,), (RunStatus.FAILED, RunStatus.PENDING)]
    spans = [(None, None), (key(90), None), (None, key(30)), (key(90), key(30)), (key(30), key(90))]
    for statuses, (before, since) in product(states, spans):
        which = RunFilter(statuses, workflow, before, since=since)

        counted = await store.count_listed(SPACE, which)

        wanted = matching(
            stored,
            lambda run, statuses=statuses, before=before, since=since: (
                (statuses is None or run.status in statuses)
                and workflow in (None, run.workflow)
                and (before is None or run.key < before)
                and (since is None or run.key >= since)
            ),
        )
        assert counted == len(wanted), which
        assert await store.count_listed(SPACE, which, 3) == min(3, len(wanted)), which
        assert [run.key for run in await store.list_runs(SPACE, which._replace(limit=500))] == wanted, which
        assert sum((await store.group_listed(SPACE, which._replace(limit=500))).counts.values()) == counted


async def test_few_successful_runs_are_found_behind_many_others(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lists, "_LOOKED_AT", 10)
    ended = [new_run(n, status=RunStatus.SUCCESS, finished_at=at(1), workflow=f"w{n}") for n in range(5)]
    await store.create_runs(SPACE, [*ended, *[new_run(100 + n) for n in range(50)]])

    found = await store.list_runs(SPACE, RunFilter((RunStatus.SUCCESS,), limit=3))

    assert [run.key for run in found] == [key(4), key(3), key(2)]


async def test_a_run_is_listed_through_every_change_of_its_state(store: SqlStore) -> None:
    node = Node(store)

    async def statuses() -> list[RunStatus]:
        return [run.status for run in await store.list_runs(SPACE, RunFilter(workflow="order"))]

    await node.start(1)
    assert await statuses() == [RunStatus.RUNNING]
    await node.commit(held=node.held(1), released=[released(1)])
    assert await statuses() == [RunStatus.RUNNING]
    await store.create_runs(SPACE, [new_run(2)])
    await node.claim(now=1)
    assert await statuses() == [RunStatus.RUNNING, RunStatus.RUNNING]


async def test_the_doctor_looks_at_all_open_runs_page_by_page(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_EXAMINED_AT_ONCE", 10)
    waiting = [new_run(n, status=RunStatus.RUNNING, wake_at=None, waiting="signal") for n in range(35)]
    lost = [new_run(n, status=RunStatus.RUNNING, wake_at=None, waiting=None) for n in (35, 40, 50)]
    pending = [new_run(n, wake_at=None) for n in (60, 61)]
    await store.create_runs(SPACE, [*waiting, *lost, *pending])
    told: list[int] = []

    found = await store.stranded_runs(SPACE, at(0), told.append)

    assert [it.run for it in found] == [key(n) for n in (35, 40, 50, 60, 61)]
    assert told == [20, 30, 40]  # a page of pending runs came first


async def test_the_doctor_stops_when_it_has_found_many(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_EXAMINED_AT_ONCE", 10)
    monkeypatch.setattr(runs, "_MOST_STRANDED", 15)
    await store.create_runs(
        SPACE, [new_run(n, status=RunStatus.RUNNING, wake_at=None, waiting=None) for n in range(1, 51)]
    )

    assert [it.run for it in await store.stranded_runs(SPACE, at(0))] == [key(n) for n in range(1, 16)]


async def test_failures_of_a_cause_are_counted_so_far(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = Node(store)
    causes = {1: "0a", 2: "0b", 3: "0b", 4: "0c", 5: "0c", 6: "0c", 7: "0c"}
    await node.start(*causes)
    ends = [
        msgspec.structs.replace(ended(number, status=RunStatus.FAILED), fingerprint=cause)
        for number, cause in causes.items()
    ]
    await node.commit(held=node.held(*causes), ended=ends)

    every = await store.group_failures(SPACE, key(0), 10)
    late = await store.group_failures(SPACE, key(3), 10)
    monkeypatch.setattr(runs, "_NEWEST_FAILURES", 5)
    assert await store.group_failures(SPACE, key(0), 10) == every, "there are more than the newest"
    assert await store.group_failures(SPACE, key(3), 10) == late
    monkeypatch.setattr(runs, "MOST_OF_A_CAUSE", 3)
    few = await store.group_failures(SPACE, key(0), 2)

    assert every == [("0c", 4, key(4), key(7)), ("0b", 2, key(2), key(3)), ("0a", 1, key(1), key(1))]
    assert late == [("0c", 4, key(4), key(7)), ("0b", 1, key(3), key(3))]
    assert few == [("0c", 3, key(4), key(7)), ("0b", 2, key(2), key(3))]
    assert await store.group_failures("elsewhere", key(0), 10) == []


async def test_a_run_that_was_opened_again_is_no_longer_among_the_failures(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    failed = msgspec.structs.replace(ended(1, status=RunStatus.FAILED), fingerprint="0a")
    await node.commit(held=node.held(1), ended=[failed])
    before = await store.group_failures(SPACE, key(0), 10)

    await store.reopen_runs(SPACE, [Reopening(key(1), 1, step(1, 1), [], [], at(3))])

    assert [group.fingerprint for group in before] == ["0a"]
    assert await store.group_failures(SPACE, key(0), 10) == []
