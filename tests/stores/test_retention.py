"""Runs are deleted whole, in parts that are small, and nobody sees a half."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace
from tests.stores.builders import (
    SPACE,
    Node,
    Worker,
    at,
    ended,
    key,
    new_run,
    new_schedule,
    new_task,
    new_worker,
    queued,
    raw_connection,
    said,
    settled,
    signal,
    step,
)

from holdfast.core.ids import first_key_of
from holdfast.core.names import BURIED
from holdfast.core.values import Instant, Payload, RunKey, RunStatus
from holdfast.ports.commits import EndedAttempt, Held, NewChapter, StateChange
from holdfast.ports.retention import EndedRange, RootSeen
from holdfast.ports.runs import Reopening, RunFilter
from holdfast.stores import SqlStore
from holdfast.stores.database import Transaction

TABLES = (
    "runs", "journal", "tasks", "attempts", "messages", "logs", "state", "shared_inputs", "stalls",
    "run_tags", "queue", "chapters",
)  # fmt: skip
OLD = EndedRange("order", RunStatus.SUCCESS, at(1_000_000))


async def counts(store: SqlStore) -> dict[str, int]:
    """How many rows each table has that is about runs."""

    def script(tx: Transaction) -> dict[str, int]:
        prefix = "" if "SQLite" in store.name else "holdfast."
        raw = raw_connection(tx)
        return {
            table: next(iter(raw.execute(f"SELECT count(*) FROM {prefix}{table}")))[0] for table in TABLES
        }

    return await store._driver.write(script)


async def clear(store: SqlStore, rows: int = 500, bytes: int = 1_000_000) -> int:
    """Clears everything. Returns how many transactions that took."""
    for times in range(10_000):
        if (await store.clear_buried(rows, bytes)).is_over:
            return times
    raise AssertionError("it never ends")


async def delete(store: SqlStore, *numbers: int) -> list[RunKey]:
    roots = [RootSeen(key(number), at(3)) for number in numbers]
    buried = (await store.bury_runs(SPACE, roots)).buried
    await clear(store)
    return sorted(buried)


async def finish(store: SqlStore, *numbers: int, **fields: Any) -> None:
    """Runs that have ended, each with a step, a task and a log."""
    node = Node(store)
    await node.start(*numbers, **fields)
    await node.commit(
        held=node.held(*numbers),
        settled=[settled(number) for number in numbers],
        logs=[said(number, "hello") for number in numbers],
        ended=[ended(number) for number in numbers],
    )


async def test_a_deleted_run_leaves_no_row(store: SqlStore) -> None:
    node = Node(store)
    options = b'{"tags":["red","blue"]}'
    await node.start(1, id="one", options=options)
    await store.post_messages(SPACE, [signal(1)], at(1))
    await store.register_worker(SPACE, new_worker())
    await node.commit(
        held=node.held(1),
        tasks=[new_task(1, 1)],
        queued=[queued(1, 1)],
        attempts=[EndedAttempt(key(1), 0, 1, "failed", None, at(1), at(2), "node-1")],
        logs=[said(1, "hello")],
        state=[StateChange(key(1), "cursor", Payload(b"1"))],
        settled=[settled(1)],
        chapters=[NewChapter(key(1), 1, 1, 2, 0, 0, Payload(b"{}"), b'{"x":1}', at(2))],
        ended=[ended(1)],
    )
    before = await counts(store)
    assert [table for table, count in before.items() if not count] == ["shared_inputs", "stalls"]

    assert await delete(store, 1) == [key(1)]

    assert set((await counts(store)).values()) == {0}
    assert await store.find_run(SPACE, "one") is None
    assert await Worker(store).poll() is None
    assert not await store.create_runs(SPACE, [new_run(2, id="one")])


async def test_other_runs_keep_their_rows(store: SqlStore) -> None:
    await finish(store, 1, 2, options=b'{"tags":["red"]}')
    before = await store.load_histories(SPACE, [key(2)])

    await delete(store, 1)

    assert await store.load_histories(SPACE, [key(2)]) == before
    assert [run.key for run in await store.list_runs(SPACE, RunFilter(tags=("red",)))] == [key(2)]
    assert len(await store.read_logs(SPACE, key(2), 0, None, 10)) == 1


async def test_a_run_that_has_not_ended_is_not_buried(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store.create_runs(SPACE, [new_run(2)])

    assert await delete(store, 1, 2, 3) == []

    assert len(await store.find_runs(SPACE, [key(1), key(2)])) == 2


async def test_a_run_of_another_namespace_is_not_buried(store: SqlStore) -> None:
    await finish(store, 1)

    assert (await store.bury_runs("elsewhere", [RootSeen(key(1), at(3))])).buried == []
    assert await store.find_families("elsewhere", [key(1)]) == []


async def test_a_run_that_was_opened_again_since_is_not_buried(store: SqlStore) -> None:
    await finish(store, 1)
    [found] = await store.find_families(SPACE, [key(1)])
    again = Reopening(key(1), 1, step(1, 1), [], [], at(4))
    assert await store.reopen_runs(SPACE, [again])
    await Node(store, "other").claim(now=5)
    await Node(store, "other").commit(5, held=[Held(key(1), 3)], ended=[replace(ended(1), finished_at=at(6))])

    assert (await store.bury_runs(SPACE, [RootSeen(key(1), found.ended_at)])).buried == []


async def test_a_child_stays_while_its_parent_is_there(store: SqlStore) -> None:
    await finish(store, 1)
    await finish(store, 2, parent=key(1), parent_seq=0, depth=1)
    await finish(store, 3, parent=key(1), parent_seq=1)

    assert await delete(store, 2, 3) == []
    assert await store.find_families(SPACE, [key(2), key(3)]) == []

    assert len((await store.load_histories(SPACE, [key(1)]))[0].children) == 2


async def test_a_run_takes_its_ended_children_along_and_no_detached_one(store: SqlStore) -> None:
    await finish(store, 1)
    await finish(store, 2, parent=key(1), parent_seq=0, depth=1)
    await finish(store, 3, parent=key(2), parent_seq=0, depth=2)
    await finish(store, 4, parent=key(1), parent_seq=1, depth=0)
    await finish(store, 5, parent=key(4), parent_seq=0, depth=1)
    [family] = await store.find_families(SPACE, [key(1)])

    await delete(store, 1)

    assert (family.size, family.open) == (3, None)
    left = await store.find_runs(SPACE, [key(number) for number in range(1, 6)])
    assert sorted(run.key for run in left) == [key(4), key(5)]
    assert await delete(store, 4) == [key(4)]
    assert set((await counts(store)).values()) == {0}


async def test_a_family_says_which_run_of_it_has_not_ended(store: SqlStore) -> None:
    await finish(store, 1)
    await finish(store, 2, parent=key(1), parent_seq=0, depth=1)
    await Node(store).start(3, parent=key(2), parent_seq=0, depth=2)

    [family] = await store.find_families(SPACE, [key(1)])

    assert (family.size, family.open) == (3, key(3))
    page = await store.find_ended_families(SPACE, [OLD._replace(before=Instant(2**62))], 10)
    assert page.found == []


async def test_a_child_that_goes_on_outlives_its_parent(store: SqlStore) -> None:
    """It was opened again after its family was looked at."""
    await finish(store, 1)
    node = Node(store)
    await node.start(2, parent=key(1), parent_seq=0, depth=1)

    await delete(store, 1)
    await node.commit(held=node.held(2), ended=[ended(2, parent=1)])

    [run] = await store.find_runs(SPACE, [key(2)])
    assert run.status is RunStatus.SUCCESS
    assert await delete(store, 2) == [key(2)]


async def test_what_is_buried_is_found_by_nobody_and_can_be_cleared_later(store: SqlStore) -> None:
    await finish(store, 1, id="one", options=b'{"tags":["red"]}')
    run = (await store.find_runs(SPACE, [key(1)]))[0]

    await store.bury_runs(SPACE, [RootSeen(key(1), at(3))])

    assert await store.find_run(SPACE, "one") is None
    assert await store.load_histories(SPACE, [key(1)]) == []
    assert await store.list_tasks(SPACE, key(1)) == []
    assert await store.list_runs(SPACE, RunFilter()) == []
    assert await store.list_runs(SPACE, RunFilter(tags=("red",))) == []
    assert await store.stranded_runs(SPACE, at(1e6)) == []
    assert not await store.reopen_runs(SPACE, [Reopening(key(1), run.epoch, step(1, 1), [], [], at(4))])
    await clear(store)
    assert set((await counts(store)).values()) == {0}


async def test_the_rows_of_a_large_run_are_deleted_a_few_at_a_time(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(
        held=node.held(1),
        steps=[step(1, position) for position in range(1, 101)],
        tasks=[new_task(1, seq) for seq in range(1, 101)],
        logs=[said(1, "hello", seq=seq) for seq in range(50)],
        state=[StateChange(key(1), f"{n}", Payload(b"1")) for n in range(30)],
        attempts=[EndedAttempt(key(1), 0, n, "failed", None, at(1), at(2), "node-1") for n in range(40)],
        ended=[ended(1)],
    )
    await store.bury_runs(SPACE, [RootSeen(key(1), at(3))])
    total = sum((await counts(store)).values())

    most = 0
    while not (cleared := await store.clear_buried(20, 1_000_000)).is_over:
        most = max(most, cleared.rows)

    assert total == 101 + 101 + 50 + 30 + 40 + 1
    assert most <= 21
    assert set((await counts(store)).values()) == {0}


@pytest.mark.parametrize("table", ["tasks", "logs", "messages", "state"])
async def test_large_rows_are_deleted_a_few_bytes_at_a_time(store: SqlStore, table: str) -> None:
    node, text = Node(store), Payload(b'"' + bytes(i % 26 + 97 for i in range(30_000)) + b'"')
    await node.start(1)
    messages = [signal(1, payload=text)] * 10 if table == "messages" else []
    await store.post_messages(SPACE, messages, at(1))
    await node.commit(
        held=node.held(1),
        tasks=[new_task(1, seq, text) for seq in range(1, 11)] if table == "tasks" else [],
        logs=[said(1, text.decode()) for _ in range(10)] if table == "logs" else [],
        state=[StateChange(key(1), f"{n}", text) for n in range(10)] if table == "state" else [],
        ended=[ended(1)],
    )
    await store.bury_runs(SPACE, [RootSeen(key(1), at(3))])

    # Postgres compresses such text to some hundred bytes.
    assert await clear(store, 500, 40_000 if "SQLite" in store.name else 600) >= 5

    assert set((await counts(store)).values()) == {0}


async def test_many_children_are_buried_a_few_at_a_time(store: SqlStore) -> None:
    await finish(store, 1)
    await finish(store, *range(2, 40), parent=key(1), parent_seq=0, depth=1)
    await store.bury_runs(SPACE, [RootSeen(key(1), at(3))])

    assert await clear(store, rows=10) > 10

    assert set((await counts(store)).values()) == {0}


async def test_two_processes_clear_side_by_side(pair: tuple[SqlStore, SqlStore]) -> None:
    first, second = pair
    await finish(first, *range(1, 301))
    await first.bury_runs(SPACE, [RootSeen(key(number), at(3)) for number in range(1, 251)])

    await asyncio.gather(clear(first, 20), clear(second, 20))
    await clear(first)

    left = await counts(first)
    assert (left["runs"], left["journal"], left["tasks"]) == (50, 50, 50)


async def test_two_processes_bury_a_run_once(pair: tuple[SqlStore, SqlStore]) -> None:
    first, second = pair
    await finish(first, *range(1, 101))
    roots = [RootSeen(key(number), at(3)) for number in range(1, 101)]

    one, two = await asyncio.gather(first.bury_runs(SPACE, roots), second.bury_runs(SPACE, roots))

    assert sorted([*one.buried, *two.buried]) == [root.run for root in roots]


async def test_only_runs_that_ended_before_are_found_and_the_walk_goes_on(store: SqlStore) -> None:
    node = Node(store)
    numbers = range(1, 8)
    await node.start(*numbers)
    await node.commit(
        held=node.held(*numbers),
        ended=[replace(ended(number), finished_at=at(10 if number == 2 else 3)) for number in numbers],
    )
    wanted = EndedRange("order", RunStatus.SUCCESS, at(5))

    first = await store.find_ended_families(SPACE, [wanted, wanted._replace(status=RunStatus.FAILED)], 4)
    second = await store.find_ended_families(SPACE, first.rest, 4)

    assert sorted(family.root for family in first.found) == [key(1), key(3), key(4)]
    assert first.rest == [wanted._replace(after=key(4))]
    assert sorted(family.root for family in second.found) == [key(5), key(6), key(7)]
    assert second.rest == []
    assert second.looked_up_to == [wanted._replace(after=key(7))]


async def test_runs_that_were_created_after_are_not_even_looked_at(store: SqlStore) -> None:
    late = RunKey(first_key_of(at(6))[:15] + b"\1")
    await store.create_runs(
        SPACE, [new_run(1, key=late, status=RunStatus.SUCCESS, wake_at=None, finished_at=at(3))]
    )
    wanted = EndedRange("order", RunStatus.SUCCESS, at(5))

    page = await store.find_ended_families(SPACE, [wanted], 4)

    assert page.looked_up_to == [wanted]


async def test_a_schedule_copes_without_its_last_run(store: SqlStore) -> None:
    await finish(store, 1)
    await store.write_schedule(SPACE, new_schedule(active=key(1), queued=(at(1),)), None)

    await delete(store, 1)

    [schedule] = await store.due_schedules(SPACE, ["order"], at(0), 10)
    assert not schedule.is_active


async def test_the_workflows_of_buried_runs_are_not_listed(store: SqlStore) -> None:
    await finish(store, 1)
    assert await store.ended_workflows(SPACE) == ["order"]

    await store.bury_runs(SPACE, [RootSeen(key(1), at(3))])

    assert await store.ended_workflows(SPACE) == []
    assert await store.ended_workflows(BURIED) == ["order"]
