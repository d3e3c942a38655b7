"""A new SQLite file that already has its tables. Making them takes longer than most tests."""

from __future__ import annotations

import functools
import tempfile
from contextlib import closing
from pathlib import Path

from holdfast.stores.sqlite.driver import SqliteDatabase


@functools.cache
def empty_file() -> bytes:
    """What a SQLite file has in it after the migrations of this release, and before the first run."""
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        path = Path(folder) / "empty.db"
        database = SqliteDatabase(str(path))
        # Closing the only connection puts all of the write-ahead log into the file.
        with closing(database.connect()) as connection:
            database.migrate(connection)
        return path.read_bytes()
