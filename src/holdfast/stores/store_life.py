"""The life of a store: open, close, the clock of the database, and notifications of changes."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.core.values import Instant
from holdfast.stores.sql_role import SqlRole


class SqlStoreLife(SqlRole):
    @property
    def name(self) -> str:
        """A name for messages and logs. It contains no password."""
        return self._driver.name

    @property
    def statements(self) -> int:
        """How many statements were sent to the database so far."""
        return self._driver.statements

    async def open(self) -> None:
        await self._driver.open()

    async def close(self) -> None:
        await self._driver.close()

    async def now(self) -> Instant:
        rows = await self._driver.fetch("read_clock")
        return rows[0][0]

    def listen(self, on_change: Callable[[], None], *topics: str) -> Callable[[], None]:
        return self._driver.listen(on_change, *topics)
