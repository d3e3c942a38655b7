"""The registry of workers: who there is, what each can do, and when it was heard of last."""

from __future__ import annotations

from tests.stores.builders import SPACE, Node, Worker, at, change, key, new_worker

from holdfast.stores import SqlStore

ADDRESS = "http://10.0.0.7:8080"


async def test_a_worker_is_read_back_as_it_was_registered(store: SqlStore) -> None:
    worker = new_worker("w1", url=ADDRESS, services=("grüße", 'a"b', ""), type="http", load=3)

    await store.register_worker(SPACE, worker)

    assert await store.list_workers(SPACE, at(0)) == [worker]
    assert await store.list_workers("elsewhere", at(0)) == []


async def test_registering_again_replaces_what_is_known(store: SqlStore) -> None:
    await store.register_worker(SPACE, new_worker("w1", load=3))
    other = new_worker("w1", url=ADDRESS, services=("crop", "rotate"), type="http", heartbeat_at=at(5))

    await store.register_worker(SPACE, other)

    assert await store.list_workers(SPACE, at(0)) == [other]


async def test_workers_are_listed_by_id_as_long_as_they_are_heard_of(store: SqlStore) -> None:
    for id, seconds in (("b", 10), ("a", 9), ("B", 10), ("ä", 11)):
        await store.register_worker(SPACE, new_worker(id, heartbeat_at=at(seconds)))

    assert [worker.id for worker in await store.list_workers(SPACE, at(10))] == ["B", "b", "ä"]


async def test_a_heartbeat_tells_that_a_worker_lives_and_how_busy_it_is(store: SqlStore) -> None:
    await store.register_worker(SPACE, new_worker("w1", is_online=False))

    assert await store.record_heartbeat(SPACE, "w1", "queue", 7, at(20), at(50))

    assert await store.list_workers(SPACE, at(20)) == [new_worker("w1", load=7, heartbeat_at=at(20))]


async def test_a_heartbeat_of_nobody_known_is_refused(store: SqlStore) -> None:
    await store.register_worker(SPACE, new_worker("w1", url="queue"))

    assert not await store.record_heartbeat(SPACE, "w2", "queue", 1, at(20), at(50))
    assert not await store.record_heartbeat(SPACE, "w2", ADDRESS, 1, at(20), at(50))
    assert not await store.record_heartbeat("elsewhere", "w1", "queue", 1, at(20), at(50))

    assert await store.list_workers(SPACE, at(0)) == [new_worker("w1", url="queue")]


async def test_a_heartbeat_under_another_id_counts_for_the_worker_at_that_address(store: SqlStore) -> None:
    old = new_worker("old", url=ADDRESS, heartbeat_at=at(1))
    await store.register_worker(SPACE, old)
    await store.register_worker(SPACE, new_worker("new", url=ADDRESS, heartbeat_at=at(2)))

    assert await store.record_heartbeat(SPACE, "unheard of", ADDRESS, 4, at(20), at(50))

    assert await store.list_workers(SPACE, at(0)) == [
        new_worker("new", url=ADDRESS, load=4, heartbeat_at=at(20)),
        old,
    ]


async def test_a_heartbeat_renews_all_that_its_worker_has_and_nothing_of_others(store: SqlStore) -> None:
    node, first, second = Node(store), Worker(store, "w1"), Worker(store, "w2")
    await store.register_worker(SPACE, new_worker("w1"))
    await node.queue(1, 2, 3, 4)
    for worker in (first, first, second):
        await worker.take()

    await store.record_heartbeat(SPACE, "w1", "queue", 0, at(9), at(50))

    taken = [await second.take(now=11), await second.take(now=11)]
    assert [item.run for item in taken] == [key(4), key(3)]
    assert await second.poll(now=20) is None
    assert {(await second.take(now=50)).run for _ in range(4)} == {key(number) for number in range(1, 5)}


async def test_workers_that_fall_silent_are_marked_and_the_others_counted(store: SqlStore) -> None:
    for id, seconds in (("a", 1), ("b", 10), ("c", 11)):
        await store.register_worker(SPACE, new_worker(id, heartbeat_at=at(seconds)))
    await store.register_worker("elsewhere", new_worker("d", heartbeat_at=at(1)))

    assert await store.mark_workers_offline(SPACE, at(10)) == 2

    workers = await store.list_workers(SPACE, at(0))
    assert [(worker.id, worker.is_online) for worker in workers] == [("a", False), ("b", True), ("c", True)]
    assert (await store.list_workers("elsewhere", at(0)))[0].is_online
    assert await store.mark_workers_offline(SPACE, at(12)) == 0


async def test_nothing_is_written_where_nobody_has_fallen_silent(store: SqlStore) -> None:
    await store.register_worker(SPACE, new_worker("a", heartbeat_at=at(10)))
    await store.now()  # whoever reads is connected
    before = store.statements

    assert await store.mark_workers_offline(SPACE, at(10)) == 1

    assert store.statements == before + 1


async def test_whoever_asks_in_vain_writes_nothing(store: SqlStore) -> None:
    await Node(store).queue(1, ready=60)
    await store.now()
    before = store.statements

    assert await Worker(store).poll("resize", "crop") is None

    assert store.statements == before + 1


async def test_a_worker_that_cannot_be_read_is_left_out_and_the_others_are_listed(store: SqlStore) -> None:
    for id in ("a", "b"):
        await store.register_worker(SPACE, new_worker(id))
    await change(store, """UPDATE {}workers SET services = '{{"crop":1}}' WHERE id = 'a'""")

    assert [worker.id for worker in await store.list_workers(SPACE, at(0))] == ["b"]


async def test_a_worker_that_begins_again_holds_nothing_of_its_last_life(
    store: SqlStore,
) -> None:
    await Node(store).queue(1)
    await store.register_worker(SPACE, new_worker("w1", heartbeat_at=at(1)))
    taken = await store.poll_queue(SPACE, "w1", ["resize"], at(2), at(60))
    assert taken is not None

    await store.register_worker(SPACE, new_worker("w1", heartbeat_at=at(3)))
    again = await store.poll_queue(SPACE, "w2", ["resize"], at(4), at(60))

    assert again is not None
    assert (again.run, again.seq, again.lease) == (taken.run, taken.seq, taken.lease + 1)
