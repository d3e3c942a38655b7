"""A database in memory that notes what a transaction has announced to other processes.

On SQLite other processes can notice every commit. On Postgres they notice only an announced one. So this
finds a transaction script that forgets to announce, before a user's run sleeps for twenty seconds.
"""

from __future__ import annotations

from typing import Any, Final

from holdfast.stores.database import Row
from holdfast.stores.driver import Driver
from holdfast.stores.sql_store import SqlStore
from holdfast.stores.sqlite.driver import MEMORY, SqliteConnection, SqliteDatabase

_LOCKED: Final = 10**15
"""Longer than any simulation, in microseconds."""


class MemoryDatabase(SqliteDatabase):
    def __init__(self) -> None:
        super().__init__(MEMORY)
        self.announced: frozenset[str] = frozenset()
        self.waited = 0.0
        """How many seconds the transaction that is done now has waited for others to write."""
        self.locked_nodes: list[str] = []
        """Nodes whose rows other transactions have locked, as on Postgres. A reaper skips them."""

        self._last: _MemoryConnection | None = None

    def connect(self) -> SqliteConnection:
        self._last = _MemoryConnection(self)
        return self._last

    def ask(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """For checks that no query of the store answers."""
        return [] if self._last is None else self._last.ask(sql, params)

    def store(self) -> SqlStore:
        return SqlStore(Driver(self, threads=False))


class _MemoryConnection(SqliteConnection):
    def __init__(self, database: MemoryDatabase) -> None:
        super().__init__(MEMORY, database.name)
        self._database = database

    def rows(self, query: str, *params: Any) -> list[Row]:
        if query != "delete_expired_nodes":
            return super().rows(query, *params)
        self._lengthen(_LOCKED)
        try:
            return super().rows(query, *params)
        finally:
            self._lengthen(-_LOCKED)

    def ask(self, sql: str, params: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        return list(self._connection.execute(sql, params))

    def _lengthen(self, by: int) -> None:
        """Move the ends of the leases of locked nodes, so that no reaper takes them for expired."""
        for node in self._database.locked_nodes:
            self._connection.execute(
                "UPDATE nodes SET lease_until = lease_until + ? WHERE id = ?", (by, node)
            )

    @property
    def waited(self) -> float:
        return self._database.waited

    def announce(self, *topics: str) -> None:
        super().announce(*topics)
        self._database.announced |= frozenset(topics)
