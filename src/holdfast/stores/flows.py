"""Transaction scripts for flows and their versions."""

from __future__ import annotations

from holdfast.core.values import Instant
from holdfast.ports.flows import FlowRecord, FlowVersion
from holdfast.stores.database import Transaction
from holdfast.stores.definitions import SqlDefinitionStore

_ALL = 2**62


class SqlFlowStore(SqlDefinitionStore):
    async def create_flow(self, namespace: str, name: str, description: str, now: Instant) -> FlowRecord:
        def script(tx: Transaction) -> FlowRecord:
            # No row comes back if another process has just taken the free id. Then the next one is tried.
            while not (added := tx.rows("insert_flow", namespace, name, description, now)):
                pass
            return FlowRecord(*added[0])

        return await self._driver.write(script)

    async def find_flow(self, namespace: str, id: str) -> FlowRecord | None:
        rows = await self._driver.fetch("find_flow", namespace, id)
        return FlowRecord(*rows[0]) if rows else None

    async def list_flows(self, namespace: str, limit: int, offset: int) -> tuple[list[FlowRecord], int]:
        def script(tx: Transaction) -> tuple[list[FlowRecord], int]:
            flows = [FlowRecord(*row) for row in tx.rows("list_flows", namespace, limit, offset)]
            ((total,),) = tx.rows("count_flows", namespace)
            return flows, total

        return await self._driver.read(script, snapshot=True, may_be_long=True)

    async def list_flow_versions(self, namespace: str, flow: str) -> list[FlowVersion]:
        rows = await self._driver.fetch("flow_versions", namespace, flow, None, 1, _ALL)
        return [FlowVersion(*row) for row in rows]

    async def find_flow_version(self, namespace: str, flow: str, number: int | None) -> FlowVersion | None:
        return await self._find_flow_version(namespace, flow, number)

    async def write_flow_version(self, namespace: str, version: FlowVersion, replaces: str | None) -> bool:
        row = (namespace, *version)

        def script(tx: Transaction) -> bool:
            if replaces is None:
                return bool(tx.rows("insert_version", *row))
            return bool(tx.rows("replace_draft", *row[:7], replaces))

        return await self._driver.write(script)
