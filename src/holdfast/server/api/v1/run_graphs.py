"""The graph of a run."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, TypeAlias

from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from holdfast.client.client import Client
from holdfast.core.run_graphs import RunGraph
from holdfast.server.problems import may_answer

At: TypeAlias = Annotated[
    dt.datetime | None, QueryParameter(description="As it was then. Without it, as it is now.")
]


@get("/runs/{id:str}/graph", name="runs.graph", responses=may_answer(404))
async def get_run_graph(client: NamedDependency[Client], id: FromPath[str], at: At = None) -> RunGraph:
    """The graph of a run, with what became of each node, and where it is drawn.

    A DAG or a flow has the graph of its version. That of code is made of what the run asked for. 5,000 steps
    of the journal are looked at, and 200 nodes are shown; if there are more, `is_all` is false.
    """
    return await client.graph(id, at=at)


ROUTES = [get_run_graph]
