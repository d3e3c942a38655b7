"""Schedules: nodes fire them, clients write them. A change that was decided on an old revision is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from holdfast.core.records import RunRecord, ScheduleRecord
from holdfast.core.values import Instant, RunKey


class ScheduleFiring(NamedTuple):
    """All that one look at a schedule changes."""

    schedule: ScheduleRecord
    """As it is to be."""
    decided_on: int
    """The revision that was looked at. If it has moved since, nothing is changed."""
    runs: Sequence[RunRecord]
    """To be started, the last of them being `schedule.active`. One whose id exists was started before."""
    cancel: RunKey | None
    """A run to be asked to end."""
    now: Instant


class DueScheduleStore(Protocol):
    """What a node needs to fire schedules."""

    async def due_schedules(
        self, namespace: str, workflows: Sequence[str], now: Instant, limit: int
    ) -> list[ScheduleRecord]:
        """Some of those of these workflows for which there is something to decide, the longest due first."""
        ...

    async def fire(self, namespace: str, firing: ScheduleFiring) -> bool:
        """Start the runs of a schedule and move it on, or nothing of it: False if another was faster."""
        ...


class ScheduleStore(Protocol):
    """What a client needs to write them."""

    async def list_schedules(self, namespace: str, name: str | None = None) -> list[ScheduleRecord]:
        """All that can be read, or the one of that name. Raises JournalCorrupt if that one cannot be read."""
        ...

    async def write_schedule(self, namespace: str, schedule: ScheduleRecord, decided_on: int | None) -> bool:
        """Add a schedule (None), or change one. False if it is there already, or has moved since."""
        ...

    async def delete_schedule(self, namespace: str, name: str) -> bool: ...
