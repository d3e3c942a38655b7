"""What operators see of nodes and queues, as it is read from the store."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.patience import until
from tests.stores.builders import SPACE, Node, at, key, new_run, new_task

from holdfast.client import fleet
from holdfast.client.fleet import Fleet, NodeDrain
from holdfast.core.values import NodeId, TaskStatus, key_text, moment
from holdfast.errors import BadOption, NodeNotFound
from holdfast.ports.fleet import NodeReport, QueueReport, WaitingAttempt
from holdfast.ports.store_life import of_node
from holdfast.stores import SqlStore, store_for


def fleet_of(store: SqlStore, *, seconds: float = 5, namespace: str = SPACE) -> Fleet:
    return Fleet(store, namespace=namespace, now=lambda: at(seconds), is_alive=lambda _: None)


async def test_a_queue_says_what_waits_since_when_and_who_has_what(store: SqlStore) -> None:
    node = Node(store)
    await node.queue(1, 2, 3, service="mail")
    await node.queue(4, service="sms", ready=60)
    taken = await store.poll_queue(SPACE, "w-1", ["mail"], at(1), at(61))

    mail, sms = (await fleet_of(store).queues()).services

    assert taken is not None
    assert (mail.service, mail.depth, mail.due, mail.is_exact) == ("mail", 3, 2, True)
    assert mail.oldest_due_at == moment(at(0))
    [held] = mail.held
    assert (held.worker, held.key, held.seq) == ("w-1", key_text(taken.run), 0)
    assert (held.taken_at, held.lease_until) == (moment(at(1)), moment(at(61)))
    assert (sms.service, sms.depth, sms.due, sms.oldest_due_at, sms.held) == ("sms", 1, 0, None, [])
    assert (await fleet_of(store, seconds=70).queues()).services[0].due == 3  # its lease has run out
    assert (await fleet_of(store, namespace="other").queues()).services == []
    assert await fleet_of(store, namespace="other").held_items() == []


async def test_what_is_many_is_counted_up_to_a_bound(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet, "COUNTED_TO", 2)
    await Node(store).queue(1, 2, 3, service="mail")

    [queue] = (await fleet_of(store).queues()).services
    [node] = await fleet_of(store).nodes()

    assert (queue.depth, queue.due, queue.is_exact) == (2, 2, False)
    assert node.runs == 2


async def test_a_node_has_its_runs_and_the_tasks_in_its_slots(store: SqlStore) -> None:
    node = Node(store)
    await node.commit(created=[new_run(1, owner=node.id), new_run(2, owner=node.id)], tasks=[new_task(1)])
    await store.create_runs(SPACE, [new_run(3)])

    [found] = await fleet_of(store).nodes()
    [slot] = (await fleet_of(store).queues()).slots

    assert (found.id, found.runs, found.is_alive, found.process) == (node.id, 2, True, None)
    assert (slot.node, slot.key, slot.seq, slot.task) == (node.id, key_text(key(1)), 0, "charge")
    assert slot.queue is None  # its journal does not say
    [later] = await fleet_of(store, seconds=10_000).nodes()
    assert not later.is_alive
    assert await fleet_of(store, namespace="other").nodes() == []


async def test_a_node_says_what_it_is_and_what_waits_there(store: SqlStore) -> None:
    node = Node(store)
    await node.commit(
        created=[new_run(1, owner=node.id, id="order-1")],
        tasks=[new_task(1, 0), msgspec.structs.replace(new_task(1, 1), status=TaskStatus.PENDING)],
    )
    gone, waits = WaitingAttempt(key(1), 7), WaitingAttempt(key(1), 1)
    queue = QueueReport("ledger", limit=1, running=1, waiting=2, first=[gone, waits])

    await store.write_node_report(node.id, NodeReport("1.2.3", True, [queue]))
    await store.write_node_report(NodeId("nobody"), NodeReport("1.2.3", False, []))

    [found] = await fleet_of(store).nodes()
    [told] = (await fleet_of(store).queues()).queues
    assert (found.version, found.is_stopping) == ("1.2.3", True)
    assert (told.node, told.queue, told.limit, told.running, told.waiting) == (node.id, "ledger", 1, 1, 2)
    assert [(it.run, it.seq, it.task) for it in told.first] == [("order-1", 1, "charge")]
    assert (await fleet_of(store, seconds=10_000).queues()).queues == []  # the node is not there any more


async def test_a_report_that_a_newer_node_has_written_is_passed_over(store: SqlStore) -> None:
    node = Node(store)
    await node.commit(created=[new_run(1, owner=node.id)])
    newer: Any = {"version": "9", "queues": 3}
    await store.write_node_report(node.id, newer)

    [found] = await fleet_of(store).nodes()

    assert found.version is None


async def test_a_node_that_was_asked_to_end_reads_it_when_it_looks_for_work(store: SqlStore) -> None:
    node, other = Node(store), Node(store, "node-2")
    for each in (node, other):
        await each.commit(now=0)
    told: list[str] = []
    for each in (node, other):
        store.listen(lambda id=each.id: told.append(id), of_node(each.id))

    first = await store.ask_drain(SPACE, node.id, at(1), "ann")
    second = await store.ask_drain(SPACE, node.id, at(2), "bob")

    assert (first, second) == ("ann", "ann")
    await until(lambda: node.id in told)
    assert (await store.next_work(SPACE, node.id, [])).drain_asked_by == "ann"
    assert (await store.next_work(SPACE, other.id, [])).drain_asked_by is None
    assert [it.drain_asked_by for it in await fleet_of(store).nodes()] == ["ann", None]


async def test_only_a_node_of_the_namespace_that_is_there_can_be_asked_to_end(store: SqlStore) -> None:
    node = Node(store)
    await node.commit(created=[new_run(1, owner=node.id)])

    assert await store.ask_drain("other", node.id, at(1), "ann") is None
    assert await store.ask_drain(SPACE, "nobody", at(1), "ann") is None
    for asked, known in (("nobody", fleet_of(store)), (node.id, fleet_of(store, namespace="other"))):
        with pytest.raises(NodeNotFound, match=f"no node '{asked}' is there in namespace"):
            await known.drain(asked, "ann")
    with pytest.raises(NodeNotFound):  # its lease has run out
        await fleet_of(store, seconds=10_000).drain(node.id, "ann")
    with pytest.raises(BadOption):
        await fleet_of(store).drain(node.id, "x" * 201)
    assert (await store.next_work(SPACE, node.id, [])).drain_asked_by is None


async def test_who_drains_a_node_hears_what_it_has_and_how_many_others_are_there(store: SqlStore) -> None:
    nodes = [Node(store, f"node-{number}") for number in range(3)]
    for number, each in enumerate(nodes):
        await each.commit(created=[new_run(number, owner=each.id)])

    answers = [await fleet_of(store).drain(each.id, "ann") for each in nodes]

    assert answers == [
        NodeDrain(each.id, "ann", 1, left) for each, left in zip(nodes, (2, 1, 0), strict=True)
    ]
    assert await fleet_of(store).drain(nodes[0].id, "bob") == NodeDrain(nodes[0].id, "ann", 1, 0)


async def test_a_node_that_joins_again_after_it_has_lost_its_lease_was_not_asked(store: SqlStore) -> None:
    node, reaper = Node(store), Node(store, "reaper")
    await node.commit(created=[new_run(1, owner=node.id)])
    await store.ask_drain(SPACE, node.id, at(1), "ann")

    await reaper.claim(now=11)
    await node.commit(now=12)

    assert (await store.next_work(SPACE, node.id, [])).drain_asked_by is None


async def test_an_idle_node_keeps_its_row_until_it_has_read_that_it_is_to_end(sqlite_url: str) -> None:
    """On SQLite, other nodes delete the rows of idle ones, which renew no lease."""
    store = store_for(sqlite_url)
    await store.open()
    idle, reaper = Node(store), Node(store, "reaper")
    await idle.commit(now=0)
    await store.ask_drain(SPACE, idle.id, at(20), "ann")

    await reaper.claim(now=21)
    assert (await store.next_work(SPACE, idle.id, [])).drain_asked_by == "ann"

    await reaper.claim(now=81)
    assert idle.id not in await store.list_nodes(SPACE)
    await store.close()
