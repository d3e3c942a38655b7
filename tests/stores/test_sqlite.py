"""What is SQLite's own: full disks, and many writers on one file."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast.core.values import Payload
from holdfast.errors import StoreFull
from holdfast.stores import SqlStore, store_for
from holdfast.stores.database import Transaction
from tests.stores.builders import SPACE, Node, key, new_run, new_task


@pytest.fixture
async def sqlite(sqlite_url: str) -> AsyncIterator[SqlStore]:
    store = store_for(sqlite_url)
    await store.open()
    yield store
    await store.close()


async def test_a_full_disk_writes_nothing_and_the_next_commit_after_it_goes_through(sqlite: SqlStore) -> None:
    node = Node(sqlite)
    await node.start(1)
    pages = (await sqlite._driver.write(lambda tx: max_page_count(tx, 1)))[0]
    large = [new_task(2, seq, b'"%s"' % (b"x" * 2000)) for seq in range(100)]

    with pytest.raises(StoreFull, match="free some space"):
        await node.commit(created=[new_run(2, owner=node.id)], tasks=large)

    assert await sqlite.committed(node.id) == 1
    assert await sqlite.load(SPACE, [key(2)]) == []
    await sqlite._driver.write(lambda tx: max_page_count(tx, 1_000_000))
    await node.commit(created=[new_run(2, owner=node.id)], tasks=large)
    assert len(await sqlite.list_tasks(SPACE, key(2))) == 100
    assert pages > 0


def max_page_count(tx: Transaction, pages: int) -> tuple[int]:
    """A disk that is full, as far as SQLite can tell. It is never less than what is in use."""
    (row,) = tx._connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()  # pyright: ignore
    return row


async def test_payloads_are_text_for_other_programs(sqlite: SqlStore, tmp_path: Path) -> None:
    await Node(sqlite).start(1, input=Payload('{"name":"Jörg"}'.encode()))

    with sqlite3.connect(tmp_path / "holdfast.db") as other:
        rows = other.execute("SELECT input, json_extract(input, '$.name'), typeof(input) FROM runs").fetchall()
    other.close()

    assert rows == [('{"name":"Jörg"}', "Jörg", "text")]


async def test_a_writer_without_a_pause_does_not_starve_another_process(sqlite: SqlStore, sqlite_url: str) -> None:
    other = store_for(sqlite_url)
    await other.open()
    node = Node(sqlite)
    done = asyncio.Event()

    async def write_without_a_pause() -> None:
        for number in range(20_000):
            await node.start(1000 + number)
            if done.is_set():
                return

    writing = asyncio.create_task(write_without_a_pause())
    async with asyncio.timeout(10):
        for number in range(10):
            await other.create(SPACE, [new_run(number)])
    done.set()
    await writing

    await other.close()


async def test_every_commit_is_synced_to_disk(sqlite: SqlStore) -> None:
    settings = await sqlite._driver.write(
        lambda tx: [
            tx._connection.pragma(name)  # pyright: ignore
            for name in ("journal_mode", "synchronous")
        ]
    )

    assert settings == ["wal", 2]
