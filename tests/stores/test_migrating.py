"""How a migration is applied to a database that others use: alone, waiting its turn, whole or not at all."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from tests.patience import PATIENCE, until
from tests.stores.builders import SPACE, new_run

from holdfast.errors import SchemaTooNew, StoreUnavailable
from holdfast.ports.runs import RunFilter
from holdfast.stores import store_for
from holdfast.stores.migrations import migrate, read_schema
from holdfast.stores.named_queries import Migration
from holdfast.stores.open_store import database_for
from holdfast.stores.postgres import migrating
from holdfast.stores.schema_status import migrate_database, read_schema_status

ADD_COLUMN = "-- needs: 0004\nALTER TABLE {0}runs ADD COLUMN colour text;"
FILL = (
    "-- needs: 0004\n-- how: batches\nUPDATE {0}runs SET waiting = 'filled' WHERE key IN "
    "(SELECT key FROM {0}runs WHERE waiting IS NULL LIMIT 40)"
)
INDEX = """-- needs: 0004
-- how: concurrently
CREATE INDEX CONCURRENTLY runs_by_version ON holdfast.runs (version);
"""


class Schema:
    """The schema of a database, and migrations that come after those of today."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.database = database_for(url)
        self._prefix = "holdfast." if url.startswith("postgresql") else ""
        self.notes: list[str] = []
        self.on_note: Callable[[str], None] = self.notes.append

    @property
    def last(self) -> int:
        return len(self.database.migrations())

    def apply(self, *texts: str) -> None:
        """Migrate with these after those of today."""
        more = [
            Migration(self.last + 1 + place, f"later_{place}", text.format(self._prefix))
            for place, text in enumerate(texts)
        ]
        with closing(self.database.connect()) as connection:
            known = [*self.database.migrations(), *more]
            migrate(self.database, connection, known, self.on_note)

    @property
    def numbers(self) -> set[int]:
        with closing(self.database.connect()) as connection:
            return read_schema(connection).numbers

    def rows(self, query: str) -> list[Any]:
        def read(tx: Any) -> list[Any]:
            return list(tx._connection.execute(query.format(self._prefix)))

        with closing(self.database.connect()) as connection:
            return connection.read(read, snapshot=False)


@pytest.fixture
def schema(store_url: str) -> Schema:
    schema = Schema(store_url)
    schema.apply()
    return schema


async def add_runs(url: str, count: int) -> None:
    store = store_for(url)
    await store.open()
    await store.create_runs(SPACE, [new_run(number) for number in range(count)])
    await store.close()


async def list_runs(url: str) -> int:
    store = store_for(url)
    await store.open()
    found = await store.list_runs(SPACE, RunFilter())
    await store.close()
    return len(found)


# --- what is recorded


def test_a_database_needs_only_what_0_4_0_knows(schema: Schema) -> None:
    assert [number for (number,) in schema.rows("SELECT max(number) FROM {0}schema_migrations")] == [4]
    assert schema.numbers == set(range(1, schema.last + 1))


async def test_a_change_that_this_release_may_go_on_with_is_named_and_used(
    schema: Schema, caplog: pytest.LogCaptureFixture
) -> None:
    schema.apply(ADD_COLUMN)

    with caplog.at_level(logging.WARNING):
        await add_runs(schema.url, 1)

    assert f"has migrations of a newer holdfast ({schema.last + 1:04} later_0)" in caplog.text
    assert [it.name for it in read_schema_status(schema.url).newer] == ["later_0"]


async def test_a_change_that_it_may_not_go_on_with_is_refused_and_nothing_is_changed(schema: Schema) -> None:
    needed = schema.last + 1
    schema.apply(ADD_COLUMN.replace("0004", f"{needed:04}"))

    with pytest.raises(SchemaTooNew) as refusal:
        await add_runs(schema.url, 1)

    assert (refusal.value.found, refusal.value.known) == (needed, schema.last)
    assert not read_schema_status(schema.url).is_usable


def test_a_change_may_need_one_that_older_releases_did_not_need(schema: Schema) -> None:
    needed = schema.last + 1
    schema.apply(ADD_COLUMN, f"-- needs: {needed:04}\nCREATE TABLE {{0}}later (id int);")

    status = read_schema_status(schema.url)

    assert (status.needs, status.is_usable) == (needed, False)
    assert [it.number for it in status.newer] == [needed, needed + 1]


def test_pending_migrations_are_shown_and_applied_without_a_store(store_url: str, schema: Schema) -> None:
    assert read_schema_status(store_url).pending == []
    notes: list[str] = []

    migrate_database(store_url, notes.append)

    assert notes == []
    status = read_schema_status(store_url)
    assert [it.number for it in status.applied] == list(range(1, schema.last + 1))
    assert (status.needs, status.oldest_release, status.is_usable) == (4, "0.4.0", True)


# --- whole or not at all


def test_a_migration_that_fails_is_named_and_leaves_the_database_as_it_was(schema: Schema) -> None:
    broken = ADD_COLUMN + "\nCREATE TABLE {0}later (id int);\nDROP TABLE {0}is_not_there;"

    with pytest.raises(StoreUnavailable) as failure:
        schema.apply(broken)

    assert f"migration {schema.last + 1:04} later_0 failed" in str(failure.value)
    assert "is_not_there" in str(failure.value)
    assert "holdfast db migrate" in str(failure.value)
    assert schema.numbers == set(range(1, schema.last + 1))
    schema.apply(ADD_COLUMN, "-- needs: 0004\nCREATE TABLE {0}later (id int);")


async def test_a_back_fill_commits_batch_by_batch_and_goes_on_after_a_crash(schema: Schema) -> None:
    await add_runs(schema.url, 100)
    filled = "SELECT count(*) FROM {0}runs WHERE waiting = 'filled'"

    def crash(note: str) -> None:
        raise ConnectionError(note)

    schema.on_note = crash
    with pytest.raises(StoreUnavailable):
        schema.apply(FILL)
    assert [list(row) for row in schema.rows(filled)] == [[40]]
    assert schema.last + 1 not in schema.numbers

    schema.on_note = schema.notes.append
    schema.apply(FILL)

    assert [list(row) for row in schema.rows(filled)] == [[100]]
    assert [note.rpartition("has changed ")[2] for note in schema.notes[-2:]] == ["40 rows", "60 rows"]
    assert schema.last + 1 in schema.numbers


# --- one at a time


async def test_while_one_process_migrates_another_waits_and_says_so(
    schema: Schema, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.stores.sqlite.driver._BUSY_SECONDS", 0.2)
    second = Schema(schema.url)
    begun, may_end = threading.Event(), threading.Event()

    def hold(_: str) -> None:
        begun.set()
        may_end.wait(PATIENCE)

    schema.on_note = hold
    first = asyncio.create_task(asyncio.to_thread(schema.apply, ADD_COLUMN))
    await asyncio.to_thread(begun.wait, PATIENCE)
    with caplog.at_level(logging.WARNING):
        other = asyncio.create_task(asyncio.to_thread(second.apply, ADD_COLUMN))
        await until(lambda: "waiting" in caplog.text)
    assert not other.done()
    may_end.set()

    await asyncio.gather(first, other)

    assert second.notes == []  # it found the migration applied


# --- Postgres, whose tables others use meanwhile


@pytest.fixture
def postgres(postgres_url: str) -> Schema:
    schema = Schema(postgres_url)
    schema.apply()
    return schema


@pytest.fixture
def admin(postgres: Schema) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres.url, application_name="a report") as connection:
        yield connection


async def test_a_migration_that_waits_for_a_lock_holds_up_nobody_and_says_for_whom_it_waits(
    postgres: Schema,
    admin: psycopg.Connection,
    caplog: pytest.LogCaptureFixture,
) -> None:
    admin.execute("SELECT count(*) FROM holdfast.runs")  # in a transaction that stays open

    with caplog.at_level(logging.WARNING):
        migrating = asyncio.create_task(asyncio.to_thread(postgres.apply, ADD_COLUMN))
        await until(lambda: "a migration waits for the locks of" in caplog.text)
    # A reader behind a statement that waits for the table would wait as long as the report.
    assert await asyncio.wait_for(list_runs(postgres.url), PATIENCE) == 0
    assert not migrating.done()
    assert f"pid {admin.info.backend_pid} (a report, for " in caplog.text
    admin.commit()

    await migrating
    assert postgres.last + 1 in postgres.numbers


async def test_a_migration_does_not_wait_for_a_lock_for_ever(
    postgres: Schema, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.execute("SELECT count(*) FROM holdfast.runs")
    monkeypatch.setattr(migrating, "_PATIENCE", 0.0)

    with pytest.raises(StoreUnavailable, match=r"cannot get its locks.*\(a report.*end these transactions"):
        await asyncio.to_thread(postgres.apply, ADD_COLUMN)

    assert postgres.last + 1 not in postgres.numbers


async def test_an_index_is_built_while_others_write(postgres: Schema, admin: psycopg.Connection) -> None:
    await add_runs(postgres.url, 10)
    admin.execute("UPDATE holdfast.runs SET version = '2'")  # in a transaction that stays open

    building = asyncio.create_task(asyncio.to_thread(postgres.apply, INDEX))
    await until(lambda: is_valid(postgres.url) is False)
    await asyncio.wait_for(add_one_more(postgres.url), PATIENCE)
    assert not building.done()
    admin.commit()

    await building
    assert is_valid(postgres.url) is True


async def test_an_index_that_was_left_half_built_is_built_again(
    postgres: Schema, admin: psycopg.Connection
) -> None:
    await add_runs(postgres.url, 2)
    with (
        psycopg.connect(postgres.url, autocommit=True) as other,
        pytest.raises(psycopg.errors.UniqueViolation),
    ):
        # The runs have the same version, so this build fails, and leaves what a killed process leaves.
        other.execute("CREATE UNIQUE INDEX CONCURRENTLY runs_by_version ON holdfast.runs (version)")
    assert is_valid(postgres.url) is False

    await asyncio.to_thread(postgres.apply, INDEX)

    assert is_valid(postgres.url) is True
    assert postgres.last + 1 in postgres.numbers


async def test_an_index_that_cannot_be_built_is_taken_away_again(postgres: Schema) -> None:
    await add_runs(postgres.url, 2)

    with pytest.raises(StoreUnavailable, match="could not create unique index"):
        await asyncio.to_thread(postgres.apply, INDEX.replace("CREATE INDEX", "CREATE UNIQUE INDEX"))

    assert is_valid(postgres.url) is None


async def test_an_index_that_was_built_and_not_recorded_is_recorded(postgres: Schema) -> None:
    with psycopg.connect(postgres.url, autocommit=True) as other:
        other.execute("CREATE INDEX CONCURRENTLY runs_by_version ON holdfast.runs (version)")

    await asyncio.to_thread(postgres.apply, INDEX)

    assert postgres.last + 1 in postgres.numbers


async def add_one_more(url: str) -> None:
    store = store_for(url)
    await store.open()
    await store.create_runs(SPACE, [new_run(99)])
    await store.close()


def is_valid(url: str) -> bool | None:
    query = (
        "SELECT indisvalid FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relname = 'runs_by_version'"
    )
    with psycopg.connect(url) as connection:
        found = connection.execute(query).fetchone()
    return None if found is None else found[0]


def test_a_role_that_may_not_change_tables_is_told_what_to_do(postgres: Schema) -> None:
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(
            """
            DROP ROLE IF EXISTS clerk; CREATE ROLE clerk LOGIN; GRANT USAGE ON SCHEMA holdfast TO clerk;
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA holdfast TO clerk
            """
        )
    clerk = Schema(postgres.url.replace("postgres@", "clerk@"))

    with pytest.raises(
        StoreUnavailable, match=r"must be owner of table runs.*`holdfast db migrate` as a user"
    ):
        clerk.apply(ADD_COLUMN)
