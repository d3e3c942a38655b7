"""Flows of the model, and what its lists of runs show."""

from __future__ import annotations

from itertools import count

from tests.differential.tables import DefinitionRow, Tables
from tests.differential.workers import HasTables

from holdfast.core.records import Definition, MessageKind, RunRecord
from holdfast.core.values import Instant, RunKey
from holdfast.ports.flows import DRAFT, PUBLISHED, FlowRecord, FlowVersion, definition_of
from holdfast.ports.runs import RunOverview, RunPage
from holdfast.ports.workflow_store import DELETED, StoredVersion, WorkflowSummary, WorkflowVersionRow


class FlowModel:
    async def create_flow(
        self: HasTables, namespace: str, name: str, description: str, now: Instant
    ) -> FlowRecord:
        with self.transaction() as tables:
            taken = {id for space, id in tables.flows if space == namespace}
            taken |= {workflow for space, workflow, _ in tables.workflows if space == namespace}
            ids = (name if number == 1 else f"{name}-{number}" for number in count(1))
            flow = FlowRecord(next(id for id in ids if id not in taken), name, description, now)
            tables.flows[namespace, flow.id] = flow
            return flow

    async def find_flow(self: HasTables, namespace: str, id: str) -> FlowRecord | None:
        return self.tables.flows.get((namespace, id))

    async def list_flows(
        self: HasTables, namespace: str, limit: int, offset: int
    ) -> tuple[list[FlowRecord], int]:
        found = [flow for (space, _), flow in self.tables.flows.items() if space == namespace]
        found.sort(key=lambda flow: (flow.created_at, flow.id.encode()), reverse=True)
        return found[offset : offset + limit], len(found)

    async def list_flow_versions(self: HasTables, namespace: str, flow: str) -> list[FlowVersion]:
        return _versions(self.tables, namespace, flow)

    async def find_flow_version(
        self: HasTables, namespace: str, flow: str, number: int | None
    ) -> FlowVersion | None:
        known = _versions(self.tables, namespace, flow)
        fits = (it for it in known if it.number == number or (number is None and it.status == PUBLISHED))
        return next(fits, None)

    async def find_published_definition(
        self: HasTables, namespace: str, name: str, number: int | None
    ) -> Definition | None:
        numbers = [it.number for it in _versions(self.tables, namespace, name) if it.status == PUBLISHED]
        which = max(numbers, default=None) if number is None else number
        return self.tables.workflows[namespace, name, str(which)].definition if which in numbers else None

    async def write_flow_version(
        self: HasTables, namespace: str, version: FlowVersion, replaces: str | None
    ) -> bool:
        flow, number, status, hash, source, created_at, *_ = version
        at = (namespace, flow, str(number))
        with self.transaction() as tables:
            known = tables.workflows.get(at)
            if (known is None) != (replaces is None):
                return False
            if known is not None:
                definition = known.definition
                if (definition.kind, definition.hash, known.status) != ("flow", replaces, DRAFT):
                    return False
            definition = Definition(flow, str(number), "flow", hash, source, is_published=True)
            tables.workflows[at] = DefinitionRow(definition, created_at, None, status)
            return True

    # --- workflows of all kinds

    async def list_workflows(
        self: HasTables, namespace: str, kind: str | None, after: str, limit: int
    ) -> list[WorkflowSummary]:
        names: dict[str, list[DefinitionRow]] = {}
        for (space, name, _), row in self.tables.workflows.items():
            if (space, row.status) == (namespace, PUBLISHED) and kind in (None, row.definition.kind):
                names.setdefault(name, []).append(row)
        found = sorted((name for name in names if name.encode() > after.encode()), key=str.encode)
        return [_summary(names[name]) for name in found[:limit]]

    async def list_workflow_versions(
        self: HasTables, namespace: str, name: str, limit: int
    ) -> list[WorkflowVersionRow]:
        rows = _rows_of(self.tables, namespace, name)
        return [
            WorkflowVersionRow(
                row.definition.version,
                row.definition.kind,
                row.status,
                row.definition.hash,
                row.definition.origin,
                _number(row),
                row.created_at,
                _seen(row),
            )
            for row in sorted(rows, key=_age, reverse=True)[:limit]
        ]

    async def find_version(
        self: HasTables, namespace: str, name: str, version: str | None
    ) -> StoredVersion | None:
        rows = [
            row
            for row in _rows_of(self.tables, namespace, name)
            if row.status == PUBLISHED and version in (None, row.definition.version)
        ]
        newest = max(rows, key=_age, default=None)
        return None if newest is None else StoredVersion(newest.definition, newest.created_at, _seen(newest))

    async def publish_version(
        self: HasTables, namespace: str, version: FlowVersion, description: str
    ) -> bool:
        at = (namespace, version.flow, str(version.number))
        with self.transaction() as tables:
            if at in tables.workflows:
                return False
            new = DefinitionRow(definition_of(version), version.created_at, None, version.status)
            tables.workflows[at] = new
            if version.kind == "flow":
                flow = FlowRecord(version.flow, version.flow, description, version.created_at)
                tables.flows.setdefault((namespace, version.flow), flow)
            return True

    async def delete_workflow(self: HasTables, namespace: str, name: str) -> int:
        with self.transaction() as tables:
            tables.flows.pop((namespace, name), None)
            live = [
                at
                for at, row in tables.workflows.items()
                if at[:2] == (namespace, name) and row.status != DELETED
            ]
            for at in live:
                tables.workflows[at] = tables.workflows[at]._replace(status=DELETED)
            return len(live)

    # --- runs

    async def list_run_overviews(self: HasTables, namespace: str, page: RunPage) -> list[RunOverview]:
        found = _fitting(self.tables, namespace, page)
        return found[page.offset : page.offset + page.limit]

    async def count_runs(self: HasTables, namespace: str, page: RunPage, most: int) -> int:
        return min(len(_fitting(self.tables, namespace, page)), most)

    async def find_run_overview(self: HasTables, namespace: str, run: RunKey) -> RunOverview | None:
        found = self.tables.run(namespace, run)
        return None if found is None else _overview(self.tables, found)


def _rows_of(tables: Tables, namespace: str, name: str) -> list[DefinitionRow]:
    return [row for at, row in tables.workflows.items() if at[:2] == (namespace, name)]


def _number(row: DefinitionRow) -> int | None:
    return int(row.definition.version) if row.definition.is_published else None


def _seen(row: DefinitionRow) -> Instant:
    return row.created_at if row.seen_at is None else row.seen_at


def _age(row: DefinitionRow) -> tuple[int, Instant, bytes]:
    return (_number(row) or 0, row.created_at, row.definition.version.encode())


def _summary(rows: list[DefinitionRow]) -> WorkflowSummary:
    newest = max(rows, key=_age).definition
    return WorkflowSummary(
        newest.name, newest.kind, newest.version, newest.is_published, len(rows), max(map(_seen, rows))
    )


def _versions(tables: Tables, namespace: str, flow: str) -> list[FlowVersion]:
    found = [
        FlowVersion(
            name,
            int(version),
            row.status,
            row.definition.hash,
            row.definition.source,
            row.created_at,
            row.definition.kind,
            row.definition.input_schema,
        )
        for (space, name, version), row in tables.workflows.items()
        if (space, name) == (namespace, flow) and row.definition.is_published and row.status != DELETED
    ]
    return sorted(found, key=lambda version: version.number, reverse=True)


def _overview(tables: Tables, run: RunRecord) -> RunOverview:
    state = {key: value for (of, key), value in sorted(tables.state.items()) if of == run.key}
    is_open = not run.status.is_final
    is_queued = any(at[0] == run.key for at in tables.queue)
    is_cancelling = any(it.kind is MessageKind.CANCEL for it in tables.unread([run.key]))
    return RunOverview(run, state, is_open and is_queued, is_open and is_cancelling)


def _fitting(tables: Tables, namespace: str, page: RunPage) -> list[RunOverview]:
    """All runs that fit the page, newest first."""
    overviews = [_overview(tables, run) for run in tables.runs.values() if run.namespace == namespace]
    found = [
        overview
        for overview in overviews
        if (page.statuses is None or overview.run.status in page.statuses)
        and page.workflow in (None, overview.run.workflow)
        and page.version in (None, overview.run.version)
        and page.is_queued in (None, overview.is_queued)
        and page.is_cancelling in (None, overview.is_cancelling)
    ]
    return sorted(found, key=lambda overview: overview.run.key, reverse=True)
