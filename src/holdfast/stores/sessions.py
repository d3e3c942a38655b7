"""Transaction scripts for sessions."""

from __future__ import annotations

from typing import Final

from holdfast.core.values import Instant
from holdfast.ports.sessions import SessionRecord
from holdfast.stores.database import Transaction
from holdfast.stores.sql_role import SqlRole

_REMOVED_AT_ONCE: Final = 100


class SqlSessionStore(SqlRole):
    async def add_session(self, session: SessionRecord, most: int) -> bool:
        def script(tx: Transaction) -> bool:
            tx.run("remove_sessions", session.created_at, _REMOVED_AT_ONCE)
            is_added = bool(tx.rows("insert_session", *session))
            if is_added:
                tx.run("trim_sessions", session.subject, most)
            return is_added

        return await self._driver.write(script)

    async def find_session(self, id: str, now: Instant) -> SessionRecord | None:
        rows = await self._driver.fetch("find_session", id, now)
        return SessionRecord(*rows[0]) if rows else None

    async def list_sessions(self, namespace: str, now: Instant, limit: int) -> list[SessionRecord]:
        rows = await self._driver.fetch("list_sessions", namespace, now, limit, may_be_long=True)
        return [SessionRecord(*row) for row in rows]

    async def end_session(self, namespace: str, id: str) -> SessionRecord | None:
        rows = await self._driver.write(lambda tx: tx.rows("end_session", namespace, id))
        return SessionRecord(*rows[0]) if rows else None

    async def note_session_used(self, id: str, now: Instant) -> None:
        await self._driver.write(lambda tx: tx.run("note_session_used", id, now))
