"""What a picture of one run shows: its tasks by name, how many ran at once, and each task in brief."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from holdfast.client.client import Client
from holdfast.client.run_views import MOST_BINS, BusyLine, Grain, Neighbours, RunGroups
from holdfast.server.problems import may_answer


@get("/runs/{id:str}/groups", name="runs.groups", responses=may_answer(404))
async def group_tasks(
    client: NamedDependency[Client],
    id: FromPath[str],
    at: Annotated[dt.datetime | None, QueryParameter(description="The groups as they were then.")] = None,
) -> RunGroups:
    """The tasks of a run by name, in the order in which it first asked for them: how many there are, in which
    states, and how long they took. Children and promises have groups, too. At most 200 names have a group of
    their own; the others share one named ""."""
    return await client.task_groups(id, at=at)


@get("/runs/{id:str}/busy", name="runs.busy", responses=may_answer(404))
async def count_busy_tasks(
    client: NamedDependency[Client],
    id: FromPath[str],
    name: Annotated[str | None, QueryParameter(description="Only tasks of this name.")] = None,
    bins: Annotated[int, QueryParameter(ge=1, le=MOST_BINS, description="How many equal spans.")] = 200,
) -> BusyLine:
    """How many tasks of a run were running at once, from the first beginning to the last end, in equal
    spans."""
    return await client.busy_line(id, name, bins=bins)


@get("/runs/{id:str}/grain", name="runs.grain", responses=may_answer(404))
async def read_grain(
    client: NamedDependency[Client],
    id: FromPath[str],
    name: Annotated[str, QueryParameter(description="The name of the tasks.")],
) -> Grain:
    """The tasks of one name, in order, each in brief: how long it took, its state, how often it was tried. At
    most the first 100,000."""
    return await client.grain(id, name)


@get("/runs/{id:str}/neighbours", name="runs.neighbours", responses=may_answer(404))
async def find_neighbours(client: NamedDependency[Client], id: FromPath[str]) -> Neighbours:
    """The ids of the runs of the same workflow that were created before and after this one."""
    return await client.neighbours(id)


ROUTES = [group_tasks, count_busy_tasks, read_grain, find_neighbours]
