"""Transaction scripts for rules of alerts."""

from __future__ import annotations

from holdfast.core.values import Instant, Payload
from holdfast.ports.alerts import AlertRow
from holdfast.stores.sql_role import SqlRole


class SqlAlertStore(SqlRole):
    async def put_alert(self, namespace: str, name: str, rule: Payload, now: Instant) -> AlertRow:
        [row] = await self._driver.write(lambda tx: tx.rows("put_alert", namespace, name, rule, now))
        return AlertRow(*row)

    async def list_alerts(self, namespace: str, name: str | None = None) -> list[AlertRow]:
        rows = await self._driver.fetch("list_alerts", namespace, name)
        return [AlertRow(*row) for row in rows]

    async def delete_alert(self, namespace: str, name: str) -> AlertRow | None:
        rows = await self._driver.write(lambda tx: tx.rows("delete_alert", namespace, name))
        return AlertRow(*rows[0]) if rows else None
