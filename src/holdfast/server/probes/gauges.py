"""Numbers that only the store knows: read when somebody asks for metrics, and then kept for five seconds."""

from __future__ import annotations

import logging
from typing import Final

from holdfast.client.client import Client
from holdfast.errors import StoreError
from holdfast.ports.telemetry import Gauge
from holdfast.server.probes.remembering import Remembered

_log = logging.getLogger("holdfast.server")

_SECONDS: Final = 5.0
_PATIENCE: Final = 5.0


class StoreGauges:
    """Of one namespace."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._remembered = Remembered(self._read, _SECONDS, _PATIENCE)

    async def get(self) -> list[Gauge]:
        """If the store does not answer, that is what they say."""
        space = self._client.namespace
        try:
            found, is_up = await self._remembered.get(), 1.0
        except (StoreError, TimeoutError) as error:
            _log.warning("the store could not be asked for metrics: %s", error or "it takes too long")
            found, is_up = [], 0.0
        up = Gauge("holdfast_store_up", "Whether the database answers.", ("namespace",), {(space,): is_up})
        return [up, *found]

    async def close(self) -> None:
        await self._remembered.close()

    async def _read(self) -> list[Gauge]:
        space = self._client.namespace
        backlog = await self._client.backlogs.read()
        statuses = await self._client.backlogs.open_runs()
        return [
            Gauge(
                "holdfast_open_runs",
                "Runs that have not ended, up to 100,000 of each status.",
                ("namespace", "status"),
                {(space, status): count for status, count in statuses.items()},
            ),
            Gauge(
                "holdfast_due_runs",
                "Runs that are due and that no node has taken, up to 10,000 of each workflow.",
                ("namespace", "workflow"),
                {(space, it.workflow): it.due_runs for it in backlog.workflows},
            ),
            Gauge(
                "holdfast_oldest_due_seconds",
                "For how long the first due run has been due.",
                ("namespace",),
                {(space,): backlog.oldest_due_seconds},
            ),
            Gauge(
                "holdfast_queue_tasks",
                "Tasks in the queue that a worker could take, up to 10,000 of each service.",
                ("namespace", "service"),
                {(space, it.service): it.waiting_tasks for it in backlog.services},
            ),
            Gauge(
                "holdfast_queue_oldest_seconds",
                "For how long the first of them has waited.",
                ("namespace", "service"),
                {(space, it.service): it.oldest_waiting_seconds for it in backlog.services},
            ),
        ]
