"""Transaction scripts for definitions: the versions of workflows that the store has."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.core.records import Definition
from holdfast.core.values import Instant
from holdfast.errors import VersionConflict
from holdfast.ports.flows import PUBLISHED, FlowVersion, definition_of
from holdfast.stores import records
from holdfast.stores.database import Row, Transaction
from holdfast.stores.sql_role import SqlRole


class SqlDefinitionStore(SqlRole):
    async def register_definitions(
        self, namespace: str, definitions: Sequence[Definition], now: Instant
    ) -> None:
        def script(tx: Transaction) -> None:
            rows = [(*each[:6], each.input_schema) for each in definitions]
            tx.many("insert_workflows", rows, namespace, now)
            known = [(definition.name, definition.version, definition.hash) for definition in definitions]
            for name, version in tx.many_returning("find_conflicts", known, namespace):
                raise VersionConflict(name, version)

        await self._driver.write(script)

    async def find_definitions(self, namespace: str, which: Sequence[tuple[str, str]]) -> list[Definition]:
        asked: list[Row] = list(which)
        rows = await self._driver.read(lambda tx: tx.many_returning("find_workflows", asked, namespace))
        return [records.definition(row) for row in rows]

    async def find_newest_definition(self, namespace: str, name: str) -> Definition | None:
        rows = await self._driver.fetch("newest_workflow", namespace, name)
        return records.definition(rows[0]) if rows else None

    async def find_published_definition(
        self, namespace: str, name: str, number: int | None
    ) -> Definition | None:
        found = await self._find_flow_version(namespace, name, number)
        return definition_of(found) if found is not None and found.status == PUBLISHED else None

    async def _find_flow_version(self, namespace: str, flow: str, number: int | None) -> FlowVersion | None:
        which = (None, 0) if number is None else (number, 1)
        rows = await self._driver.fetch("flow_versions", namespace, flow, *which, 1)
        return FlowVersion(*rows[0]) if rows else None
