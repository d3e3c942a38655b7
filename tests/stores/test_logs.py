"""What tasks have said, and how they stand: what a view reads again and again while they run."""

from __future__ import annotations

import msgspec
import pytest
from tests.stores.builders import SPACE, Node, at, ended, key, new_run, new_task, said, settled, step

from holdfast.core.records import LogRecord
from holdfast.core.values import Failure, Payload, TaskStatus
from holdfast.ports.commits import MovedTask, NewLog, NewTask, SettledTask
from holdfast.ports.runs import Reopening
from holdfast.stores import SqlStore


def texts(records: list[LogRecord]) -> list[str]:
    return [text for record in records for _, _, text in msgspec.json.decode(record.lines)]


async def read(store: SqlStore, number: int = 1, after: int = 0, task: str | None = None) -> list[LogRecord]:
    return await store.read_logs(SPACE, key(number), after, task, 100)


def named(number: int, seq: int, name: str, input: bytes = b"{}") -> NewTask:
    return NewTask(key(number), seq, name, TaskStatus.DISPATCHED, Payload(input), at(0))


# --- logs


async def test_lines_are_read_as_they_were_written_and_in_that_order(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), tasks=[named(1, 1, "ship")])
    hard = [
        (at(1), "stdout", "grüße 🎉 \x00 \t\x1b[31mred"),
        (at(2), "stderr", ""),
        (at(3), "INFO", 'a "quote", a \\ and \u2028'),
    ]
    lines = msgspec.json.encode(hard)

    await node.commit(held=node.held(1), logs=[said(1, "first"), NewLog(key(1), 1, 2, lines)])
    await node.commit(held=node.held(1), logs=[said(1, "second", "third")])

    found = await read(store)
    assert texts(found[:1] + found[2:]) == ["first", "second", "third"]
    assert (found[1].seq, found[1].attempt, found[1].task, found[1].index) == (1, 2, "ship", None)
    assert (found[0].seq, found[0].attempt, found[0].task) == (0, 1, "charge")
    assert found[1].lines == lines
    assert [record.number for record in found] == sorted({record.number for record in found})


async def test_whoever_follows_goes_on_after_the_last_number_seen(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    for number in range(5):
        await node.commit(held=node.held(1, 2), logs=[said(1, f"{number}"), said(2, "other")])

    first = await store.read_logs(SPACE, key(1), 0, None, 2)
    rest = await store.read_logs(SPACE, key(1), first[-1].number, None, 100)
    await node.commit(held=node.held(1), logs=[said(1, "last")])
    new = await store.read_logs(SPACE, key(1), rest[-1].number, None, 100)

    assert [texts(page) for page in (first, rest, new)] == [["0", "1"], ["2", "3", "4"], ["last"]]
    assert await read(store, after=new[-1].number) == []


async def test_the_lines_of_one_task_are_read_by_its_name(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), tasks=[named(1, 1, "ship"), named(1, 2, "ship")])

    logs = [said(1, "charging"), said(1, "one", seq=1), said(1, "two", seq=2), said(1, "again", attempt=2)]
    await node.commit(held=node.held(1), logs=logs)

    assert texts(await read(store, task="ship")) == ["one", "two"]
    assert texts(await read(store, task="charge")) == ["charging", "again"]
    assert await read(store, task="nobody") == []


async def test_the_lines_of_another_namespace_are_not_read(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), logs=[said(1, "secret")])

    assert await store.read_logs("elsewhere", key(1), 0, None, 100) == []
    assert await store.read_logs(SPACE, key(9), 0, None, 100) == []


async def test_what_a_stale_owner_has_heard_is_not_written(store: SqlStore) -> None:
    old, new = Node(store, "old", lease=5), Node(store, "new")
    await old.start(1, 2)
    await new.claim(limit=1, now=6)
    await old.commit(6, held=old.held(2))

    receipt = await old.commit(7, held=old.held(1, 2), logs=[said(1, "mine"), said(2, "not mine")])
    await new.commit(7, held=new.held(1, epoch=2), logs=[said(1, "of the new owner")])

    assert key(1) in receipt.lost
    assert texts(await read(store)) == ["of the new owner"]


async def test_a_run_under_a_taken_id_says_nothing(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, id="order-1")

    created = [new_run(2, owner=node.id, id="order-1")]
    await node.commit(created=created, steps=[step(2)], tasks=[new_task(2)], logs=[said(2, "too late")])

    assert await read(store, 2) == []
    assert await read(store, 1) == []


async def test_what_was_said_before_a_run_was_opened_again_is_kept(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), settled=[settled(1)], logs=[said(1, "before")])

    await node.commit(held=node.held(1), ended=[ended(1)])
    await store.reopen_runs(SPACE, [Reopening(key(1), 1, step(1, 1), [0], [], at(3))])
    await node.claim(now=3)

    await node.commit(4, held=node.held(1, epoch=3), logs=[said(1, "after", attempt=2)])

    found = await read(store)
    assert [(texts([record]), record.attempt) for record in found] == [(["before"], 1), (["after"], 2)]


# --- tasks at a glance


async def test_a_glance_shows_how_tasks_stand_without_what_they_were_given(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    place = b'{"item":"x","parallel_index":3,"parallel_count":4}'
    failure = msgspec.json.encode(Failure(type="shop:Declined", message="no\x00money", traceback="line 1"))
    await node.commit(
        held=node.held(1),
        tasks=[named(1, 1, "ship", place), named(1, 2, "later"), named(1, 3, "running")],
        settled=[
            settled(1),
            SettledTask(key(1), 1, TaskStatus.FAILED, 2, None, failure, at(1), at(2)),
        ],
        moved=[
            MovedTask(key(1), 2, TaskStatus.PENDING, 3, 1, None, at(9), None),
            MovedTask(key(1), 3, TaskStatus.RUNNING, 1, 0, Payload(b"1"), None, at(1)),
        ],
    )

    done, failed, waiting, running = await store.list_task_summaries(SPACE, key(1), 0, 100)

    assert (done.seq, done.name, done.index, done.count) == (0, "charge", None, None)
    assert (done.status, done.attempt, done.lost, done.problem) == (TaskStatus.SUCCESS, 1, 0, None)
    assert (done.created_at, done.started_at, done.finished_at) == (at(0), at(1), at(2))
    assert (failed.name, failed.index, failed.count, failed.status) == ("ship", 3, 4, TaskStatus.FAILED)
    assert (failed.problem, failed.attempt) == ("Declined: no\x00money", 2)
    assert (waiting.status, waiting.attempt, waiting.lost, waiting.due_at) == (
        TaskStatus.PENDING,
        3,
        1,
        at(9),
    )
    assert (running.status, running.started_at, running.finished_at) == (TaskStatus.RUNNING, at(1), None)


async def test_glances_are_had_page_by_page(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), tasks=[named(1, seq, f"task-{seq}") for seq in range(1, 6)])

    async def page(since: int, limit: int) -> list[int]:
        return [task.seq for task in await store.list_task_summaries(SPACE, key(1), since, limit)]

    assert await page(0, 3) == [0, 1, 2]
    assert await page(3, 3) == [3, 4, 5]
    assert await page(4, 100) == [4, 5]
    assert await page(6, 3) == []
    assert await store.list_task_summaries("elsewhere", key(1), 0, 100) == []


async def test_glances_are_had_of_one_name_and_of_some_states(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    tasks = [named(1, seq, "ship" if seq % 2 else "charge") for seq in range(1, 7)]
    await node.commit(held=node.held(1), tasks=tasks, settled=[settled(1, seq) for seq in (0, 1, 2, 3)])

    async def glances(since: int, limit: int, name: str | None, *states: TaskStatus) -> list[int]:
        wanted = states or None
        found = await store.list_task_summaries(SPACE, key(1), since, limit, name, wanted)
        return [task.seq for task in found]

    assert await glances(0, 100, "ship") == [1, 3, 5]
    assert await glances(2, 1, "ship") == [3]
    assert await glances(0, 100, None, TaskStatus.DISPATCHED) == [4, 5, 6]
    assert await glances(0, 100, "ship", TaskStatus.SUCCESS, TaskStatus.FAILED) == [1, 3]
    assert await glances(0, 100, "ship", TaskStatus.FAILED) == []
    assert await store.list_task_summaries(SPACE, key(1), 0, 100, None, []) == []


@pytest.mark.parametrize(
    "input",
    [
        b"[3]",
        b'"parallel_index"',
        b"7",
        b"null",
        b'{"parallel_index":"three","parallel_count":[4]}',
        b'{"parallel_index":null}',
        b'{"parallel_index":1.5,"parallel_count":true}',
        b'{"parallel_index":12345678901234567890,"parallel_count":1e300}',
        b'{"parallel_index":3000000000,"parallel_count":-3000000000}',
        b'{"item":{"parallel_index":1,"parallel_count":2}}',
        b'[{"parallel_index":1,"parallel_count":2}]',
        b'{"text":"{\\"parallel_index\\":1,\\"parallel_count\\":2}"}',
        b'{"nul":"\\u0000"}',
        b'{"lone":"\\ud800"}',
        b"[" * 900 + b"]" * 900,
    ],
)
async def test_an_argument_that_only_looks_like_a_place_in_a_fan_out_is_none_and_does_no_harm(
    store: SqlStore, input: bytes
) -> None:
    node = Node(store)
    await node.start(1)
    await node.commit(held=node.held(1), tasks=[named(1, 1, "ship", input)])
    await node.commit(held=node.held(1), logs=[said(1, "hello", seq=1)])

    (record,) = await read(store)
    _, glance = await store.list_task_summaries(SPACE, key(1), 0, 100)

    assert (record.task, record.index) == ("ship", None)
    assert (glance.index, glance.count) == (None, None)


async def test_a_place_is_found_at_the_end_of_whatever_a_task_is_given(store: SqlStore) -> None:
    inputs = [
        b'{"parallel_index":0,"parallel_count":2}',
        '{"day":"grüße, {","nested":{"parallel_index":9},"parallel_index":1,"parallel_count":2}'.encode(),
        b'{"text":"\\u0000 \\"parallel_index\\":7, ","parallel_index":2,"parallel_count":3}',
    ]
    node = Node(store)
    await node.start(1)
    tasks = [named(1, number + 1, "ship", input) for number, input in enumerate(inputs)]
    await node.commit(held=node.held(1), tasks=tasks)
    await node.commit(held=node.held(1), logs=[said(1, "hello", seq=seq) for seq in (1, 2, 3)])

    glances = await store.list_task_summaries(SPACE, key(1), 1, 100)

    assert [(it.index, it.count) for it in glances] == [(0, 2), (1, 2), (2, 3)]
    assert [record.index for record in await read(store)] == [0, 1, 2]
