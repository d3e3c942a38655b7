"""How many runs were started and ended in each minute: counted once, with the transaction that did it."""

from __future__ import annotations

import asyncio
import datetime as dt

import pytest
from tests.stores.builders import SPACE, Node, at, ended, key, new_run

from holdfast.client.stats import Stats
from holdfast.core.records import MessageKind
from holdfast.core.values import Instant, RunStatus, moment
from holdfast.errors import BadOption
from holdfast.ports.commits import Held
from holdfast.ports.runs import Act
from holdfast.ports.stats import KEPT_MINUTES, MINUTE, RunRates
from holdfast.stores import SqlStore

NOW = at(0) // MINUTE


def later(minutes: int) -> Instant:
    return Instant(at(0) + minutes * MINUTE)


async def rates(store: SqlStore, since: int, until: int, step: int = 1) -> list[tuple[int, ...]]:
    """With the minutes from now on."""
    found = await store.read_rates(SPACE, NOW + since, NOW + until, step)
    return [(row.bucket - NOW if step == 1 else row.bucket, *row[1:]) for row in found]


async def start(store: SqlStore, *numbers: int, minute: int = 0) -> None:
    await store.create_runs(SPACE, [new_run(number, created_at=later(minute)) for number in numbers])


async def test_what_a_commit_starts_and_ends_is_counted_in_its_minute(store: SqlStore) -> None:
    node = Node(store)
    await node.commit(created=[new_run(number, owner=node.id) for number in range(4)])
    await node.commit(
        ended=[ended(0), ended(1), ended(2, status=RunStatus.FAILED), ended(3, status=RunStatus.CANCELLED)]
    )

    assert await rates(store, -5, 5) == [(0, 4, 2, 1, 1)]
    assert await store.read_rates("other", NOW - 5, NOW + 5, 1) == []


async def test_rows_that_a_stale_owner_does_not_write_are_not_counted(store: SqlStore) -> None:
    node, other = Node(store), Node(store, "other-node")
    await node.commit(created=[new_run(1, owner=node.id)])
    before = await rates(store, -5, 5)

    receipt = await other.commit(held=[Held(key(1), 1)], ended=[ended(1)])

    assert receipt.lost == {key(1)}
    assert await rates(store, -5, 5) == before


async def test_runs_that_clients_start_and_end_are_counted(store: SqlStore) -> None:
    await start(store, 1, 2, 3)
    await store.act_on_runs(SPACE, [Act(key(1), MessageKind.TERMINATE, "", "", "")], later(2))

    assert await rates(store, -5, 5) == [(0, 3, 0, 0, 0), (2, 0, 0, 0, 1)]


async def test_minutes_are_read_in_buckets_also_where_the_slots_begin_again(store: SqlStore) -> None:
    first = -(NOW % KEPT_MINUTES)  # its slot is the first one
    for number, minute in enumerate((first - 3, first - 1, first, first + 1, first + 4)):
        await start(store, number, minute=minute)

    assert [row[0] for row in await rates(store, first - 2, first + 3)] == [first - 1, first, first + 1]
    found = await store.read_rates(SPACE, NOW + first - 5, NOW + first + 5, 10)
    assert sum(row.started for row in found) == 5
    assert all(row.bucket in ((NOW + first - 5) // 10, (NOW + first) // 10) for row in found)


async def test_hours_are_read_from_rows_of_their_own(store: SqlStore) -> None:
    first = -(NOW % 60)  # the first minute of this hour
    for number, hour in enumerate((-250, -30, -30, -2, 0)):
        await start(store, number, minute=first + 60 * hour + 7)

    since, until = NOW + first - 47 * 60, NOW + first + 60
    by_hours = await store.read_rates(SPACE, since, until, 60)
    by_days = await store.read_rates(SPACE, since, until, 24 * 60)
    by_minutes = await store.read_rates(SPACE, since, until + 1, 60)

    hour = (NOW + first) // 60
    assert [(row.bucket - hour, row.started) for row in by_hours] == [(-30, 2), (-2, 1), (0, 1)]
    assert by_minutes == by_hours
    assert sum(row.started for row in by_days) == 4
    assert {row.bucket for row in by_days} <= {hour // 24 - 2, hour // 24 - 1, hour // 24}


async def test_a_slot_is_used_again_after_a_week(store: SqlStore) -> None:
    await start(store, 1, 2)
    await start(store, 3, minute=KEPT_MINUTES)
    await start(store, 4, minute=0)  # by a clock that is days behind

    assert await rates(store, -5, 5) == []
    assert await rates(store, KEPT_MINUTES, KEPT_MINUTES + 1) == [(KEPT_MINUTES, 1, 0, 0, 0)]
    everything = await store.read_rates(SPACE, 0, NOW + KEPT_MINUTES + 1, 1)
    assert everything == [RunRates(NOW + KEPT_MINUTES, 1, 0, 0, 0)]


async def test_transactions_of_several_processes_are_all_counted(pair: tuple[SqlStore, SqlStore]) -> None:
    async def begin(store: SqlStore, first: int) -> None:
        for number in range(first, first + 20):
            await start(store, number)

    await asyncio.gather(begin(pair[0], 0), begin(pair[1], 100), begin(pair[0], 200), begin(pair[1], 300))

    assert await rates(pair[0], -5, 5) == [(0, 80, 0, 0, 0)]


async def test_points_have_no_gaps_and_the_last_one_is_now(store: SqlStore) -> None:
    stats = Stats(store, namespace=SPACE, now=lambda: later(7))
    await start(store, 1, 2, minute=1)
    await start(store, 3, minute=6)
    await store.act_on_runs(SPACE, [Act(key(1), MessageKind.TERMINATE, "", "", "")], later(6))

    found = await stats.read(dt.timedelta(minutes=10), dt.timedelta(minutes=1))

    assert [point.started for point in found.points] == [0, 0, 0, 2, 0, 0, 0, 0, 1, 0]
    assert found.points[-1].at == moment(Instant((NOW + 7) * MINUTE))
    assert (found.total.started, found.total.cancelled, found.step_seconds) == (3, 1, 60.0)
    states = {it.name: it.count for it in found.states}
    assert (states["pending"], states["cancelled"], states["success"]) == (2, 1, 0)
    week = await stats.read(dt.timedelta(days=7))
    assert (week.step_seconds, len(week.points), week.total.started) == (3600.0, 168, 3)


@pytest.mark.parametrize(
    ("last", "step"),
    [
        (dt.timedelta(0), None),
        (dt.timedelta(days=9), None),
        (dt.timedelta(seconds=90), None),
        (dt.timedelta(hours=1), dt.timedelta(seconds=1)),
        (dt.timedelta(hours=1), dt.timedelta(hours=2)),
        (dt.timedelta(days=8), dt.timedelta(minutes=1)),
    ],
)
async def test_times_that_make_no_sense_are_refused(
    store: SqlStore, last: dt.timedelta, step: dt.timedelta | None
) -> None:
    with pytest.raises(BadOption, match=r"last|step"):
        await Stats(store, namespace=SPACE, now=lambda: later(0)).read(last, step)


async def test_namespaces_that_have_runs_are_listed_without_deleted_runs(store: SqlStore) -> None:
    stats = Stats(store, namespace=SPACE, now=lambda: later(0))
    failed = new_run(2, namespace="b", status=RunStatus.FAILED)
    await store.create_runs("b", [new_run(1, namespace="b"), failed])
    await store.create_runs("a", [new_run(3, namespace="a")])

    found = await stats.namespaces()

    assert [(it.name, it.open_runs, it.failed_runs) for it in found] == sorted(
        [("a", 1, 0), ("b", 1, 1), (SPACE, 0, 0)]
    )
    assert (await stats.own_namespace()).open_runs == 0
