"""Sessions of the model."""

from __future__ import annotations

from tests.differential.tables import Tables
from tests.differential.workers import HasTables

from holdfast.core.values import Instant
from holdfast.ports.sessions import SessionRecord


class SessionModel:
    async def add_session(self: HasTables, session: SessionRecord, most: int) -> bool:
        with self.transaction() as tables:
            for id, known in [*tables.sessions.items()]:
                if known.expires_at <= session.created_at:
                    del tables.sessions[id]
            if session.id in tables.sessions:
                return False
            tables.sessions[session.id] = session
            own = [it for it in tables.sessions.values() if it.subject == session.subject]
            for old in sorted(own, key=_age, reverse=True)[most:]:
                del tables.sessions[old.id]
            return True

    async def find_session(self: HasTables, id: str, now: Instant) -> SessionRecord | None:
        found = self.tables.sessions.get(id)
        return found if found is not None and _is_alive(self.tables, found, now) else None

    async def list_sessions(self: HasTables, namespace: str, now: Instant, limit: int) -> list[SessionRecord]:
        own = [it for it in self.tables.sessions.values() if it.namespace == namespace]
        alive = [it for it in own if _is_alive(self.tables, it, now)]
        return sorted(alive, key=_age, reverse=True)[:limit]

    async def end_session(self: HasTables, namespace: str, id: str) -> SessionRecord | None:
        with self.transaction() as tables:
            known = tables.sessions.get(id)
            return tables.sessions.pop(id) if known is not None and known.namespace == namespace else None

    async def note_session_used(self: HasTables, id: str, now: Instant) -> None:
        with self.transaction() as tables:
            known = tables.sessions.get(id)
            if known is not None and known.used_at < now:
                tables.sessions[id] = known._replace(used_at=now)


def _age(session: SessionRecord) -> tuple[int, bytes]:
    return session.created_at, session.id.encode()


def _is_alive(tables: Tables, session: SessionRecord, now: Instant) -> bool:
    key = None if session.key is None else tables.keys.get(session.key)
    if session.expires_at <= now or (session.key is not None and key is None):
        return False
    return key is None or (key.revoked_at is None and (key.expires_at is None or key.expires_at > now))
