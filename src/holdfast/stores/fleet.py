"""Reading nodes, the queue, and who has what of it, for operators; and asking nodes to end."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from holdfast.core.situations import BusyTask
from holdfast.core.values import Instant, NodeId, RunKey
from holdfast.ports.fleet import HeldRow, NodeReport, NodeRow, ServiceRow, WaitingRow
from holdfast.ports.store_life import of_node
from holdfast.stores.database import Row, Transaction
from holdfast.stores.situations import serving_node
from holdfast.stores.sql_role import SqlRole


class SqlFleetStore(SqlRole):
    async def ask_database(self) -> str:
        await self._driver.fetch("read_clock")
        return "SQLite" if self._driver.name.startswith("SQLite") else "PostgreSQL"

    async def list_node_rows(self, namespace: str, count_to: int, limit: int) -> list[NodeRow]:
        rows = await self._driver.fetch("fleet_nodes", namespace, count_to, limit)
        return [NodeRow(serving_node(row[:4]), row[4], row[5], _read_report(row[6]), row[7]) for row in rows]

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

    async def find_waiting_tasks(
        self, namespace: str, tasks: Sequence[tuple[RunKey, int]]
    ) -> list[WaitingRow]:
        keys: list[Row] = [(run, seq) for run, seq in tasks]
        rows = await self._driver.read(lambda tx: tx.many_returning("find_waiting_tasks", keys, namespace))
        return [WaitingRow(*row) for row in rows]

    async def write_node_report(self, node: NodeId, report: NodeReport) -> None:
        text = msgspec.json.encode(report).decode()
        await self._driver.write(lambda tx: tx.run("write_node_report", node, text))

    async def ask_drain(self, namespace: str, node: str, now: Instant, by: str) -> str | None:
        def script(tx: Transaction) -> str | None:
            rows = tx.rows("ask_drain", namespace, node, now, by)
            tx.announce(of_node(node))
            return rows[0][0] if rows else None

        return await self._driver.write_and_tell(script)


def _read_report(text: str | None) -> NodeReport | None:
    try:
        return None if text is None else msgspec.json.decode(text, type=NodeReport)
    except msgspec.MsgspecError:
        return None  # of a newer version of holdfast
