"""The queue when several workers and nodes use it at the same time."""

from __future__ import annotations

import asyncio

import psycopg
import pytest
from tests.patience import PATIENCE
from tests.stores.builders import SPACE, Node, Worker, at, key, new_worker, queued, raw_connection

from holdfast.core.values import Payload, Succeeded, TaskStatus
from holdfast.ports.commits import MovedTask, UnqueuedTask
from holdfast.ports.workers import CompletionResult, QueueItem
from holdfast.stores import SqlStore, store_for

DONE = Succeeded(Payload(b'{"ok":true}'))


@pytest.mark.parametrize("services", [("resize",), ("resize", "crop")])
async def test_two_who_ask_at_once_never_get_the_same_item(
    pair: tuple[SqlStore, SqlStore], services: tuple[str, ...]
) -> None:
    node = Node(pair[0])
    for number in range(60):
        await node.queue(number, service=services[number % len(services)])

    async def ask(worker: Worker) -> list[QueueItem]:
        taken: list[QueueItem] = []
        while (item := await worker.poll(*services, now=1)) is not None:
            taken.append(item)
        return taken

    workers = [Worker(store, f"w{number}") for number, store in enumerate((*pair, *pair))]
    taken = [item for items in await asyncio.gather(*map(ask, workers)) for item in items]

    assert sorted(item.run for item in taken) == [key(number) for number in range(60)]
    assert {item.lease for item in taken} == {1}


async def test_an_item_that_another_is_just_taking_is_passed_over(postgres_url: str) -> None:
    store = store_for(postgres_url)
    await store.open()
    await Node(store).queue(1, 2)
    with psycopg.connect(postgres_url) as other:
        other.execute("SELECT 1 FROM holdfast.queue ORDER BY run LIMIT 1 FOR UPDATE")

        taken = await asyncio.wait_for(Worker(store).take(), PATIENCE)
        nothing = await asyncio.wait_for(Worker(store).poll(), PATIENCE)

    assert (taken.run, nothing) == (key(2), None)
    assert (await Worker(store).take()).run == key(1)
    await store.close()


async def test_a_completion_and_a_take_over_at_once_are_never_both_right(
    pair: tuple[SqlStore, SqlStore],
) -> None:
    node = Node(pair[0])
    holder, next_one = Worker(pair[0], "w1"), Worker(pair[1], "w2")
    for number in range(30):
        await node.queue(number, service=f"s{number}")

    for number in range(30):
        item = await holder.take(f"s{number}")
        result, taken = await asyncio.gather(
            holder.complete(item, DONE, now=20), next_one.poll(f"s{number}", now=20)
        )
        assert (result is CompletionResult.DONE) == (taken is None)
        mail = (await pair[0].load_histories(SPACE, [key(number)]))[0].messages
        assert len(mail) == (1 if taken is None else 0)


async def test_commits_heartbeats_and_workers_at_once_do_not_wait_for_each_other(
    pair: tuple[SqlStore, SqlStore],
) -> None:
    """On Postgres, one of two who lock the same rows in another order is thrown out after a second."""
    nodes = [Node(pair[0], "node-1"), Node(pair[1], "node-2")]
    workers = [Worker(store, f"w{number}") for number, store in enumerate(pair)]
    for number in range(40):
        await nodes[number % 2].queue(number)
    for worker in workers:
        await pair[0].register_worker(SPACE, new_worker(worker.id))

    async def commit(node: Node, first: int) -> None:
        mine = list(range(first, 40, 2))
        for turn in range(20):
            order = mine if turn % 2 else mine[::-1]
            moved = [MovedTask(key(it), 0, TaskStatus.PENDING, 1, 0, None, None, None) for it in order]
            again = [queued(it) for it in order] if turn % 3 else []
            gone = [UnqueuedTask(key(it), 0) for it in order]
            await node.commit(
                turn, held=node.held(*order), moved=moved, queued=again, unqueued=gone, collect=True
            )

    async def work(worker: Worker) -> None:
        for turn in range(40):
            if (item := await worker.poll(now=turn)) is not None and turn % 3:
                await worker.complete(item, DONE, now=turn)
            assert await worker.store.record_heartbeat(SPACE, worker.id, "queue", 0, at(turn), at(turn + 1))

    await asyncio.gather(*(commit(node, first) for first, node in enumerate(nodes)), *map(work, workers))

    assert await deadlocks(pair[0]) == 0


async def deadlocks(store: SqlStore) -> int:
    """How many the server has had to end. It counts with a second's delay."""
    if "SQLite" in store.name:
        return 0
    await asyncio.sleep(1.5)
    query = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    return await store._driver.write(lambda tx: raw_connection(tx).execute(query).fetchone()[0])
