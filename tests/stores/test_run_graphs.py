"""Tasks summed up by name and state, and the messages that a run has read."""

from __future__ import annotations

from tests.stores.builders import SPACE, Node, at, key, signal

from holdfast.core.records import MessageKind
from holdfast.core.run_graphs import TaskTally
from holdfast.core.values import Instant, NodeId, Payload, TaskStatus
from holdfast.ports.commits import EndedAttempt, MovedTask, NewTask, SettledTask, TakenMessage
from holdfast.stores import SqlStore

SUCCESS, FAILED = TaskStatus.SUCCESS, TaskStatus.FAILED


async def some_tasks(store: SqlStore) -> Node:
    """Of run 1: `pay` twice, of which one has failed in its second attempt, and `ship`, which runs."""
    node = Node(store)
    await node.start(1, 2)
    tasks = [
        NewTask(key(1), seq, name, TaskStatus.DISPATCHED, Payload(b"{}"), at(seq))
        for seq, name in enumerate(["load", "pay", "pay", "ship"])
    ]
    await node.commit(
        held=node.held(1),
        tasks=tasks[1:],
        moved=[MovedTask(key(1), 3, TaskStatus.RUNNING, 1, 0, None, None, at(5))],
        settled=[
            SettledTask(key(1), 1, SUCCESS, 1, Payload(b"1"), None, at(4), at(10)),
            SettledTask(key(1), 2, FAILED, 2, None, None, at(6), at(20)),
        ],
        attempts=[EndedAttempt(key(1), 2, 1, "failed", None, at(4), at(4.5), NodeId("node-1"))],
    )
    return node


async def test_tasks_are_summed_up_by_name_and_state(store: SqlStore) -> None:
    await some_tasks(store)

    found = await store.tally_tasks(SPACE, key(1), None, 100)

    load = [tally for tally in found if tally.name not in ("pay", "ship")]
    assert [tally for tally in found if tally not in load] == [
        TaskTally("pay", SUCCESS, 1, 0, 1, 1, 1, at(1), at(4), at(10)),
        TaskTally("pay", FAILED, 1, 1, 2, 2, 2, at(2), at(4), at(20)),
        TaskTally("ship", TaskStatus.RUNNING, 1, 0, 1, 3, 3, at(3), at(5), None),
    ]
    assert await store.tally_tasks(SPACE, key(1), None, 2) == found[:2]
    assert await store.tally_tasks("elsewhere", key(1), None, 100) == []


async def test_attempts_are_counted_as_they_were(store: SqlStore) -> None:
    await some_tasks(store)

    async def tried(seconds: float) -> list[tuple[int, int, Instant | None]]:
        found = await store.tally_tasks(SPACE, key(1), at(seconds), 100)
        return [(it.retried, it.attempts, it.began_at) for it in found if it.name == "pay"]

    assert await tried(4.2) == [(0, 1, at(4))]
    assert await tried(8) == [(1, 2, at(4))]


async def test_tasks_are_summed_up_as_they_were(store: SqlStore) -> None:
    await some_tasks(store)

    async def pay(seconds: float) -> list[TaskTally]:
        return [it for it in await store.tally_tasks(SPACE, key(1), at(seconds), 100) if it.name == "pay"]

    assert await pay(0.5) == []
    assert await pay(1) == [TaskTally("pay", TaskStatus.PENDING, 1, 0, 1, 1, 1, at(1), None, None)]
    assert [(it.status, it.tasks) for it in await pay(4.2)] == [(TaskStatus.RUNNING, 2)], (
        "the first attempt ran"
    )
    assert await pay(5) == [
        TaskTally("pay", TaskStatus.RUNNING, 1, 0, 1, 1, 1, at(1), at(4), None),
        TaskTally("pay", TaskStatus.PENDING, 1, 1, 2, 2, 2, at(2), at(4), None),
    ]
    assert await pay(10) == [
        TaskTally("pay", SUCCESS, 1, 0, 1, 1, 1, at(1), at(4), at(10)),
        TaskTally("pay", TaskStatus.RUNNING, 1, 1, 2, 2, 2, at(2), at(4), None),
    ]


async def test_the_messages_that_a_run_has_read_are_listed_without_what_they_say(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    await store.post_messages(
        SPACE, [signal(1, "one"), signal(2), signal(1, "two"), signal(1, "three")], at(1)
    )
    ids = [message.id for message in await store.list_messages(SPACE, key(1), 0, 10)]
    taken = [TakenMessage(key(1), ids[0], 0), TakenMessage(key(1), ids[2], 1)]
    await node.commit(held=node.held(1), taken=taken)

    found = await store.list_heard_messages(SPACE, key(1), 10)

    assert found == [(ids[0], MessageKind.SIGNAL, "one", None), (ids[2], MessageKind.SIGNAL, "three", None)]
    assert await store.list_heard_messages(SPACE, key(1), 1) == found[:1]
    assert await store.list_heard_messages("elsewhere", key(1), 10) == []
