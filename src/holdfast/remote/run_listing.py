"""Lists and counts of runs, and what else a client reads and deletes, over HTTP."""

from __future__ import annotations

import builtins
import datetime as dt
from typing import Any, Unpack

from holdfast.client.backlogs import Backlog
from holdfast.client.failures import FailureInfo
from holdfast.client.fleet import NodeInfo, Queues, TakenItem
from holdfast.client.retention import PruneReport
from holdfast.client.run import Run, RunInfo, RunsPage
from holdfast.client.run_counts import RunCount
from holdfast.client.run_filters import RunConditions, check_number
from holdfast.client.stats import NamespaceInfo, RunStats
from holdfast.core.records import Definition
from holdfast.core.values import key_text
from holdfast.errors import WorkflowNotFound
from holdfast.remote.addressing import (
    PAGE,
    Page,
    conditions_query,
    refused,
    refused_items,
    run_path,
    seconds_of,
    time_text,
)
from holdfast.remote.run_changes import RemoteRunChanges
from holdfast.remote.workflows import definition_of

_WHERE_THE_DATABASE_IS = "run this where the database is: holdfast … --db URL"


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
        return (await self._connection.ask("GET", "/runs/counts", Page[RunCount], query=query)).items

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

    async def queues(self) -> Queues:
        self._check_loop()
        return await self._connection.ask("GET", "/queues", Queues)

    async def held_items(self) -> builtins.list[TakenItem]:
        return [item for queue in (await self.queues()).services for item in queue.held]

    async def backlog(self, workflow: str | None = None, service: str | None = None) -> Backlog:
        self._check_loop()
        query = {"workflow": workflow, "service": service}
        return await self._connection.ask("GET", "/backlog", Backlog, query=query)

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

    # --- what only the database has

    doctor = refused("doctor", _WHERE_THE_DATABASE_IS)
    prune = refused("prune", "hf.bulk.prune does it in the background")
    export_runs = refused_items("export_runs", _WHERE_THE_DATABASE_IS)
    import_runs = refused("import_runs", _WHERE_THE_DATABASE_IS)
    register_all = refused("register_all", "nodes register the workflows that they have")
