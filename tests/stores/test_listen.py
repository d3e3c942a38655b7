"""Hearing of changes, and asking the database nothing while there are none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.patience import PATIENCE
from tests.stores.builders import SPACE, Node, at, ended, key, new_run, released, signal, step

from holdfast.ports.runs import Reopening
from holdfast.stores import SqlStore


async def settle() -> None:
    """Lets a change be heard that should not be heard."""
    await asyncio.sleep(0.3)


async def listen(store: SqlStore, heard: asyncio.Event) -> Callable[[], None]:
    """Listens, and waits until the listener is connected and has said so once."""
    stop = store.listen(heard.set)
    if "SQLite" not in store.name:
        await asyncio.wait_for(heard.wait(), PATIENCE)
    await settle()  # until the clock of the file has moved on
    heard.clear()
    return stop


async def test_what_one_store_changes_is_heard_by_the_other(pair: tuple[SqlStore, SqlStore]) -> None:
    here, there = pair
    node = Node(there)
    await node.start(1, 2)
    heard = asyncio.Event()
    stop = await listen(here, heard)

    changes = [
        lambda: node.commit(held=node.held(1), ended=[ended(1)]),
        lambda: node.commit(created=[new_run(3)]),
        lambda: Node(there, "node-2").commit(messages=[signal(2)]),
        lambda: node.commit(held=node.held(2), released=[released(2, wake_at=at(1))]),
        lambda: there.create_runs(SPACE, [new_run(4)]),
        lambda: there.post_messages(SPACE, [signal(3)], at(1)),
        lambda: there.reopen_runs(SPACE, [Reopening(key(1), 1, step(1, 1), [], [], at(1))]),
        lambda: there.remove_node(SPACE, node.id),
    ]
    for change in changes:
        heard.clear()
        await change()
        await asyncio.wait_for(heard.wait(), PATIENCE)

    stop()
    heard.clear()
    await there.create_runs(SPACE, [new_run(5)])
    await settle()
    assert not heard.is_set()


async def test_a_store_hears_its_own_client_calls_and_not_its_own_commits(store: SqlStore) -> None:
    node = Node(store)
    heard = asyncio.Event()
    await listen(store, heard)

    await node.start(1)
    await node.commit(held=node.held(1), ended=[ended(1)])
    await settle()
    assert not heard.is_set()
    await store.create_runs(SPACE, [new_run(2)])

    assert heard.is_set()


async def test_an_idle_store_sends_no_statement(store: SqlStore) -> None:
    await listen(store, asyncio.Event())
    await Node(store).start(1)
    await settle()
    before = store.statements

    await asyncio.sleep(0.3)

    assert store.statements == before


async def test_a_peek_is_one_statement(store: SqlStore) -> None:
    await store.now()
    before = store.statements

    await store.next_work(SPACE, Node(store).id, ["order@1", "mail@1"])

    assert store.statements == before + 1
