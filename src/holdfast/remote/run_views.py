"""What a picture of one run shows, over HTTP."""

from __future__ import annotations

import datetime as dt
from typing import Any

from holdfast.client.run import Run
from holdfast.client.run_filters import check_number, instant_at
from holdfast.client.run_views import MOST_BINS, BusyLine, Grain, Neighbours, RunGroups
from holdfast.core.names import checked_name
from holdfast.remote.addressing import run_path, time_text
from holdfast.remote.run_reading import RemoteRunReading


class RemoteRunViews(RemoteRunReading):
    async def task_groups(self, run: Run[Any] | str, *, at: dt.datetime | None = None) -> RunGroups:
        self._check_run(run)
        instant_at("at", at)  # refuses a time without a zone
        return await self._connection.ask(
            "GET", run_path(run, "groups"), RunGroups, query={"at": time_text(at)}
        )

    async def busy_line(self, run: Run[Any] | str, name: str | None = None, *, bins: int = 200) -> BusyLine:
        self._check_run(run)
        check_number("bins", bins, 1, MOST_BINS)
        query = {"name": None if name is None else checked_name("name", name), "bins": bins}
        return await self._connection.ask("GET", run_path(run, "busy"), BusyLine, query=query)

    async def grain(self, run: Run[Any] | str, name: str) -> Grain:
        self._check_run(run)
        query = {"name": checked_name("name", name)}
        return await self._connection.ask("GET", run_path(run, "grain"), Grain, query=query)

    async def neighbours(self, run: Run[Any] | str) -> Neighbours:
        self._check_run(run)
        return await self._connection.ask("GET", run_path(run, "neighbours"), Neighbours)
