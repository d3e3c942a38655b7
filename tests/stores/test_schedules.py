"""Schedules in a store: changed by whoever comes first, and fired whole or not at all."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.patience import PATIENCE
from tests.stores.builders import (
    SPACE,
    Node,
    at,
    change,
    ended,
    key,
    new_run,
    new_schedule,
    released,
    signal,
)

from holdfast.core.records import MessageKind, ScheduleRecord
from holdfast.core.values import Payload, RunStatus
from holdfast.errors import JournalCorrupt
from holdfast.ports.runs import RunFilter
from holdfast.ports.schedules import ScheduleFiring
from holdfast.stores import SqlStore

FIRED = [new_run(n, id=f"nightly@{n}") for n in range(10)]
"""Runs that a schedule starts: each has an id made of its tick."""


def moved(schedule: ScheduleRecord, **changes: object) -> ScheduleRecord:
    """The same one revision later."""
    return msgspec.structs.replace(schedule, revision=schedule.revision + 1, **changes)


async def put(store: SqlStore, *schedules: ScheduleRecord) -> None:
    for schedule in schedules:
        assert await store.write_schedule(SPACE, schedule, None)


async def only(store: SqlStore) -> ScheduleRecord:
    (found,) = await store.list_schedules(SPACE)
    return found


async def due(store: SqlStore, seconds: float, *workflows: str, limit: int = 100) -> list[str]:
    found = await store.due_schedules(SPACE, workflows or ("order",), at(seconds), limit)
    return [each.name for each in found]


async def schedule_at(store: SqlStore, *workflows: str) -> int | None:
    return (await store.next_work(SPACE, Node(store).id, [], workflows or ("order",))).schedule_at


# --- kept


async def test_a_schedule_is_read_back_as_it_was_written(store: SqlStore) -> None:
    written = new_schedule(
        "grüße 🎉",
        input=Payload(b'{"nul":"\\u0000","a":1}'),
        plan=b'{"timetable":{"type":"cron","expression":"0 2 * * *"}}',
        origin="etl.yaml",
        is_paused=True,
        revision=7,
        cursor=at(1),
        queued=(at(2), at(3.000001)),
        active=key(5),
        next_at=None,
        skipped=5_000_000_000,
        skip_note="the tick of … was skipped",
        updated_at=at(4),
    )

    await put(store, written)

    assert await store.list_schedules(SPACE) == [written]
    assert await store.list_schedules(SPACE, "grüße 🎉") == [written]


async def test_schedules_are_listed_by_name_and_only_those_of_the_namespace(store: SqlStore) -> None:
    await put(store, new_schedule("b"), new_schedule("a"))
    assert await store.write_schedule("elsewhere", new_schedule("a", workflow="other"), None)

    here, there = await store.list_schedules(SPACE), await store.list_schedules("elsewhere")

    assert [schedule.name for schedule in here] == ["a", "b"]
    assert [(schedule.name, schedule.workflow) for schedule in there] == [("a", "other")]
    assert await store.list_schedules(SPACE, "c") == []


async def test_a_name_is_given_once(store: SqlStore) -> None:
    await put(store, new_schedule())

    assert not await store.write_schedule(SPACE, new_schedule(workflow="other"), None)

    assert (await only(store)).workflow == "order"


async def test_of_two_changes_that_were_decided_on_one_revision_the_first_counts(store: SqlStore) -> None:
    first = new_schedule()
    await put(store, first)

    assert await store.write_schedule(SPACE, moved(first, is_paused=True), 1)
    assert not await store.write_schedule(SPACE, moved(first, workflow="other"), 1)
    assert not await store.write_schedule("elsewhere", moved(first), 2)
    assert not await store.write_schedule(SPACE, new_schedule("nobody"), 1)

    found = await only(store)
    assert (found.is_paused, found.workflow, found.revision) == (True, "order", 2)


async def test_a_deleted_schedule_is_gone_and_cannot_be_changed(store: SqlStore) -> None:
    schedule = new_schedule()
    await put(store, schedule)

    assert not await store.delete_schedule("elsewhere", "nightly")
    assert await store.delete_schedule(SPACE, "nightly")

    assert not await store.delete_schedule(SPACE, "nightly")
    assert not await store.write_schedule(SPACE, moved(schedule), 1)
    assert not await store.fire_schedule(SPACE, ScheduleFiring(moved(schedule), 1, FIRED[1:2], None, at(60)))
    assert await store.list_schedules(SPACE) == []
    assert await store.find_run(SPACE, "nightly@1") is None


async def test_whoever_waits_hears_of_a_changed_plan_and_of_a_firing(pair: tuple[SqlStore, SqlStore]) -> None:
    near, far = pair
    heard = asyncio.Event()
    stop = far.listen(heard.set)
    schedule = new_schedule()

    async def is_heard() -> bool:
        try:
            async with asyncio.timeout(PATIENCE):
                await heard.wait()
        except TimeoutError:
            return False
        heard.clear()
        return True

    await asyncio.sleep(0.3)  # it tells once that it listens
    heard.clear()
    await put(near, schedule)
    assert await is_heard()
    assert await near.write_schedule(SPACE, moved(schedule), 1)
    assert await is_heard()
    assert await near.fire_schedule(
        SPACE, ScheduleFiring(moved(moved(schedule)), 2, FIRED[1:2], None, at(60))
    )
    assert await is_heard()
    stop()


# --- due


async def test_a_schedule_is_due_from_its_time_on_for_those_who_have_its_workflow(store: SqlStore) -> None:
    await put(
        store,
        new_schedule("first"),
        new_schedule("second", workflow="mail", next_at=at(30)),
        new_schedule("third", workflow="unknown", next_at=at(10)),
        new_schedule("at its end", next_at=None),
    )

    assert await due(store, 59, "order", "mail", "none") == ["second"]
    assert await due(store, 60, "order", "mail") == ["second", "first"]
    assert await due(store, 60) == ["first"]
    assert await store.due_schedules(SPACE, [], at(60), 100) == []
    assert await store.due_schedules("elsewhere", ["order"], at(60), 100) == []
    assert await schedule_at(store) == at(60)
    assert await schedule_at(store, "order", "mail") == at(30)
    assert (await store.next_work(SPACE, Node(store).id, [])).schedule_at is None
    assert (await store.next_work("elsewhere", Node(store).id, [], ["order"])).schedule_at is None


async def test_the_longest_due_come_first_and_no_more_than_asked_for(store: SqlStore) -> None:
    await put(
        store,
        new_schedule("now", next_at=at(60)),
        new_schedule("before", next_at=at(20)),
        new_schedule("long before", next_at=at(10)),
        new_schedule("queued, at its end", next_at=None, cursor=at(15), queued=(at(15),)),
        new_schedule("queued, with more to come", next_at=at(90), cursor=at(30), queued=(at(30),)),
        new_schedule("not yet", next_at=at(61)),
    )

    expected = ["long before", "queued, at its end", "before", "queued, with more to come", "now"]
    assert await due(store, 60) == expected
    assert await due(store, 60, limit=2) == expected[:2]


@pytest.mark.parametrize("queued", [(), (at(30),)])
async def test_a_paused_schedule_is_never_due(store: SqlStore, queued: tuple[int, ...]) -> None:
    await put(store, new_schedule(is_paused=True, queued=queued))

    assert await due(store, 1000) == []
    assert await schedule_at(store) is None


async def test_a_tick_in_the_queue_is_due_when_the_run_before_it_has_ended_and_not_before(
    store: SqlStore,
) -> None:
    node = Node(store)
    await node.start(1)
    await put(store, new_schedule(cursor=at(50), queued=(at(40), at(50)), active=key(1), next_at=at(60)))

    assert (await only(store)).is_active
    assert (await due(store, 59), await schedule_at(store)) == ([], at(60))
    await node.commit(59, held=node.held(1), released=[released(1, status=RunStatus.PARKED)])
    assert (await due(store, 59), await schedule_at(store)) == ([], at(60))
    await store.unpark_runs(SPACE, [key(1)], at(59))
    await node.claim(now=59)
    await node.commit(59, held=node.held(1, epoch=2), ended=[ended(1)])

    assert not (await only(store)).is_active
    assert (await due(store, 59), await schedule_at(store)) == (["nightly"], at(50))


async def test_a_tick_in_the_queue_is_due_if_the_run_before_it_is_nowhere(
    store: SqlStore,
) -> None:
    await put(store, new_schedule(cursor=at(50), queued=(at(50),), active=key(9), next_at=None))

    assert not (await only(store)).is_active
    assert (await due(store, 0), await schedule_at(store)) == (["nightly"], at(50))


async def test_the_run_of_another_namespace_does_not_make_a_schedule_active(store: SqlStore) -> None:
    await store.create_runs("elsewhere", [new_run(1, namespace="elsewhere")])

    await put(store, new_schedule(active=key(1), queued=(at(1),)))

    assert not (await only(store)).is_active
    assert await due(store, 1) == ["nightly"]
    assert await schedule_at(store) == at(0)


@pytest.mark.parametrize("status", [RunStatus.SUCCESS, RunStatus.FAILED, RunStatus.CANCELLED])
async def test_a_schedule_whose_run_has_ended_is_not_active_however_that_was(
    store: SqlStore, status: RunStatus
) -> None:
    node = Node(store)
    await node.start(1)
    await put(store, new_schedule(active=key(1)))
    assert (await store.due_schedules(SPACE, ["order"], at(60), 1))[0].is_active

    await node.commit(1, held=node.held(1), ended=[ended(1, status=status)])

    assert not (await store.due_schedules(SPACE, ["order"], at(60), 1))[0].is_active


# --- fired


async def test_a_firing_starts_its_runs_and_moves_the_schedule_on(store: SqlStore) -> None:
    schedule = new_schedule()
    await put(store, schedule)
    after = moved(schedule, cursor=at(60), active=key(2), next_at=at(120), skipped=3, skip_note="missed")

    assert await store.fire_schedule(SPACE, ScheduleFiring(after, 1, FIRED[1:3], None, at(60)))

    found = await only(store)
    assert found == msgspec.structs.replace(after, is_active=True)
    claimed = (await Node(store).claim(now=60)).claimed
    assert [(claim.run.id, claim.is_new) for claim in claimed] == [("nightly@1", True), ("nightly@2", True)]
    assert (await due(store, 60), await schedule_at(store)) == ([], at(120))


async def test_who_comes_second_starts_nothing_cancels_nothing_and_moves_nothing(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    schedule = new_schedule(active=key(1))
    await put(store, schedule)
    assert await store.fire_schedule(
        SPACE, ScheduleFiring(moved(schedule, next_at=at(120)), 1, [], None, at(60))
    )

    late = ScheduleFiring(moved(schedule, active=key(3), next_at=at(90)), 1, FIRED[3:4], key(1), at(60))
    assert not await store.fire_schedule(SPACE, late)
    assert not await store.fire_schedule("elsewhere", late._replace(decided_on=2))

    assert await store.find_run(SPACE, "nightly@3") is None
    found = await only(store)
    assert (found.next_at, found.active, found.revision) == (at(120), key(1), 2)
    assert (await store.load_histories(SPACE, [key(1)]))[0].messages == []


async def test_nodes_that_fire_at_once_start_one_run_between_them(pair: tuple[SqlStore, SqlStore]) -> None:
    schedule = new_schedule()
    await put(pair[0], schedule)

    for tick in range(10):
        known = await only(pair[0])
        runs = [new_run(100 + 10 * tick + n, id=f"nightly@{tick}") for n in range(6)]
        firings = [
            pair[n % 2].fire_schedule(
                SPACE, ScheduleFiring(moved(known, active=run.key), known.revision, [run], None, at(60))
            )
            for n, run in enumerate(runs)
        ]
        assert sorted(await asyncio.gather(*firings)) == [False] * 5 + [True]

    found = await pair[0].list_runs(SPACE, RunFilter())
    assert sorted(str(run.id) for run in found) == [f"nightly@{tick}" for tick in range(10)]
    assert (await only(pair[0])).active == found[0].key


async def test_a_tick_whose_run_exists_starts_no_second_one_and_the_first_is_the_active_one(
    store: SqlStore,
) -> None:
    await store.create_runs(SPACE, [new_run(5, id="nightly@2")])
    schedule = new_schedule()
    await put(store, schedule)

    assert await store.fire_schedule(
        SPACE, ScheduleFiring(moved(schedule, active=key(2)), 1, FIRED[1:3], None, at(60))
    )

    found = await only(store)
    assert (found.active, found.is_active) == (key(5), True)
    runs = await store.list_runs(SPACE, RunFilter())
    assert {run.key: run.id for run in runs} == {key(1): "nightly@1", key(5): "nightly@2"}


async def test_a_firing_may_ask_the_run_before_to_end(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    schedule = new_schedule(active=key(1))
    await put(store, schedule)

    assert await store.fire_schedule(
        SPACE, ScheduleFiring(moved(schedule, queued=(at(60),)), 1, [], key(1), at(60))
    )

    (message,) = (await node.commit(60, collect=True)).mail
    assert (message.run, message.kind, message.payload) == (
        key(1),
        MessageKind.CANCEL,
        b'"the next one is due"',
    )


async def test_a_run_that_is_over_or_gone_is_not_asked_to_end_and_the_firing_stands(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), ended=[ended(1)])
    schedule = new_schedule(active=key(1))
    await put(store, schedule)

    assert await store.fire_schedule(SPACE, ScheduleFiring(moved(schedule), 1, FIRED[2:3], key(1), at(60)))
    assert await store.fire_schedule(SPACE, ScheduleFiring(moved(moved(schedule)), 2, [], key(9), at(61)))

    assert (await store.load_histories(SPACE, [key(1)]))[0].messages == []
    assert (await only(store)).revision == 3


async def test_runs_that_a_schedule_started_go_on_when_it_is_deleted(store: SqlStore) -> None:
    schedule = new_schedule()
    await put(store, schedule)
    await store.fire_schedule(
        SPACE, ScheduleFiring(moved(schedule, active=key(1)), 1, FIRED[1:2], None, at(60))
    )

    await store.delete_schedule(SPACE, "nightly")
    await store.post_messages(SPACE, [signal(1)], at(61))

    receipt = await Node(store).claim(now=61)
    assert [claim.run.key for claim in receipt.claimed] == [key(1)]
    assert len(receipt.mail) == 1


@pytest.mark.parametrize("damage", ["queued = 'not json'", "revision = 2147483647", "revision = -1"])
async def test_a_schedule_that_cannot_be_read_is_left_out_and_named_to_who_asks_for_it(
    store: SqlStore, damage: str
) -> None:
    await put(store, new_schedule("a good one"), new_schedule("bad"), new_schedule("some good one"))

    await change(store, f"UPDATE {{}}schedules SET {damage} WHERE name = 'bad'")

    good = ["a good one", "some good one"]
    assert [schedule.name for schedule in await store.list_schedules(SPACE)] == good
    assert await due(store, 60) == good
    with pytest.raises(JournalCorrupt, match="schedule 'bad'"):
        await store.list_schedules(SPACE, "bad")
    assert await store.delete_schedule(SPACE, "bad")


async def test_of_each_schedule_the_newest_runs_in_a_range_of_keys_are_listed(store: SqlStore) -> None:
    runs = [new_run(n, id=f"r{n}", schedule="ab"[n % 2]) for n in range(10)]
    await store.create_runs(SPACE, [*runs, new_run(20), new_run(21, schedule="c")])
    await store.create_runs("other", [new_run(30, namespace="other", schedule="a")])

    found = await store.list_scheduled_runs(SPACE, ["a", "b", "a", "none"], key(2), key(9), 3)
    of_one = await store.list_scheduled_runs(SPACE, ["b"], key(4), key(9), 100)
    all_of_them = await store.list_scheduled_runs(SPACE, ["c", "b"], key(0), None, 100)

    assert [(each.schedule, each.key) for each in found] == [
        *(("b", key(n)) for n in (7, 5, 3)),
        *(("a", key(n)) for n in (8, 6, 4)),
    ]
    assert (found[0].id, found[0].status, found[0].created_at) == (
        "r7",
        RunStatus.PENDING,
        runs[7].created_at,
    )
    assert [each.key for each in of_one] == [key(7), key(5)]
    assert [each.key for each in all_of_them] == [key(n) for n in (21, 9, 7, 5, 3, 1)]
