"""Views of runs, over HTTP."""

from __future__ import annotations

import datetime as dt
from typing import Any

from holdfast.client.run import Run
from holdfast.client.run_filters import instant_at
from holdfast.core.run_graphs import RunGraph
from holdfast.remote.addressing import run_path, time_text
from holdfast.remote.run_reading import RemoteRunReading


class RemoteRunGraphs(RemoteRunReading):
    async def graph(self, run: Run[Any] | str, *, at: dt.datetime | None = None) -> RunGraph:
        self._check_run(run)
        instant_at("at", at)  # refuses a time without a zone
        query = {"at": time_text(at)}
        return await self._connection.ask("GET", run_path(run, "graph"), RunGraph, query=query)
