"""Rules for alerts of the model."""

from __future__ import annotations

from tests.differential.workers import HasTables

from holdfast.core.values import Instant, Payload
from holdfast.ports.alerts import AlertRow


class AlertModel:
    async def put_alert(self: HasTables, namespace: str, name: str, rule: Payload, now: Instant) -> AlertRow:
        with self.transaction() as tables:
            known = tables.alerts.get((namespace, name))
            created_at = now if known is None else known.created_at
            row = tables.alerts[namespace, name] = AlertRow(name, rule, created_at, now)
            return row

    async def list_alerts(self: HasTables, namespace: str, name: str | None = None) -> list[AlertRow]:
        return [
            row
            for (space, id), row in sorted(self.tables.alerts.items(), key=lambda it: it[0][1].encode())
            if space == namespace and name in (None, id)
        ]

    async def delete_alert(self: HasTables, namespace: str, name: str) -> AlertRow | None:
        with self.transaction() as tables:
            return tables.alerts.pop((namespace, name), None)
