"""What a node tells about its work, for those who watch it from outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from holdfast.core.values import RunStatus, TaskStatus


class TaskGroup(NamedTuple):
    """Tasks that have ended in the same way."""

    workflow: str
    queue: str
    status: TaskStatus


class TaskTimes(msgspec.Struct):
    """In microseconds. A task that was never started has no time, so the lists may be shorter."""

    count: int = 0
    waited: list[int] = []
    """How long the last attempt waited for its slot, from when it could have started."""
    ran: list[int] = []
    """How long the last attempt ran."""


class RunGroup(NamedTuple):
    """Runs that have ended in the same way."""

    workflow: str
    status: RunStatus


class CommitFacts(NamedTuple):
    """What one commit of a node has recorded. Rows that were not written, because the node had lost the run,
    are not counted."""

    bytes: int
    """About how large its payloads are."""
    seconds: float
    """How long it took, with all tries while the database was away."""
    begun: Mapping[str, int]
    """How many runs have taken their first step, by workflow."""
    parked: Mapping[str, int]
    """How many runs were parked, by workflow."""
    ended: Mapping[RunGroup, Sequence[int]]
    """For each run that ended: the microseconds from its start on, with all waiting."""
    tasks: Mapping[TaskGroup, TaskTimes]
    retries: Mapping[str, int]
    """How many attempts are to be made because one failed, timed out or was lost, by workflow."""
    lost_runs: int
    """Runs that another node has taken."""
    lost_lease: bool
    """The lease of the node had run out before the answer to the commit came."""
    replays: Sequence[int]
    """For each run that came back into memory since the last commit: the microseconds that took, from the
    claim until it could go on."""
    overdue: int | None
    """How many microseconds the timer or backoff was late that was due first; None if none was due."""


class Gauge(NamedTuple):
    """A number for each value of the labels."""

    name: str
    help: str
    labels: Sequence[str]
    values: Mapping[tuple[str, ...], float]


class MetricsText(Protocol):
    """Metrics as text, for whoever asks."""

    content_type: str

    def prepare(self, gauges: Sequence[Gauge], *, with_node: bool) -> Callable[[], bytes]:
        """Takes the numbers as they are now. What it returns writes them down, which may take some ten
        milliseconds, so another thread should call that. `with_node`: also what the node has counted."""
        ...


class Telemetry(Protocol):
    """The engine calls it once for each commit, after the commit stands, on its event loop. So it must not
    wait and must not raise, and what it does for each fact must take less than a microsecond."""

    def committed(self, facts: CommitFacts) -> None: ...
