"""Migrations: numbered files, applied once each, in order.

Each migration runs in its own transaction, under a lock, and reads the schema version again inside it. If two
processes open a new database at once, one applies a migration, and the other finds it applied.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.errors import SchemaTooNew
from holdfast.stores.database import Connection, Transaction
from holdfast.stores.named_queries import Migration


def migrate(connection: Connection, migrations: Sequence[Migration], store: str) -> None:
    """Raises SchemaTooNew when the database has more migrations than this code knows."""
    # The first read takes no lock, so opening an up-to-date database does not wait for writers.
    found = connection.read(_version, snapshot=True)
    while found < len(migrations):
        next_one = migrations[found]
        found = connection.write_alone(lambda tx, next_one=next_one: _apply(tx, next_one))
    if found > len(migrations):
        raise SchemaTooNew(store, found, len(migrations))


def _version(tx: Transaction) -> int:
    if not tx.rows("find_schema_table"):
        return 0
    return tx.rows("schema_version")[0][0]


def _apply(tx: Transaction, migration: Migration) -> int:
    found = _version(tx)
    if found >= migration.number:
        return found
    tx.script(migration.text)
    tx.run("record_migration", migration.number, migration.name)
    return migration.number
