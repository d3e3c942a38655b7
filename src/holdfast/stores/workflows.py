"""Transaction scripts for workflows of all kinds, as clients list, publish and delete them."""

from __future__ import annotations

from holdfast.ports.flows import FlowVersion
from holdfast.ports.workflow_store import StoredVersion, WorkflowSummary, WorkflowVersionRow
from holdfast.stores import records
from holdfast.stores.database import Transaction
from holdfast.stores.flows import SqlFlowStore


class SqlWorkflowStore(SqlFlowStore):
    async def list_workflows(
        self, namespace: str, kind: str | None, after: str, limit: int
    ) -> list[WorkflowSummary]:
        rows = await self._driver.fetch("list_workflows", namespace, kind, after, limit, may_be_long=True)
        return [WorkflowSummary(*row)._replace(is_published=bool(row[3])) for row in rows]

    async def list_workflow_versions(self, namespace: str, name: str, limit: int) -> list[WorkflowVersionRow]:
        rows = await self._driver.fetch("workflow_versions", namespace, name, limit)
        return [WorkflowVersionRow(*row) for row in rows]

    async def find_version(self, namespace: str, name: str, version: str | None) -> StoredVersion | None:
        rows = await self._driver.fetch("workflow_version", namespace, name, version)
        return StoredVersion(records.definition(rows[0][:8]), *rows[0][8:]) if rows else None

    async def publish_version(self, namespace: str, version: FlowVersion, description: str) -> bool:
        def script(tx: Transaction) -> bool:
            if not tx.rows("insert_version", namespace, *version):
                return False
            if version.kind == "flow":
                tx.rows("insert_flow_as", namespace, version.flow, description, version.created_at)
            return True

        return await self._driver.write(script)

    async def delete_workflow(self, namespace: str, name: str) -> int:
        def script(tx: Transaction) -> int:
            tx.rows("delete_flow", namespace, name)
            return len(tx.rows("delete_workflow", namespace, name))

        return await self._driver.write(script)
