"""Hearing of changes, and asking the database nothing while there are none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.stores.builders import SPACE, Node, at, ended, key, new_run, released, signal, step

from holdfast.ports.store import Reopening
from holdfast.stores import SqlStore

SOON = 5.0


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON):
        while not condition():
            await asyncio.sleep(0.005)


async def heard_nothing(calls: list[None]) -> bool:
    await asyncio.sleep(0.15)
    return not calls


async def settle(*stores: SqlStore) -> None:
    """Wait until listeners are connected and have said so: several polls of a file, or a LISTEN."""
    await asyncio.sleep(0.3)


async def test_what_one_store_changes_is_heard_by_the_other(pair: tuple[SqlStore, SqlStore]) -> None:
    here, there = pair
    node = Node(there)
    await node.start(1, 2)
    calls: list[None] = []
    stop = here.listen(lambda: calls.append(None))
    await settle(here)

    changes = [
        lambda: node.commit(held=node.held(1), ended=[ended(1)]),
        lambda: node.commit(created=[new_run(3)]),
        lambda: node.commit(messages=[signal(2)]),
        lambda: node.commit(held=node.held(2), released=[released(2, wake_at=at(1))]),
        lambda: there.create(SPACE, [new_run(4)]),
        lambda: there.post(SPACE, [signal(3)], at(1)),
        lambda: there.reopen(SPACE, Reopening(key(1), 1, step(1, 1), [], [], at(1))),
        lambda: there.leave(SPACE, node.id),
    ]
    for change in changes:
        calls.clear()
        await change()
        await until(lambda: bool(calls))

    stop()
    await settle(here)
    calls.clear()
    await there.create(SPACE, [new_run(5)])
    assert await heard_nothing(calls)


async def test_a_store_hears_its_own_client_calls_and_not_its_own_commits(store: SqlStore) -> None:
    node = Node(store)
    calls: list[None] = []
    store.listen(lambda: calls.append(None))
    await settle(store)
    calls.clear()

    await node.start(1)
    await node.commit(held=node.held(1), ended=[ended(1)])
    assert await heard_nothing(calls)
    await store.create(SPACE, [new_run(2)])

    assert calls


async def test_an_idle_store_sends_no_statement(store: SqlStore) -> None:
    store.listen(lambda: None)
    await Node(store).start(1)
    await settle(store)
    before = store.statements

    await asyncio.sleep(0.3)

    assert store.statements == before


async def test_a_peek_is_one_statement(store: SqlStore) -> None:
    await store.now()
    before = store.statements

    await store.peek(SPACE, Node(store).id, ["order@1", "mail@1"])

    assert store.statements == before + 1
