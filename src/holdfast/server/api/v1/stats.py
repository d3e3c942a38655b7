"""What a dashboard shows: counts and rates of runs, and the namespaces."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from holdfast.client.client import Client
from holdfast.client.stats import NamespaceInfo, RunStats
from holdfast.server.access.callers import Caller
from holdfast.server.api.v1.paging import Page
from holdfast.server.problems import may_answer


@get("/stats", name="stats.get", responses=may_answer())
async def read_stats(
    client: NamedDependency[Client],
    last: Annotated[
        float, QueryParameter(ge=60, le=691_200, description="In seconds: whole minutes, up to eight days.")
    ] = 3600,
    step: Annotated[
        float | None,
        QueryParameter(
            ge=60, le=691_200, description="In seconds, whole minutes: how far the points are apart."
        ),
    ] = None,
) -> RunStats:
    """How many runs there are in each state, and how many were started and ended when."""
    each = None if step is None else dt.timedelta(seconds=step)
    return await client.stats(dt.timedelta(seconds=last), each)


@get("/namespaces", name="namespaces.list", responses=may_answer())
async def list_namespaces(
    client: NamedDependency[Client], caller: NamedDependency[Caller]
) -> Page[NamespaceInfo]:
    """The namespaces that have runs. Whoever may use one namespace only sees that one."""
    if caller.all_namespaces:
        return Page(await client.namespaces())
    return Page([await client.own_namespace()])


ROUTES = [read_stats, list_namespaces]
