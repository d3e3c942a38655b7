"""A commit: all that one tick of one node changes, as rows for the store to write, and what came of it.

Rows have their fields in the order of the statement's parameters: at some ten thousand tasks a second a value
is built once and handed to the database as it is. They are Structs that the garbage collector does not track,
at a fifth of the cost of a NamedTuple.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from holdfast.core.events import MessageId
from holdfast.core.records import MessageKind, MessageRecord, RunRecord
from holdfast.core.values import Instant, NodeId, Payload, RunKey, RunStatus, TaskStatus
from holdfast.core.waiting import WaitKind


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
