"""Many runs as points of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from holdfast.core.run_points import ListedColumns
from holdfast.core.workflow_numbers import TaskTimes
from holdfast.ports.runs import RunFilter


class RunPointStore(Protocol):
    async def list_points(self, namespace: str, which: RunFilter, binned: int = 0) -> ListedColumns:
        """As `page_runs`, with the few facts that a picture shows.

        If there are more than the page has, the newest runs that match are counted in bins as well, as many
        as `binned`. If they are chosen by more than the time of their creation, these are 10,000 at most.
        """
        ...

    async def read_task_times(self, namespace: str, runs: Sequence[str], each: int, most: int) -> TaskTimes:
        """The tasks of these runs, whose keys are in hexadecimal digits: of each run those with a number
        below `each`, and `most` in all. Those of the first runs come first."""
        ...

    async def count_open_runs(self, namespace: str, workflows: Sequence[str], most: int) -> dict[str, int]:
        """How many runs of each of these workflows have not ended, up to `most` of each."""
        ...
