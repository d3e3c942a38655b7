"""Migrations: numbered files, applied once each, in order.

Only one process at a time migrates a database: the others wait, and then find the migrations applied. A
migration is recorded in the transaction that applies it, so one that fails leaves the database as it was.

Older releases go on with most migrations, so that a deploy can be taken back: see `Migration.needs`. A
database says in `schema_migrations` which migrations a release must know, and in `schema_changes` which
others it has.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from holdfast.core.values import Instant
from holdfast.errors import SchemaTooNew, StoreFull, StoreUnavailable
from holdfast.stores.database import Connection, Database, Transaction
from holdfast.stores.named_queries import Migration

_log = logging.getLogger("holdfast.store")

Notify: TypeAlias = Callable[[str], None]


class AppliedMigration(NamedTuple):
    number: int
    name: str
    applied_at: Instant


class Schema(NamedTuple):
    """The migrations of a database."""

    applied: list[AppliedMigration]
    needs: int
    """The migration that a release must know to use this database."""

    @property
    def numbers(self) -> set[int]:
        return {migration.number for migration in self.applied}


def migrate(
    database: Database, connection: Connection, migrations: Sequence[Migration], notify: Notify = _log.info
) -> None:
    """Apply the migrations that the database does not have. Raises SchemaTooNew, and StoreUnavailable
    if one fails."""
    # The first read takes no lock, so opening an up-to-date database does not wait for writers.
    schema = read_schema(connection)
    known = len(migrations)
    if schema.needs > known:
        raise SchemaTooNew(database.name, schema.needs, known)
    for migration in migrations:
        if migration.number not in schema.numbers:
            _apply(database, connection, migration, notify)
    newer = [it for it in schema.applied if it.number > known]
    if newer:
        _log.warning(
            "%s has migrations of a newer holdfast (%s); this one may go on using it",
            database.name,
            ", ".join(f"{it.number:04} {it.name}" for it in newer),
        )


def read_schema(connection: Connection) -> Schema:
    return connection.read(_read_schema, snapshot=True)


def _read_schema(tx: Transaction) -> Schema:
    tables = {name for (name,) in tx.rows("find_schema_tables")}
    needed = tx.rows("list_migrations") if "schema_migrations" in tables else []
    others = tx.rows("list_schema_changes") if "schema_changes" in tables else []
    # A migration in both tables is one that a later migration made necessary to know.
    applied = {row[0]: AppliedMigration(*row) for row in (*needed, *others)}
    return Schema([applied[number] for number in sorted(applied)], max((row[0] for row in needed), default=0))


def _apply(database: Database, connection: Connection, migration: Migration, notify: Notify) -> None:
    try:
        if migration.how == "batches":
            _apply_in_batches(database, connection, migration, notify)
        else:
            connection.write_alone(lambda tx: _apply_once(database, tx, migration, notify))
    except StoreUnavailable as error:
        if error.may_pass or not isinstance(error.__cause__, Exception):
            raise
        raise _failed(database, migration, error.reason) from error  # the database refused a statement
    except StoreFull:
        raise
    except Exception as error:
        raise _failed(database, migration, " ".join(str(error).split())) from error


def _failed(database: Database, migration: Migration, reason: str) -> StoreUnavailable:
    return StoreUnavailable(
        database.name,
        f"migration {migration.number:04} {migration.name} failed ({reason}) and was taken back; fix "
        "the cause and start again, or run `holdfast db migrate` as a user that may change tables. The "
        "release that used this database until now can go on with it",
        may_pass=False,
    )


def _apply_once(database: Database, tx: Transaction, migration: Migration, notify: Notify) -> None:
    schema = _read_schema(tx)
    if migration.number in schema.numbers:
        return
    notify(f"{database.name}: applying migration {migration.number:04} {migration.name}")
    if migration.how == "concurrently":
        # This transaction keeps the others from migrating. Building an index waits for all transactions that
        # have a snapshot, and a query with parameters keeps its snapshot until the next query. (Without this
        # line our pipeline would be open too, and nothing could be built.)
        tx.script("SELECT 1")
        for statement in migration.statements:
            database.build_index(statement)
    else:
        tx.script(migration.text)
    _record(tx, migration, schema)


def _apply_in_batches(
    database: Database, connection: Connection, migration: Migration, notify: Notify
) -> None:
    total = 0

    def apply_batch(tx: Transaction) -> int:
        schema = _read_schema(tx)
        if migration.number in schema.numbers:
            return 0
        changed = tx.script(migration.text)
        if not changed:
            _record(tx, migration, schema)
        return changed

    while changed := connection.write_alone(apply_batch):
        total += changed
        notify(
            f"{database.name}: migration {migration.number:04} {migration.name} has changed {total:,} rows"
        )


def _record(tx: Transaction, migration: Migration, schema: Schema) -> None:
    if migration.needs < migration.number:
        tx.run("make_schema_changes")
        tx.run("record_schema_change", migration.number, migration.name)
    if migration.needs > schema.needs:
        tx.run("record_migration", migration.needs, migration.name)
