"""What operators see of nodes and queues, as it is read from the store."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.stores.builders import SPACE, Node, at, key, new_run, new_task

from holdfast.client import fleet
from holdfast.client.fleet import Fleet
from holdfast.core.values import NodeId, TaskStatus, key_text, moment
from holdfast.ports.fleet import NodeReport, QueueReport, WaitingAttempt
from holdfast.stores import SqlStore


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
