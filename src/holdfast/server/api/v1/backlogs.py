"""What is due and not taken, for autoscalers."""

from __future__ import annotations

from typing import Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from holdfast.client.backlogs import Backlog
from holdfast.client.client import Client
from holdfast.server.problems import may_answer


@get("/backlog", name="backlog.get", responses=may_answer())
async def read_backlog(
    client: NamedDependency[Client],
    workflow: Annotated[str | None, QueryParameter(description="Only runs of this workflow.")] = None,
    service: Annotated[str | None, QueryParameter(description="Only tasks of this service.")] = None,
) -> Backlog:
    """How many runs are due that no node has taken, and how many tasks of the queue no worker. Of each
    workflow and service, 10,000 are counted at most."""
    return await client.backlog(workflow, service)


ROUTES = [read_backlog]
