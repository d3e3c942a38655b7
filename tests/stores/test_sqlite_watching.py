"""A commit of another process to a SQLite file is noticed, however long its fsync takes."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import apsw
import pytest
from tests.patience import PATIENCE
from tests.stores.builders import SPACE, new_run

from holdfast.stores import SqlStore, store_for
from holdfast.stores.database import Changes, Connection
from holdfast.stores.sqlite import watching
from holdfast.stores.sqlite.driver import SqliteDatabase
from holdfast.stores.sqlite.watching import OwnCommits

T = TypeVar("T")

_SLOW = "slow disk"


class _SlowFile(apsw.VFSFile):
    seconds = 0.0

    def xSync(self, flags: int) -> None:  # noqa: N802  # SQLite's name
        time.sleep(self.seconds)
        super().xSync(flags)


class _SlowDisk(apsw.VFS):
    def __init__(self) -> None:
        super().__init__(_SLOW, "")

    def xOpen(self, name: Any, flags: Any) -> _SlowFile:  # noqa: N802  # SQLite's name
        return _SlowFile("", name, flags)


@pytest.fixture
def slow_disk() -> Iterator[type[_SlowFile]]:
    disk = _SlowDisk()
    yield _SlowFile
    disk.unregister()


@pytest.fixture
async def store(sqlite_url: str) -> AsyncIterator[SqlStore]:
    store = store_for(sqlite_url)
    await store.open()
    yield store
    await store.close()


@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.15, 0.6])
async def test_a_commit_is_heard_as_soon_as_it_is_visible(
    seconds: float, store: SqlStore, tmp_path: Path, slow_disk: type[_SlowFile]
) -> None:
    slow_disk.seconds = 0.0
    other: Any = apsw.Connection(str(tmp_path / "holdfast.db"), vfs=_SLOW)
    other.execute("PRAGMA synchronous = FULL")
    heard = asyncio.Event()
    stop = store.listen(heard.set)
    await store.create_runs(SPACE, [new_run(1)])
    await asyncio.sleep(0.3)
    heard.clear()
    slow_disk.seconds = seconds

    for number in range(3):
        await asyncio.to_thread(other.execute, "UPDATE runs SET wake_at = ?", (number,))
        async with asyncio.timeout(PATIENCE):
            await heard.wait()
        heard.clear()
        await asyncio.sleep(0.1)

    stop()
    slow_disk.seconds = 0.0
    other.close()


async def test_without_inotify_the_header_is_read_now_and_then(
    store: SqlStore, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_open_inotify", lambda _: None)
    other = store_for(sqlite_url)
    await other.open()
    heard = asyncio.Event()
    stop = store.listen(heard.set)
    await asyncio.sleep(0.3)
    heard.clear()

    await other.create_runs(SPACE, [new_run(1)])
    async with asyncio.timeout(PATIENCE):
        await heard.wait()

    stop()
    await other.close()


async def test_only_commits_of_others_are_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = OwnCommits.end

    def count_late(commits: OwnCommits, *, is_counted: bool) -> None:
        time.sleep(0.001)  # the header shows the commit already
        count(commits, is_counted=is_counted)

    monkeypatch.setattr(OwnCommits, "end", count_late)
    database = SqliteDatabase(str(tmp_path / "own.db"))
    writer, reader, other = (database.connect() for _ in range(3))
    other._commits = OwnCommits()  # pyright: ignore[reportPrivateUsage]
    other.write(lambda tx: tx.script("CREATE TABLE t (n)"))
    lane = ThreadPoolExecutor(1)
    on_lane = partial(asyncio.get_running_loop().run_in_executor, lane)
    heard: list[object] = []

    async def ask(question: Callable[[Connection], T]) -> T:
        return await on_lane(question, writer)

    stop = database.watch(cast(Changes, SimpleNamespace(tell=heard.append)), ask)
    await asyncio.sleep(0.1)
    heard.clear()
    for number in range(200):
        await on_lane(writer.write, lambda tx, n=number: tx.script(f"INSERT INTO t VALUES ({n})"))
        with contextlib.suppress(apsw.SQLError):
            await on_lane(writer.write, lambda tx: tx.script("INSERT INTO t VALUES (0); SELECT no_such()"))
        await on_lane(writer.write, lambda tx: tx.script("DELETE FROM t WHERE n < 0"))
        await on_lane(writer.write, lambda tx: tx.script("UPDATE t SET n = n"))
        await asyncio.to_thread(reader.read, lambda tx: tx.script("SELECT * FROM t"), snapshot=True)
    await asyncio.sleep(0.1)
    own = list(heard)
    for number in range(3):
        await asyncio.to_thread(other.write, lambda tx, n=number: tx.script(f"INSERT INTO t VALUES ({n})"))
        await asyncio.sleep(0.1)

    stop()
    lane.shutdown()
    for connection in (writer, reader, other):
        connection.close()
    assert (own, len(heard)) == ([], 3)


async def test_a_commit_of_another_process_among_many_of_its_own_is_heard(
    store: SqlStore, tmp_path: Path
) -> None:
    other: Any = apsw.Connection(str(tmp_path / "holdfast.db"))
    other.set_busy_timeout(10_000)
    heard = asyncio.Event()
    stop = store.listen(heard.set)
    await store.create_runs(SPACE, [new_run(1)])
    await asyncio.sleep(0.3)
    is_over = False

    driver: Any = store._driver  # pyright: ignore[reportPrivateUsage]

    async def keep_writing() -> None:
        while not is_over:
            await driver.write(lambda tx: tx.script("UPDATE runs SET wake_at = 1"))

    writing = asyncio.create_task(keep_writing())
    for number in range(20):
        heard.clear()
        await asyncio.to_thread(other.execute, "UPDATE runs SET wake_at = ?", (number,))
        async with asyncio.timeout(PATIENCE):
            await heard.wait()
    is_over = True
    await writing
    stop()
    other.close()


_TRY_TO_WRITE = """
import apsw, sys
try:
    apsw.Connection(sys.argv[1]).execute("BEGIN IMMEDIATE")
except apsw.BusyError:
    print("busy")
else:
    print("two writers at once")
"""


async def test_watching_leaves_the_locks_of_sqlite_alone(store: SqlStore, tmp_path: Path) -> None:
    path = str(tmp_path / "holdfast.db")
    writer: Any = apsw.Connection(path)
    writer.execute("BEGIN IMMEDIATE")

    for _ in range(3):  # listeners come and go
        stop = store.listen(lambda: None)
        await asyncio.sleep(0.1)
        stop()
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _TRY_TO_WRITE, path, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await other.communicate()

    writer.execute("ROLLBACK")
    writer.close()
    assert said.decode().strip() == "busy"


async def test_descriptors_of_removed_files_are_closed(tmp_path: Path) -> None:
    for number in range(3):
        path = tmp_path / f"{number}.db"
        store = store_for(f"sqlite:///{path}")
        await store.open()
        stop = store.listen(lambda: None)
        await asyncio.sleep(0.1)
        stop()
        await store.close()

    kept = [index for index in watching._descriptors if index.startswith(str(tmp_path))]  # pyright: ignore[reportPrivateUsage]
    assert kept == [f"{tmp_path}/2.db-shm"]
