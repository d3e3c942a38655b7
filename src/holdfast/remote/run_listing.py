"""Lists and counts of runs, and what else a client reads and deletes, over HTTP."""

from __future__ import annotations

import builtins
import contextlib
import datetime as dt
from collections.abc import AsyncIterator, Callable
from typing import Any, Unpack

from holdfast.client.archives import ArchiveSource, ImportOptions, ImportReport
from holdfast.client.backlogs import Backlog
from holdfast.client.failures import FailureInfo
from holdfast.client.findings import Finding, read_finding
from holdfast.client.fleet import NodeDrain, NodeInfo, Queues, TakenItem
from holdfast.client.retention import PruneReport
from holdfast.client.run import Run, RunInfo, RunsPage
from holdfast.client.run_counts import RunCount
from holdfast.client.run_filters import RunConditions, check_number
from holdfast.client.schedules import OverdueSchedule
from holdfast.client.stats import NamespaceInfo, RunStats
from holdfast.core.attention import Attention
from holdfast.core.names import check_keywords, checked_name
from holdfast.core.records import Definition
from holdfast.core.values import key_text
from holdfast.errors import WorkflowNotFound
from holdfast.ports.runs import Stranded
from holdfast.remote.addressing import (
    PAGE,
    Page,
    conditions_query,
    refused,
    run_path,
    seconds_of,
    time_text,
)
from holdfast.remote.archives import export_lines, import_lines
from holdfast.remote.connection import path_of
from holdfast.remote.run_changes import RemoteRunChanges
from holdfast.remote.workflows import definition_of

_DOCTOR_SECONDS = 600.0


class RemoteRunListing(RemoteRunChanges):
    async def list(
        self,
        *,
        limit: int = 100,
        before: Run[Any] | str | None = None,
        **conditions: Unpack[RunConditions],
    ) -> builtins.list[RunInfo]:
        self._check_loop()
        check_number("limit", limit, 1, 10_000)
        found: builtins.list[RunInfo] = []
        after = None if before is None else key_text(await self.key_of(before))
        while len(found) < limit:
            page = await self.page(limit=min(PAGE, limit - len(found)), after=after, **conditions)
            found += page.items
            after = page.next
            if after is None:
                break
        return found

    async def page(
        self,
        *,
        limit: int = 100,
        after: str | None = None,
        payloads: bool = True,
        **conditions: Unpack[RunConditions],
    ) -> RunsPage:
        self._check_loop()
        check_number("limit", limit, 1, 10_000)
        query = {
            **conditions_query(conditions),
            "limit": min(limit, PAGE),
            "payloads": bool(payloads),
            "after": after,
        }
        return await self._connection.ask("GET", "/runs", RunsPage, query=query)

    async def counts(
        self, by: str = "status", **conditions: Unpack[RunConditions]
    ) -> builtins.list[RunCount]:
        self._check_loop()
        query = {**conditions_query(conditions), "by": by}
        return (await self._connection.ask("GET", "/run-counts", Page[RunCount], query=query)).items

    async def failures(
        self, *, created_after: dt.datetime | None = None, limit: int = 100
    ) -> builtins.list[FailureInfo]:
        self._check_loop()
        check_number("limit", limit, 1, 10_000)
        conditions_query({"created_after": created_after})  # refuses a time without a zone
        query = {"created_after": time_text(created_after), "limit": min(limit, PAGE)}
        return (await self._connection.ask("GET", "/failures", Page[FailureInfo], query=query)).items

    async def definition(self, run: Run[Any] | str) -> Definition | None:
        info = await self.describe(run)
        try:
            return definition_of(await self.workflows.get(info.workflow, info.version))
        except WorkflowNotFound:
            return None

    async def delete(self, run: Run[Any] | str) -> PruneReport:
        self._check_run(run)
        return await self._connection.ask("DELETE", run_path(run), PruneReport)

    # --- who does the work

    async def nodes(self) -> builtins.list[NodeInfo]:
        self._check_loop()
        return (await self._connection.ask("GET", "/nodes", Page[NodeInfo])).items

    async def drain_node(self, id: str, *, by: str = "") -> NodeDrain:
        self._check_loop()
        path = path_of("nodes", checked_name("id", id), "drain")
        return await self._connection.ask("POST", path, NodeDrain, by=by)

    async def queues(self) -> Queues:
        self._check_loop()
        return await self._connection.ask("GET", "/queues", Queues)

    async def held_items(self) -> builtins.list[TakenItem]:
        return [item for queue in (await self.queues()).services for item in queue.held]

    async def backlog(self, workflow: str | None = None, service: str | None = None) -> Backlog:
        self._check_loop()
        query = {"workflow": workflow, "service": service}
        return await self._connection.ask("GET", "/backlog", Backlog, query=query)

    async def attention(self) -> Attention:
        self._check_loop()
        return await self._connection.ask("GET", "/attention", Attention)

    async def stats(
        self, last: dt.timedelta = dt.timedelta(hours=1), step: dt.timedelta | None = None
    ) -> RunStats:
        self._check_loop()
        query = {"last": last.total_seconds(), "step": seconds_of(step)}
        return await self._connection.ask("GET", "/stats", RunStats, query=query)

    async def namespaces(self) -> builtins.list[NamespaceInfo]:
        """Those that the key may use."""
        self._check_loop()
        return (await self._connection.ask("GET", "/namespaces", Page[NamespaceInfo])).items

    async def own_namespace(self) -> NamespaceInfo:
        return next(each for each in await self.namespaces() if each.name == self.namespace)

    async def doctor(
        self, progress: Callable[[int], None] | None = None
    ) -> builtins.list[Stranded | OverdueSchedule]:
        """The server says nothing before it is done, so `progress` is not called."""
        self._check_loop()
        found = await self._connection.ask("GET", "/doctor", Page[Finding], wait=_DOCTOR_SECONDS)
        read = [read_finding(each) for each in found.items]
        return [each for each in read if each is not None]

    # --- archives

    async def export_runs(
        self, *ids: str, children: bool = True, ended: bool = False, **conditions: Unpack[RunConditions]
    ) -> AsyncIterator[str]:
        self._check_loop()
        query = {**conditions_query(conditions), "id": ids, "children": children, "ended": ended}
        lines = export_lines(self._connection, query)
        async with contextlib.aclosing(lines):
            async for line in lines:
                yield line

    async def import_runs(self, source: ArchiveSource, **options: Unpack[ImportOptions]) -> ImportReport:
        """An archive that is larger than a request may be is refused."""
        self._check_loop()
        check_keywords("option", options, ImportOptions)
        return await import_lines(self._connection, source, options)

    # --- what only the database has

    prune = refused("prune", "hf.bulk.prune does it in the background")
    register_all = refused("register_all", "nodes register the workflows that they have")
