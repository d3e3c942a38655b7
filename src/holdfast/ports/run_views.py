"""What a picture of one run shows."""

from __future__ import annotations

from typing import Protocol

from holdfast.core.run_views import BusyBins, GrainRow, GroupRows, NeighbourIds
from holdfast.core.values import Instant, RunKey


class RunViewStore(Protocol):
    async def read_groups(
        self, namespace: str, run: RunKey, at: Instant | None, names: int, rows: int
    ) -> GroupRows:
        """The tasks, children and questions of a run by name, in the order in which the names were first
        asked for. With `at`, as it was then. Of each kind no more than `names` names have a row, and one row
        named "" has the rest; no more than the first `rows` tasks are counted."""
        ...

    async def read_busy(
        self, namespace: str, run: RunKey, name: str | None, bins: int, now: Instant, rows: int
    ) -> BusyBins | None:
        """How many attempts at tasks ran at once, or at those of that name, in so many bins. No more than the
        first `rows` tasks are looked at. None if none has begun."""
        ...

    async def read_grain(self, namespace: str, run: RunKey, name: str, rows: int) -> GrainRow:
        """The tasks of that name, in order and no more than the first `rows`."""
        ...

    async def find_neighbours(self, namespace: str, run: RunKey, workflow: str) -> NeighbourIds:
        """The ids of the runs of that workflow that were created before and after the run."""
        ...
