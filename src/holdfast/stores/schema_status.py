"""Looks at the migrations of a database and applies them, without opening a store."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from contextlib import closing

from holdfast.core.schema import MigrationInfo, SchemaStatus
from holdfast.stores import migrations
from holdfast.stores.open_store import database_for


def read_schema_status(url: str) -> SchemaStatus:
    """Changes nothing. Raises BadUrl and StoreUnavailable."""
    database = database_for(url)
    known = database.migrations()
    with closing(database.connect()) as connection:
        schema = migrations.read_schema(connection)
    infos = {
        it.number: MigrationInfo(it.number, it.name, dt.datetime.fromtimestamp(it.applied_at / 1e6, dt.UTC))
        for it in schema.applied
    }
    return SchemaStatus(
        database=database.name,
        applied=[infos[it.number] for it in known if it.number in infos],
        pending=[MigrationInfo(it.number, it.name) for it in known if it.number not in infos],
        newer=[info for number, info in infos.items() if number > len(known)],
        needs=schema.needs,
        known=len(known),
    )


def migrate_database(url: str, notify: Callable[[str], None]) -> None:
    """Apply the pending migrations. Raises what opening the store raises."""
    database = database_for(url)
    with closing(database.connect()) as connection:
        migrations.migrate(database, connection, database.migrations(), notify)
