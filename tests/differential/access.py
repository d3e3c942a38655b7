"""Keys and the audit log of the model."""

from __future__ import annotations

from collections.abc import Sequence

from tests.differential.workers import HasTables

from holdfast.core.values import Instant
from holdfast.ports.access import AuditRecord, KeyRecord, NewAudit


class AccessModel:
    async def add_key(self: HasTables, key: KeyRecord) -> bool:
        with self.transaction() as tables:
            return tables.keys.setdefault(key.id, key) is key

    async def find_key(self: HasTables, id: str) -> KeyRecord | None:
        return self.tables.keys.get(id)

    async def has_keys(self: HasTables) -> bool:
        return bool(self.tables.keys)

    async def list_keys(self: HasTables, namespace: str) -> list[KeyRecord]:
        found = [key for key in self.tables.keys.values() if key.namespace == namespace]
        return sorted(found, key=lambda key: (key.created_at, key.id.encode()), reverse=True)

    async def revoke_key(self: HasTables, namespace: str, id: str, by: str, now: Instant) -> KeyRecord | None:
        with self.transaction() as tables:
            known = tables.keys.get(id)
            if known is None or known.namespace != namespace:
                return None
            if known.revoked_at is None:
                tables.keys[id] = known._replace(revoked_at=now, revoked_by=by)
            return tables.keys[id]

    async def note_key_used(self: HasTables, id: str, now: Instant) -> None:
        with self.transaction() as tables:
            known = tables.keys.get(id)
            if known is not None and (known.used_at is None or known.used_at < now):
                tables.keys[id] = known._replace(used_at=now)

    async def write_audit(self: HasTables, namespace: str, rows: Sequence[NewAudit]) -> None:
        with self.transaction() as tables:
            for row in rows:
                if row.uid not in {known.uid for _, known in tables.audit.values()}:
                    tables.last_audit += 1
                    tables.audit[tables.last_audit] = (namespace, row)

    async def list_audit(
        self: HasTables,
        namespace: str,
        before: int | None,
        limit: int,
        target: str | None,
        action: str | None,
    ) -> list[AuditRecord]:
        found = [
            AuditRecord(number, *row[:-1])
            for number, (space, row) in sorted(self.tables.audit.items(), reverse=True)
            if space == namespace
            and (before is None or number < before)
            and target in (None, row.target)
            and action in (None, row.action)
        ]
        return found[:limit]

    async def remove_audit(self: HasTables, namespace: str, before: Instant, rows: int) -> int:
        with self.transaction() as tables:
            oldest = sorted(number for number, (space, _) in tables.audit.items() if space == namespace)[
                :rows
            ]
            old = [number for number in oldest if tables.audit[number][1].at < before]
            for number in old:
                del tables.audit[number]
            return len(old)
