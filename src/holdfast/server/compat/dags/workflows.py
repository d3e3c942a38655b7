"""Workflows. The text of one is called its YAML."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

import msgspec
from litestar import delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from holdfast.client.client import Client
from holdfast.client.workflows import WorkflowDetails
from holdfast.server.access.recording import Record
from holdfast.server.compat.error_responses import may_answer
from holdfast.server.compat.wire import LenientBody, required

PageSize = Annotated[int, QueryParameter(ge=1, le=1000)]


class NewWorkflow(msgspec.Struct, frozen=True):
    yaml: str


class WorkflowItem(msgspec.Struct, frozen=True):
    name: str
    kind: str
    """`dag`, `flow`, `code` or `task`"""
    version: str
    updated_at: dt.datetime


class WorkflowAnswer(msgspec.Struct, frozen=True):
    name: str
    kind: str
    version: str
    yaml: str
    """Empty if the workflow is code."""
    created_at: dt.datetime


class DeletionAnswer(msgspec.Struct, frozen=True):
    deleted: str


@get("/workflows", name="compat.dags.workflows", responses=may_answer())
async def list_workflows(
    client: NamedDependency[Client], limit: PageSize = 100, after: FromQuery[str] = ""
) -> list[WorkflowItem]:
    """Workflows by name, those after the name `after`."""
    found = await client.workflows.list(limit=limit, after=after)
    return [WorkflowItem(each.name, each.kind, each.version, each.seen_at) for each in found]


@post(
    "/workflows",
    name="compat.dags.put",
    dto=LenientBody[NewWorkflow],
    return_dto=None,
    status_code=200,
    responses=may_answer(409, 413),
)
async def put_workflow(
    data: JSONBody[NewWorkflow], client: NamedDependency[Client], record: NamedDependency[Record]
) -> WorkflowAnswer:
    """Create a workflow, or update the one that has the name in the text."""
    done = await client.workflows.put(required(data.yaml, "yaml"))
    record.target, record.after = done.name, {"version": done.version, "hash": done.hash}
    return _answer(await client.workflows.get(done.name, done.version))


@get("/workflows/{name:str}", name="compat.dags.get", responses=may_answer(404))
async def get_workflow(client: NamedDependency[Client], name: FromPath[str]) -> WorkflowAnswer:
    """The newest version of a workflow."""
    return _answer(await client.workflows.get(name))


@delete("/workflows/{name:str}", name="compat.dags.delete", status_code=200, responses=may_answer(404, 409))
async def delete_workflow(
    client: NamedDependency[Client], name: FromPath[str], force: FromQuery[bool] = False
) -> DeletionAnswer:
    """Delete a workflow. Refused while runs of it have not ended or schedules start it, unless forced."""
    return DeletionAnswer((await client.workflows.delete(name, force=force)).name)


ROUTES = [list_workflows, put_workflow, get_workflow, delete_workflow]


def _answer(found: WorkflowDetails) -> WorkflowAnswer:
    text = found.definition if found.kind in ("dag", "flow") else ""
    return WorkflowAnswer(found.name, found.kind, found.version, text, found.created_at)
