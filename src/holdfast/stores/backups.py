"""Copies a database into a file, while others work with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from holdfast.core.schema import BackupInfo
from holdfast.errors import BadOption
from holdfast.stores.open_store import database_for
from holdfast.stores.sqlite.backing_up import back_up_file
from holdfast.stores.sqlite.driver import MEMORY, SqliteDatabase


def backup_database(url: str, target: str, report: Callable[[int, int], None]) -> BackupInfo:
    """Write what a SQLite file has at this moment into a new file. `report` is called about once a second
    with how many bytes are written, and about how many there will be.

    Raises BadOption for another database or if there is something at `target`, StoreUnavailable and
    StoreFull. Then there is nothing at `target` that was not there before.
    """
    database = database_for(url)
    if not isinstance(database, SqliteDatabase) or database.path == MEMORY:
        raise BadOption(
            "db", database.name, "a SQLite file; a Postgres database is saved by pg_dump (--format=custom)"
        )
    place = Path(target).absolute()
    if place.exists():
        raise BadOption("file", target, "a file that there is not yet: nothing is written over")
    if not place.parent.is_dir():
        raise BadOption("file", target, f"in a folder that there is; {place.parent} is none")
    return back_up_file(database, place, report)
