"""Schedules: nodes fire them, and clients write them. A change based on an old revision is refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from holdfast.core.records import Definition, RunRecord, ScheduleRecord
from holdfast.core.values import Instant, RunKey, RunStatus


class ScheduleFiring(NamedTuple):
    """All changes that one firing of a schedule makes."""

    schedule: ScheduleRecord
    """The schedule after the firing."""
    decided_on: int
    """The revision that was read. If the schedule has another one by now, nothing is changed."""
    runs: Sequence[RunRecord]
    """Runs to start; the last one is `schedule.active`. A run whose id exists was started before."""
    cancel: RunKey | None
    """A run to cancel."""
    now: Instant


class ScheduledRun(NamedTuple):
    """A run that a schedule has started."""

    schedule: str
    key: RunKey
    id: str | None
    status: RunStatus
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None


class DueScheduleStore(Protocol):
    """The methods that a node needs to fire schedules."""

    async def due_schedules(
        self, namespace: str, workflows: Sequence[str], now: Instant, limit: int
    ) -> list[ScheduleRecord]:
        """Up to `limit` due schedules of these workflows and of published ones, the longest due first."""
        ...

    async def find_published_definition(
        self, namespace: str, name: str, number: int | None
    ) -> Definition | None:
        """As in `DefinitionStore`."""
        ...

    async def fire_schedule(self, namespace: str, firing: ScheduleFiring) -> bool:
        """Start the runs and update the schedule. False, with nothing changed, if another node was faster."""
        ...


class ScheduleStore(Protocol):
    """The methods that a client needs to read and write schedules."""

    async def list_schedules(self, namespace: str, name: str | None = None) -> list[ScheduleRecord]:
        """All schedules, without those whose row is damaged, or the schedule named `name`.

        Raises JournalCorrupt if the row of that schedule is damaged.
        """
        ...

    async def write_schedule(self, namespace: str, schedule: ScheduleRecord, decided_on: int | None) -> bool:
        """Add a schedule (`decided_on` None) or change it. False if it exists, or its revision differs."""
        ...

    async def delete_schedule(self, namespace: str, name: str) -> bool: ...

    async def list_scheduled_runs(
        self, namespace: str, schedules: Sequence[str], since: RunKey, before: RunKey | None, limit: int
    ) -> list[ScheduledRun]:
        """Of each schedule the newest `limit` runs with keys from `since` on and below `before`. Those of a
        schedule are in order, newest first."""
        ...

    async def find_keys(self, namespace: str, ids: Sequence[str]) -> dict[str, RunKey]:
        """As in `RunStore`."""
        ...

    async def find_runs(self, namespace: str, runs: Collection[RunKey]) -> list[RunRecord]:
        """As in `RunStore`."""
        ...
