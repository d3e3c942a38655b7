"""Many runs as points of a picture."""

from __future__ import annotations

from typing import Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from holdfast.client.client import Client
from holdfast.client.run_points import MOST_POINTS, RunPoints
from holdfast.server.api.v1.run_conditions import CONDITIONS, Conditions
from holdfast.server.problems import may_answer


@get("/run-points", name="runs.points", dependencies=CONDITIONS, responses=may_answer(404))
async def list_points(
    client: NamedDependency[Client],
    conditions: Conditions,
    limit: Annotated[int, QueryParameter(ge=1, le=MOST_POINTS)] = MOST_POINTS,
) -> RunPoints:
    """The newest runs, each with no more than when it was created, how long it took, its state and its
    workflow. The fields are in lists of their own, which makes the answer short.

    If there are more than `limit`, up to 50,000 are counted by when and how long as well, in `bins`. If they
    are chosen by more than the time of their creation, these are 10,000 at most.
    """
    return await client.points(limit=limit, **conditions)


ROUTES = [list_points]
