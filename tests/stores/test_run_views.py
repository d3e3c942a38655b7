"""What a picture of a run shows: its tasks by name, how many ran at once, and each task in brief."""

from __future__ import annotations

import pytest
from tests.stores.builders import SPACE, Node, at, change, key, new_run

from holdfast.core.records import MessageKind
from holdfast.core.run_views import BusyBins, GrainRow, GroupRow
from holdfast.core.values import NULL, Instant, NodeId, Payload, RunStatus, TaskStatus, key_text
from holdfast.ports.commits import EndedAttempt, MovedTask, NewMessage, NewQuestion, NewTask, SettledTask
from holdfast.stores import SqlStore, gil_pauses, number_arrays

SECOND = 1_000_000


def asked(seq: int, name: str, when: float = 0, status: TaskStatus = TaskStatus.DISPATCHED) -> NewTask:
    return NewTask(key(1), seq, name, status, Payload(b"{}"), at(when))


def done(
    seq: int, begin: float, end: float, *, attempt: int = 1, status: TaskStatus = TaskStatus.SUCCESS
) -> SettledTask:
    output = Payload(b"1") if status is TaskStatus.SUCCESS else None
    return SettledTask(key(1), seq, status, attempt, output, None, at(begin), at(end))


def tried(seq: int, attempt: int, begin: float, end: float, status: str = "failed") -> EndedAttempt:
    return EndedAttempt(key(1), seq, attempt, status, None, at(begin), at(end), NodeId("node-1"))


async def write_example(store: SqlStore) -> None:
    """Run 1: a `load`, then five of `price` of which one is retried, one is in backoff and one runs."""
    node = Node(store)
    await node.commit(created=[new_run(1, owner="node-1")], tasks=[asked(0, "load")])
    await node.commit(
        held=node.held(1),
        tasks=[asked(seq, "price", 3) for seq in range(1, 6)],
        settled=[
            done(0, 1, 3),
            done(1, 4, 6),
            done(2, 9, 14.5, attempt=2),
            done(3, 4, 5, status=TaskStatus.FAILED),
        ],
        attempts=[tried(2, 1, 4, 7, "lost"), tried(3, 1, 4, 5), tried(4, 1, 4, 5), tried(4, 2, 6, 7)],
        moved=[
            MovedTask(key(1), 2, TaskStatus.RUNNING, 2, 1, None, None, at(9)),
            MovedTask(key(1), 4, TaskStatus.PENDING, 3, 0, None, at(60), None),
            MovedTask(key(1), 5, TaskStatus.RUNNING, 1, 0, None, None, at(15)),
        ],
    )


async def groups(store: SqlStore, when: float | None = None, names: int = 200) -> list[GroupRow]:
    then = None if when is None else at(when)
    return [*(await store.read_groups(SPACE, key(1), then, names, 1000)).tasks]


def states(row: GroupRow) -> dict[str, int]:
    fields = GroupRow._fields[4:11]
    return {name: count for name, count in zip(fields, row[4:11], strict=True) if count}


async def test_tasks_are_grouped_by_name_in_the_order_of_first_asking(store: SqlStore) -> None:
    await write_example(store)

    load, price = await groups(store)

    assert load == GroupRow(
        "load", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, at(0), at(1), at(3), 0, 2 * SECOND, 2 * SECOND
    )
    assert (price.name, price.first_seq, price.last_seq, price.size) == ("price", 1, 5, 5)
    assert states(price) == {"pending": 1, "running": 1, "success": 2, "failed": 1}
    assert (price.retried, price.lost) == (2, 1)
    assert (price.asked_at, price.began_at, price.ended_at) == (at(3), at(4), None)
    assert (price.slowest_seq, price.slowest_took) == (2, 5_500_000)
    assert price.median_took == 2 * SECOND


async def test_the_groups_of_an_earlier_time_are_as_the_run_was_then(store: SqlStore) -> None:
    await write_example(store)

    (load,) = await groups(store, 2)
    assert states(load) == {"running": 1}
    assert (load.began_at, load.ended_at, load.slowest_took) == (at(1), None, None)
    _, price = await groups(store, 5.5)
    assert states(price) == {"running": 2, "pending": 2, "failed": 1}
    assert (price.retried, price.lost) == (1, 0), "the attempt at task 2 is lost later"
    _, price = await groups(store, 8)
    assert states(price) == {"pending": 3, "success": 1, "failed": 1}, "task 2 waits for its second attempt"
    assert (price.retried, price.lost) == (2, 1)
    assert await groups(store, 1000) == await groups(store)
    assert await groups(store, -1) == []


async def test_names_beyond_the_limit_share_one_group(store: SqlStore) -> None:
    node = Node(store)
    names = ["a", "b", "c", "d", "c"]
    await node.commit(
        created=[new_run(1, owner="node-1")], tasks=[asked(seq, name) for seq, name in enumerate(names)]
    )
    await node.commit(held=node.held(1), settled=[done(seq, 1, 2 + seq) for seq in (0, 1, 2, 3)])

    first, second, rest = await groups(store, names=2)

    assert (first.name, second.name) == ("a", "b")
    assert (rest.name, rest.first_seq, rest.last_seq, rest.size) == ("", 2, 4, 3)
    assert states(rest) == {"dispatched": 1, "success": 2}
    assert (rest.ended_at, rest.slowest_seq, rest.slowest_took, rest.median_took) == (None, None, None, None)
    assert [row.name for row in await groups(store, names=4)] == names[:4]


async def test_no_more_tasks_are_counted_than_the_caller_says(store: SqlStore) -> None:
    await write_example(store)

    found = await store.read_groups(SPACE, key(1), None, 200, 3)

    assert [(row.name, row.size) for row in found.tasks] == [("load", 1), ("price", 2)]
    assert (await store.read_groups("elsewhere", key(1), None, 200, 1000)).tasks == []


async def test_children_are_grouped_by_workflow_and_questions_by_name(store: SqlStore) -> None:
    node = Node(store)
    ends = {"wake_at": None, "started_at": at(1)}
    await node.commit(
        created=[new_run(1, owner="node-1")],
        questions=[NewQuestion(key(1), number, "verdict", Payload(b"{}"), at(2)) for number in (0, 1)],
    )
    await store.create_runs(
        SPACE,
        [
            new_run(2, parent=key(1), parent_seq=0, status=RunStatus.SUCCESS, finished_at=at(4), **ends),
            new_run(3, parent=key(1), parent_seq=1, status=RunStatus.PARKED, **ends),
            new_run(4, parent=key(1), parent_seq=2, workflow="fees"),
            new_run(5, parent=key(2), parent_seq=0),
        ],
    )
    answer = NewMessage(key(1), MessageKind.RESOLVED, "verdict", NULL, question=0)
    await store.post_messages(SPACE, [answer], Instant(at(9)))

    found = await store.read_groups(SPACE, key(1), None, 200, 1000)
    then = await store.read_groups(SPACE, key(1), at(3), 200, 1000)

    order, fees = found.children
    assert (order.name, order.size, states(order)) == ("order", 2, {"running": 1, "success": 1})
    assert (order.slowest_seq, order.slowest_took, order.ended_at) == (0, 3 * SECOND, None)
    assert (fees.name, states(fees), fees.began_at) == ("fees", {"pending": 1}, None)
    assert states(then.children[0]) == {"running": 2}
    (asks,) = found.questions
    assert (asks.name, asks.size, states(asks)) == ("verdict", 2, {"pending": 1, "success": 1})
    assert (asks.asked_at, asks.ended_at, asks.slowest_took) == (at(2), None, 7 * SECOND)
    assert states(then.questions[0]) == {"pending": 2}


async def test_a_clock_that_went_back_makes_no_negative_times(store: SqlStore) -> None:
    await write_example(store)
    await change(store, "UPDATE {0}tasks SET finished_at = started_at WHERE seq = 1")
    await change(store, "UPDATE {0}tasks SET started_at = created_at, finished_at = NULL WHERE seq = 0")

    load, price = await groups(store)

    assert (load.slowest_took, load.ended_at) == (None, None)
    assert price.median_took == SECOND


# --- how many at once


async def busy(
    store: SqlStore, name: str | None, bins: int, now: float = 20, rows: int = 1000
) -> BusyBins | None:
    return await store.read_busy(SPACE, key(1), name, bins, at(now), rows)


async def test_attempts_that_ran_at_once_are_counted_in_bins(store: SqlStore) -> None:
    """Tasks 1 to 4 begin at 4. Task 4 is tried again at 6, task 2 at 9, and task 5 begins at 15."""
    await write_example(store)

    found = await busy(store, "price", 8)

    assert found == BusyBins(at(4), at(20), [4, 2, 1, 1, 1, 1, 1, 1])
    assert await busy(store, None, 1) == BusyBins(at(1), at(20), [4])
    assert await busy(store, "load", 2) == BusyBins(at(1), at(3), [1, 1])
    assert await busy(store, None, 1, rows=2) == BusyBins(at(1), at(6), [1])
    assert await busy(store, "nothing", 5) is None
    assert await store.read_busy("elsewhere", key(1), None, 5, at(0), 1000) is None


async def test_many_attempts_are_counted_with_pauses(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused: list[float] = []
    for module in (number_arrays, gil_pauses):
        monkeypatch.setattr(module, "pause", lambda: paused.append(0))
    monkeypatch.setattr(number_arrays, "_SORTED_AT_ONCE", 2)
    monkeypatch.setattr(number_arrays, "_CHARACTERS_AT_ONCE", 1)
    await write_example(store)

    found = await busy(store, "price", 4)

    assert found == BusyBins(at(4), at(20), [4, 1, 1, 1])
    assert len(paused) > 20  # 8 attempts: two arrays are decoded one by one, and sorted two by two


# --- each task in brief


async def test_the_tasks_of_a_name_are_had_as_columns_in_order(store: SqlStore) -> None:
    await write_example(store)

    found = await store.read_grain(SPACE, key(1), "price", 1000)

    assert found == GrainRow(1, [2.0, 5.5, 1.0, None, None], "ssfpr", [1, 3], [2, 3])
    assert await store.read_grain(SPACE, key(1), "price", 2) == GrainRow(1, [2.0, 5.5], "ss", [1], [2])
    assert await store.read_grain(SPACE, key(1), "nothing", 1000) == GrainRow(None, [], "", [], [])
    assert await store.read_grain("elsewhere", key(1), "price", 1000) == GrainRow(None, [], "", [], [])


async def test_every_state_has_a_letter_and_times_are_rounded_to_milliseconds(store: SqlStore) -> None:
    node = Node(store)
    await node.commit(
        created=[new_run(1, owner="node-1")],
        tasks=[
            asked(0, "price", status=TaskStatus.PENDING),
            *(asked(seq, "price") for seq in range(1, 6)),
        ],
    )
    await node.commit(
        held=node.held(1),
        settled=[
            done(2, 1, 1.001499),
            done(3, 1, 1.0015, status=TaskStatus.FAILED),
            done(4, 1, 1.0045, status=TaskStatus.SKIPPED),
            done(5, 2, 1, status=TaskStatus.CANCELLED),
        ],
    )

    found = await store.read_grain(SPACE, key(1), "price", 1000)

    assert (found.states, found.took) == ("pdsfkc", [None, None, 0.001, 0.002, 0.005, 0.0])


# --- beside it


async def test_the_neighbours_of_a_run_are_those_of_its_workflow_whatever_their_states(
    store: SqlStore,
) -> None:
    ended = {"wake_at": None, "finished_at": at(1)}
    await store.create_runs(
        SPACE,
        [
            new_run(10, status=RunStatus.SUCCESS, **ended),
            new_run(11, workflow="another"),
            new_run(20, id="twenty", status=RunStatus.FAILED, **ended),
            new_run(21, workflow="another", status=RunStatus.SUCCESS, **ended),
            new_run(30, status=RunStatus.PARKED, wake_at=None),
            new_run(50, status=RunStatus.CANCELLED, **ended),
            new_run(60),
        ],
    )
    await store.create_runs("elsewhere", [new_run(41, namespace="elsewhere", claim="order@1")])
    node = Node(store)
    await node.start(40)
    await node.commit(created=[new_run(39, owner="node-1", workflow="another")])

    async def beside(number: int, workflow: str = "order") -> tuple[str | None, str | None]:
        return await store.find_neighbours(SPACE, key(number), workflow)

    assert await beside(10) == (None, "twenty")
    assert await beside(20) == (key_text(key(10)), key_text(key(30)))
    assert await beside(30) == ("twenty", key_text(key(40)))
    assert await beside(40) == (key_text(key(30)), key_text(key(50)))
    assert await beside(50) == (key_text(key(40)), key_text(key(60)))
    assert await beside(60) == (key_text(key(50)), None)
    assert await beside(11, "another") == (None, key_text(key(21)))
    assert await beside(1, "nothing") == (None, None)
