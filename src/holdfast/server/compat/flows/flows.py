"""Flows and their versions."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, JSONBody, QueryParameter

from holdfast.client.client import Client
from holdfast.client.flows import FlowVersionInfo, parse_version_id, version_number
from holdfast.core.values import instant
from holdfast.errors import BadOption, FlowNotFound
from holdfast.ports.flows import DRAFT, PUBLISHED
from holdfast.server.compat.error_responses import may_answer
from holdfast.server.compat.flows.answers import Made, PageNumber, PageSize
from holdfast.server.compat.wire import LenientBody, read_number, required, seconds


class NewFlow(msgspec.Struct, frozen=True):
    name: str
    description: str = ""


class FlowAnswer(msgspec.Struct, frozen=True):
    id: str
    name: str
    description: str
    created_at: int


class FlowPage(msgspec.Struct, frozen=True):
    data: list[FlowAnswer]
    total: int
    page: int
    size: int


class NewVersion(msgspec.Struct, frozen=True):
    flow_id: str
    version: int | str = 0
    """0: the next number."""
    definition_json: str | dict[str, Any] = ""
    definition_yaml: str = ""
    """One of the two. With neither, the draft of that number is published."""
    status: str = PUBLISHED


class VersionAnswer(msgspec.Struct, frozen=True):
    id: str
    flow_id: str
    version: int
    definition_json: str
    """As it was sent: JSON or YAML."""
    status: str


class ChangeAnswer(msgspec.Struct, frozen=True):
    path: str
    kind: str
    before: Any
    after: Any


@post(
    "/flows",
    name="compat.flows.create",
    dto=LenientBody[NewFlow],
    return_dto=None,
    status_code=200,
    responses=may_answer(413),
)
async def create_flow(data: JSONBody[NewFlow], client: NamedDependency[Client]) -> Made:
    """Add a flow without a version."""
    made = await client.flows.create(data.name, data.description)
    return Made(made.id)


@get("/flows", name="compat.flows.list", responses=may_answer())
async def list_flows(
    client: NamedDependency[Client], page: PageNumber = 1, page_size: PageSize = 10
) -> FlowPage:
    """A page of flows, newest first."""
    found, total = await client.flows.list(page, page_size)
    answers = [
        FlowAnswer(flow.id, flow.name, flow.description, seconds(instant(flow.created_at))) for flow in found
    ]
    return FlowPage(answers, total, page, page_size)


@post(
    "/flows/version",
    name="compat.flows.add_version",
    dto=LenientBody[NewVersion],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 409, 413),
)
async def add_version(data: JSONBody[NewVersion], client: NamedDependency[Client]) -> Made:
    """Publish a version of a flow, or save a draft. The same definition again is the same version."""
    number = read_number(data.version, "version") or None
    definition = _definition_of(data)
    is_json = True if data.definition_json else None
    flow = required(data.flow_id, "flow_id")
    match data.status or PUBLISHED:
        case "published":
            made = await client.flows.publish(flow, definition, number, is_json=is_json)
        case "draft":
            if definition is None:
                raise BadOption("definition_json", None, "given: a draft has a definition")
            made = await client.flows.save_draft(flow, definition, number, is_json=is_json)
        case other:
            raise BadOption("status", other, f"{PUBLISHED} or {DRAFT}")
    return Made(made.id)


@get("/flows/version", name="compat.flows.versions", responses=may_answer(404))
async def list_versions(client: NamedDependency[Client], flow_id: FromQuery[str]) -> list[VersionAnswer]:
    """All versions of a flow, the highest number first."""
    return [_version_answer(each) for each in await client.flows.versions(flow_id)]


@get("/flows/version/get", name="compat.flows.get_version", responses=may_answer(404))
async def get_version(client: NamedDependency[Client], id: FromQuery[str]) -> VersionAnswer:
    flow, version = parse_version_id(id)
    number = version_number(version)
    if not number:
        raise FlowNotFound(flow, client.namespace, version)
    return _version_answer(await client.flows.get(flow, number))


@get("/flows/version/compare", name="compat.flows.compare", responses=may_answer(404))
async def compare_versions(
    client: NamedDependency[Client],
    flow_id: FromQuery[str],
    before: Annotated[int, QueryParameter(name="from", ge=1, le=2**31 - 1)],
    after: Annotated[int, QueryParameter(name="to", ge=1, le=2**31 - 1)],
) -> list[ChangeAnswer]:
    """How two versions of a flow differ, by path."""
    found = await client.flows.compare(flow_id, before, after)
    return [ChangeAnswer(each.path, each.kind, each.before, each.after) for each in found]


ROUTES = [create_flow, list_flows, add_version, list_versions, get_version, compare_versions]


def _definition_of(data: NewVersion) -> str | dict[str, Any] | None:
    if data.definition_json and data.definition_yaml:
        raise BadOption("definition_yaml", data.definition_yaml, "left out where there is a definition_json")
    return data.definition_json or data.definition_yaml or None


def _version_answer(info: FlowVersionInfo) -> VersionAnswer:
    return VersionAnswer(info.id, info.flow, info.number, info.definition, info.status)
