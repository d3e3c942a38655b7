"""A database in memory that notes what a transaction has announced to other processes.

On SQLite other processes can notice every commit. On Postgres they notice only an announced one. So this
finds a transaction script that forgets to announce, before a user's run sleeps for twenty seconds.
"""

from __future__ import annotations

from holdfast.stores.driver import Driver
from holdfast.stores.sql_store import SqlStore
from holdfast.stores.sqlite.driver import MEMORY, SqliteConnection, SqliteDatabase


class MemoryDatabase(SqliteDatabase):
    def __init__(self) -> None:
        super().__init__(MEMORY)
        self.announced: frozenset[str] = frozenset()

    def connect(self) -> SqliteConnection:
        return _MemoryConnection(self)

    def store(self) -> SqlStore:
        return SqlStore(Driver(self, threads=False))


class _MemoryConnection(SqliteConnection):
    def __init__(self, database: MemoryDatabase) -> None:
        super().__init__(MEMORY, database.name)
        self._database = database

    def announce(self, *topics: str) -> None:
        super().announce(*topics)
        self._database.announced |= frozenset(topics)
