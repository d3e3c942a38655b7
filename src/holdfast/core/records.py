"""Records: the rows of a store as values. They hold everything that is needed to restore a run."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from holdfast.core.events import MessageId
from holdfast.core.run_options import PLAIN_TERMS, RunTerms
from holdfast.core.shared_inputs import SharedInput
from holdfast.core.values import Failure, Instant, Outcome, Payload, RunKey, RunStatus, TaskStatus
from holdfast.core.waiting import wait_for_time

ANY_NODE: Final = "(published flows)"
"""The claim of runs whose definition was published. Any node may take them, because every node can read the
definition from the store. This text is stored in rows and must never change."""


def published_target(workflow: str) -> str:
    """`ScheduleRecord.workflow` of a schedule that starts the newest published version."""
    return f"{workflow}@{ANY_NODE}"


PUBLISHED_ORIGIN: Final = "published"
"""`ScheduleRecord.origin` of a schedule that is in the text of a published workflow."""

TASK_VERSION: Final = "task"
"""The version of runs of a task that was started by itself. No workflow may have it. It is stored in rows and
must never change."""


def task_claim(task: str) -> str:
    """The claim of runs of a task that was started by itself."""
    return f"{task}@{TASK_VERSION}"


def is_task_claim(claim: str) -> bool:
    return claim.endswith(_END_OF_TASK_CLAIM)


_END_OF_TASK_CLAIM: Final = task_claim("")


class Definition(NamedTuple):
    """A version of a workflow."""

    name: str
    version: str
    kind: str
    """Which kind of workflow it is. Only `authoring` reads it."""
    hash: str
    source: str
    origin: str = ""
    """Where it was last found: a file, or `module:name`. Nodes may differ in this."""
    is_published: bool = False
    """A client wrote this version into the store. Otherwise a node brings it with it."""
    input_schema: str | None = None
    """What its input and its updates look like, as `core.input_schemas` writes it. None: not known."""


class RunRecord(msgspec.Struct, frozen=True, gc=False):
    """A row of `runs` with all its columns."""

    key: RunKey
    namespace: str
    id: str | None
    """The id that the user gave it, if any."""
    workflow: str
    version: str
    claim: str
    """Which nodes may claim it: `name@version`, or `name` alone if any version of that name may try."""
    status: RunStatus
    input: Payload
    output: Payload | None
    failure: Failure | None
    """Why it failed, was cancelled or is parked."""
    parent: RunKey | None
    parent_seq: int | None
    owner: str | None
    epoch: int
    """Counts its owners. A commit that names an earlier epoch changes nothing."""
    wake_at: Instant | None
    """When a node should claim it. None if it has an owner, or only a message or an operator can wake it."""
    waiting: str | None
    """What it waits for, in words, while it has no owner."""
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None
    setbacks: int = 0
    """How many nodes in a row claimed it in vain: the node died, or its code did not fit the run."""
    depth: int = 0
    """How many ancestors it has. A run that was started detached has none."""
    schedule: str | None = None
    """The schedule that it was started for: by a tick, or by hand for one."""
    options: bytes | None = None
    """`RunOptions` as JSON; None if it was started without any."""
    priority: int = 0
    """Due runs of a higher priority are claimed first."""
    chapter: int = 0
    """How often it has gone on as a new chapter. `input` is the input of this one. If it is not 0, the row of
    the chapter says where its history begins (`ChapterStart`)."""


NEW_RUN_COLUMNS: Final = RunRecord.__struct_fields__.index("chapter")
"""So many fields of a `RunRecord` are written when a run is created."""


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
    terms: RunTerms = PLAIN_TERMS,
) -> RunRecord:
    """The row of a new run. `owner` has it from the start; if None, the run is for any node to claim, at once
    or when its terms say."""
    start_at, schedule, options, priority = terms
    status, epoch, wake_at, started_at, waiting = RunStatus.PENDING, 0, now, None, None
    if owner is not None:
        status, epoch, wake_at, started_at = RunStatus.RUNNING, 1, None, now
    elif start_at is not None:
        wake_at, waiting = start_at, wait_for_time(start_at)
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
        waiting,
        now,
        started_at,
        None,
        depth=depth,
        schedule=schedule,
        options=options,
        priority=priority,
    )


def unowned(run: RunRecord) -> RunRecord:
    """The row of a new run without its owner, due for any node to claim."""
    return msgspec.structs.replace(
        run, owner=None, status=RunStatus.PENDING, epoch=0, wake_at=run.created_at, started_at=None
    )


class TaskRecord(msgspec.Struct, frozen=True):
    """A row of `tasks` with all its columns."""

    run: RunKey
    seq: int
    name: str
    status: TaskStatus
    attempt: int
    """The number of the current or last attempt, from 1."""
    lost: int
    """How many attempts were lost with their node. They do not count against the retry policy."""
    forgiven: int
    """How many attempts were made before the run was last reopened. They no longer count."""
    input: Payload
    output: Payload | None
    failure: Failure | None
    heartbeat: Payload | None
    """The details of the last heartbeat of an attempt that did not finish."""
    due_at: Instant | None
    """When the backoff ends. No attempt starts before."""
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None
    shared: SharedInput | None = None
    """The rest of its input, in a history that is to be replayed. Elsewhere `input` is whole."""


class AttemptRecord(msgspec.Struct, frozen=True):
    """An attempt that did not succeed, or that a remote worker made. The task's row has all others."""

    run: RunKey
    seq: int
    attempt: int
    status: str
    """`failed`, `timed_out`, `lost`, or (of a remote worker only) `success`"""
    failure: Failure | None
    started_at: Instant | None
    finished_at: Instant
    node: str
    worker: str = ""
    """The id of the worker that made the attempt, if it was not the node."""
    worker_url: str = ""
    """Where that worker was called; empty for one that took the task from the queue."""


class LogRecord(msgspec.Struct, frozen=True):
    """Some log lines of one attempt, or of the code of a workflow."""

    number: int
    """Increases over the whole database, in the order of writing."""
    seq: int
    """The number of the task; `NO_TASK` if the code of the workflow wrote them."""
    attempt: int
    lines: bytes
    """JSON: a list of instant, stream and text."""
    task: str | None
    index: int | None
    """Its index in a fan-out, if it is part of one."""


class TaskSummary(msgspec.Struct, frozen=True):
    """A task as lists and progress views show it, without input and output."""

    seq: int
    name: str
    index: int | None
    count: int | None
    """Its index in a fan-out and the size of the fan-out, if it is part of one. Flows record no size."""
    status: TaskStatus
    attempt: int
    lost: int
    problem: str | None
    due_at: Instant | None
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None
    progress: Payload | None = None
    """The details of its last heartbeat, if it has not ended."""


class ScheduleRecord(msgspec.Struct, frozen=True):
    """A row of `schedules`."""

    name: str
    workflow: str
    """`name@version` if the schedule was told a version. With `name` alone, it follows the newest version."""
    input: Payload
    """The input of its runs; see `schedule_inputs`."""
    plan: bytes
    """A `timetable.Plan` as JSON."""
    origin: str
    """The file that declares it; empty if a client created it."""
    is_paused: bool
    revision: int
    """Counts its changes. A change that was decided on an earlier revision is refused."""
    cursor: Instant
    queued: tuple[Instant, ...]
    active: RunKey | None
    """The last run that it started."""
    next_at: Instant | None
    skipped: int
    """How many ticks were skipped so far."""
    skip_note: str | None
    """Which ticks were skipped last, and why."""
    created_at: Instant
    updated_at: Instant
    is_active: bool = False

    """Whether the last run that it started has not ended. Read, never written."""

    @property
    def workflow_and_version(self) -> tuple[str, str | None]:
        name, _, version = self.workflow.partition("@")
        return name, None if self.starts_published else version or None

    @property
    def starts_published(self) -> bool:
        """Whether it starts the newest published version. Then any node may fire it."""
        return self.workflow.endswith(f"@{ANY_NODE}")


class MessageKind(StrEnum):
    SIGNAL = "signal"
    RESOLVED = "resolved"
    REJECTED = "rejected"
    CANCEL = "cancel"
    CHILD = "child"
    """A child has ended. `name` is its number."""
    TASK = "task"
    """A worker has ended a task of the queue. `name` is its number; `core.remote` reads the payload."""
    TERMINATE = "terminate"
    """End the run without asking it. The payload is the reason."""
    PAUSE = "pause"
    """Begin no task, and leave memory when the running ones have ended. `name` is who asks for it, the
    payload a note."""
    TRY_NOW = "try_now"
    """End backoffs: of the task that `name` names or numbers, or of all if it is empty."""
    UPDATE = "update"
    """A message that is answered. The payload is the list of its arguments."""
    RESUME = "resume"
    RETRY = "retry"
    """Acts that the store has done itself, kept to tell who did them."""
    UNKNOWN = "unknown"
    """Stands for kinds that a newer version has written. Read, never written."""


ACTS: Final = frozenset(
    {
        MessageKind.TERMINATE,
        MessageKind.PAUSE,
        MessageKind.TRY_NOW,
        MessageKind.RESUME,
        MessageKind.RETRY,
    }
)
"""Messages for the engine, which no program hears."""
DONE_BY_STORE: Final = -1
"""`taken` of an act that needed no node."""


class PostedMessage(msgspec.Struct, frozen=True):
    """A message with its sender, as people see it."""

    id: MessageId
    kind: MessageKind
    name: str
    payload: Payload
    taken: int | None
    by: str | None
    """Who has sent it, if they said so."""
    at: Instant | None
    """When. None for messages of 0.4.0."""
    answer: bytes | None = None
    """Of an update; `core.updates` reads it."""
    comment: str | None = None
    question: int | None = None
    """The number of the question that it answers."""


class MessageRecord(msgspec.Struct, frozen=True):
    """A row of the inbox. It is kept after it was read, because the journal refers to its payload."""

    id: MessageId
    run: RunKey
    kind: MessageKind
    name: str
    payload: Payload
    taken: int | None
    """The position of the step that read it; None while unread."""
    question: int | None = None
    """The number of the question that it answers."""
    by: str | None = None
    comment: str | None = None


class ChildRecord(msgspec.Struct, frozen=True):
    """What a parent needs to know about a child."""

    parent: RunKey
    seq: int
    key: RunKey
    status: RunStatus
    output: Payload | None
    failure: Failure | None


class ChapterStart(NamedTuple):
    """Where a chapter of a run begins. What lies before belongs to chapters that have ended, and is never
    replayed."""

    number: int = 0
    first_position: int = 0
    """Of its steps. `first_task`, `first_timer` and `first_child` are the same for their numbers."""
    first_task: int = 0
    first_timer: int = 0
    first_child: int = 0
    state: bytes | None = None
    """The state that it begins with, as a JSON object. None: it is empty."""
    questions: bytes | None = None
    """`QuestionsOfChapter`, as JSON. None: the run has asked nothing yet."""

    @property
    def first_taken(self) -> int:
        """The chapter has read the messages whose `taken` is this or more."""
        return self.first_position if self.number else DONE_BY_STORE


FIRST_CHAPTER: Final = ChapterStart()


class ChapterRecord(NamedTuple):
    """A chapter as people see it."""

    number: int
    input: Payload
    began_at: Instant
    first_position: int
    next_position: int
    """Where the next chapter begins, or will begin."""


class History(msgspec.Struct, frozen=True):
    """Everything that a store has about one run, or about its last chapter, if it has several."""

    run: RunRecord
    steps: list[bytes]
    """In order of position, from the first one of the chapter, without gaps."""
    tasks: list[TaskRecord]
    messages: list[MessageRecord]
    """In order of id, read and unread."""
    children: list[ChildRecord]
    damage: str | None = None
    """What could not be read of it, if anything."""
    outcomes: dict[int, Outcome] = {}
    """In a history that is to be replayed: how settled tasks ended, by number. `tasks` has the others."""
    chapter: ChapterStart = FIRST_CHAPTER

    @property
    def next_position(self) -> int:
        """Of the next step to be written."""
        return self.chapter.first_position + len(self.steps)
