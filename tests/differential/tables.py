"""The tables of the model: plain dictionaries, and the small changes that transactions consist of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace
from tests.differential.questions import SETTLEMENTS, QuestionRow, place_answer

from holdfast.core.events import MessageId
from holdfast.core.records import (
    FIRST_CHAPTER,
    AttemptRecord,
    ChapterStart,
    Definition,
    MessageKind,
    MessageRecord,
    RunRecord,
    ScheduleRecord,
    TaskRecord,
)
from holdfast.core.shared_inputs import SharedInput, whole_input
from holdfast.core.values import Failure, Instant, NodeId, Payload, RunKey, RunStatus, TaskStatus
from holdfast.core.waiting import WaitDescription, WaitKind
from holdfast.ports.access import KeyRecord, NewAudit
from holdfast.ports.alerts import AlertRow
from holdfast.ports.commits import Claimed, EndedAttempt, NewChapter, NewLog, NewMessage, NewTask
from holdfast.ports.flows import FlowRecord
from holdfast.ports.nodes import StallRecord
from holdfast.ports.runs import PostAnswer, PostResult
from holdfast.ports.sessions import SessionRecord
from holdfast.ports.workers import WorkerRecord

K = TypeVar("K")
V = TypeVar("V")

AWAKE = frozenset({RunStatus.PENDING, RunStatus.RUNNING})
"""Such a run may be woken and taken: it has not ended, and is neither parked nor paused."""


class AlreadyThere(Exception):
    """A caller added a row that exists already. Nothing of the call is written."""


class Lease(NamedTuple):
    namespace: str
    until: Instant
    started_at: Instant


class QueueRow(NamedTuple):
    """A task that waits for a worker, or that a worker has taken."""

    namespace: str
    run: RunKey
    seq: int
    service: str
    attempt: int
    lease: int
    worker: str | None
    ready_at: Instant
    taken_at: Instant | None
    created_at: Instant


class DefinitionRow(NamedTuple):
    definition: Definition
    created_at: Instant
    seen_at: Instant | None
    """When it was registered last, to the minute."""
    status: str


class Wait(NamedTuple):
    kind: str
    name: str | None
    is_current: bool = True
    """Whether it was written with the current epoch of the run."""


class StreamRow(NamedTuple):
    first: int
    total_bytes: int
    seq: int
    attempt: int
    is_first: int
    items: bytes
    drop_at: Instant | None = None


@dataclass
class Tables:
    runs: dict[RunKey, RunRecord] = field(default_factory=dict)
    fingerprints: dict[RunKey, str] = field(default_factory=dict)
    posted: dict[MessageId, tuple[str | None, Instant]] = field(default_factory=dict)
    """Who has sent each message, and when."""
    answers: dict[MessageId, bytes] = field(default_factory=dict)
    journal: dict[tuple[RunKey, int], bytes] = field(default_factory=dict)
    tasks: dict[tuple[RunKey, int], TaskRecord] = field(default_factory=dict)
    """Each with its own part of the input, and the part that it shares."""
    shared_inputs: dict[tuple[RunKey, int], SharedInput] = field(default_factory=dict)
    attempts: dict[tuple[RunKey, int, int], AttemptRecord] = field(default_factory=dict)
    state: dict[tuple[RunKey, str], Payload] = field(default_factory=dict)
    messages: dict[MessageId, MessageRecord] = field(default_factory=dict)
    questions: dict[tuple[RunKey, int], QuestionRow] = field(default_factory=dict)
    nodes: dict[NodeId, Lease] = field(default_factory=dict)
    workflows: dict[tuple[str, str, str], DefinitionRow] = field(default_factory=dict)
    logs: dict[int, NewLog] = field(default_factory=dict)
    items: dict[tuple[RunKey, str, int], StreamRow] = field(default_factory=dict)
    """Batches of items, by run, stream and the offset behind the last of them."""
    schedules: dict[tuple[str, str], ScheduleRecord] = field(default_factory=dict)
    flows: dict[tuple[str, str], FlowRecord] = field(default_factory=dict)
    workers: dict[tuple[str, str], WorkerRecord] = field(default_factory=dict)
    queue: dict[tuple[RunKey, int], QueueRow] = field(default_factory=dict)
    waits: dict[RunKey, Wait] = field(default_factory=dict)
    """What runs that are not in memory wait for."""
    stalls: dict[tuple[RunKey, str], StallRecord] = field(default_factory=dict)
    uids: dict[MessageId, str] = field(default_factory=dict)
    """What senders call their messages."""
    lost_runs: dict[tuple[str, RunKey], None] = field(default_factory=dict)
    """Runs that were replaced, with the nodes that had them."""
    chapters: dict[tuple[RunKey, int], NewChapter] = field(default_factory=dict)
    keys: dict[str, KeyRecord] = field(default_factory=dict)
    sessions: dict[str, SessionRecord] = field(default_factory=dict)
    alerts: dict[tuple[str, str], AlertRow] = field(default_factory=dict)
    audit: dict[int, tuple[str, NewAudit]] = field(default_factory=dict)
    """Each row with its namespace."""

    def __post_init__(self) -> None:
        self.last_message = self.last_log = self.last_audit = 0
        """Numbers are not used again, also when rows are deleted."""

    def copy(self) -> Tables:
        other = Tables(*(dict(getattr(self, table.name)) for table in fields(self)))
        other.last_message, other.last_log = self.last_message, self.last_log
        other.last_audit = self.last_audit
        return other

    # --- looking

    def run(self, namespace: str, key: RunKey | None) -> RunRecord | None:
        found = None if key is None else self.runs.get(key)
        return found if found is not None and found.namespace == namespace else None

    def named(self, namespace: str, id: str | None) -> RunRecord | None:
        runs = self.runs.values()
        return next(
            (run for run in runs if id is not None and (run.namespace, run.id) == (namespace, id)), None
        )

    def owned(self, node: NodeId) -> list[RunRecord]:
        return sorted((run for run in self.runs.values() if run.owner == node), key=lambda run: run.key)

    def claimable(
        self, namespace: str, claims: Iterable[str], runs: Iterable[RunKey] | None = None
    ) -> list[tuple[Instant, RunRecord]]:
        """The runs that a node may take, and since when; the longest due first. The node claims these
        workflows, or only `runs` if given."""
        wanted, keys = set(claims), None if runs is None else set(runs)
        free = [run for run in self.runs.values() if run.namespace == namespace and run.owner is None]
        fit = [run for run in free if (run.claim in wanted if keys is None else run.key in keys)]
        found = [(run.wake_at, run) for run in fit if run.wake_at is not None]
        return sorted(found, key=lambda each: (each[0], each[1].key))

    def steps(self, run: RunKey) -> list[bytes]:
        return [self.journal[at] for at in sorted(at for at in self.journal if at[0] == run)]

    def chapter(self, run: RunKey) -> ChapterStart:
        """Where the last chapter of the run begins."""
        row = self.chapters.get((run, self.runs[run].chapter))
        if row is None or row.number == 0:
            return FIRST_CHAPTER
        numbers = (row.number, row.first_position, row.first_task, row.first_timer, row.first_child)
        return ChapterStart(*numbers, row.state, row.questions)

    def begin_chapter(self, row: NewChapter) -> None:
        run = self.runs[row.run]
        if row.number == 1:
            began_at = run.created_at if run.started_at is None else run.started_at
            insert(self.chapters, (row.run, 0), NewChapter(row.run, 0, 0, 0, 0, 0, run.input, None, began_at))
        insert(self.chapters, (row.run, row.number), row)
        self.change(row.run, chapter=row.number, input=row.input)

    def tasks_of(self, run: RunKey) -> list[TaskRecord]:
        return [self.tasks[at] for at in sorted(at for at in self.tasks if at[0] == run)]

    def whole_tasks_of(self, run: RunKey) -> list[TaskRecord]:
        """With whole inputs."""
        return [
            replace(task, input=whole_input(task.shared, task.input), shared=None)
            for task in self.tasks_of(run)
        ]

    def wanted_task(self, item: QueueRow) -> TaskRecord | None:
        """The task of an item; None if its run or the task has ended."""
        run, task = self.run(item.namespace, item.run), self.tasks.get((item.run, item.seq))
        is_over = run is None or run.status.is_final or task is None or task.status.is_final
        return None if is_over else task

    def mail(self, run: RunKey) -> list[MessageRecord]:
        return [message for message in self.messages.values() if message.run == run]

    def unread(self, runs: Iterable[RunKey]) -> list[MessageRecord]:
        readers = set(runs)
        return [each for each in self.messages.values() if each.run in readers and each.taken is None]

    def children(self, parent: RunKey) -> list[RunRecord]:
        found = [run for run in self.runs.values() if run.parent == parent]
        return sorted(found, key=lambda run: run.parent_seq or 0)

    # --- changing

    def add_runs(
        self, namespace: str, runs: Iterable[RunRecord], *, is_retry: bool = False
    ) -> dict[RunKey, RunKey]:
        """Returns the runs whose id is taken, with the run that has it; in a retry, also those that exist."""
        existing: dict[RunKey, RunKey] = {}
        for run in runs:
            known = self.named(namespace, run.id)
            if run.key in self.runs:
                if is_retry:
                    existing[run.key] = run.key
            elif known is not None:
                existing[run.key] = known.key
            else:
                self.runs[run.key] = run
        return existing

    def change(self, key: RunKey, **values: Any) -> RunRecord:
        self.runs[key] = run = replace(self.runs[key], **values)
        if "waiting" in values:
            self.waits.pop(key, None)
        return run

    def set_wait(self, key: RunKey, wait: WaitDescription) -> None:
        self.change(key, waiting=wait.words)
        if wait.kind is not None:
            self.waits[key] = Wait(wait.kind, wait.name)

    def waits_for(self, key: RunKey, kind: WaitKind) -> bool:
        wait = self.waits.get(key)
        return wait is not None and wait.kind == kind

    def wake(self, key: RunKey, at: Instant) -> None:
        """Make the run due at `at`, or earlier if it was. A parked or paused run does not wake."""
        run = self.runs[key]
        is_delayed = run.status is RunStatus.PENDING and (run.wake_at is None or run.wake_at > at)
        if run.status in AWAKE and not is_delayed:
            self.change(key, wake_at=earlier(run.wake_at, at))

    def free(self, node: NodeId, now: Instant, setback: int) -> None:
        """The node is gone, and its runs are due at once. The next claim raises the epoch."""
        for run in self.owned(node):
            self.change(run.key, owner=None, wake_at=now, setbacks=run.setbacks + setback)

    def deliver(self, namespace: str, messages: Iterable[NewMessage], now: Instant) -> list[PostAnswer]:
        return [self._deliver(namespace, message, now) for message in messages]

    def _deliver(self, namespace: str, message: NewMessage, now: Instant) -> PostAnswer:
        run = self.run(namespace, message.run)
        if run is None:
            return PostResult.NO_SUCH_RUN
        for known in self.mail(run.key):
            if message.uid is not None and self.uids.get(known.id) == message.uid:
                same = (known.kind, known.name, known.payload)
                is_same = same == (message.kind, message.name, message.payload)
                return PostResult.POSTED if is_same else PostResult.UID_TAKEN
        if run.status.is_final:
            return PostResult.ENDED
        question = None
        if message.kind in SETTLEMENTS:
            placed = place_answer(self, message)
            if isinstance(placed, (PostResult, tuple)):
                return placed
            question = placed.number
            message = replace(message, name=placed.name)
            if question is not None:
                row = self.questions[run.key, question]
                self.questions[run.key, question] = row._replace(closed_at=now, is_answered=1)
        self.last_message += 1
        id = MessageId(self.last_message)
        self.messages[id] = MessageRecord(
            id,
            run.key,
            message.kind,
            message.name,
            message.payload,
            None,
            question,
            message.by,
            message.comment,
        )
        self.posted[id] = (message.by, now)
        if message.uid is not None:
            self.uids[id] = message.uid
        if not self.waits_for(run.key, WaitKind.TURN):
            self.wake(run.key, now)
        if message.kind in (MessageKind.CANCEL, MessageKind.TERMINATE) and not run.status.is_final:
            wake_at = earlier(self.runs[run.key].wake_at, just_before(run.created_at))
            self.change(run.key, wake_at=wake_at)
        return PostResult.POSTED

    def change_task(self, **values: Any) -> None:
        """Change the task that `run` and `seq` name, if there is one."""
        known = self.tasks.get((values["run"], values["seq"]))
        if known is not None:
            # Workers may have lost attempts that the node does not know of.
            attempt = max(known.attempt, values.pop("attempt", 0))
            self.tasks[known.run, known.seq] = replace(known, attempt=attempt, **values)

    def cancel_tasks(self, run: RunKey, now: Instant) -> None:
        for task in self.tasks_of(run):
            if not task.status.is_final:
                self.change_task(
                    run=run, seq=task.seq, status=TaskStatus.CANCELLED, due_at=None, finished_at=now
                )

    def clear_queue(self, run: RunKey) -> None:
        self.queue = {at: item for at, item in self.queue.items() if at[0] != run}

    def try_again(self, run: RunKey, seq: int) -> None:
        """Reset the task. Its attempts so far are forgiven, and the next one gets the next number."""
        task = self.tasks.get((run, seq))
        if task is not None:
            reset = {"output": None, "failure": None, "due_at": None, "started_at": None, "finished_at": None}
            again = replace(task, status=TaskStatus.PENDING, attempt=task.attempt + 1, lost=0, **reset)
            self.tasks[run, seq] = replace(again, forgiven=task.attempt)

    def take(self, run: RunKey, message: MessageId, position: int | None) -> None:
        """Mark a message of this run as taken. The id of another run's message changes nothing."""
        known = self.messages.get(message)
        if known is not None and known.run == run:
            self.messages[message] = replace(known, taken=position)

    def answer(self, run: RunKey, message: MessageId, answer: bytes) -> None:
        """The first answer to a message stands."""
        known = self.messages.get(message)
        if known is not None and known.run == run:
            self.answers.setdefault(message, answer)

    def collect(self, node: NodeId) -> list[RunKey]:
        """The runs of this node that got messages since it last asked. Only messages wake an owned run."""
        woken = [run.key for run in self.owned(node) if run.wake_at is not None]
        for key in woken:
            self.change(key, wake_at=None)
        return woken

    def claim(self, node: NodeId, run: RunRecord, now: Instant) -> Claimed:
        taken = self.change(
            run.key,
            owner=node,
            epoch=run.epoch + 1,
            status=RunStatus.RUNNING,
            failure=None,
            wake_at=None,
            waiting=None,
            started_at=run.started_at or now,
        )
        return Claimed(taken, run.status is RunStatus.PENDING)  # True if no node has had the run before


def just_before(at: Instant) -> Instant:
    return Instant(at - 1)


def new_task(row: NewTask, shared: SharedInput | None = None) -> TaskRecord:
    return TaskRecord(
        run=row.run,
        seq=row.seq,
        name=row.name,
        status=row.status,
        attempt=1,
        lost=0,
        forgiven=0,
        input=row.input,
        output=None,
        failure=None,
        heartbeat=None,
        due_at=None,
        created_at=row.created_at,
        started_at=None,
        finished_at=None,
        shared=shared,
    )


def ended_attempt(row: EndedAttempt) -> AttemptRecord:
    return AttemptRecord(
        run=row.run,
        seq=row.seq,
        attempt=row.attempt,
        status=row.status,
        failure=read_failure(row.failure),
        started_at=row.started_at,
        finished_at=row.finished_at,
        node=row.node,
        worker=row.worker,
        worker_url=row.worker_url,
    )


def insert(table: dict[K, V], key: K, value: V) -> None:
    if key in table:
        raise AlreadyThere(key)
    table[key] = value


def read_failure(json: bytes | None) -> Failure | None:
    return None if json is None else msgspec.json.decode(json, type=Failure)


def earlier(one: Instant | None, other: Instant | None) -> Instant | None:
    return min((at for at in (one, other) if at is not None), default=None)
