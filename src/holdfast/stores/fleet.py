"""Reading nodes, the queue, and who has what of it, for operators."""

from __future__ import annotations

from holdfast.core.situations import BusyTask
from holdfast.core.values import Instant
from holdfast.ports.fleet import HeldRow, NodeRow, ServiceRow
from holdfast.stores.database import Transaction
from holdfast.stores.situations import serving_node
from holdfast.stores.sql_role import SqlRole


class SqlFleetStore(SqlRole):
    async def ask_database(self) -> str:
        await self._driver.fetch("read_clock")
        return "SQLite" if self._driver.name.startswith("SQLite") else "PostgreSQL"

    async def list_node_rows(self, namespace: str, count_to: int, limit: int) -> list[NodeRow]:
        rows = await self._driver.fetch("fleet_nodes", namespace, count_to, limit)
        return [NodeRow(serving_node(row[:4]), *row[4:]) for row in rows]

    async def list_service_rows(
        self, namespace: str, now: Instant, count_to: int, limit: int
    ) -> list[ServiceRow]:
        def script(tx: Transaction) -> list[ServiceRow]:
            services = tx.rows("queued_services", namespace, limit)
            rows = tx.many_returning("count_queued", services, namespace, now, count_to)
            return [ServiceRow(*row) for row in sorted(rows)]

        return await self._driver.read(script, snapshot=True, may_be_long=True)

    async def list_held_rows(self, namespace: str, limit: int) -> list[HeldRow]:
        return [HeldRow(*row) for row in await self._driver.fetch("held_items", namespace, "", limit)]

    async def list_busy_tasks(self, node: str, limit: int) -> list[BusyTask]:
        rows = await self._driver.fetch("some_busy_tasks", node, limit, may_be_long=True)
        return [BusyTask(*row) for row in rows]
