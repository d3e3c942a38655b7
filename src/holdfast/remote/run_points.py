"""Many runs at once, over HTTP."""

from __future__ import annotations

from typing import Unpack

from holdfast.client.run_filters import RunConditions, check_number
from holdfast.client.run_points import MOST_POINTS, RunPoints
from holdfast.remote.addressing import conditions_query
from holdfast.remote.run_reading import RemoteRunReading


class RemoteRunPoints(RemoteRunReading):
    async def points(self, *, limit: int = 5_000, **conditions: Unpack[RunConditions]) -> RunPoints:
        self._check_loop()
        check_number("limit", limit, 1, MOST_POINTS)
        query = {**conditions_query(conditions), "limit": limit}
        return await self._connection.ask("GET", "/run-points", RunPoints, query=query)
