"""Bulk jobs over HTTP."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, Unpack

import msgspec

from holdfast.client.bulk_jobs import (
    BulkJob,
    BulkJobs,
    BulkOptions,
    BulkPreview,
    FailuresPage,
    JobsPage,
    check_act,
    checked_statuses,
)
from holdfast.client.posting import new_uid
from holdfast.client.run_filters import RunConditions, check_number, workflow_name
from holdfast.core.names import check_keywords
from holdfast.core.run_options import KEEP_DEADLINE, NewDeadline
from holdfast.remote.addressing import conditions_query, retry_body
from holdfast.remote.connection import Connection, path_of


class _Previewed(msgspec.Struct, frozen=True):
    preview: BulkPreview


class _Begun(msgspec.Struct, frozen=True):
    job: BulkJob


class RemoteBulkJobs(BulkJobs):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def preview(
        self, act: str, *, all: bool = False, **conditions: Unpack[RunConditions]
    ) -> BulkPreview:
        check_act(act)
        body = {"act": act, "all": all, "dry_run": True, **_conditions(conditions)}
        return (await self._connection.ask("POST", "/bulk", _Previewed, body=body)).preview

    async def start(
        self, act: str, options: BulkOptions | None = None, /, **conditions: Unpack[RunConditions]
    ) -> BulkJob:
        check_act(act)
        given = options or BulkOptions()
        check_keywords("option", given, BulkOptions)
        plain: dict[str, Any] = {**given}
        deadline: NewDeadline = plain.pop("deadline", KEEP_DEADLINE)
        by = plain.pop("by", "")
        body = {"act": act, **plain, **retry_body(deadline), **_conditions(conditions)}
        body["id"] = body.get("id") or new_uid()
        return (await self._connection.ask("POST", "/bulk", _Begun, body=body, by=by)).job

    async def preview_prune(
        self,
        older_than: dt.timedelta,
        *,
        status: str | Sequence[str] | None = None,
        workflow: Any = None,
        limit: int | None = None,
    ) -> BulkPreview:
        body = {**_prune(older_than, status, workflow, limit), "dry_run": True}
        return (await self._connection.ask("POST", "/prune", _Previewed, body=body)).preview

    async def prune(
        self,
        older_than: dt.timedelta,
        *,
        status: str | Sequence[str] | None = None,
        workflow: Any = None,
        limit: int | None = None,
        by: str = "",
        id: str | None = None,
    ) -> BulkJob:
        body = {**_prune(older_than, status, workflow, limit), "id": id or new_uid()}
        return (await self._connection.ask("POST", "/prune", _Begun, body=body, by=by)).job

    async def get(self, id: str) -> BulkJob:
        return await self._connection.ask("GET", path_of("bulk", id), BulkJob)

    async def list(self, *, limit: int = 100, after: str | None = None) -> JobsPage:
        check_number("limit", limit, 1, 1_000)
        return await self._connection.ask("GET", "/bulk", JobsPage, query={"limit": limit, "after": after})

    async def failures(self, id: str, *, limit: int = 100, after: str | None = None) -> FailuresPage:
        check_number("limit", limit, 1, 1_000)
        query = {"limit": limit, "after": after}
        return await self._connection.ask("GET", path_of("bulk", id, "failures"), FailuresPage, query=query)

    async def cancel(self, id: str, reason: str = "", *, by: str = "") -> BulkJob:
        body = {"reason": reason}
        return await self._connection.ask("POST", path_of("bulk", id, "cancel"), BulkJob, body=body, by=by)


def _conditions(conditions: RunConditions) -> dict[str, Any]:
    """Raises BadOption."""
    given = {name: value for name, value in conditions_query(conditions).items() if value is not None}
    return {name: value for name, value in given.items() if value != []}


def _prune(
    older_than: dt.timedelta, status: str | Sequence[str] | None, workflow: Any, limit: int | None
) -> dict[str, Any]:
    several = checked_statuses(older_than, status, limit)
    return {
        "older_than": older_than.total_seconds(),
        "status": None if status is None else [str(each) for each in several],
        "workflow": workflow_name(workflow),
        "limit": limit,
    }
