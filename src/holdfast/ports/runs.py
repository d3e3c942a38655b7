"""Runs as clients see them: started, sent messages, listed, opened again."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from holdfast.core.events import MessageId
from holdfast.core.records import AttemptRecord, History, LogRecord, RunRecord, TaskRecord, TaskSummary
from holdfast.core.values import Instant, Payload, RunKey, RunStatus
from holdfast.core.waiting import WaitReason
from holdfast.ports.commits import NewMessage, NewStep


class PostResult(Enum):
    POSTED = "posted"
    NO_SUCH_RUN = "no such run"
    ENDED = "the run has ended"
    SETTLED = "the promise is settled"


class Reopening(NamedTuple):
    """Everything that opening an ended run again changes."""

    run: RunKey
    epoch: int
    """What the caller saw; if the run has moved since, nothing is changed."""
    step: NewStep
    tasks: Sequence[int]
    """Tasks to be tried again: their outcome is dropped and they are pending."""
    messages: Sequence[MessageId]
    """Messages to be read again."""
    now: Instant
    overtaken: Sequence[MessageId] = ()
    """Messages not to be read any more: a cancellation from before does not mean the run as it is now."""
    waiting: WaitReason | None = None
    """What it waits for, if it is not to go on yet: its parent wakes it."""


class IdleEnding(NamedTuple):
    """Everything that cancelling a parked run changes, besides that its parent hears of it."""

    run: RunKey
    epoch: int
    """What the caller saw; if the run has moved since, nothing is changed."""
    failure: bytes
    """The reason: a Failure as JSON."""
    messages: Sequence[NewMessage]
    """To the children that end with it."""
    now: Instant


class Stranded(NamedTuple):
    run: RunKey
    id: str | None
    workflow: str
    status: RunStatus
    problem: str


class RunFilter(NamedTuple):
    status: RunStatus | None = None
    workflow: str | None = None
    before: RunKey | None = None
    """Only runs created before this one: the key of the last row of the previous page."""
    limit: int = 100


class RunPage(NamedTuple):
    """Which runs to list, newest first. What is None does not matter."""

    statuses: Sequence[RunStatus] | None = None
    workflow: str | None = None
    version: str | None = None
    is_queued: bool | None = None
    """A task of it waits for a worker to take it, or is with one."""
    is_cancelling: bool | None = None
    """It was asked to end and has not heard of it yet."""
    limit: int = 10
    offset: int = 0


class RunOverview(NamedTuple):
    """A run with what a list shows of it besides its row."""

    run: RunRecord
    state: dict[str, Payload]
    is_queued: bool
    is_cancelling: bool


class HistoryStore(Protocol):
    """What an engine and a client both read of runs."""

    async def load(self, namespace: str, runs: Sequence[RunKey]) -> list[History]:
        """All that the store has of these runs, in their order. Runs that do not exist are left out."""
        ...

    async def ended(self, namespace: str, runs: Sequence[RunKey]) -> list[RunRecord]:
        """Of these runs, those that have ended."""
        ...


class RunStore(HistoryStore, Protocol):
    async def create(self, namespace: str, runs: Sequence[RunRecord]) -> dict[RunKey, RunKey]:
        """Add runs for any node to claim. Returns those whose id was taken, each with the run that has it."""
        ...

    async def post(self, namespace: str, messages: Sequence[NewMessage], now: Instant) -> list[PostResult]:
        """Put messages into inboxes and wake the runs. Returns one result for each message."""
        ...

    async def find(self, namespace: str, id: str | RunKey) -> RunRecord | None:
        """The run with that key or that user-given id, or whose key the text spells."""
        ...

    async def list_runs(self, namespace: str, which: RunFilter) -> list[RunRecord]:
        """Newest first."""
        ...

    async def list_tasks(
        self, namespace: str, run: RunKey, since: int = 0, limit: int | None = None
    ) -> list[TaskRecord]:
        """Its tasks, whole, from number `since` on."""
        ...

    async def list_attempts(
        self, namespace: str, run: RunKey, of: Sequence[int] | None = None
    ) -> list[AttemptRecord]:
        """`of` are the numbers of the tasks, or else all."""
        ...

    async def task_summaries(self, namespace: str, run: RunKey, since: int, limit: int) -> list[TaskSummary]:
        """How its tasks stand, from number `since` on."""
        ...

    async def read_logs(
        self, namespace: str, run: RunKey, after: int, task: str | None, limit: int
    ) -> list[LogRecord]:
        """What its tasks have said, or those of that name, in the order in which it was written, after the
        number `after`."""
        ...

    async def read_state(self, namespace: str, run: RunKey) -> dict[str, Payload]: ...

    async def reopen(self, namespace: str, family: Sequence[Reopening]) -> bool:
        """Open ended runs again, all or none. False if one of them has moved since it was looked at."""
        ...

    async def unpark(self, namespace: str, runs: Sequence[RunKey], now: Instant) -> list[RunKey]:
        """Make parked or paused runs due again. Returns those that were parked or paused."""
        ...

    async def end_idle(self, namespace: str, ending: IdleEnding) -> bool:
        """Cancel a run that is parked and so cannot cancel itself, and its open tasks. False if it is not
        parked, or has moved since it was looked at."""
        ...

    async def stranded(self, namespace: str, now: Instant) -> list[Stranded]:
        """Runs that have not ended and that nothing will wake, or that have been due for long without a node.
        There should be none."""
        ...

    async def list_run_overviews(self, namespace: str, page: RunPage) -> list[RunOverview]: ...

    async def count_runs(self, namespace: str, page: RunPage, most: int) -> int:
        """How many there are in all, whatever limit and offset say; `most` if there are more."""
        ...

    async def find_run_overview(self, namespace: str, run: RunKey) -> RunOverview | None: ...
