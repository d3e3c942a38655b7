"""Who does the work, and what waits: nodes, workers and queues. And the drain of a node."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter

from holdfast.client.client import Client
from holdfast.client.findings import Finding, finding_of
from holdfast.client.fleet import NodeDrain, NodeInfo, Queues, TakenItem
from holdfast.client.workers import WorkerInfo
from holdfast.server.access.callers import Caller
from holdfast.server.access.recording import Record
from holdfast.server.api.v1.paging import Page
from holdfast.server.problems import may_answer


class WorkerDetails(msgspec.Struct, frozen=True):
    worker: WorkerInfo
    holds: list[TakenItem]
    """The tasks that it has taken: with those of all workers no more than 1,000."""


@get("/nodes", name="nodes.list", responses=may_answer())
async def list_nodes(client: NamedDependency[Client]) -> Page[NodeInfo]:
    """The nodes of the namespace: what each serves, how many runs it has, and whether it is there."""
    return Page(await client.nodes())


@post("/nodes/{id:str}/drain", name="nodes.drain", status_code=202, responses=may_answer(404))
async def drain_node(
    client: NamedDependency[Client],
    caller: NamedDependency[Caller],
    record: NamedDependency[Record],
    id: FromPath[str],
) -> NodeDrain:
    """Ask a node to end as SIGTERM ends it: it takes no more runs, lets tasks under way finish for its
    `drain_seconds`, and hands back the rest, which other nodes go on with at once. The answer comes when it
    was asked. To ask again changes nothing."""
    record.after = await client.drain_node(id, by=caller.name)
    return record.after


@get("/workers", name="workers.list", responses=may_answer())
async def list_workers(
    client: NamedDependency[Client],
    service: FromQuery[str | None] = None,
    seen_within: Annotated[
        float, QueryParameter(gt=0, le=1e9, description="In seconds: only workers that were heard since.")
    ] = 86_400,
) -> Page[WorkerDetails]:
    """The workers that have registered, by id, with the tasks that each has taken."""
    found = await client.workers.list(service, dt.timedelta(seconds=seen_within))
    held: dict[str, list[TakenItem]] = {}
    for item in await client.held_items():
        held.setdefault(item.worker, []).append(item)
    return Page([WorkerDetails(worker, held.get(worker.id, [])) for worker in found])


@get("/queues", name="queues.list", responses=may_answer())
async def list_queues(client: NamedDependency[Client]) -> Queues:
    """What waits for workers or is with them, by service, and the tasks that nodes run themselves."""
    return await client.queues()


@get("/doctor", name="doctor.list", responses=may_answer())
async def examine_runs(client: NamedDependency[Client]) -> Page[Finding]:
    """Unfinished runs that nothing will wake, and schedules that no node fires: there should be none. It
    looks at every unfinished run, and answers with 1,000 at most."""
    return Page([finding_of(each) for each in await client.doctor()])


ROUTES = [list_nodes, drain_node, list_workers, list_queues, examine_runs]
