"""What a database says no with, and what becomes of it: what passes, what is full, what is a defect."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import apsw
import psycopg
import pytest
from tests.patience import until
from tests.stores.builders import SPACE, Node, at, change, key, signal, step

from holdfast.errors import CommitRefused, JournalCorrupt, StoreFull, StoreUnavailable
from holdfast.ports.runs import RunFilter
from holdfast.stores import SqlStore, store_for
from holdfast.stores.named_queries import load_migrations, load_queries


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[SqlStore]:
    store = store_for(postgres_url)
    await store.open()
    yield store
    await store.close()


def refuse_steps(url: str, code: str) -> Callable[[], int]:
    """Have the server refuse every step with this SQLSTATE. Answers how to ask how often it has."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE SEQUENCE refusals")
        connection.execute(
            f"""
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM nextval('refusals');
                RAISE EXCEPTION 'refused' USING ERRCODE = '{code}';
            END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON holdfast.journal EXECUTE FUNCTION refuse();
            """.encode()
        )

    def count() -> int:
        with psycopg.connect(url) as connection:
            row = connection.execute("SELECT last_value, is_called FROM refusals").fetchone()
        assert row is not None
        return row[0] if row[1] else 0

    return count


@pytest.mark.parametrize(
    ("code", "error", "tries"),
    [
        ("53100", StoreFull, 1),  # disk_full
        ("40P01", StoreUnavailable, 5),  # deadlock_detected, over and over
        ("40001", StoreUnavailable, 5),  # serialization_failure
        ("57014", StoreUnavailable, 1),  # query_canceled, by an operator
        ("23514", CommitRefused, 1),  # check_violation: waiting would not help
    ],
)
async def test_what_postgres_refuses_is_told_for_what_it_is_and_nothing_is_written(
    postgres: SqlStore, postgres_url: str, code: str, error: type[Exception], tries: int
) -> None:
    node = Node(postgres)
    await node.start(1)
    count = refuse_steps(postgres_url, code)

    with pytest.raises(error, match="refused"):
        await node.commit(1, held=node.held(1), steps=[step(1, 1)], messages=[signal(1)])

    assert count() == tries
    (history,) = await postgres.load_histories(SPACE, [key(1)])
    assert (len(history.steps), history.messages) == (1, [])
    assert await node.last_tick() == 1


async def test_what_is_wrong_with_a_statement_is_not_taken_for_an_outage_of_sqlite(sqlite_url: str) -> None:
    store = store_for(sqlite_url)
    await store.open()
    node = Node(store)
    await node.start(1)

    with pytest.raises(CommitRefused):
        await node.commit(1, held=node.held(1), steps=[step(1, 0)])  # there is a step 0 already

    assert await node.last_tick() == 1
    await node.commit(2, held=node.held(1), steps=[step(1, 1)])
    assert len((await store.load_histories(SPACE, [key(1)]))[0].steps) == 2
    await store.close()


async def test_a_new_file_that_another_process_keeps_to_itself_is_given_up_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.stores.sqlite.driver._BUSY_SECONDS", 0.1)
    file = tmp_path / "holdfast.db"
    other = apsw.Connection(str(file))
    other.execute("CREATE TABLE mine (it)")
    other.execute("BEGIN EXCLUSIVE")
    store = store_for(f"sqlite:///{file}")

    with pytest.raises(StoreUnavailable, match="locked"):
        await store.open()

    other.close()
    await store.open()
    await store.close()


async def test_a_step_that_is_missing_is_found_and_named(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    await node.commit(1, held=node.held(1), steps=[step(1, 1), step(1, 2)])
    await change(store, "DELETE FROM {}journal WHERE position = 1")

    damaged, whole = await store.load_histories(SPACE, [key(1), key(2)])

    assert damaged.damage == "step 1 of the journal is missing"
    assert whole.damage is None


async def test_states_of_a_later_version_are_the_matter_of_their_own_run(store: SqlStore) -> None:
    node = Node(store)
    await node.start(1, 2)
    await change(store, "UPDATE {}tasks SET status = 'frozen'")
    damaged, _ = await store.load_histories(SPACE, [key(1), key(2)])
    await change(store, "UPDATE {}runs SET status = 'hibernating' WHERE parent_seq IS NULL AND epoch = 1")

    assert damaged.damage == "task 0 is 'frozen', which this version does not know"
    assert await store.list_runs(SPACE, RunFilter()) == []
    with pytest.raises(JournalCorrupt, match="'hibernating', which this version does not know"):
        await store.find_run(SPACE, key(1))


async def test_whoever_stops_waiting_for_a_call_is_not_told_how_it_failed(sqlite_url: str) -> None:
    store = store_for(sqlite_url)
    await store.open()
    node = Node(store)
    await node.start(1)
    loop_complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: loop_complaints.append(what))

    failing = asyncio.ensure_future(node.commit(1, held=node.held(1), steps=[step(1, 0)]))
    await asyncio.sleep(0)
    failing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await failing
    await store.post_messages(SPACE, [signal(1)], at(2))  # on the same thread, so the other has been answered

    assert loop_complaints == []
    await store.close()


async def test_who_has_stopped_listening_may_say_so_again_and_others_go_on(store: SqlStore) -> None:
    heard: list[str] = []
    await Node(store).start(1)
    stop_first = store.listen(lambda: heard.append("first"))
    stop_second = store.listen(lambda: heard.append("second"))

    stop_first()
    stop_first()
    await store.post_messages(SPACE, [signal(1)], at(1))
    await asyncio.sleep(0)

    assert set(heard) == {"second"}
    stop_second()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package as a database brings one, with queries and migrations."""
    folder = tmp_path / "some_database"
    for name in ("sql", "migrations"):
        (folder / name).mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "sql" / "runs.sql").write_text("-- name: find\nSELECT 1;\n")
    (folder / "migrations" / "0001_first.sql").write_text("SELECT 1;")
    (folder / "sql" / "notes.txt").write_text("-- name: find\nnot a query\n")
    (folder / "migrations" / "README").write_text("not a migration")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "some_database", raising=False)
    return folder


def test_only_sql_files_are_queries_and_only_numbered_ones_migrations(package: Path) -> None:
    assert load_queries("some_database") == {"find": "SELECT 1;"}
    assert [migration.name for migration in load_migrations("some_database")] == ["first"]


def test_two_queries_of_one_name_are_refused(package: Path) -> None:
    (package / "sql" / "tasks.sql").write_text("-- name: find\nSELECT 2;\n")

    with pytest.raises(ValueError, match=r"two queries named 'find', the second in tasks\.sql"):
        load_queries("some_database")


def test_a_migration_that_is_missing_is_noticed(package: Path) -> None:
    (package / "migrations" / "0003_third.sql").write_text("SELECT 3;")

    with pytest.raises(ValueError, match="not numbered from 1 without gaps"):
        load_migrations("some_database")


async def test_a_new_file_that_another_process_has_for_a_moment_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # SQLite does not ask the handler when it sees two that would wait for each other.
    monkeypatch.setattr("holdfast.stores.sqlite.driver._BusyHandler.__call__", lambda *_: False)
    file = tmp_path / "holdfast.db"
    other = apsw.Connection(str(file))
    other.execute("CREATE TABLE mine (it)")
    other.execute("BEGIN EXCLUSIVE")
    store = store_for(f"sqlite:///{file}")

    opening = asyncio.ensure_future(store.open())
    await asyncio.sleep(0.1)
    assert not opening.done()
    other.close()

    await opening
    await Node(store).start(1)
    await store.close()


def test_what_was_asked_when_the_loop_ended_is_done_and_nobody_is_told(
    sqlite_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def leave_in_the_middle() -> None:
        store = store_for(sqlite_url)
        await store.open()
        await Node(store).start(1)
        posting = asyncio.create_task(store.post_messages(SPACE, [signal(1)], at(1)))
        await asyncio.sleep(0)
        assert not posting.done()

    async def read() -> int:
        store = store_for(sqlite_url)
        await store.open()
        await store.post_messages(SPACE, [signal(1)], at(2))  # waits for a writer that is still at it
        (history,) = await store.load_histories(SPACE, [key(1)])
        await store.close()
        return len(history.messages)

    asyncio.run(leave_in_the_middle())

    assert caplog.text == ""
    assert asyncio.run(read()) == 2


async def test_a_burst_of_commits_of_others_is_one_piece_of_news(
    postgres: SqlStore, postgres_url: str
) -> None:
    heard: list[float] = []
    stop = postgres.listen(lambda: heard.append(time.monotonic()))
    await until(lambda: heard)  # it tells once that it listens
    heard.clear()

    with psycopg.connect(postgres_url, autocommit=True) as other:
        for _ in range(20):
            other.execute("NOTIFY holdfast")
    time.sleep(0.2)  # noqa: ASYNC251  # the loop is busy, as with a large tick
    await until(lambda: heard)
    await asyncio.sleep(0.1)

    assert len(heard) < 10  # one, unless the machine kept the listener from reading in time
    stop()
