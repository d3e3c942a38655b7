"""Workflows: list, read, compare, check, publish and delete them.

The ETag of a workflow is the hash of its newest version, so what has changed meanwhile is not overwritten.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from litestar import Response, delete, get, post, put
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from holdfast.client.client import Client
from holdfast.client.workflow_numbers import WorkflowActivities
from holdfast.client.workflows import (
    DeletedWorkflow,
    PublishedWorkflow,
    WorkflowDetails,
    WorkflowDiff,
    WorkflowGraph,
    WorkflowInfo,
    WorkflowVersionInfo,
)
from holdfast.core.workflow_numbers import WorkflowStatistics
from holdfast.errors import WorkflowNotFound
from holdfast.server.access.recording import Record
from holdfast.server.api.v1.bodies import Body
from holdfast.server.api.v1.conditions import IfMatch, IfNoneMatch, etag_of, has_etag, replaced
from holdfast.server.api.v1.paging import Limit, Page
from holdfast.server.problems import Place, may_answer, place_of

Kind: TypeAlias = Literal["code", "dag", "flow", "task"]
TextKind: TypeAlias = Literal["dag", "flow"]
Version: TypeAlias = Annotated[str | None, QueryParameter(description="Without it, the newest one.")]
_ETAG: Final = ResponseHeader(
    name="ETag", description="The hash of the version, in quotes.", documentation_only=True
)
_NOT_MODIFIED: Final = ResponseSpec(None, description="It has that ETag.", generate_examples=False)

_YEAR: Final = 366 * 86_400


class WorkflowText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    text: str
    """YAML or JSON."""
    kind: TextKind | None = None
    """Without it, the text tells."""


class Validation(msgspec.Struct, frozen=True):
    problems: list[Place]
    """Empty: the text can be published."""


class InputSchema(msgspec.Struct, frozen=True):
    schema: dict[str, Any] | None
    """The JSON Schema of the input. None: not known."""


@get("/workflows", name="workflows.list", responses=may_answer())
async def list_workflows(
    client: NamedDependency[Client],
    kind: FromQuery[Kind | None] = None,
    after: Annotated[str, QueryParameter(description="`next` of the page before.")] = "",
    limit: Limit = 100,
) -> Page[WorkflowInfo]:
    """A page of workflows, by name."""
    found = await client.workflows.list(kind=kind, limit=limit, after=after)
    return Page(found, found[-1].name if len(found) == limit else None)


@get(
    "/workflows/{name:str}",
    name="workflows.get",
    response_headers=[_ETAG],
    responses=may_answer(404) | {304: _NOT_MODIFIED},
)
async def get_workflow(
    client: NamedDependency[Client],
    name: FromPath[str],
    version: Version = None,
    if_none_match: IfNoneMatch = None,
) -> Response[WorkflowDetails]:
    """One version of a workflow, with its text or source."""
    found = await client.workflows.get(name, version)
    etag = {"ETag": etag_of(found.hash)}
    if if_none_match is not None and has_etag(if_none_match, found.hash, is_weak=True):
        empty: Response[Any] = Response(None, status_code=304, headers=etag)
        return empty
    return Response(found, headers=etag)


@get("/workflows/{name:str}/versions", name="workflows.versions", responses=may_answer(404))
async def list_versions(client: NamedDependency[Client], name: FromPath[str]) -> Page[WorkflowVersionInfo]:
    """The versions of a workflow, the newest first."""
    return Page(await client.workflows.versions(name))


@get("/workflows/{name:str}/diff", name="workflows.diff", responses=may_answer(404))
async def compare_versions(
    client: NamedDependency[Client], name: FromPath[str], before: FromQuery[str], after: FromQuery[str]
) -> WorkflowDiff:
    """What has changed between two versions."""
    return await client.workflows.diff(name, before, after)


@get("/workflows/{name:str}/input-schema", name="workflows.input_schema", responses=may_answer(404))
async def get_input_schema(
    client: NamedDependency[Client], name: FromPath[str], version: Version = None
) -> InputSchema:
    """What the input of a run of it looks like."""
    return InputSchema(await client.workflows.input_schema(name, version))


@get("/workflows/{name:str}/graph", name="workflows.graph", responses=may_answer(404))
async def get_graph(
    client: NamedDependency[Client], name: FromPath[str], version: Version = None
) -> WorkflowGraph:
    """The graph of a DAG or a flow, and where its parts are drawn. Code has none."""
    return await client.workflows.graph(name, version)


@get("/workflows/{name:str}/statistics", name="workflows.statistics", responses=may_answer(404))
async def get_statistics(
    client: NamedDependency[Client],
    name: FromPath[str],
    last: Annotated[
        float | None,
        QueryParameter(gt=0, le=_YEAR, description="In seconds. Only runs created in the time up to now."),
    ] = None,
) -> WorkflowStatistics:
    """What the newest runs of a workflow say about it: how long they take, how many fail, by version and by
    task. 500 runs are looked at, and 20,000 of their tasks."""
    span = None if last is None else dt.timedelta(seconds=last)
    return await client.workflows.statistics(name, last=span)


@get("/workflow-activity", name="workflows.activity", responses=may_answer())
async def get_activity(
    client: NamedDependency[Client],
    last: Annotated[float, QueryParameter(gt=0, le=_YEAR, description="In seconds, up to now.")] = 86_400,
    step: Annotated[
        float | None,
        QueryParameter(gt=0, le=_YEAR, description="In seconds: how far the points are apart."),
    ] = None,
) -> WorkflowActivities:
    """What happened to the runs of each workflow that were created in the time up to now. 10,000 runs are
    looked at, the newest."""
    each = None if step is None else dt.timedelta(seconds=step)
    return await client.workflows.activity(last=dt.timedelta(seconds=last), step=each)


@post(
    "/workflow-validation",
    name="workflows.validate",
    dto=Body[WorkflowText],
    return_dto=None,
    status_code=200,
    responses=may_answer(413),
)
async def validate_workflow(data: JSONBody[WorkflowText], client: NamedDependency[Client]) -> Validation:
    """What would be refused in this text. Nothing is stored."""
    problems = await client.workflows.validate(data.text, kind=data.kind)
    return Validation([place_of(each) for each in problems])


@put(
    "/workflows/{name:str}",
    name="workflows.put",
    dto=Body[WorkflowText],
    return_dto=None,
    response_headers=[_ETAG],
    responses=may_answer(409, 412, 413),
)
async def put_workflow(
    name: FromPath[str],
    data: JSONBody[WorkflowText],
    client: NamedDependency[Client],
    record: NamedDependency[Record],
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
    renames: Annotated[
        bool, QueryParameter(description="Whether the text may have another name, which this one replaces.")
    ] = False,
) -> Response[PublishedWorkflow]:
    """Publish a DAG or a flow as the next version, which any node can run.

    A text that means the same as the newest version is that version. With If-Match, it is published only if
    the newest version has that ETag; with If-None-Match: *, only if there is no such workflow.
    """
    before = await _newest(client, name)
    record.before = _said_of(before)
    done = await client.workflows.put(
        data.text,
        kind=data.kind,
        name=name,
        renames=renames,
        replaces=replaced("" if before is None else before.hash, if_match, if_none_match),
    )
    record.after = _said_of(done)
    return Response(done, headers={"ETag": etag_of(done.hash)})


@delete("/workflows/{name:str}", name="workflows.delete", status_code=200, responses=may_answer(404, 409))
async def delete_workflow(
    client: NamedDependency[Client],
    record: NamedDependency[Record],
    name: FromPath[str],
    force: Annotated[
        bool,
        QueryParameter(description="Also if runs have not ended, which go on, or schedules start it."),
    ] = False,
) -> DeletedWorkflow:
    """Delete all versions: they can no longer be started by name. Runs that have ended can still be read."""
    record.before = _said_of(await _newest(client, name))
    done = await client.workflows.delete(name, force=force)
    record.after = {"versions": done.versions, "schedules": done.schedules, "open_runs": done.open_runs}
    return done


ROUTES = [
    list_workflows,
    get_workflow,
    list_versions,
    compare_versions,
    get_input_schema,
    get_graph,
    get_statistics,
    get_activity,
    validate_workflow,
    put_workflow,
    delete_workflow,
]


async def _newest(client: Client, name: str) -> WorkflowVersionInfo | None:
    try:
        return await client.workflows.get(name)
    except WorkflowNotFound:
        return None


def _said_of(version: WorkflowVersionInfo | None) -> dict[str, Any] | None:
    """For the audit log."""
    return None if version is None else {"version": version.version, "hash": version.hash}
