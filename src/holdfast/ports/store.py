"""What the engine and the client need of a store, and what they are promised.

Every method is one transaction: it happens whole or not at all, also when the process dies in the
middle. A store decides nothing; it checks leases and ids, because only a transaction can.

Rows to be written have their fields in the order of the statement's parameters: at some ten thousand
tasks a second a value is built once and handed to the database as it is. They are Structs that the
garbage collector need not look at, at a fifth of the cost of a NamedTuple.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

import msgspec

from holdfast.core.events import MessageId
from holdfast.core.records import (
    AttemptRecord,
    Definition,
    History,
    LogRecord,
    MessageKind,
    MessageRecord,
    RunRecord,
    ScheduleRecord,
    TaskRecord,
    TaskSummary,
)
from holdfast.core.values import Instant, NodeId, Payload, RunKey, RunStatus, TaskStatus
from holdfast.core.waiting import WaitKind, WaitReason
from holdfast.ports.flows import FlowStore
from holdfast.ports.workers import WorkerStore


class _RunRow(msgspec.Struct, frozen=True, gc=False):
    run: RunKey


class Held(_RunRow, frozen=True, gc=False):
    """A run this commit touches, and the epoch under which the node believes to own it."""

    epoch: int


class NewStep(_RunRow, frozen=True, gc=False):
    position: int
    step: bytes


class NewTask(_RunRow, frozen=True, gc=False):
    seq: int
    name: str
    status: TaskStatus
    input: Payload
    created_at: Instant


class SettledTask(_RunRow, frozen=True, gc=False):
    seq: int
    status: TaskStatus
    attempt: int
    output: Payload | None
    failure: bytes | None
    """A Failure as JSON."""
    started_at: Instant | None
    finished_at: Instant


class MovedTask(_RunRow, frozen=True, gc=False):
    """A task that is not final: shown as running, or waiting for its next attempt."""

    seq: int
    status: TaskStatus
    attempt: int
    lost: int
    heartbeat: Payload | None
    due_at: Instant | None
    started_at: Instant | None


class EndedAttempt(_RunRow, frozen=True, gc=False):
    seq: int
    attempt: int
    status: str
    failure: bytes | None
    started_at: Instant | None
    finished_at: Instant
    node: NodeId
    worker: str = ""
    """The id of the worker that made the attempt, if it was not the node; and where it was called."""
    worker_url: str = ""


class QueuedTask(_RunRow, frozen=True, gc=False):
    """A task that waits for a worker to take it; see `ports.workers`."""

    seq: int
    service: str
    attempt: int
    ready_at: Instant
    """Not before this: the end of a backoff."""
    created_at: Instant


class UnqueuedTask(_RunRow, frozen=True, gc=False):
    """Nobody waits for it any more: whoever has taken it is refused."""

    seq: int


class NewLog(_RunRow, frozen=True, gc=False):
    """Lines that an attempt has said, in order, as the JSON of a list of `Line`."""

    seq: int
    attempt: int
    lines: bytes


class StateChange(_RunRow, frozen=True, gc=False):
    key: str
    value: Payload | None
    """None deletes the key."""


class TakenMessage(_RunRow, frozen=True, gc=False):
    message: MessageId
    position: int


class NewMessage(_RunRow, frozen=True, gc=False):
    kind: MessageKind
    name: str
    payload: Payload
    sender: RunKey | None = None
    """The run that asked for it. Without its lease it sends nothing; None: it is not from a run."""


class WokenRun(_RunRow, frozen=True, gc=False):
    """A child that was opened again, and whose turn has come."""

    sender: RunKey
    """Its parent. Without its lease it wakes nobody."""


class EndedRun(_RunRow, frozen=True, gc=False):
    """A run that is over. If it was cancelled, so are all of its tasks that are not settled."""

    status: RunStatus
    output: Payload | None
    failure: bytes | None
    parent: RunKey | None
    """The store tells it with a CHILD message, and wakes it."""
    parent_seq: int | None
    finished_at: Instant


class ProvedRun(_RunRow, frozen=True, gc=False):
    """A run that has had setbacks and has now taken a step, and its node lives: they are forgotten."""


class ReleasedRun(_RunRow, frozen=True, gc=False):
    """A run that leaves memory: because it only waits, because the node stops, or because it is parked.
    The last is a setback; any other way out makes those forgotten that it had."""

    status: RunStatus
    failure: bytes | None
    wake_at: Instant | None
    """The earlier of this and what a message asked for in the meantime is kept. Messages do not wake a
    parked run: this is when it is tried again, if it is."""
    waiting: str | None = None
    waiting_kind: WaitKind | None = None
    waiting_name: str | None = None
    """The three are a `WaitDescription`."""


class ClaimRequest(NamedTuple):
    claims: Sequence[str]
    limit: int
    """Fewer are taken where some have had setbacks; see `policies.at_once`."""
    runs: Sequence[RunKey] | None = None
    """Take only these, whatever their claims."""


class Commit(msgspec.Struct):
    """All that one tick of one node changes."""

    namespace: str
    node: NodeId
    tick: int
    """Counts the commits of this node; kept in its row, so that `recover` can answer."""
    now: Instant
    lease_until: Instant
    is_retry: bool = False
    """It was tried before, and what came of that is not known: it may even have been written."""
    created: list[RunRecord] = []
    held: list[Held] = []
    """Every run that any other row names and that `created` does not."""
    steps: list[NewStep] = []
    tasks: list[NewTask] = []
    settled: list[SettledTask] = []
    moved: list[MovedTask] = []
    attempts: list[EndedAttempt] = []
    queued: list[QueuedTask] = []
    unqueued: list[UnqueuedTask] = []
    logs: list[NewLog] = []
    state: list[StateChange] = []
    taken: list[TakenMessage] = []
    proved: list[ProvedRun] = []
    messages: list[NewMessage] = []
    """To other runs. One for a run that has ended or does not exist is dropped."""
    woken: list[WokenRun] = []
    ended: list[EndedRun] = []
    released: list[ReleasedRun] = []
    claim: ClaimRequest | None = None
    """Take due runs in the same transaction. Also reaps the leases of nodes that have expired: a setback
    for every run that one of them had."""
    collect: bool = False
    """Take the unread messages of runs this node owns in the same transaction."""


ROWS_OF_RUNS = (
    "held",
    "steps",
    "tasks",
    "settled",
    "moved",
    "attempts",
    "queued",
    "unqueued",
    "logs",
    "state",
    "taken",
    "proved",
    "ended",
    "released",
)
"""The fields of a Commit that are lists of rows of runs, each with the run it belongs to as `run`."""

ROWS_FOR_OTHERS = ("messages", "woken")
"""Those whose rows belong to their `sender`, if they have one; `run` is the run that they are for."""


class Claimed(NamedTuple):
    run: RunRecord
    """As it stands after the claim: owner, epoch and status are the new ones."""
    is_new: bool
    """It has no journal yet, so there is nothing to load but its unread messages."""


class Receipt(msgspec.Struct, frozen=True):
    """What came of a commit."""

    lost: frozenset[RunKey] = frozenset()
    """Held runs that this node no longer owns. Nothing of theirs was written."""
    existing: dict[RunKey, RunKey] = {}
    """New runs whose id was taken, with the run that has it. Nothing of theirs was written."""
    claimed: list[Claimed] = []
    mail: list[MessageRecord] = []
    """Unread messages of runs this node owns, the claimed ones included, in order."""


class NextWork(NamedTuple):
    """Whether there is something to claim or collect, asked with one cheap read."""

    wake_at: Instant | None
    """The earliest due time of a run that this node could claim."""
    expires_at: Instant | None
    """The earliest end of the lease of another node that has runs."""
    has_mail: bool
    schedule_at: Instant | None = None
    """When the next of the schedules is due whose workflow this node has."""


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


class Store(FlowStore, WorkerStore, Protocol):
    async def open(self) -> None:
        """Connect and bring the schema up to date. Raises StoreUnavailable, SchemaTooNew, BadUrl."""
        ...

    async def close(self) -> None:
        """Finish what is queued, then let go of every connection and thread. May be called twice."""
        ...

    async def now(self) -> Instant:
        """The database's own clock, by which all nodes agree on leases."""
        ...

    def listen(self, on_change: Callable[[], None]) -> Callable[[], None]:
        """Call `on_change` on the event loop's thread whenever someone else may have changed something:
        another process, or a method of this object other than `commit`. Returns how to stop that.

        It may come too often; it comes at most a poll interval late; it carries no facts.
        """
        ...

    # --- the node

    async def commit(self, commit: Commit) -> Receipt:
        """Write all of it, except for runs that are lost or exist already.

        Raises StoreFull (nothing was written), or StoreUnavailable (who knows: ask `recover`).
        """
        ...

    async def recover(self, commit: Commit) -> Receipt | None:
        """Whether a commit stands whose answer was lost: None if not, else a receipt to go on with.

        The receipt has every run that the node owns as claimed, and every unread message of theirs.
        """
        ...

    async def earliest(self, namespace: str, runs: Sequence[RunKey]) -> Instant | None:
        """When the first of these runs is due that nobody owns."""
        ...

    async def next_work(
        self, namespace: str, node: NodeId, claims: Sequence[str], workflows: Sequence[str] = ()
    ) -> NextWork: ...

    async def due_schedules(
        self, namespace: str, workflows: Sequence[str], now: Instant, limit: int
    ) -> list[ScheduleRecord]:
        """Some of those of these workflows for which there is something to decide, the longest due first."""
        ...

    async def fire(self, namespace: str, firing: ScheduleFiring) -> bool:
        """Start the runs of a schedule and move it on, or nothing of it: False if another was faster."""
        ...

    async def leave(self, namespace: str, node: NodeId) -> None:
        """End the node's lease. Runs it still owns are due for any other node at once."""
        ...

    async def nodes(self, namespace: str) -> list[str]:
        """All that have a lease, whether it has run out or not."""
        ...

    async def expire_nodes(self, namespace: str, nodes: Sequence[str]) -> None:
        """These have died: what their leases running out would lead to, at once."""
        ...

    async def load(self, namespace: str, runs: Sequence[RunKey]) -> list[History]:
        """What the store has of these runs, in that order; those that do not exist are left out."""
        ...

    async def register(self, namespace: str, definitions: Sequence[Definition], now: Instant) -> None:
        """Remember these versions. Raises VersionConflict if one is known with another hash."""
        ...

    async def definitions(self, namespace: str, which: Sequence[tuple[str, str]]) -> list[Definition]:
        """Those of these names and versions that are known."""
        ...

    # --- the client

    async def create(self, namespace: str, runs: Sequence[RunRecord]) -> dict[RunKey, RunKey]:
        """Add runs for any node to take. Answers those whose id was taken, with the run that has it."""
        ...

    async def post(self, namespace: str, messages: Sequence[NewMessage], now: Instant) -> list[PostResult]:
        """Put messages into inboxes and wake their runs. One answer a message."""
        ...

    async def find(self, namespace: str, id: str | RunKey) -> RunRecord | None:
        """The run of that key, or that the user named `id`, or whose key it spells."""
        ...

    async def ended(self, namespace: str, runs: Sequence[RunKey]) -> list[RunRecord]:
        """Those of the runs that have ended."""
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

    async def list_schedules(self, namespace: str, name: str | None = None) -> list[ScheduleRecord]:
        """All that can be read, or the one of that name. Raises JournalCorrupt if that one cannot be read."""
        ...

    async def write_schedule(self, namespace: str, schedule: ScheduleRecord, decided_on: int | None) -> bool:
        """Add a schedule (None), or change one. False if it is there already, or has moved since."""
        ...

    async def delete_schedule(self, namespace: str, name: str) -> bool: ...

    async def reopen(self, namespace: str, family: Sequence[Reopening]) -> bool:
        """Open ended runs again, all or none. False if one of them has moved since it was looked at."""
        ...

    async def unpark(self, namespace: str, runs: Sequence[RunKey], now: Instant) -> list[RunKey]:
        """Make parked or paused runs due again; answers those that were."""
        ...

    async def end_idle(self, namespace: str, ending: IdleEnding) -> bool:
        """Cancel a run that is parked and so cannot cancel itself, and its open tasks. False if it is not
        parked, or has moved since it was looked at."""
        ...

    async def stranded(self, namespace: str, now: Instant) -> list[Stranded]:
        """Runs that are not finished and have no reason to wake, or one that nobody has heeded for long.
        There should be none."""
        ...
