"""Bulk jobs: the same act on all runs that match, done in the background. Pruning is one of them."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, JSONBody

from holdfast.client.bulk_jobs import BulkJob, BulkOptions, BulkPreview
from holdfast.client.client import Client
from holdfast.client.operators import Timers
from holdfast.client.run_filters import RunConditions
from holdfast.core.bulk import Refusal
from holdfast.core.values import RunStatus
from holdfast.server.access.callers import Caller
from holdfast.server.access.recording import Record
from holdfast.server.access.rules import check_role
from holdfast.server.api.v1.bodies import Body
from holdfast.server.api.v1.paging import Limit, Page
from holdfast.server.api.v1.run_acts import Reason, new_deadline
from holdfast.server.api.v1.run_conditions import After
from holdfast.server.api.v1.runs import span
from holdfast.server.problems import may_answer

_Several = Annotated[list[str], msgspec.Meta(max_length=20)]
_OPTIONS: Final = ("act", "dry_run", "all", "at_most", "id", "reason", "timers", "deadline")


class _Job(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    dry_run: bool = False
    """Only count the runs, and answer with 200."""
    id: str | None = None
    """Makes the request idempotent: sent again, it answers with the same job."""


class NewBulk(_Job, frozen=True, kw_only=True, forbid_unknown_fields=True):
    act: Literal["cancel", "terminate", "pause", "resume", "retry", "try_now", "delete"]
    all: bool = False
    """Needed if there are no conditions."""
    at_most: int | None = None
    """Do nothing if more runs match: as many as a dry run has found."""
    reason: str = ""
    """For `cancel` and `terminate`; with `pause` it is the note."""
    timers: Timers = Timers.CATCH_UP
    """For `resume`."""
    deadline: dt.datetime | float | msgspec.UnsetType | None = msgspec.UNSET
    """For `retry`: a new one, as a time or in seconds; null for none. Left out: the one that each run has."""
    status: Annotated[list[RunStatus], msgspec.Meta(max_length=20)] | None = None
    """One of these. From here on, these are the conditions, as in a list of runs."""
    workflow: str | None = None
    version: str | None = None
    tag: _Several | None = None
    """All of these."""
    schedule: str | None = None
    parent: str | None = None
    fingerprint: str | None = None
    created_after: dt.datetime | None = None
    created_before: dt.datetime | None = None
    ended_after: dt.datetime | None = None
    ended_before: dt.datetime | None = None
    error_type: str | None = None
    id_contains: str | None = None
    error_contains: str | None = None
    took_over: float | None = None
    """In seconds. So is `took_under`."""
    took_under: float | None = None


class NewPrune(_Job, frozen=True, kw_only=True, forbid_unknown_fields=True):
    older_than: Annotated[float, msgspec.Meta(ge=0)]
    """In seconds: how long ago a run must have ended."""
    status: Annotated[list[Literal["success", "failed", "cancelled"]], msgspec.Meta(min_length=1)] | None = (
        None
    )
    """One of these. Left out: any of them."""
    workflow: str | None = None
    limit: int | None = None
    """Delete at most so many, not counting children."""


class BulkAnswer(msgspec.Struct, frozen=True):
    """One of the two."""

    preview: BulkPreview | None = None
    """What a job would do, if it was a dry run."""
    job: BulkJob | None = None
    """The job, which nodes do from now on."""


_BEGUN: Final = {202: ResponseSpec(BulkAnswer, description="The job is recorded.", generate_examples=False)}


@post(
    "/bulk",
    name="runs.bulk",
    dto=Body[NewBulk],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409, 413) | _BEGUN,
)
async def start_bulk(
    data: JSONBody[NewBulk],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
) -> Response[BulkAnswer]:
    """Do the same to all runs that match and that are there now. Nodes of the namespace do it.

    Whoever may do it to one run may do it to many: only admins delete.
    """
    check_role(caller, f"runs.{data.act}")
    given: Any = {
        name: value
        for name, value in msgspec.structs.asdict(data).items()
        if name not in _OPTIONS and value is not None
    }
    conditions: RunConditions = given
    if data.dry_run:
        preview = await client.bulk.preview(data.act, all=data.all, **conditions)
        return _previewed(preview, record)
    options = BulkOptions(
        reason=data.reason,
        by=caller.name,
        timers=data.timers,
        deadline=new_deadline(data.deadline),
        all=data.all,
        at_most=data.at_most,
        id=data.id,
    )
    return _begun(await client.bulk.start(data.act, options, **conditions), record)


@post(
    "/prune",
    name="runs.prune",
    dto=Body[NewPrune],
    return_dto=None,
    status_code=200,
    responses=may_answer(409, 413) | _BEGUN,
)
async def prune(
    data: JSONBody[NewPrune],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
) -> Response[BulkAnswer]:
    """Delete runs that ended long enough ago, each with its children, as a bulk job."""
    age = span("older_than", data.older_than) or dt.timedelta(0)
    if data.dry_run:
        preview = await client.bulk.preview_prune(
            age, status=data.status, workflow=data.workflow, limit=data.limit
        )
        return _previewed(preview, record)
    job = await client.bulk.prune(
        age, status=data.status, workflow=data.workflow, limit=data.limit, by=caller.name, id=data.id
    )
    return _begun(job, record)


@get("/bulk", name="bulk.list", responses=may_answer())
async def list_jobs(
    client: NamedDependency[Client], after: After = None, limit: Limit = 100
) -> Page[BulkJob]:
    """Bulk jobs, newest first."""
    found = await client.bulk.list(limit=limit, after=after)
    return Page(found.items, found.next)


@get("/bulk/{id:str}", name="bulk.get", responses=may_answer(404))
async def get_job(client: NamedDependency[Client], id: FromPath[str]) -> BulkJob:
    """One job, and how far it is."""
    return await client.bulk.get(id)


@get("/bulk/{id:str}/failures", name="bulk.failures", responses=may_answer(404))
async def list_failures(
    client: NamedDependency[Client], id: FromPath[str], after: After = None, limit: Limit = 100
) -> Page[Refusal]:
    """The runs to which it was not done, and why."""
    found = await client.bulk.failures(id, limit=limit, after=after)
    return Page(found.items, found.next)


_NO_REASON: Final = Reason()


@post(
    "/bulk/{id:str}/cancel",
    name="bulk.cancel",
    dto=Body[Reason],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409),
)
async def cancel_job(
    id: FromPath[str],
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    data: JSONBody[Reason] = _NO_REASON,
) -> BulkJob:
    """Stop a job after the page of runs that it is at. What is done stays done."""
    job = await client.bulk.cancel(id, data.reason, by=caller.name)
    record.after = {"done": job.done, "reason": data.reason}
    return job


ROUTES = [start_bulk, prune, list_jobs, get_job, list_failures, cancel_job]


def _previewed(preview: BulkPreview, record: Record) -> Response[BulkAnswer]:
    record.after = {"act": preview.act, "dry_run": True, "matched": preview.matched}
    return Response(BulkAnswer(preview=preview), status_code=200)


def _begun(job: BulkJob, record: Record) -> Response[BulkAnswer]:
    record.target, record.after = job.id, {"act": job.act, "conditions": job.conditions}
    return Response(BulkAnswer(job=job), status_code=202)
