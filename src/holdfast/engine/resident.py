"""A run in memory: its program, and its attempts, timers and children that have not ended."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec

from holdfast.core.events import Event, MessageId
from holdfast.core.history import UnsettledTask
from holdfast.core.ids import id_at_start
from holdfast.core.policies import TaskOptions
from holdfast.core.program import Program
from holdfast.core.records import RunRecord
from holdfast.core.shared_inputs import SharedInput
from holdfast.core.values import Failure, Instant, Payload, RunKey, key_text
from holdfast.core.waiting import WaitKind, WaitReason, time_text
from holdfast.engine.alarms import Alarm
from holdfast.ports.executor import Attempt
from holdfast.ports.programs import StepOwner
from holdfast.ports.tracing import RunTrace


class Stage(Enum):
    """How far an attempt is. Only the engine changes it."""

    SCHEDULED = "scheduled"
    """The commit that records it is under way, and it must not start before."""
    WAITING = "waiting"
    """For a slot, or for the end of an earlier attempt at the same task."""
    RUNNING = "running"
    BACKING_OFF = "backing off"
    REMOTE = "remote"
    """In the store's queue, or taken from there by a worker. It stays there when the run changes its
    owner."""
    CLOSED = "closed"
    """Settled, cancelled, given up or lost. What its executor still reports is ignored."""


class LiveAttempt(Attempt, eq=False):
    """An attempt with the engine's own fields. A retry of the task is another LiveAttempt."""

    resident: Resident = None  # pyright: ignore[reportAssignmentType]  # always given; follows fields with defaults
    failures: int = 0
    """Earlier attempts that failed. Lost attempts are not the task's fault and do not count."""
    lost: int = 0
    stage: Stage = Stage.SCHEDULED
    may_start: bool = True
    """False while a commit must record its start first: the task was tried before, and may be what kills its
    nodes. A first attempt may start as soon as its task is recorded."""
    is_recorded_running: bool = False
    ready_at: Instant | None = None
    """Since when it could have started, if somebody measures that."""
    started_at: Instant | None = None
    heartbeat_at: Instant | None = None
    due_at: Instant | None = None
    alarms: list[Alarm] | None = None
    slots: Any = None
    """The dispatcher's field: the slots that it shares with others of its queue and executor. None before the
    dispatcher has looked for a slot, and once the executor has reported."""
    pending_failure: Failure | None = None
    """The failure to record when its executor reports its end, whatever the executor reports."""
    log: Any = None
    """The log buffer's field, from the first line on."""
    published: Any = None
    """The stream buffer's field, from the first item on."""


_EMPTY: dict[int, Any] = {}
_EMPTY_SET: set[int] = set()
"""Shared by all residents without timers and children, which are most of them. Never changed."""


class Resident:
    __slots__ = (
        "_run_id",
        "at",
        "attached",
        "attempts",
        "children",
        "deadline",
        "epoch",
        "events",
        "first_position",
        "held_back",
        "held_in_tick",
        "history_bytes",
        "is_begun",
        "is_gone",
        "is_wait_shown",
        "key",
        "pause",
        "pause_messages",
        "position",
        "program",
        "record",
        "terminated",
        "timers",
        "trace",
    )

    def __init__(self, record: RunRecord, program: Program) -> None:
        self.record = record
        self._run_id = id_at_start(record)
        self.key: RunKey = record.key
        self.epoch = record.epoch
        self.program = program
        self.position = 0
        """Of the next step in its journal."""
        self.first_position = 0
        """Of the first step of its chapter."""
        self.at = Instant(0)
        """The time of its last step."""
        self.is_begun = False
        """Whether its first step is recorded. The first call of `advance` may come without events."""
        self.is_gone = False
        """It leaves memory with the commit of this tick, or has left it. Nothing more is decided for it."""
        self.held_in_tick = 0
        """The last tick whose commit holds this run, so that each commit holds it once."""
        self.history_bytes = 0
        """About how large its history is: the longer, the more it costs to load the run again."""
        self.is_wait_shown = False
        """Its row says what it waits for, although it is in memory."""
        self.pause: WaitReason | None = None
        """Set while it is being paused: it begins nothing, and leaves memory when no attempt runs."""
        self.pause_messages: tuple[MessageId, ...] = ()
        """Those that asked for it."""
        self.events: list[Event] = []
        """What has happened to it and is not in its journal yet, in order."""
        self.attempts: dict[int, LiveAttempt] = {}
        self.held_back: dict[int, UnsettledTask] = _EMPTY
        """Tasks that a reopened run tries again when its program asks for each (`ResumeTask`)."""
        self.timers: dict[int, Alarm] = _EMPTY
        self.deadline: Alarm | None = None
        """Tells the run that its deadline has passed; later, ends a run that goes on all the same."""
        self.children: dict[int, RunKey] = _EMPTY
        self.attached: set[int] = _EMPTY_SET
        self.terminated: set[int] = _EMPTY_SET
        """Children that are terminated when it ends, not cancelled."""
        self.trace: RunTrace | None = None
        """To which belongs what it does now, from its first traced attempt on."""

    def new_attempt(
        self,
        seq: int,
        name: str,
        input: Payload,
        options: TaskOptions,
        *,
        number: int = 1,
        failures: int = 0,
        lost: int = 0,
        shared: SharedInput | None = None,
    ) -> LiveAttempt:
        record = self.record
        if record.priority:
            options = msgspec.structs.replace(options, priority=options.priority + record.priority)
        attempt = LiveAttempt(
            record.key,
            self._run_id,
            record.namespace,
            record.workflow,
            record.version,
            seq,
            name,
            input,
            options,
            number,
            shared=shared,
            resident=self,
            failures=failures,
            lost=lost,
        )
        if options.is_step and isinstance(self.program, StepOwner):
            attempt.body = self.program.step_body(seq)
        self.attempts[seq] = attempt
        return attempt

    def restore_attempt(self, task: UnsettledTask) -> LiveAttempt:
        """Add the attempt that the row of a task names: it was under way on another node, or is still to be
        made. Failures from before the run was opened again (`forgiven`) do not count."""
        record = task.record
        attempt = self.new_attempt(
            record.seq,
            record.name,
            record.input,
            task.options,
            number=record.attempt,
            failures=record.attempt - 1 - record.lost - record.forgiven,
            lost=record.lost,
            shared=record.shared,
        )
        attempt.heartbeat_details = record.heartbeat
        return attempt

    def add_timer(self, seq: int, alarm: Alarm) -> None:
        if self.timers is _EMPTY:
            self.timers = {}
        self.timers[seq] = alarm

    def add_child(self, seq: int, key: RunKey, *, is_attached: bool, is_terminated: bool = False) -> None:
        if self.children is _EMPTY:
            self.children, self.attached = {}, set()
        if is_terminated:
            self.terminated = {*self.terminated, seq}
        self.children[seq] = key
        if is_attached:
            self.attached.add(seq)

    @property
    def run_id(self) -> str:
        if self._run_id is None:
            self._run_id = key_text(self.key)
        return self._run_id

    @property
    def is_idle(self) -> bool:
        """Whether it only waits: for a timer, a message, a child, a worker or the end of a backoff."""
        if self.events or self.is_gone or not self.is_begun:
            return False
        for attempt in self.attempts.values():  # any() with a generator would double the cost of a tick
            if attempt.stage is not Stage.BACKING_OFF and attempt.stage is not Stage.REMOTE:
                return False
        return True

    @property
    def only_waits_for_slots(self) -> bool:
        """Whether it has nothing to do but wait for slots. Another node might begin its tasks sooner."""
        stages = {attempt.stage for attempt in self.attempts.values()}
        return stages == {Stage.WAITING} and self.is_begun and not (self.events or self.is_gone)

    @property
    def wake_at(self) -> Instant | None:
        """When the run must be in memory again, if it leaves now and nothing happens before."""
        due = self.next_due()
        if self.deadline is None:
            return due
        return self.deadline.due if due is None else min(due, self.deadline.due)

    def wait_reasons(self) -> list[WaitReason]:
        """What the run waits for: first what its program says, then its tasks, then the time."""
        reasons = self.program.waits()
        attempts = self.attempts.values()
        for attempt in attempts:
            if attempt.lost > 1:
                note = f"which was running when {attempt.lost} nodes died"
                reasons.append(WaitReason(WaitKind.RETRY, attempt.name, note))
            elif attempt.stage is Stage.BACKING_OFF:
                reasons.append(WaitReason(WaitKind.RETRY, attempt.name))
        for attempt in attempts:
            if attempt.stage is Stage.REMOTE:
                reasons.append(WaitReason(WaitKind.SERVICE, attempt.options.service or "", attempt.name))
        due = self.next_due()
        if due is not None:
            reasons.append(WaitReason(WaitKind.TIMER, time_text(due)))
        return reasons

    def next_due(self) -> Instant | None:
        """When its first timer or backoff ends."""
        dues = [alarm.due for alarm in self.timers.values()]
        dues += [attempt.due_at for attempt in self.attempts.values() if attempt.due_at is not None]
        return min(dues, default=None)
