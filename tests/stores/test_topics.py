"""Who is told of a change: those whom it concerns, after the commit, and nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import psycopg
import pytest
from tests.patience import until
from tests.stores.builders import SPACE, Node, at, ended, key, new_run, released, resolved, signal

from holdfast.core.records import MessageKind
from holdfast.core.values import NULL, RunStatus
from holdfast.ports.commits import AnsweredUpdate, NewMessage
from holdfast.ports.runs import Act
from holdfast.ports.store_life import ANSWERED, COLD, DUE, ENDED, of_node
from holdfast.stores import SqlStore, store_for
from holdfast.stores.postgres import driver
from holdfast.stores.postgres.notifications import payload_of, topics_of
from holdfast.stores.postgres.pipeline import Pipeline, Sent


@pytest.fixture
async def stores(postgres_url: str) -> Any:
    """Two stores on one database, as two processes have them."""
    first, second = store_for(postgres_url), store_for(postgres_url)
    await first.open()
    await second.open()
    yield first, second
    await first.close()
    await second.close()


class Ears:
    """Listens to each topic apart."""

    def __init__(self, store: SqlStore, *topics: str) -> None:
        self.heard: set[str] = set()
        for topic in (*topics, "last"):
            store.listen(lambda topic=topic: self.heard.add(topic), topic)

    async def connect(self) -> None:
        await until(lambda: "last" in self.heard)
        self.heard.clear()

    async def hears_of(self, other: SqlStore) -> set[str]:
        """What it has heard by now. Notifications come in order, so one more that was heard is the last."""
        await other._driver.write(lambda tx: tx.announce("last"))
        await until(lambda: "last" in self.heard)
        heard, self.heard = self.heard - {"last"}, set()
        return heard


async def test_each_change_is_told_to_those_whom_it_concerns(stores: tuple[SqlStore, SqlStore]) -> None:
    here, there = stores
    node, other = Node(there, "node-1"), Node(there, "node-2")
    ears = Ears(here, DUE, COLD, ENDED, ANSWERED, of_node("node-1"), of_node("node-2"))
    await ears.connect()

    async def told_of(change: Any) -> set[str]:
        await change
        return await ears.hears_of(there)

    owned, other_owned = {of_node("node-1")}, {of_node("node-2")}
    assert await told_of(node.start(1, 2)) == set()
    assert await told_of(there.create_runs(SPACE, [new_run(4)])) == {DUE}
    assert await told_of(there.post_messages(SPACE, [signal(1)], at(1))) == owned
    assert await told_of(there.post_messages(SPACE, [signal(4)], at(1))) == {DUE}
    assert await told_of(there.post_messages(SPACE, [signal(77)], at(1))) == set()
    assert await told_of(other.start(3)) == set()
    assert await told_of(node.commit(messages=[signal(1), signal(3)])) == other_owned
    assert await told_of(node.commit(messages=[signal(1)])) == set()
    assert await told_of(node.commit(held=node.held(1), answered=[AnsweredUpdate(key(1), 1, b"{}")])) == {
        ANSWERED
    }
    assert await told_of(node.commit(held=node.held(1), ended=[ended(1)])) == {ENDED}
    assert await told_of(node.commit(held=node.held(2), released=[released(2)])) == set()
    assert await told_of(there.post_messages(SPACE, [signal(2)], at(1))) == owned | {COLD}
    assert await told_of(other.commit(messages=[signal(2)])) == owned | {COLD}
    assert await told_of(other.commit(held=other.held(3), released=[released(3, wake_at=at(9))])) == {COLD}
    assert await told_of(other.commit(messages=[signal(3)])) == {COLD}
    assert await told_of(there.post_messages(SPACE, [signal(2)], at(100))) == {DUE}  # it seems to be dead
    assert await told_of(there.remove_node(SPACE, node.id)) == {DUE}
    assert await told_of(there.post_messages(SPACE, [signal(2)], at(1))) == {DUE}


async def test_a_message_that_is_not_added_is_told_because_its_lock_may_have_hidden_the_mail_of_another(
    stores: tuple[SqlStore, SqlStore],
) -> None:
    """A node that looks for mail skips runs that are locked."""
    here, there = stores
    node = Node(there, "node-1")
    await node.start(1, 2)
    once = msgspec.structs.replace(signal(1), uid="once")
    unasked = msgspec.structs.replace(resolved(1, "unasked"), is_ahead=False)
    await there.post_messages(SPACE, [once], at(1))
    await node.commit(held=node.held(2), ended=[ended(2)])
    ears = Ears(here, of_node("node-1"))
    await ears.connect()

    async def is_told(*messages: NewMessage) -> bool:
        await there.post_messages(SPACE, messages, at(1))
        return bool(await ears.hears_of(there))

    assert await is_told(once)  # a second time
    assert await is_told(unasked)
    assert not await is_told(signal(2))  # it has ended


async def test_the_node_of_a_parent_is_told_if_something_is_done_to_a_child(
    stores: tuple[SqlStore, SqlStore],
) -> None:
    """The act locks the parent, too."""
    here, there = stores
    node = Node(there, "node-1")
    await node.start(1)
    await there.create_runs(SPACE, [msgspec.structs.replace(new_run(2), parent=key(1), parent_seq=0)])
    ears = Ears(here, of_node("node-1"))
    await ears.connect()

    await there.act_on_runs(SPACE, [Act(key(2), MessageKind.PAUSE)], at(1))

    assert await ears.hears_of(there)


async def test_a_run_that_is_due_at_once_is_told_to_all(stores: tuple[SqlStore, SqlStore]) -> None:
    here, there = stores
    node = Node(there)
    await node.start(1)
    ears = Ears(here, DUE, COLD)
    await ears.connect()

    await node.commit(9, held=node.held(1), released=[released(1, wake_at=at(9))])

    assert await ears.hears_of(there) == {DUE}


async def test_a_store_tells_its_own_process_what_its_calls_are_about(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    heard: list[str] = []
    for topic in (DUE, COLD, ENDED, of_node(node.id)):
        store.listen(lambda topic=topic: heard.append(topic), topic)
    with contextlib.suppress(TimeoutError):  # without threads nobody watches
        async with asyncio.timeout(1):
            await until(lambda: len(heard) == 4)  # when the watch begins, nobody knows what came before
    heard.clear()

    await store.post_messages(SPACE, [signal(1)], at(1))
    by_post, heard[:] = list(heard), []
    await store.create_runs(SPACE, [new_run(2)])

    assert by_post == [of_node(node.id)]
    assert heard == [DUE]


async def test_a_process_that_a_change_does_not_concern_is_not_woken(
    stores: tuple[SqlStore, SqlStore],
) -> None:
    here, there = stores
    node = Node(there)
    await node.start(1)
    heard: list[str] = []
    here.listen(lambda: heard.append("ended"), ENDED)
    await until(lambda: heard)
    calls: list[Callable[..., Any]] = []
    loop = asyncio.get_running_loop()
    usual = loop.call_soon_threadsafe

    def counted(callback: Callable[..., Any], *args: Any, **options: Any) -> Any:
        if getattr(callback, "__qualname__", "") == "_Watcher._on_loop":
            calls.append(callback)
        return usual(callback, *args, **options)

    loop.call_soon_threadsafe = counted
    try:
        for _ in range(20):
            await there.post_messages(SPACE, [signal(1)], at(1))
        assert not calls
        await node.commit(held=node.held(1), ended=[ended(1)])
        await until(lambda: len(heard) == 2)
        assert len(calls) == 1
    finally:
        del loop.call_soon_threadsafe


async def test_others_are_notified_after_the_commit_and_not_in_its_transaction(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction that notifies keeps all others that do from committing, until its fsync is done."""
    sent: list[str] = []
    usual = Pipeline.send

    def send(self: Pipeline, name: bytes, text: bytes, params: Sequence[bytes | None] = ()) -> Sent:
        sent.append(text.decode())
        return usual(self, name, text, params)

    store = store_for(postgres_url)
    await store.open()
    monkeypatch.setattr(Pipeline, "send", send)
    await store.create_runs(SPACE, [new_run(1)])
    await store.close()

    assert sent[0] == "BEGIN"
    assert sent[-2:] == ["COMMIT", "SELECT pg_notify('holdfast', $1::text)"]


@pytest.mark.parametrize(
    ("notify", "error"),
    [
        (b"SELECT no_such_function($1::text)", "no_such_function"),
        # Fails at the sync after it, as a full queue of notifications does.
        (b"INSERT INTO once SELECT 1 WHERE $1::text IS NOT NULL", "once_a_key"),
    ],
)
async def test_a_notification_that_fails_takes_nothing_back(
    stores: tuple[SqlStore, SqlStore],
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    notify: bytes,
    error: str,
) -> None:
    here, there = stores
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as admin:
        await admin.execute("CREATE TABLE once (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        await admin.execute("INSERT INTO once VALUES (1)")
    monkeypatch.setattr(driver, "_NOTIFY", notify)

    with caplog.at_level(logging.WARNING):
        await here.create_runs(SPACE, [new_run(1)])
    await here.create_runs(SPACE, [new_run(2)])

    assert await there.find_run(SPACE, key(1)) is not None
    assert await there.find_run(SPACE, key(2)) is not None
    assert error in caplog.text


async def test_more_topics_than_a_notification_can_name_are_told_to_all(
    stores: tuple[SqlStore, SqlStore],
) -> None:
    here, there = stores
    ears = Ears(here, ENDED)
    await ears.connect()

    await there._driver.write(lambda tx: tx.announce(*[of_node(f"node-{n:04}") for n in range(1_000)]))

    assert await ears.hears_of(there) == {ENDED}
    assert topics_of(payload_of({"due", "@node"})) == {"due", "@node"}
    assert topics_of(b"") is None


async def test_a_cancelled_run_that_is_parked_may_be_ended_by_any_node(
    stores: tuple[SqlStore, SqlStore],
) -> None:
    here, there = stores
    node = Node(there)
    await node.start(1)
    await node.commit(held=node.held(1), released=[released(1, status=RunStatus.PARKED)])
    ears = Ears(here, DUE, of_node(node.id))
    await ears.connect()

    cancellation = NewMessage(key(1), MessageKind.CANCEL, "", NULL)
    await there.post_messages(SPACE, [cancellation], at(1))

    assert await ears.hears_of(there) == {DUE}
