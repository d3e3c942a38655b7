"""Workflows over HTTP: what the server knows, and what is published."""

from __future__ import annotations

import asyncio
import builtins
import datetime as dt
from typing import Any

import msgspec

from holdfast.client.run_filters import check_number
from holdfast.client.workflow_numbers import WorkflowActivities
from holdfast.client.workflows import (
    DeletedWorkflow,
    PublishedWorkflow,
    WorkflowDetails,
    WorkflowDiff,
    WorkflowGraph,
    WorkflowInfo,
    WorkflowVersionInfo,
    WorkflowVersions,
)
from holdfast.core.records import Definition
from holdfast.core.workflow_numbers import WorkflowStatistics
from holdfast.errors import BadDocument, NoGraph, Problem
from holdfast.ports.workflows import Workflows
from holdfast.remote.addressing import PAGE, Page, seconds_of
from holdfast.remote.connection import Connection, conditions, path_of
from holdfast.remote.problems import PlaceRead


class _Validation(msgspec.Struct, frozen=True):
    problems: list[PlaceRead]


class _InputSchema(msgspec.Struct, frozen=True):
    schema: dict[str, Any] | None


def definition_of(found: WorkflowDetails) -> Definition:
    return Definition(
        found.name, found.version, found.kind, found.hash, found.definition, found.origin, found.is_published
    )


class RemoteWorkflowVersions(WorkflowVersions):
    def __init__(self, connection: Connection, workflows: Workflows) -> None:
        self._connection = connection
        self._workflows = workflows

    async def list(
        self, *, kind: str | None = None, limit: int = 100, after: str = ""
    ) -> builtins.list[WorkflowInfo]:
        check_number("limit", limit, 1, PAGE)
        query = {"kind": kind, "limit": limit, "after": after}
        return (await self._connection.ask("GET", "/workflows", Page[WorkflowInfo], query=query)).items

    async def get(self, name: str, version: str | int | None = None) -> WorkflowDetails:
        path = path_of("workflows", name)
        return await self._connection.ask("GET", path, WorkflowDetails, query={"version": version})

    async def versions(self, name: str) -> builtins.list[WorkflowVersionInfo]:
        path = path_of("workflows", name, "versions")
        return (await self._connection.ask("GET", path, Page[WorkflowVersionInfo])).items

    async def input_schema(self, name: str, version: str | int | None = None) -> dict[str, Any] | None:
        path = path_of("workflows", name, "input-schema")
        return (await self._connection.ask("GET", path, _InputSchema, query={"version": version})).schema

    async def diff(self, name: str, before: str | int, after: str | int) -> WorkflowDiff:
        query = {"before": before, "after": after}
        return await self._connection.ask(
            "GET", path_of("workflows", name, "diff"), WorkflowDiff, query=query
        )

    async def graph(self, name: str, version: str | int | None = None) -> WorkflowGraph:
        """It is drawn here, from the text."""
        found = await self.get(name, version)
        drawn = await asyncio.to_thread(self._workflows.reader.graph, definition_of(found))
        if drawn is None:
            raise NoGraph(name, found.kind)
        return WorkflowGraph(name, found.version, *drawn)

    async def statistics(self, name: str, *, last: dt.timedelta | None = None) -> WorkflowStatistics:
        path = path_of("workflows", name, "statistics")
        return await self._connection.ask("GET", path, WorkflowStatistics, query={"last": seconds_of(last)})

    async def activity(
        self, *, last: dt.timedelta = dt.timedelta(hours=24), step: dt.timedelta | None = None
    ) -> WorkflowActivities:
        query = {"last": seconds_of(last), "step": seconds_of(step)}
        return await self._connection.ask("GET", "/workflow-activity", WorkflowActivities, query=query)

    async def validate(
        self, text: str, *, kind: str | None = None, name: str | None = None, file: str | None = None
    ) -> builtins.list[Problem]:
        try:
            await self._read(text, kind, name, file)
        except BadDocument as bad:
            return bad.problems
        body = {"text": text, "kind": kind}
        if name is not None:
            return []  # the server has no name for a text that it only checks
        found = await self._connection.ask("POST", "/workflow-validation", _Validation, body=body)
        return [
            Problem(file or "", each.line, each.column, each.message, each.path) for each in found.problems
        ]

    async def put(
        self,
        text: str,
        *,
        kind: str | None = None,
        name: str | None = None,
        file: str | None = None,
        renames: bool = True,
        replaces: str | None = None,
    ) -> PublishedWorkflow:
        """The text is read here first, so that its mistakes name the file, and to know its name."""
        read = await self._read(text, kind, name, file)
        return await self._connection.ask(
            "PUT",
            path_of("workflows", read.name),
            PublishedWorkflow,
            query={"renames": bool(renames)},
            body={"text": text, "kind": kind},
            headers=conditions(replaces),
        )

    async def delete(self, name: str, *, force: bool = False) -> DeletedWorkflow:
        path = path_of("workflows", name)
        return await self._connection.ask("DELETE", path, DeletedWorkflow, query={"force": bool(force)})
