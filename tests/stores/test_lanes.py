"""Clients do not hold up the engine: each has lanes of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from tests.patience import PATIENCE, until
from tests.stores.builders import SPACE, Node, key, new_run

from holdfast.core.values import NodeId
from holdfast.errors import NotOpen
from holdfast.ports.runs import RunFilter
from holdfast.stores import SqlStore, gil_pauses, store_for
from holdfast.stores.lanes import LaneName, LanePair, ThreadLane


class Gate:
    """A transaction that stays in its lane until it is let go."""

    def __init__(self) -> None:
        self.is_reached = threading.Event()
        self._go_on = threading.Event()

    def __call__(self, _: Any) -> None:
        self.is_reached.set()
        self._go_on.wait(PATIENCE)

    def open(self) -> None:
        self._go_on.set()

    async def wait(self) -> None:
        await until(self.is_reached.is_set)


@pytest.fixture
async def gate() -> AsyncIterator[Gate]:
    gate = Gate()
    yield gate
    gate.open()


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[SqlStore]:
    store = store_for(store_url)
    await store.open()
    yield store
    await store.close()


async def soon(call: Any) -> Any:
    return await asyncio.wait_for(call, PATIENCE / 2)


# --- one lane


class _NoConnection:
    statements = 0
    is_broken = False

    def close(self) -> None:
        pass


@pytest.fixture
async def lane() -> AsyncIterator[ThreadLane]:
    lane = ThreadLane(_NoConnection, "test")  # pyright: ignore[reportArgumentType]
    yield lane
    await lane.close()


async def test_urgent_jobs_go_before_those_that_wait(lane: ThreadLane, gate: Gate) -> None:
    done: list[str] = []
    jobs = [asyncio.create_task(lane.do(gate))]
    await gate.wait()

    for name, is_urgent in (("post 1", False), ("post 2", False), ("commit 1", True), ("commit 2", True)):
        jobs.append(asyncio.create_task(lane.do(lambda _, name=name: done.append(name), is_urgent=is_urgent)))
        await asyncio.sleep(0)
    gate.open()
    await asyncio.gather(*jobs)

    assert done == ["commit 1", "commit 2", "post 1", "post 2"]


async def test_a_job_does_not_wait_for_urgent_jobs_without_end(lane: ThreadLane, gate: Gate) -> None:
    done: list[str] = []
    jobs = [asyncio.create_task(lane.do(gate))]
    await gate.wait()

    jobs.append(asyncio.create_task(lane.do(lambda _: done.append("post"))))
    for _ in range(100):
        jobs.append(asyncio.create_task(lane.do(lambda _: done.append("commit"), is_urgent=True)))
    await asyncio.sleep(0)
    gate.open()
    await asyncio.gather(*jobs)

    assert 1 <= done.index("post") <= 20


# --- a store


def _listing(store: SqlStore, gate: Gate) -> Any:
    return store._driver.read(gate, may_be_long=True)


def _short_read(store: SqlStore, gate: Gate) -> Any:
    return store._driver.read(gate)


@pytest.mark.parametrize("read", [_listing, _short_read])
async def test_reads_of_clients_hold_up_no_commit_and_no_peek(
    store: SqlStore, gate: Gate, read: Callable[[SqlStore, Gate], Any]
) -> None:
    of_engine = store.for_engine()
    reading = asyncio.create_task(read(store, gate))
    await gate.wait()

    node = Node(of_engine)
    await soon(node.start(1))
    await soon(of_engine.next_work(SPACE, NodeId("node"), ["w"]))
    [history] = await soon(of_engine.load_histories(SPACE, [key(1)]))

    assert history.run.key == key(1)
    assert not reading.done()
    gate.open()
    await reading


async def test_a_listing_holds_up_no_short_read_of_another_client(store: SqlStore, gate: Gate) -> None:
    await store.create_runs(SPACE, [new_run(1)])
    listing = asyncio.create_task(_listing(store, gate))
    await gate.wait()

    found = await soon(store.find_run(SPACE, key(1)))
    ended = await soon(store.ended_runs(SPACE, [key(1)]))

    assert found is not None
    assert not ended
    assert not listing.done()
    gate.open()
    await listing


async def test_a_page_does_not_wait_for_one_long_listing_of_another_client(
    store: SqlStore, gate: Gate
) -> None:
    await store.create_runs(SPACE, [new_run(1)])
    listing = asyncio.create_task(_listing(store, gate))
    await gate.wait()

    pages = [await soon(store.list_runs(SPACE, RunFilter(limit=10))) for _ in range(3)]

    assert [len(page) for page in pages] == [1, 1, 1]
    assert not listing.done()
    gate.open()
    await listing


async def test_listings_one_after_the_other_share_one_connection(store: SqlStore) -> None:
    threads: set[threading.Thread] = set()

    for _ in range(5):
        await store._driver.read(lambda _: threads.add(threading.current_thread()), may_be_long=True)
        await until(lambda: not _is_reading(store))

    assert len(threads) == 1


def _is_reading(store: SqlStore) -> bool:
    pair = store._driver._lanes.get(LaneName.LISTER)
    assert isinstance(pair, LanePair)
    return any(lane.unfinished for lane in pair._lanes)


async def test_a_listing_lets_other_threads_go_on_every_few_rows(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.create_runs(SPACE, [new_run(number) for number in range(500)])
    pauses: list[float] = []
    monkeypatch.setattr(gil_pauses, "time", SimpleNamespace(sleep=pauses.append))

    await store.for_engine().load_histories(SPACE, [key(number) for number in range(500)])
    assert not pauses, "an engine does not pause"
    listed = await store.list_runs(SPACE, RunFilter(limit=500))

    assert len(listed) == 500
    while_fetched = while_converted = 500 // 50 - 1
    assert len(pauses) >= while_fetched + while_converted


async def test_the_commit_of_an_engine_goes_before_the_writes_of_clients_that_wait(
    store: SqlStore, gate: Gate
) -> None:
    """On Postgres they have a connection each, so the commit does not even wait for the one under way."""
    order: list[str] = []
    of_engine = store.for_engine()
    writes = [asyncio.create_task(store._driver.write(gate))]
    await gate.wait()

    async def note(name: str, write: Any) -> None:
        await write
        order.append(name)

    for _ in range(3):
        writes.append(
            asyncio.create_task(note("post", store._driver.write(lambda tx: tx.rows("read_clock"))))
        )
    await asyncio.sleep(0)
    commit = note("commit", Node(of_engine).start(1))
    writes.append(asyncio.create_task(commit))
    await asyncio.sleep(0)
    if store.name.startswith("Postgres"):
        await until(lambda: order == ["commit"])
    gate.open()
    await asyncio.gather(*writes)

    assert order == ["commit", "post", "post", "post"]


async def test_a_store_of_an_engine_is_open_as_long_as_that_of_its_clients(store_url: str) -> None:
    store = store_for(store_url)
    of_engine = store.for_engine()
    with pytest.raises(NotOpen):
        await of_engine.now()

    await store.open()
    before = store.statements
    await of_engine.now()
    assert store.statements > before

    await store.close()
    with pytest.raises(NotOpen):
        await of_engine.now()
    assert store.statements > before


async def test_each_lane_has_a_connection_from_its_first_use_on(postgres_url: str) -> None:
    store = store_for(postgres_url)
    of_engine = store.for_engine()

    def connections() -> int:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> %s"
        with psycopg.connect(postgres_url) as connection:
            row = connection.execute(query, [connection.info.backend_pid]).fetchone()
        return row[0] if row else 0

    counted: list[int] = []
    await store.open()
    counted.append(connections())
    await store.create_runs(SPACE, [new_run(1)])  # opening has used this lane
    counted.append(connections())
    for read in (store.now(), store.list_runs(SPACE, RunFilter()), of_engine.now()):
        await read
        counted.append(connections())
    await Node(of_engine).start(2)
    counted.append(connections())
    await store.close()

    assert counted == [1, 1, 2, 3, 4, 5]
    await until(lambda: connections() == 0)


async def test_all_lanes_are_closed_at_once(store: SqlStore, gate: Gate) -> None:
    other = Gate()
    jobs = [asyncio.create_task(_listing(store, gate)), asyncio.create_task(_short_read(store, other))]
    await gate.wait()
    await other.wait()

    closing = asyncio.create_task(store.close())
    gate.open()
    other.open()
    await asyncio.gather(closing, *jobs)

    with pytest.raises(NotOpen):
        await store.list_runs(SPACE, RunFilter(before=key(9), limit=1))
