"""What a picture of one run shows, over HTTP."""

from __future__ import annotations

import datetime as dt
from typing import Any

from holdfast.client.run import Run
from holdfast.client.run_filters import instant_at
from holdfast.client.run_views import RunGroups
from holdfast.remote.addressing import run_path, time_text
from holdfast.remote.run_reading import RemoteRunReading


class RemoteRunViews(RemoteRunReading):
    async def task_groups(self, run: Run[Any] | str, *, at: dt.datetime | None = None) -> RunGroups:
        self._check_run(run)
        instant_at("at", at)  # refuses a time without a zone
        return await self._connection.ask(
            "GET", run_path(run, "groups"), RunGroups, query={"at": time_text(at)}
        )
