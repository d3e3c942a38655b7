"""What a picture of one run shows: its tasks by name, how many ran at once, and each task in brief."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from holdfast.client.client import Client
from holdfast.client.run_views import RunGroups
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


ROUTES = [group_tasks]
