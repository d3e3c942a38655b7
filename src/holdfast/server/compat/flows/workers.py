"""The registry of workers. Each route exists without `/workers` too, since some clients call it there."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, JSONBody, QueryParameter

from holdfast.client.client import Client
from holdfast.client.workers import WorkerInfo
from holdfast.core.values import instant
from holdfast.server.compat.error_responses import may_answer
from holdfast.server.compat.flows.answers import Acknowledged
from holdfast.server.compat.wire import LenientBody, read_names, read_number, required, seconds
from holdfast.server.problems import NotFound
from holdfast.server.worker_expiry import WorkerExpiry


class NewWorker(msgspec.Struct, frozen=True):
    id: str
    services: list[str] | str
    url: str = ""
    type: str = ""
    """`http` if the server calls the worker, `async` if the worker polls the queue."""


class Heartbeat(msgspec.Struct, frozen=True):
    id: str = ""
    url: str = ""
    """One of the two."""
    load: int | str = 0


class WorkerAnswer(msgspec.Struct, frozen=True):
    id: str
    url: str
    services: list[str]
    load: int
    last_heartbeat: int
    status: str
    """`online` or `offline`"""
    type: str


@post(
    ["/workers/register", "/register"],
    name="compat.workers.register",
    dto=LenientBody[NewWorker],
    return_dto=None,
    status_code=200,
    responses=may_answer(413),
)
async def register(
    data: JSONBody[NewWorker], client: NamedDependency[Client], worker_expiry: NamedDependency[WorkerExpiry]
) -> Acknowledged:
    """Register a worker, or replace its registration."""
    services: Any = read_names(data.services, "services")
    await client.workers.register(required(data.id, "id"), data.url, services, data.type)
    worker_expiry.note_heartbeat()
    return Acknowledged()


@post(
    ["/workers/heartbeat", "/heartbeat"],
    name="compat.workers.heartbeat",
    dto=LenientBody[Heartbeat],
    return_dto=None,
    status_code=200,
    responses=may_answer(404, 413),
)
async def heartbeat(
    data: JSONBody[Heartbeat], client: NamedDependency[Client], worker_expiry: NamedDependency[WorkerExpiry]
) -> Acknowledged:
    """Say that a worker is alive. It keeps the tasks that it has taken."""
    id = required(data.id or data.url, "id")
    if not await client.workers.heartbeat(id, data.url, read_number(data.load, "load")):
        raise NotFound(f"no worker {id!r} is registered: register it first")
    worker_expiry.note_heartbeat()
    return Acknowledged()


@get(["/workers/list", "/list"], name="compat.workers.list", responses=may_answer())
async def list_workers(
    client: NamedDependency[Client],
    service: FromQuery[str] = "",
    ttl: Annotated[
        float, QueryParameter(ge=0, le=1e9, description="In seconds. 0: the value of the settings.")
    ] = 0,
) -> list[WorkerAnswer]:
    """Workers that sent a heartbeat within `ttl`, by id."""
    span = dt.timedelta(seconds=ttl) or None
    return [_answer(each) for each in await client.workers.list(service or None, span)]


@get(["/workers/allocate", "/allocate"], name="compat.workers.allocate", responses=may_answer(500))
async def allocate(client: NamedDependency[Client], service: FromQuery[str]) -> WorkerAnswer:
    """The least loaded worker of a service. Without one, a 500 with the error `no worker`."""
    return _answer(await client.workers.allocate(service))


ROUTES = [register, heartbeat, list_workers, allocate]


def _answer(info: WorkerInfo) -> WorkerAnswer:
    return WorkerAnswer(
        info.id,
        info.url,
        info.services,
        info.load,
        seconds(instant(info.heartbeat_at)),
        "online" if info.is_online else "offline",
        info.type,
    )
