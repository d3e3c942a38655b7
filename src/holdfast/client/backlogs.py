"""How much is due and not taken: for autoscalers, metrics, and to see whether all is well."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from holdfast.client.explaining import Explainer
from holdfast.core.backlogs import DueRuns, WaitingTasks
from holdfast.core.explaining import describe_claim
from holdfast.core.values import Instant, RunStatus
from holdfast.ports.clients import ClientStore
from holdfast.ports.runs import RunPage

_MOST_COUNTED: Final = 10_000
_MOST_OPEN: Final = 100_000
_MOST_LISTED: Final = 200
_OPEN: Final = (RunStatus.PENDING, RunStatus.RUNNING, RunStatus.PAUSED, RunStatus.PARKED)


class WorkflowBacklog(msgspec.Struct, frozen=True):
    workflow: str
    due_runs: int
    oldest_due_seconds: float


class ServiceBacklog(msgspec.Struct, frozen=True):
    service: str
    waiting_tasks: int
    oldest_waiting_seconds: float


class Backlog(msgspec.Struct, frozen=True):
    due_runs: int
    """Runs that are due and that no node has taken. Runs that a node has are not counted."""
    oldest_due_seconds: float
    """For how long the first of them has been due; 0 if there is none."""
    waiting_tasks: int
    """Tasks in the queue that a worker could take."""
    oldest_waiting_seconds: float
    workflows: tuple[WorkflowBacklog, ...]
    """The due runs by workflow: those that have waited longest come first, and 200 at most are listed."""
    services: tuple[ServiceBacklog, ...]
    """The waiting tasks by service, likewise."""


class Backlogs:
    def __init__(
        self, store: ClientStore, explainer: Explainer, *, namespace: str, now: Callable[[], Instant]
    ) -> None:
        self._store = store
        self._explainer = explainer
        self._namespace = namespace
        self._now = now

    async def read(self, workflow: str | None = None, service: str | None = None) -> Backlog:
        now = self._now()
        rows = await self._store.read_backlog(self._namespace, now, _MOST_COUNTED)
        by_workflow: dict[str, list[DueRuns]] = {}
        for row in rows.runs:
            if workflow in (None, row.workflow):
                by_workflow.setdefault(row.workflow, []).append(row)
        workflows = [
            WorkflowBacklog(name, sum(row.number for row in found), _age(now, found))
            for name, found in by_workflow.items()
        ]
        services = [
            ServiceBacklog(row.service, row.number, _age(now, [row]))
            for row in rows.tasks
            if service in (None, row.service)
        ]
        workflows.sort(key=lambda it: (-it.oldest_due_seconds, it.workflow))
        services.sort(key=lambda it: (-it.oldest_waiting_seconds, it.service))
        return Backlog(
            sum(it.due_runs for it in workflows),
            workflows[0].oldest_due_seconds if workflows else 0.0,
            sum(it.waiting_tasks for it in services),
            services[0].oldest_waiting_seconds if services else 0.0,
            tuple(workflows[:_MOST_LISTED]),
            tuple(services[:_MOST_LISTED]),
        )

    async def open_runs(self) -> dict[str, int]:
        """How many runs have not ended, by status, up to 100,000 each."""
        return {
            status.value: await self._store.count_runs(
                self._namespace, RunPage(statuses=[status]), _MOST_OPEN
            )
            for status in _OPEN
        }

    async def problems(self, longer_than: dt.timedelta) -> list[str]:
        """What has been due for longer than that, in words. There should be nothing."""
        now = self._now()
        rows = (await self._store.read_backlog(self._namespace, now, 1)).runs
        late = [row for row in rows if _age(now, [row]) > longer_than.total_seconds()]
        if not late:
            return []
        lacks = await self._explainer.lacks_of([row.claim for row in late])
        return [
            f"a run of {describe_claim(row.claim)} has been due for {_age(now, [row]):.0f} s, and "
            + lacks.get(row.claim, "no node has taken it")
            for row in sorted(late, key=lambda row: row.oldest)[:_MOST_LISTED]
        ]


def _age(now: Instant, rows: Sequence[DueRuns] | Sequence[WaitingTasks]) -> float:
    return max(0, now - min(row.oldest for row in rows)) / 1_000_000
