"""Nodes of 0.4.0 may go on with a database that has been migrated. What they write then is understood.

They write no kind of wait, no schedule, no number of a version, and one text for a worker and its URL. The
statements here are theirs, for one row each.
"""

from __future__ import annotations

import pytest
from tests.stores.builders import SPACE, Node, at, change, child_wait, key, new_run, released, signal, turn_of

from holdfast.core.records import AttemptRecord
from holdfast.core.values import RunStatus
from holdfast.ports.flows import PUBLISHED, FlowVersion
from holdfast.stores import SqlStore

CLAIM = (
    "UPDATE {0}runs SET owner = 'old', epoch = epoch + 1, wake_at = NULL, waiting = NULL, status = 'running' "
    "WHERE id = 'child'"
)
RELEASE = "UPDATE {0}runs SET owner = NULL, waiting = 'signal ''go''' WHERE id = 'child'"
REOPEN = (
    "UPDATE {0}runs SET status = 'running', finished_at = NULL, output = NULL, owner = NULL, wake_at = NULL, "
    "epoch = epoch + 1, waiting = 'its turn in parent' WHERE id = 'child'"
)
END = "UPDATE {0}runs SET status = 'failed', waiting = NULL, wake_at = NULL WHERE id = 'child'"
ADD_VERSION = (
    "INSERT INTO {0}workflows (namespace, name, version, status, hash, source, created_at, kind, origin) "
    "SELECT 'default', 'orders', '12', 'published', 'h', 'start: a', created_at, 'flow', '' FROM {0}runs"
)
ADD_FILE = (
    "INSERT INTO {0}workflows (namespace, name, version, hash, source, created_at, kind, origin) "
    "SELECT 'default', 'orders', 'auto-1', 'h', 'start: a', created_at, 'flow', 'orders.yaml' FROM {0}runs"
)
ADD_ATTEMPT = (
    "INSERT INTO {0}attempts (run, seq, attempt, status, finished_at, node, worker) "
    "SELECT key, 0, 1, 'success', created_at, 'old', '%s' FROM {0}runs"
)


@pytest.fixture
async def node(store: SqlStore) -> Node:
    """With a child that this version has written, and that waits for its turn."""
    node = Node(store)
    await node.commit(created=[new_run(1, owner=node.id, id="child", parent=key(9), parent_seq=0)])
    await node.commit(held=node.held(1), released=[released(1, waiting=turn_of("parent"))])
    return node


async def test_a_run_that_0_4_0_has_had_since_does_not_wait_for_its_turn_any_more(
    store: SqlStore, node: Node
) -> None:
    await change(store, CLAIM)
    await change(store, RELEASE)

    await store.post_messages(SPACE, [signal(1)], at(1))

    assert [claim.run.key for claim in (await node.claim(now=2)).claimed] == [key(1)]


async def test_the_doctor_asks_for_no_children_of_a_run_that_0_4_0_has_released_since(
    store: SqlStore, node: Node
) -> None:
    await node.commit(created=[new_run(2, owner=node.id, id="other")])
    await change(store, "UPDATE {0}runs SET id = 'it' WHERE id = 'child'")
    await change(store, "UPDATE {0}runs SET id = 'child' WHERE id = 'other'")
    await node.commit(held=node.held(2), released=[released(2, waiting=child_wait())])
    assert [it.run for it in await store.stranded_runs(SPACE, at(9))] == [key(1), key(2)]

    await change(store, CLAIM)
    await change(store, RELEASE)

    assert [it.run for it in await store.stranded_runs(SPACE, at(9))] == [key(1)]


async def test_a_run_that_0_4_0_has_opened_again_is_woken_by_mail_and_no_case_for_the_doctor(
    store: SqlStore, node: Node
) -> None:
    await change(store, END)
    await change(store, REOPEN)
    assert await store.stranded_runs(SPACE, at(1)) == []

    await store.post_messages(SPACE, [signal(1)], at(1))

    assert [claim.run.key for claim in (await node.claim(now=2)).claimed] == [key(1)]


async def test_0_4_0_sees_in_the_words_that_a_run_waits_for_its_turn(store: SqlStore, node: Node) -> None:
    await change(store, "UPDATE {0}runs SET status = 'paused' WHERE waiting LIKE 'its turn%'")

    found = await store.find_run(SPACE, key(1))

    assert found is not None
    assert (found.waiting, found.status) == ("its turn in parent", RunStatus.PAUSED)


async def test_a_version_of_a_flow_that_0_4_0_has_written_has_its_number(store: SqlStore, node: Node) -> None:
    await change(store, ADD_VERSION)
    await change(store, ADD_FILE)

    assert await store.list_flow_versions(SPACE, "orders") == [
        FlowVersion("orders", 12, PUBLISHED, "h", "start: a", at(0))
    ]
    known = await store.find_definitions(SPACE, [("orders", "12"), ("orders", "auto-1")])
    assert {(it.version, it.is_published) for it in known} == {("12", True), ("auto-1", False)}


@pytest.mark.parametrize(
    ("text", "id", "url"),
    [
        ("w1", "w1", ""),
        ("w1 http://localhost:8080", "w1", "http://localhost:8080"),
        ("the first http://[::1]:8080/a", "the first", "http://[::1]:8080/a"),
        ("the first", "the first", ""),
        ("http://localhost the first", "http://localhost the first", ""),
    ],
)
async def test_a_worker_that_0_4_0_has_written_has_its_id_and_its_address(
    store: SqlStore, node: Node, text: str, id: str, url: str
) -> None:
    await change(store, ADD_ATTEMPT % text)

    [found] = await store.list_attempts(SPACE, key(1))

    assert found == AttemptRecord(key(1), 0, 1, "success", None, None, at(0), "old", id, url)
