"""What is Postgres's own: real concurrency between nodes, and connections that break."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from tests.patience import PATIENCE
from tests.stores.builders import (
    SPACE,
    Node,
    at,
    ended,
    key,
    new_run,
    raw_connection,
    released,
    resolved,
    settled,
    signal,
    step,
)

from holdfast.core.values import RunStatus
from holdfast.errors import StoreError, StoreUnavailable
from holdfast.ports.commits import ClaimRequest, Receipt
from holdfast.stores import SqlStore, store_for
from holdfast.stores.database import Transaction
from holdfast.stores.postgres import driver, notifications


@pytest.fixture
async def stores(postgres_url: str) -> AsyncIterator[tuple[SqlStore, SqlStore]]:
    first, second = store_for(postgres_url), store_for(postgres_url)
    await first.open()
    await second.open()
    yield first, second
    await first.close()
    await second.close()


@pytest.fixture
async def patient_server(admin: psycopg.AsyncConnection) -> None:
    """Deadlocks last, since the server does not look for them. For stores that are opened from now on."""
    await admin.execute(f"ALTER DATABASE {admin.info.dbname} SET deadlock_timeout = '1h'".encode())


@pytest.fixture
async def admin(postgres_url: str) -> AsyncIterator[psycopg.AsyncConnection]:
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as connection:
        yield connection


async def is_waiting(admin: psycopg.AsyncConnection) -> None:
    """Until some transaction waits for a lock."""
    async with asyncio.timeout(PATIENCE):
        while True:
            cursor = await admin.execute("SELECT 1 FROM pg_locks WHERE NOT granted")
            if await cursor.fetchone():
                return
            await asyncio.sleep(0.01)


async def test_a_reaper_passes_over_a_node_in_the_middle_of_a_commit(
    stores: tuple[SqlStore, SqlStore], admin: psycopg.AsyncConnection
) -> None:
    slow, reaper = Node(stores[0], "slow", lease=5), Node(stores[1], "reaper")
    await slow.start(1)

    async with admin.transaction():
        # Holds up the slow commit after it has renewed its lease, and before it is done.
        await admin.execute("SELECT 1 FROM holdfast.runs FOR UPDATE")
        committing = asyncio.create_task(
            slow.commit(99, held=slow.held(1), steps=[step(1, 1)], ended=[ended(1)])
        )
        await is_waiting(admin)
        receipt = await asyncio.wait_for(reaper.claim(now=99), PATIENCE)

    assert receipt.claimed == []
    assert (await committing).lost == frozenset()
    (history,) = await stores[0].load_histories(SPACE, [key(1)])
    assert (history.run.status, len(history.steps)) == (RunStatus.SUCCESS, 2)


async def test_a_late_commit_waits_for_the_reaper_and_then_sees_the_new_owner(
    stores: tuple[SqlStore, SqlStore], admin: psycopg.AsyncConnection
) -> None:
    late, reaper = Node(stores[0], "late", lease=5), Node(stores[1], "reaper")
    await late.start(1)
    await stores[1].create_runs(SPACE, [new_run(2)])

    async with admin.transaction():
        # Holds up the reaper after it has deleted the late node, while it frees the runs.
        await admin.execute("SELECT 1 FROM holdfast.runs WHERE owner = 'late' FOR UPDATE")
        reaping = asyncio.create_task(reaper.claim(now=99))
        await is_waiting(admin)
        committing = asyncio.create_task(
            late.commit(99, held=late.held(1), steps=[step(1, 1)], ended=[ended(1)])
        )
        await asyncio.sleep(0.1)
        assert not committing.done()

    assert {claim.run.key for claim in (await reaping).claimed} == {key(1), key(2)}
    assert (await committing).lost == {key(1)}
    (history,) = await stores[0].load_histories(SPACE, [key(1)])
    assert (history.run.owner, history.run.status, len(history.steps)) == ("reaper", RunStatus.RUNNING, 1)


async def test_of_many_late_commits_and_reapers_each_run_has_one_owner_and_a_journal_without_gaps(
    stores: tuple[SqlStore, SqlStore],
) -> None:
    numbers = range(1, 21)
    nodes = [Node(store, f"node-{number}", lease=0) for number, store in enumerate(stores)]
    await stores[0].create_runs(SPACE, [new_run(number) for number in numbers])
    written: dict[bytes, int] = {key(number): 0 for number in numbers}

    async def live(node: Node) -> None:
        """Claim, reap the other at once, and write a step for every run it believes to own."""
        epochs: dict[bytes, int] = {}
        positions: dict[bytes, int] = {}
        for turn in range(1, 40):
            receipt: Receipt = await node.commit(turn, claim=ClaimRequest(["order@1"], 5))
            claimed = [claim.run for claim in receipt.claimed]
            epochs |= {run.key: run.epoch for run in claimed}
            # Read, not counted here: the other node may have written a step and not have its receipt yet.
            for history in await node.store.load_histories(SPACE, [run.key for run in claimed]):
                positions[history.run.key] = len(history.steps)
            held = [node.held(int.from_bytes(run, "big"), epoch=epoch)[0] for run, epoch in epochs.items()]
            steps = [step(int.from_bytes(run, "big"), positions[run]) for run in epochs]
            receipt = await node.commit(turn, held=held, steps=steps)
            for run in receipt.lost:
                del epochs[run]
            for run in epochs:
                positions[run] += 1
                written[run] += 1

    await asyncio.gather(*(live(node) for node in nodes))

    histories = await stores[0].load_histories(SPACE, [key(number) for number in numbers])
    assert {history.run.key: len(history.steps) for history in histories} == written


async def test_two_nodes_that_end_each_others_children_do_not_wait_for_each_other(
    patient_server: None, stores: tuple[SqlStore, SqlStore]
) -> None:
    left, right = Node(stores[0], "left"), Node(stores[1], "right")
    await left.start(*range(1, 31))
    await right.start(*range(101, 131))
    await left.commit(
        held=left.held(*range(1, 31)),
        created=[new_run(200 + n, owner=left.id, parent=key(100 + n), parent_seq=0) for n in range(1, 31)],
    )
    await right.commit(
        held=right.held(*range(101, 131)),
        created=[new_run(300 + n, owner=right.id, parent=key(n), parent_seq=0) for n in range(1, 31)],
    )

    async with asyncio.timeout(PATIENCE):
        for n in range(1, 31):
            receipts = await asyncio.gather(
                left.commit(held=left.held(200 + n, n), ended=[ended(200 + n, parent=100 + n), ended(n)]),
                right.commit(
                    held=right.held(300 + n, 100 + n), ended=[ended(300 + n, parent=n), ended(100 + n)]
                ),
            )
            assert not any(receipt.lost for receipt in receipts)


async def test_a_deadlock_is_tried_again(
    stores: tuple[SqlStore, SqlStore], admin: psycopg.AsyncConnection
) -> None:
    node = Node(stores[0])
    await node.start(1, 2)

    async with admin.transaction():
        # The other way round than the store locks them, and patient: so the store's own is undone.
        await admin.execute("SET LOCAL deadlock_timeout = '60s'")
        await admin.execute(
            "SELECT 1 FROM holdfast.runs WHERE key = %s FOR UPDATE", [uuid.UUID(bytes=key(2))]
        )
        posting = asyncio.create_task(stores[1].post_messages(SPACE, [signal(1), resolved(2)], at(1)))
        await is_waiting(admin)
        await admin.execute(
            "SELECT 1 FROM holdfast.runs WHERE key = %s FOR UPDATE", [uuid.UUID(bytes=key(1))]
        )

    await posting
    histories = await stores[0].load_histories(SPACE, [key(1), key(2)])
    assert [len(history.messages) for history in histories] == [1, 1]


async def test_connections_that_were_closed_while_nobody_used_them_are_opened_again(
    stores: tuple[SqlStore, SqlStore], admin: psycopg.AsyncConnection
) -> None:
    store = stores[0]
    node = Node(store)
    await node.start(1)
    await store.load_histories(SPACE, [key(1)])

    await admin.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    )

    assert (await node.commit(2, held=node.held(1), steps=[step(1, 1)])).lost == frozenset()
    assert len((await store.load_histories(SPACE, [key(1)]))[0].steps) == 2


async def test_a_connection_that_is_lost_in_a_transaction_is_told_and_the_next_call_has_a_new_one(
    stores: tuple[SqlStore, SqlStore], postgres_url: str
) -> None:
    used = stores[0]._driver

    def lose_connection(tx: Transaction) -> None:
        tx.rows("await_commit", "nobody")
        with psycopg.connect(postgres_url, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            )
        tx.rows("await_commit", "nobody")

    for call in (used.read, used.write):
        with pytest.raises(StoreUnavailable):
            await call(lose_connection)
        assert await call(lambda tx: tx.rows("await_commit", "nobody")) == []


async def test_a_connection_that_cannot_be_set_up_is_closed_at_once(
    postgres_url: str, admin: psycopg.AsyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "_SETTINGS", "SELECT 1 / 0")

    # The error keeps its frames, and they keep the connection: only closing it ends the session.
    with pytest.raises(StoreError, match="division by zero") as told:
        driver.PostgresDatabase(postgres_url).connect()

    query = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'holdfast' AND datname = %s"
    async with asyncio.timeout(PATIENCE):
        while True:
            cursor = await admin.execute(query, [admin.info.dbname])
            if await cursor.fetchone() is None:
                break
            await asyncio.sleep(0.01)
    del told


async def test_a_listener_tries_again_until_the_server_is_the_primary(
    stores: tuple[SqlStore, SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    listen = notifications._Watcher._listen
    refusals = [psycopg.errors.ReadOnlySqlTransaction("cannot execute LISTEN during recovery")]

    def refused_once(watcher: notifications._Watcher) -> None:
        if refusals:
            raise refusals.pop()
        listen(watcher)

    monkeypatch.setattr(notifications._Watcher, "_listen", refused_once)
    heard = asyncio.Event()
    stores[0].listen(heard.set)

    await asyncio.wait_for(heard.wait(), PATIENCE)
    assert not refusals


async def test_a_listener_that_lost_its_connection_comes_back_by_itself(
    stores: tuple[SqlStore, SqlStore], admin: psycopg.AsyncConnection
) -> None:
    heard = asyncio.Event()
    stores[0].listen(heard.set)
    await asyncio.wait_for(heard.wait(), PATIENCE)
    heard.clear()

    await admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast listener'"
    )
    await asyncio.wait_for(heard.wait(), PATIENCE)  # something may have been missed
    heard.clear()
    await stores[1].create_runs(SPACE, [new_run(1)])

    await asyncio.wait_for(heard.wait(), PATIENCE)


async def test_a_commit_whose_answer_was_lost_is_waited_for(
    stores: tuple[SqlStore, SqlStore], admin: psycopg.AsyncConnection
) -> None:
    first, second = stores
    node = Node(first)
    await node.start(1)

    async with admin.transaction():
        await admin.execute("SELECT 1 FROM holdfast.runs FOR UPDATE")
        commit = node.prepare(held=node.held(1), ended=[ended(1)])
        committing = asyncio.create_task(first.commit(commit))
        await is_waiting(admin)
        asking = asyncio.create_task(second.recover_commit(commit))
        await asyncio.sleep(0.1)
        assert not asking.done()

    await committing
    assert await asking == Receipt(lease_since=at(0))


@pytest.mark.parametrize("rows", ["created", "steps", "settled", "released"])
async def test_a_lost_commit_whose_transaction_id_another_has_got_is_not_taken_for_written(
    stores: tuple[SqlStore, SqlStore], rows: str
) -> None:
    """So it is after a crash or a failover: the new server does not know that the id was in use."""
    first, second = stores
    node, other = Node(first), Node(second, "other")
    await node.start(1)
    kinds: dict[str, Any] = {
        "created": [new_run(2, owner=node.id)],
        "steps": [step(1, 1)],
        "settled": [settled(1)],
        "released": [released(1, wake_at=at(1))],
    }
    lost = node.prepare(held=node.held(1), **{rows: kinds[rows]})
    stranger = other.prepare(held=[])
    await second.commit(stranger)
    lost.transaction = stranger.transaction

    assert await first.recover_commit(lost) is None
    await first.commit(lost)
    assert await first.recover_commit(lost) is not None


async def test_payloads_are_json_for_other_programs(
    stores: tuple[SqlStore, SqlStore], admin: psycopg.AsyncConnection
) -> None:
    await Node(stores[0]).start(1)
    await Node(stores[0]).commit(held=Node(stores[0]).held(1), released=[released(1, wake_at=at(1))])

    cursor = await admin.execute(
        "SELECT input ->> 'n', extract(epoch FROM wake_at) * 1000000 FROM holdfast.runs"
    )

    assert await cursor.fetchall() == [("1", at(1))]


# --- statements that no longer fit


@pytest.mark.parametrize(
    "change", ["ALTER TABLE holdfast.runs ALTER COLUMN setbacks TYPE int8", "DEALLOCATE ALL"]
)
async def test_statements_that_no_longer_fit_are_prepared_again_in_a_new_session(
    stores: tuple[SqlStore, SqlStore], admin: psycopg.AsyncConnection, change: str
) -> None:
    here, _ = stores
    await here.create_runs(SPACE, [new_run(1)])
    assert await here.find_run(SPACE, key(1)) is not None

    if change.startswith("ALTER"):
        await admin.execute(change)
    else:
        await here._driver.read(lambda tx: raw_connection(tx).execute(change))

    with pytest.raises(StoreUnavailable):
        await here.find_run(SPACE, key(1))
    assert await here.find_run(SPACE, key(1)) is not None
