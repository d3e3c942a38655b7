"""What is SQLite's own: full disks, and many writers on one file."""

from __future__ import annotations

import asyncio
import datetime as dt
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.patience import PATIENCE
from tests.stores.builders import SPACE, Node, at, key, new_run, new_task, raw_connection

from holdfast.core.values import NodeId, Payload
from holdfast.errors import StoreFull
from holdfast.ports.runs import RunFilter
from holdfast.stores import SqlStore, store_for
from holdfast.stores.database import Transaction


@pytest.fixture
async def store(sqlite_url: str) -> AsyncIterator[SqlStore]:
    store = store_for(sqlite_url)
    await store.open()
    yield store
    await store.close()


async def test_a_full_disk_writes_nothing_and_the_next_commit_after_it_goes_through(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1)
    await store._driver.write(lambda tx: limit_pages(tx, 1))
    large = [new_task(2, seq, b'"%s"' % (b"x" * 2000)) for seq in range(100)]

    with pytest.raises(StoreFull, match="free some space"):
        await node.commit(created=[new_run(2, owner=node.id)], tasks=large)

    assert await node.last_tick() == 1
    assert await store.load_histories(SPACE, [key(2)]) == []
    await store._driver.write(lambda tx: limit_pages(tx, 1_000_000))
    await node.commit(created=[new_run(2, owner=node.id)], tasks=large)
    assert len(await store.list_tasks(SPACE, key(2))) == 100


def limit_pages(tx: Transaction, pages: int) -> None:
    """Make the disk full, as far as SQLite can tell. The limit is never less than what is in use."""
    raw_connection(tx).pragma("max_page_count", pages)


async def test_a_statement_is_not_planned_again_for_each_claim_and_moment(store: SqlStore) -> None:
    planned: list[object] = []

    def note(*what: object) -> int:  # SQLite asks for each table and column when it plans a statement
        planned.append(what)
        return apsw.SQLITE_OK

    def look(tx: Transaction, now: int) -> None:
        claims = [(f"w{number}@1",) for number in range(20)]
        tx.many_returning("urgent_runs", claims, SPACE, at(now), 10)
        tx.many_returning("due_runs", claims, SPACE, at(now), 10, 3)

    def look_twice(tx: Transaction) -> tuple[int, int]:
        raw_connection(tx).authorizer = note
        look(tx, 1)
        once = len(planned)
        look(tx, 2)
        raw_connection(tx).authorizer = None
        return once, len(planned) - once

    once, again = await store._driver.write(look_twice)

    assert once > 0
    assert again == 0


async def test_payloads_are_text_for_other_programs(store: SqlStore, tmp_path: Path) -> None:
    await Node(store).start(1, input=Payload('{"name":"Jörg"}'.encode()))

    with closing(sqlite3.connect(tmp_path / "holdfast.db")) as other:
        rows = other.execute("SELECT input, input ->> 'name', typeof(input) FROM runs").fetchall()

    assert rows == [('{"name":"Jörg"}', "Jörg", "text")]


async def test_a_writer_without_a_pause_does_not_starve_another(store: SqlStore, sqlite_url: str) -> None:
    other = store_for(sqlite_url)
    await other.open()
    node = Node(store)
    done = asyncio.Event()

    async def write_without_a_pause() -> None:
        for number in range(20_000):
            await node.start(1000 + number)
            if done.is_set():
                return

    writing = asyncio.create_task(write_without_a_pause())
    async with asyncio.timeout(PATIENCE):
        for number in range(10):
            await other.create_runs(SPACE, [new_run(number)])
    assert not writing.done(), "it had stopped writing before the other came through"
    done.set()
    await writing

    await other.close()


async def test_every_commit_is_synced_to_disk(store: SqlStore) -> None:
    names = ("journal_mode", "synchronous", "fullfsync")

    settings = await store._driver.write(lambda tx: [raw_connection(tx).pragma(name) for name in names])

    assert settings == ["wal", 2, 1]


async def test_a_relative_path_stays_where_it_was_when_the_store_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections are opened when they are needed, and a task may have changed the working directory."""
    there = tmp_path / "there"
    there.mkdir()
    monkeypatch.chdir(tmp_path)
    store = store_for("sqlite:///relative.db")
    await store.open()
    await store.create_runs(SPACE, [new_run(1)])

    monkeypatch.chdir(there)
    listed = await store.list_runs(SPACE, RunFilter(limit=10))
    renewal = store.for_engine().open_renewal(dt.timedelta(seconds=1))
    assert renewal is not None
    is_ours = await asyncio.to_thread(renewal.renew, NodeId("nobody"), at(1), at(2))
    renewal.close()
    await store.close()

    assert [run.key for run in listed] == [key(1)]
    assert not is_ours
    assert not list(there.iterdir())
