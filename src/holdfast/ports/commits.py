"""A commit: all that one tick of one node changes, as rows for the store to write, and its receipt.

The fields of a row are in the order of the statement's parameters. So a row is built once and passed to the
database unchanged, which matters at ten thousand tasks a second. Rows are Structs that the garbage collector
does not track: they cost a fifth of a NamedTuple.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from holdfast.core.events import MessageId
from holdfast.core.records import MessageKind, MessageRecord, RunRecord
from holdfast.core.values import Instant, NodeId, Payload, RunKey, RunStatus, TaskStatus
from holdfast.core.waiting import WaitKind


class _RunRow(msgspec.Struct, frozen=True, gc=False):
    run: RunKey


class Held(_RunRow, frozen=True, gc=False):
    """A run that this commit changes, and the epoch under which the node believes it owns the run."""

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


class NewBranch(NewTask, frozen=True, gc=False):
    """A task of whose input the row has only a part."""

    shares: int
    """The number of the task that the other part is stored with; see `NewSharedInput`."""


class NewSharedInput(_RunRow, frozen=True, gc=False):
    """Fields that the inputs of several tasks have in common."""

    seq: int
    """The first of these tasks."""
    fields: Payload


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
    """A task that has not ended: it is running, or it waits for its next attempt."""

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
    """The id of the worker that made the attempt, if it was not the node."""
    worker_url: str = ""
    """Where that worker was called; empty if it took the task from the queue."""


class QueuedTask(_RunRow, frozen=True, gc=False):
    """A task that waits for a worker to take it; see `ports.workers`."""

    seq: int
    service: str
    attempt: int
    ready_at: Instant
    """No worker may take the task before this time, which is the end of a backoff."""
    created_at: Instant


class UnqueuedTask(_RunRow, frozen=True, gc=False):
    """A task to be removed from the queue. A report of the worker that has taken it is refused."""

    seq: int


class NewLog(_RunRow, frozen=True, gc=False):
    """Lines that an attempt or the code of a workflow has written, in order, as a JSON list of
    `OutputLine`."""

    seq: int
    """The number of the task, or `NO_TASK`."""
    attempt: int
    """0 for the code of a workflow."""
    lines: bytes


class NewItems(_RunRow, frozen=True, gc=False):
    """Items that an attempt or the code of a workflow has published to one stream of the run. The store gives
    them the next offsets of that stream."""

    stream: str
    seq: int
    """The number of the task, or `NO_TASK`."""
    attempt: int
    """0 for the code of a workflow."""
    is_first: int
    """1 if the attempt has published nothing to this stream before."""
    count: int
    size: int
    """In bytes, of `items`."""
    items: bytes
    """A JSON list of instant and value."""


class StateChange(_RunRow, frozen=True, gc=False):
    key: str
    value: Payload | None
    """None deletes the key."""


class TakenMessage(_RunRow, frozen=True, gc=False):
    message: MessageId
    position: int


class AnsweredUpdate(_RunRow, frozen=True, gc=False):
    """The answer to an update. If the message has one already, it is kept."""

    message: MessageId
    answer: bytes
    """As JSON; see `core.updates`."""


class ReturnedMessage(_RunRow, frozen=True, gc=False):
    """A message that a chapter has heard and that is unread again, for the next chapter."""

    message: MessageId


class NewChapter(_RunRow, frozen=True, gc=False):
    """A run that goes on as a new chapter. A row of `released` makes it due at once."""

    number: int
    first_position: int
    first_task: int
    first_timer: int
    first_child: int
    input: Payload
    state: bytes | None
    """The fields of a `ChapterStart`."""
    began_at: Instant
    questions: bytes | None = None


class NewMessage(_RunRow, frozen=True, gc=False):
    kind: MessageKind
    name: str
    payload: Payload
    sender: RunKey | None = None
    """The run that sends it, or None. The message is dropped if the node no longer owns that run."""
    by: str | None = None
    """Who sends it, if a person or a program outside does and says so."""
    uid: str | None = None
    """What its sender calls it: the run gets one message of that name, however often it is sent."""
    comment: str | None = None
    question: int | None = None
    """For an answer: the number of the question. None: the oldest open question of that name."""
    is_ahead: bool = False
    """For an answer: if the run has not asked, keep it until it does."""


class NewQuestion(_RunRow, frozen=True, gc=False):
    """What a run asks the world outside for."""

    number: int
    name: str
    details: Payload
    """`QuestionDetails` as JSON."""
    asked_at: Instant


class ClosedQuestion(_RunRow, frozen=True, gc=False):
    """A question that nobody waits for any more. An answer that was posted has closed it before."""

    number: int
    message: MessageId | None
    """The message that the run took as the answer, if that names no question."""
    closed_at: Instant


class UnaskedRun(_RunRow, frozen=True, gc=False):
    """A run that ends without its program, which would close its questions."""

    closed_at: Instant


class WokenRun(_RunRow, frozen=True, gc=False):
    """A reopened child that its parent has held back and now lets go on."""

    sender: RunKey
    """The parent. The child is not woken if the node no longer owns the parent."""


class EndedRun(_RunRow, frozen=True, gc=False):
    """A run that has ended. If it was cancelled, the store also cancels its open tasks."""

    status: RunStatus
    output: Payload | None
    failure: bytes | None
    parent: RunKey | None
    """The store sends the parent a CHILD message and wakes it."""
    parent_seq: int | None
    finished_at: Instant
    fingerprint: str | None = None
    """Of the failure, if it failed: failures of one cause have the same."""
    is_forced: bool = False
    """It was terminated. The node may not know its children, so the store tells them."""


class ProvedRun(_RunRow, frozen=True, gc=False):
    """A run with setbacks that has taken a step while its node stayed alive. Its setbacks are reset to 0."""


class ShownWait(_RunRow, frozen=True, gc=False):
    """What a run waits for that stays in memory. All None: it has gone on."""

    waiting: str | None = None
    waiting_kind: WaitKind | None = None
    waiting_name: str | None = None
    """The fields of a `WaitDescription`."""


class ReleasedRun(_RunRow, frozen=True, gc=False):
    """A run that leaves memory because it only waits, because the node stops, or because it is parked.
    Parking counts as a setback. In the other cases the setbacks are reset to 0."""

    status: RunStatus
    failure: bytes | None
    wake_at: Instant | None
    """When to wake the run. If a message has set an earlier time since, that one is kept. For a parked run
    this is the time of the next try; of all messages only a cancellation wakes it sooner."""
    waiting: str | None = None
    waiting_kind: WaitKind | None = None
    waiting_name: str | None = None
    """`waiting`, `waiting_kind` and `waiting_name` are the fields of a `WaitDescription`."""


class ClaimRequest(NamedTuple):
    claims: Sequence[str]
    limit: int
    """Fewer are taken if some of them have had setbacks; see `policies.claim_limit`."""
    runs: Sequence[RunKey] | None = None
    """Take only these, whatever their claims."""
    bytes: int = 8 * 1024 * 1024
    """Fewer are taken if their inputs have more bytes than this together, but at least one. Of large inputs
    that a database stores compressed, there may be a few more."""


class Commit(msgspec.Struct):
    """All that one tick of one node changes."""

    namespace: str
    node: NodeId
    tick: int
    """Counts the commits of this node, for `recover_commit`."""
    now: Instant
    lease_until: Instant
    """When the lease ends, if this commit renews it."""
    renews: bool = True
    """Renew the lease. False while a keeper does that, beside the commits."""
    serves: str | None = None
    """Which workflows the node serves: the claims as JSON, or a hash. Nodes with the same text share the
    work."""
    transaction: str | None = None
    """The id of the transaction that wrote the commit, for `recover_commit`. Some stores set it."""
    size: int = 0
    """About how many bytes its payloads have."""
    is_retry: bool = False
    """The commit was tried before with an unknown result: it may have been written."""
    created: list[RunRecord] = []
    held: list[Held] = []
    """Every run that has a row in another list, unless the run is in `created`."""
    steps: list[NewStep] = []
    tasks: list[NewTask] = []
    branches: list[NewBranch] = []
    shared_inputs: list[NewSharedInput] = []
    settled: list[SettledTask] = []
    moved: list[MovedTask] = []
    attempts: list[EndedAttempt] = []
    queued: list[QueuedTask] = []
    unqueued: list[UnqueuedTask] = []
    logs: list[NewLog] = []
    published: list[NewItems] = []
    state: list[StateChange] = []
    taken: list[TakenMessage] = []
    answered: list[AnsweredUpdate] = []
    returned: list[ReturnedMessage] = []
    chapters: list[NewChapter] = []
    questions: list[NewQuestion] = []
    closed: list[ClosedQuestion] = []
    unasked: list[UnaskedRun] = []
    proved: list[ProvedRun] = []
    waits: list[ShownWait] = []
    messages: list[NewMessage] = []
    """Messages to other runs. A message to a run that has ended or does not exist is dropped."""
    woken: list[WokenRun] = []
    ended: list[EndedRun] = []
    released: list[ReleasedRun] = []
    is_watched: bool = False
    """Somebody watches, and is to be told of the commit."""
    claim: ClaimRequest | None = None
    """Claim due runs in the same transaction. The store then also frees the runs of nodes whose lease has
    expired, and counts a setback for each of those runs."""
    collect: bool = False
    """Return unread messages of runs that this node owns, read in the same transaction."""
    mail_bytes: int = 8 * 1024 * 1024
    """How many bytes of messages to return. A message is returned whole, so there may be a little more."""
    mail_rows: int = 10_000
    """How many messages to return. Each run gets its share, but at least one."""
    stream_items: int = 100_000
    """How many items to keep of each stream to which this commit adds. The oldest rows are dropped."""
    stream_bytes: int = 64 * 1024 * 1024
    drop_items_at: Instant | None = None
    """When the items that this commit adds to streams are dropped. None: not by their age."""
    read: Mapping[RunKey, MessageId] = {}
    """The newest message of each run that the node has in memory already. Only newer ones are returned,
    except of runs that this commit claims. `recover_commit` returns the older ones too."""


ROWS_OF_RUNS = (
    "held",
    "steps",
    "tasks",
    "branches",
    "shared_inputs",
    "settled",
    "moved",
    "attempts",
    "queued",
    "unqueued",
    "logs",
    "published",
    "state",
    "taken",
    "returned",
    "chapters",
    "questions",
    "closed",
    "unasked",
    "proved",
    "waits",
    "ended",
    "released",
    "answered",
)
"""The fields of a Commit whose rows belong to the run that they name as `run`."""

ROWS_FOR_OTHERS = ("messages", "woken")
"""The fields of a Commit whose rows belong to their `sender`, if they have one. `run` is the receiver."""


class Claimed(NamedTuple):
    run: RunRecord
    """The record after the claim, with the new owner, epoch and status."""
    is_new: bool
    """The run has no journal yet. There is nothing to load but its unread messages."""


class Receipt(msgspec.Struct, frozen=True):
    """The result of a commit."""

    lost: frozenset[RunKey] = frozenset()
    """Held runs that this node no longer owns. None of their rows were written."""
    existing: dict[RunKey, RunKey] = {}
    """New runs whose id was taken, each with the run that has the id. None of their rows were written."""
    claimed: list[Claimed] = []
    mail: list[MessageRecord] = []
    """Unread messages of the runs that this node owns, including the claimed runs, in order."""
    lease_since: Instant = Instant(0)
    """Since when the node has had its lease without a break. If this differs from what the node knows,
    another node has freed its runs meanwhile, and this commit has begun a new lease."""
    left: frozenset[RunKey] = frozenset()
    """Runs that have more unread messages: there was no room for these, and the next collection finds
    them."""


def remove_runs(commit: Commit, runs: set[RunKey]) -> None:
    """Take all rows of these runs, which the commit was to create, out of it."""
    for name in ROWS_OF_RUNS:
        rows = getattr(commit, name)
        if rows:
            setattr(commit, name, [row for row in rows if row.run not in runs])
    commit.created = [run for run in commit.created if run.key not in runs and run.parent not in runs]
    for name in ROWS_FOR_OTHERS:
        setattr(commit, name, [row for row in getattr(commit, name) if row.sender not in runs])
