"""A database in memory that knows whether a transaction was to be announced, as Postgres does.

On SQLite every commit can be noticed by others. On Postgres only what is announced is, so a transaction
script that forgets to do so is found out here and not by a user whose run sleeps for twenty seconds.
"""

from __future__ import annotations

from holdfast.stores.driver import Driver
from holdfast.stores.sql_store import SqlStore
from holdfast.stores.sqlite.driver import MEMORY, SqliteConnection, SqliteDatabase


class AnnouncingDatabase(SqliteDatabase):
    def __init__(self) -> None:
        super().__init__(MEMORY)
        self.has_announced = False

    def connect(self) -> SqliteConnection:
        return _AnnouncingConnection(self)

    def store(self) -> SqlStore:
        return SqlStore(Driver(self, threads=False))


class _AnnouncingConnection(SqliteConnection):
    def __init__(self, database: AnnouncingDatabase) -> None:
        super().__init__(MEMORY, database.name)
        self._database = database

    def announce(self) -> None:
        self._database.has_announced = True
