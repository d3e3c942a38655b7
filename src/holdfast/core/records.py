"""Records: rows as they are read back. What a store remembers of a run, and what restores it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from holdfast.core.events import MessageId
from holdfast.core.values import Failure, Instant, Payload, RunKey, RunStatus, TaskStatus

ANY_NODE: Final = "(published flows)"
"""The claim of runs that any node may take: their definition was published, so every node can read it from
the store. This text is stored in rows and never changes."""


class Definition(NamedTuple):
    """A version of a workflow."""

    name: str
    version: str
    kind: str
    """`code`, `dag` or `flow`"""
    hash: str
    source: str
    origin: str = ""
    """Where it was found last: a file, or `module:name`. It may differ from node to node."""


class RunRecord(msgspec.Struct, frozen=True, gc=False):
    """One row of `runs`, whole."""

    key: RunKey
    namespace: str
    id: str | None
    """What the user called it; None if they left the name to us."""
    workflow: str
    version: str
    claim: str
    """Which nodes may take it: `name@version`, or just `name` where any code of that name may try."""
    status: RunStatus
    input: Payload
    output: Payload | None
    failure: Failure | None
    """Why it failed, or why it is parked."""
    parent: RunKey | None
    parent_seq: int | None
    owner: str | None
    epoch: int
    """Counts its owners. A commit that names an earlier epoch changes nothing."""
    wake_at: Instant | None
    """When it wants to be looked at. None while its owner has it in hand or it waits for the outside."""
    waiting: str | None
    """What it waits for, in words, while nobody owns it."""
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None
    setbacks: int = 0
    """How many nodes in a row have taken it and come to nothing: they died, or their code did not fit it."""
    depth: int = 0
    """How many runs are above it in its family. One that was started detached begins a family of its own."""


def new_run(
    key: RunKey,
    namespace: str,
    id: str | None,
    workflow: str,
    version: str,
    claim: str,
    input: Payload,
    now: Instant,
    *,
    owner: str | None = None,
    parent: RunKey | None = None,
    parent_seq: int | None = None,
    depth: int = 0,
) -> RunRecord:
    """A run as it begins: in the hands of `owner`, or due for any node to take."""
    status, epoch, wake_at, started_at = RunStatus.PENDING, 0, now, None
    if owner is not None:
        status, epoch, wake_at, started_at = RunStatus.RUNNING, 1, None, now
    return RunRecord(
        key,
        namespace,
        id,
        workflow,
        version,
        claim,
        status,
        input,
        None,
        None,
        parent,
        parent_seq,
        owner,
        epoch,
        wake_at,
        None,
        now,
        started_at,
        None,
        depth=depth,
    )


def unowned(run: RunRecord) -> RunRecord:
    """A run that has just begun, due for any node to take."""
    return msgspec.structs.replace(
        run, owner=None, status=RunStatus.PENDING, epoch=0, wake_at=run.created_at, started_at=None
    )


class TaskRecord(msgspec.Struct, frozen=True):
    """One row of `tasks`, whole."""

    run: RunKey
    seq: int
    name: str
    status: TaskStatus
    attempt: int
    """The number of the attempt under way, or of the last one; from 1."""
    lost: int
    """How many attempts died with their node, which does not count against the retry policy."""
    forgiven: int
    """How many attempts were made before the run was last opened again. They count for nothing."""
    input: Payload
    output: Payload | None
    failure: Failure | None
    heartbeat: Payload | None
    """The details of the last heartbeat of an attempt that did not finish."""
    due_at: Instant | None
    """Not before this: the end of a backoff."""
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None


class AttemptRecord(msgspec.Struct, frozen=True):
    """An attempt that did not succeed, or that a worker elsewhere has made. (Any other is the task's row.)"""

    run: RunKey
    seq: int
    attempt: int
    status: str
    """`failed`, `timed_out`, `lost`, or `success` if a worker has made it"""
    failure: Failure | None
    started_at: Instant | None
    finished_at: Instant
    node: str
    worker: str = ""
    """Who has made it, if that was not the node: the id of a worker, and where it was called."""


class LogRecord(msgspec.Struct, frozen=True):
    """Some lines that one attempt has said."""

    number: int
    """Counts within the database; what is written later has a higher one."""
    seq: int
    attempt: int
    lines: bytes
    """As JSON: a list of instant, stream and text."""
    task: str
    index: int | None
    """Its place in a fan-out, if it is one of several."""


class TaskSummary(msgspec.Struct, frozen=True):
    """A task as a view shows it, without what it was given and gave."""

    seq: int
    name: str
    index: int | None
    count: int | None
    """Its place in a fan-out and how many there are, if it is one of several."""
    status: TaskStatus
    attempt: int
    lost: int
    problem: str | None
    due_at: Instant | None
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None


class ScheduleRecord(msgspec.Struct, frozen=True):
    """One row of `schedules`."""

    name: str
    workflow: str
    input: Payload
    """Of the runs that it starts; see `schedule_inputs`."""
    plan: bytes
    """A `timetable.Plan` as JSON."""
    origin: str
    """The file that it stands in; empty if it was put by a program or a person."""
    is_paused: bool
    revision: int
    """Counts its changes. One that was decided on an earlier revision is refused."""
    cursor: Instant
    queued: tuple[Instant, ...]
    active: RunKey | None
    """The run that it started last."""
    next_at: Instant | None
    skipped: int
    """How many ticks were skipped so far."""
    skip_note: str | None
    """Which were skipped last, and why."""
    created_at: Instant
    updated_at: Instant
    is_active: bool = False
    """Read, never written: the run that it started last has not ended."""


class MessageKind(StrEnum):
    SIGNAL = "signal"
    RESOLVED = "resolved"
    REJECTED = "rejected"
    CANCEL = "cancel"
    CHILD = "child"
    """A child has ended; `name` is its number."""
    TASK = "task"
    """A worker has ended a task of the queue; `name` is its number, and `core.remote` reads the rest."""
    UNKNOWN = "unknown"
    """Read, never written: a newer version has kinds that this one does not know."""


class MessageRecord(msgspec.Struct, frozen=True):
    """One row of the inbox. It is kept after it was read: the journal refers to its payload."""

    id: MessageId
    run: RunKey
    kind: MessageKind
    name: str
    payload: Payload
    taken: int | None
    """The position of the step that read it; None while unread."""


class ChildRecord(msgspec.Struct, frozen=True):
    """What a parent needs to know of a run it started."""

    parent: RunKey
    seq: int
    key: RunKey
    status: RunStatus
    output: Payload | None
    failure: Failure | None


class History(msgspec.Struct, frozen=True):
    """All that a store has of one run."""

    run: RunRecord
    steps: list[bytes]
    """By position, from 0, without gaps."""
    tasks: list[TaskRecord]
    messages: list[MessageRecord]
    """By id, read and unread."""
    children: list[ChildRecord]
    damage: str | None = None
    """What of it cannot be read, if so; the rest is there."""
