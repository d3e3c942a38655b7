"""Leases: renewed beside the commits, lost to a reaper, and ended by a node whose event loop stands still."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
from collections.abc import Callable
from contextlib import closing

import psycopg
import pytest
from tests.patience import PATIENCE, SOON, until
from tests.stores.builders import SPACE, Node, at, key, new_run, released, step

from holdfast.core.values import NodeId, RunStatus
from holdfast.ports.commits import ClaimRequest
from holdfast.ports.nodes import Stall, StallRecord
from holdfast.stores import SqlStore
from holdfast.stores.database import Transaction

_WAITING = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"


async def claims(node: Node, now: float) -> list[bytes]:
    return [claim.run.key for claim in (await node.claim(now=now)).claimed]


# --- renewal


async def test_a_renewed_lease_holds_as_if_a_commit_had_renewed_it(store: SqlStore) -> None:
    node, other = Node(store, "node", lease=10), Node(store, "other")
    since = (await node.start(1)).lease_since

    assert await store.renew_lease(node.id, since, at(30))

    assert await claims(other, now=29) == []
    assert await claims(other, now=31) == [key(1)]


async def test_a_node_learns_from_a_renewal_that_its_lease_was_ended(store: SqlStore) -> None:
    node, other = Node(store, "node", lease=10), Node(store, "other")
    since = (await node.start(1)).lease_since
    await other.claim(now=11)

    assert not await store.renew_lease(node.id, since, at(30))
    assert not await store.renew_lease(NodeId("never seen"), since, at(30))


async def test_a_commit_tells_since_when_the_lease_has_lasted(store: SqlStore) -> None:
    node, other = Node(store, "node", lease=10), Node(store, "other")

    first, second = await node.start(1, now=1), await node.commit(2)
    await other.claim(now=60)
    third = await node.commit(61)

    assert (first.lease_since, second.lease_since, third.lease_since) == (at(1), at(1), at(61))
    # A commit has begun a new lease. The old one is not renewed with it: the runs were freed in between.
    assert not await store.renew_lease(node.id, first.lease_since, at(90))
    assert await store.renew_lease(node.id, third.lease_since, at(90))


async def test_a_commit_that_does_not_renew_leaves_the_lease_as_it_is(store: SqlStore) -> None:
    node, other = Node(store, "node", lease=10), Node(store, "other")
    await node.start(1)

    await node.commit(9, renews=False)

    assert await claims(other, now=11) == [key(1)]


async def test_a_node_without_a_lease_gets_one_from_whatever_it_commits(store: SqlStore) -> None:
    node, other = Node(store, "node", lease=10), Node(store, "other")

    await node.commit(created=[new_run(1, owner="node")], renews=False)

    assert await store.list_nodes(SPACE) == ["node"]
    assert await claims(other, now=9) == []
    assert await claims(other, now=11) == [key(1)]


async def test_a_commit_that_was_decided_before_a_renewal_does_not_shorten_the_lease(
    store: SqlStore,
) -> None:
    node, other = Node(store, "node", lease=10), Node(store, "other")
    since = (await node.start(1)).lease_since
    late = node.prepare(1)
    await store.renew_lease(node.id, since, at(30))

    await store.commit(late)

    assert await claims(other, now=20) == []


async def test_a_renewal_that_comes_after_a_newer_one_does_not_shorten_the_lease(store: SqlStore) -> None:
    node, other = Node(store, "node", lease=10), Node(store, "other")
    since = (await node.start(1)).lease_since
    await store.renew_lease(node.id, since, at(30))

    # Its sender has given it up, and then asked again.
    assert await store.renew_lease(node.id, since, at(15))

    assert await claims(other, now=20) == []


# --- the end of a lease


async def test_a_lease_that_a_node_ends_frees_its_runs_and_only_the_charged_one_has_a_setback(
    store: SqlStore,
) -> None:
    node, other = Node(store, "node"), Node(store, "other")
    await node.start(1, 2)
    await other.start(3)

    await store.end_lease(SPACE, node.id, Stall(key(1), "charge", "File x, line 1"), at(5))

    assert await store.list_nodes(SPACE) == ["other"]
    assert await store.find_stalls([key(1), key(2), key(3)]) == [
        StallRecord(key(1), "node", at(5), "charge", "File x, line 1")
    ]
    histories = await store.load_histories(SPACE, [key(1), key(2), key(3)])
    assert [history.run.setbacks for history in histories] == [1, 0, 0]
    assert [history.run.owner for history in histories] == [None, None, "other"]
    assert await claims(other, now=5) == [key(1), key(2)]
    assert (await node.commit(6, held=node.held(1, 2), steps=[step(1, 1)])).lost == {key(1), key(2)}


async def test_a_run_that_was_lost_while_its_node_was_paused_has_stalled_it_all_the_same(
    store: SqlStore,
) -> None:
    node, other = Node(store, "node", lease=10), Node(store, "other")
    await node.start(1)
    await other.claim(now=20)

    await store.end_lease(SPACE, node.id, Stall(key(1), None, "stack"), at(25))

    assert await store.find_stalls([key(1)]) == [StallRecord(key(1), "node", at(25), None, "stack")]
    (history,) = await store.load_histories(SPACE, [key(1)])
    assert (history.run.setbacks, history.run.owner) == (1, "other")


async def test_a_stall_of_another_namespace_is_not_recorded(store: SqlStore) -> None:
    node = Node(store, "node")
    await node.start(1)

    await store.end_lease("elsewhere", NodeId("never seen"), Stall(key(1), None, "stack"), at(5))

    assert await store.find_stalls([key(1)]) == []


async def test_a_run_that_is_resumed_has_stalled_nobody(store: SqlStore) -> None:
    for number in (1, 2):
        node = Node(store, f"node-{number}")
        await (node.start(1, 2) if number == 1 else node.claim(now=5))
        await store.end_lease(SPACE, node.id, Stall(key(number), None, "stack"), at(5))
    last = Node(store, "last")
    await last.claim(now=6)
    await last.commit(
        6, held=last.held(1, 2, epoch=3), released=[released(1, status=RunStatus.PARKED), released(2)]
    )

    await store.unpark_runs(SPACE, [key(1), key(2)], at(7))

    assert [stall.run for stall in await store.find_stalls([key(1), key(2)])] == [key(2)]


# --- a connection of its own


class Blocked:
    """Keeps a transaction from ending, on the store's own thread."""

    def __init__(self) -> None:
        self._is_inside, self._goes_on = threading.Event(), threading.Event()

    def __call__(self, tx: Transaction) -> None:
        self._is_inside.set()
        self._goes_on.wait(PATIENCE)

    async def wait_until_inside(self) -> None:
        await asyncio.to_thread(self._is_inside.wait, PATIENCE)

    def go_on(self) -> None:
        self._goes_on.set()


@pytest.fixture
def postgres(postgres_url: str) -> Callable[[], SqlStore]:
    from holdfast.stores import store_for

    return lambda: store_for(postgres_url)


async def test_on_postgres_a_lease_is_renewed_in_the_middle_of_a_commit(
    postgres: Callable[[], SqlStore], postgres_url: str
) -> None:
    store, elsewhere = postgres(), postgres()
    await store.open()
    await elsewhere.open()
    node, other = Node(store, "node", lease=10), Node(elsewhere, "other")
    since = (await node.start(1)).lease_since
    renewal = store.open_renewal(SOON)
    assert renewal is not None
    with psycopg.connect(postgres_url) as admin, closing(renewal):
        admin.execute("SELECT 1 FROM holdfast.runs FOR UPDATE")  # the commit waits for this lock
        committing = asyncio.create_task(
            node.commit(9, renews=False, held=node.held(1), released=[released(1, wake_at=at(99))])
        )
        await until(lambda: admin.execute(_WAITING).fetchall())

        assert await asyncio.to_thread(renewal.renew, node.id, since, at(30))

        assert not committing.done()
        admin.rollback()
        await committing

    assert await claims(other, now=29) == []
    await store.close()
    await elsewhere.close()


async def test_on_postgres_a_commit_makes_no_new_version_of_the_row_of_its_node(
    postgres: Callable[[], SqlStore], postgres_url: str
) -> None:
    store = postgres()
    await store.open()
    node = Node(store, "node")
    await node.start(1)
    with psycopg.connect(postgres_url, autocommit=True) as admin:

        def place() -> list[tuple[object, ...]]:
            return admin.execute("SELECT ctid, xmin FROM holdfast.nodes").fetchall()

        before = place()
        for number in range(1, 21):
            await node.commit(number / 10, renews=False, held=node.held(1), steps=[step(1, number)])

        assert place() == before
    await store.close()


async def test_a_store_without_threads_opens_no_renewal_and_another_opens_one(store: SqlStore) -> None:
    renewal = store.open_renewal(SOON)

    if not store._driver._threads:  # pyright: ignore[reportPrivateUsage]
        assert renewal is None
        return
    assert renewal is not None
    node, before = Node(store, "node", lease=10), store.statements
    since = (await node.start(1)).lease_since
    assert await asyncio.to_thread(renewal.renew, node.id, since, at(30))
    assert not await asyncio.to_thread(renewal.renew, node.id, at(99), at(30))
    assert store.statements > before
    renewal.close()


async def test_on_sqlite_a_renewal_waits_for_the_transaction_under_way_and_no_longer_than_told(
    pair: tuple[SqlStore, SqlStore], store_url: str
) -> None:
    if not store_url.startswith("sqlite"):
        pytest.skip("Postgres has many writers")
    node = Node(pair[0], "node", lease=10)
    since = (await node.start(1)).lease_since
    renewal, hasty = pair[0].open_renewal(SOON), pair[0].open_renewal(dt.timedelta(seconds=0.05))
    assert renewal is not None
    assert hasty is not None
    blocked = Blocked()
    writing = asyncio.create_task(pair[1]._driver.write(blocked))  # pyright: ignore[reportPrivateUsage]
    await blocked.wait_until_inside()
    renewing = asyncio.create_task(asyncio.to_thread(renewal.renew, node.id, since, at(30)))

    with pytest.raises(Exception, match=r"locked|busy"):
        await asyncio.to_thread(hasty.renew, node.id, since, at(30))
    blocked.go_on()

    assert await renewing
    await writing
    renewal.close()
    hasty.close()


async def test_on_sqlite_who_waited_long_for_the_right_to_write_reaps_nobody(
    pair: tuple[SqlStore, SqlStore], store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could renew a lease during that time, however alive it is."""
    if not store_url.startswith("sqlite"):
        pytest.skip("Postgres has many writers")
    monkeypatch.setattr("holdfast.stores.commit_script._LONG_WAIT", 0.05)
    node, other = Node(pair[0], "node", lease=10), Node(pair[1], "other")
    await node.start(1)
    blocked = Blocked()
    writing = asyncio.create_task(pair[0]._driver.write(blocked))  # pyright: ignore[reportPrivateUsage]
    await blocked.wait_until_inside()
    claiming = asyncio.create_task(other.commit(60, claim=ClaimRequest(["order@1"], 10)))
    await asyncio.sleep(0.2)
    blocked.go_on()
    await writing

    assert (await claiming).claimed == []
    assert await claims(other, now=60) == [key(1)]
