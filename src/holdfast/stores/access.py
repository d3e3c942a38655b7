"""Transaction scripts for keys and the audit log."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.core.values import Instant
from holdfast.ports.access import AuditRecord, KeyRecord, NewAudit
from holdfast.stores.database import Transaction
from holdfast.stores.sql_role import SqlRole

_ALL = 2**62


class SqlAccessStore(SqlRole):
    async def add_key(self, key: KeyRecord) -> bool:
        return await self._driver.write(lambda tx: bool(tx.rows("insert_key", *key)))

    async def find_key(self, id: str) -> KeyRecord | None:
        rows = await self._driver.fetch("find_key", id)
        return KeyRecord(*rows[0]) if rows else None

    async def has_keys(self) -> bool:
        return bool(await self._driver.fetch("has_keys"))

    async def list_keys(self, namespace: str) -> list[KeyRecord]:
        rows = await self._driver.fetch("list_keys", namespace, may_be_long=True)
        return [KeyRecord(*row) for row in rows]

    async def revoke_key(self, namespace: str, id: str, by: str, now: Instant) -> KeyRecord | None:
        rows = await self._driver.write(lambda tx: tx.rows("revoke_key", namespace, id, now, by))
        return KeyRecord(*rows[0]) if rows else None

    async def note_key_used(self, id: str, now: Instant) -> None:
        await self._driver.write(lambda tx: tx.run("note_key_used", id, now))

    async def write_audit(self, namespace: str, rows: Sequence[NewAudit]) -> None:
        def script(tx: Transaction) -> None:
            tx.many("insert_audit", rows, namespace)

        await self._driver.write(script)

    async def list_audit(
        self, namespace: str, before: int | None, limit: int, target: str | None, action: str | None
    ) -> list[AuditRecord]:
        params = (namespace, _ALL if before is None else before, action, limit)
        query, params = ("list_audit", params) if target is None else ("list_audit_of", (*params, target))
        rows = await self._driver.fetch(query, *params, may_be_long=True)
        return [AuditRecord(*row) for row in rows]

    async def remove_audit(self, namespace: str, before: Instant, rows: int) -> int:
        removed = await self._driver.write(lambda tx: tx.rows("remove_audit", namespace, before, rows))
        return len(removed)
