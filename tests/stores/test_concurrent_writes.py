"""Writes of two nodes at the same time, and writes of a node that has lost its lease."""

from __future__ import annotations

import asyncio

import psycopg
from tests.patience import PATIENCE
from tests.stores.builders import SPACE, Node, at, key, new_run, resolved, step

from holdfast.stores import SqlStore, store_for


async def _wait_until(admin: psycopg.AsyncConnection, waiting: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            cursor = await admin.execute("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
            if await cursor.fetchone() == (waiting,):
                return
            await asyncio.sleep(0.01)


async def test_of_two_who_settle_a_promise_in_the_same_instant_the_second_sees_the_first(
    postgres_url: str,
) -> None:
    stores = [store_for(postgres_url), store_for(postgres_url)]
    for store in stores:
        await store.open()
    await Node(stores[0]).start(1)

    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as admin:
        async with admin.transaction():
            # Both are held up at their first look at the run, wherever that is.
            await admin.execute("SELECT 1 FROM holdfast.runs FOR UPDATE")
            posts = [
                asyncio.create_task(store.post_messages(SPACE, [resolved(1)], at(1))) for store in stores
            ]
            await _wait_until(admin, waiting=2)
        answers = await asyncio.gather(*posts)

    (history,) = await stores[0].load_histories(SPACE, [key(1)])
    for store in stores:
        await store.close()
    assert sorted(answer.name for (answer,) in answers) == ["POSTED", "SETTLED"]
    assert len(history.messages) == 1


async def test_children_that_a_stale_owner_asks_for_are_not_started(store: SqlStore) -> None:
    old, new = Node(store, "old", lease=5), Node(store, "new")
    await old.start(1, 2)
    await new.claim(limit=1, now=6)
    await old.commit(6, held=old.held(1, 2))

    receipt = await old.commit(
        7,
        held=old.held(1, 2),
        steps=[step(1, 1), step(2, 1)],
        created=[new_run(8, parent=key(1), parent_seq=0), new_run(9, parent=key(2), parent_seq=0)],
    )

    assert receipt.lost == {key(1), key(2)}
    assert await store.load_histories(SPACE, [key(8), key(9)]) == []


async def test_the_last_commit_of_a_node_is_recovered_and_not_one_that_was_not_written(
    store: SqlStore,
) -> None:
    node = Node(store)
    first, second, third = (node.prepare() for _ in range(3))
    await store.commit(first)
    await store.commit(second)

    recovered = [await store.recover_commit(commit) for commit in (second, third)]

    assert [receipt is not None for receipt in recovered] == [True, False]


async def test_a_journal_with_a_step_missing_is_loaded_as_damaged(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    await node.commit(held=node.held(1, 2), steps=[step(1, 2), step(2, 1)])

    torn, whole = await store.load_histories(SPACE, [key(1), key(2)])

    assert torn.damage == "step 1 of the journal is missing"
    assert whole.damage is None
