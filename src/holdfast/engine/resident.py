"""A run in memory: its program, and what it has under way."""

from __future__ import annotations

from enum import Enum
from typing import Any

from holdfast.core.events import Event
from holdfast.core.history import UnsettledTask
from holdfast.core.program import Program
from holdfast.core.records import RunRecord
from holdfast.core.values import Failure, Instant, RunKey, key_text
from holdfast.engine.alarms import Alarm
from holdfast.ports.executor import Attempt


class Stage(Enum):
    """Where an attempt is. Only the engine moves it on."""

    SCHEDULED = "scheduled"
    """Asked for, but its commit is not done: nothing may happen yet."""
    QUEUED = "queued"
    RUNNING = "running"
    BACKING_OFF = "backing off"
    REMOTE = "remote"
    """In the queue, or with a worker who has taken it from there. The store has it, whoever owns the run."""
    CLOSED = "closed"
    """Settled, cancelled, given up or taken away: what is still reported of it is of no interest."""


class LiveAttempt(Attempt, eq=False):
    """An attempt with what the engine keeps of it. The next attempt of the same task is a new attempt."""

    resident: Resident = None  # pyright: ignore[reportAssignmentType]  # always given; follows fields with defaults
    failures: int = 0
    """Attempts before this one that failed. Lost ones are not the task's fault and do not count."""
    lost: int = 0
    stage: Stage = Stage.SCHEDULED
    is_recorded: bool = True
    """Unless it is, the store must know that it starts before it does: it was tried before, and may be
    what kills its nodes."""
    is_shown: bool = False
    started_at: Instant | None = None
    heartbeat_at: Instant | None = None
    due_at: Instant | None = None
    alarms: list[Alarm] | None = None
    slots: Any = None
    """The dispatcher's own; None once the executor has reported."""
    pending_failure: Failure | None = None
    """What it has failed with, as soon as it has ended, whatever it says then."""
    log: Any = None
    """The log book's own, once the attempt has said something."""


_NONE: dict[int, Any] = {}
_NOBODY: set[int] = set()
"""Shared by all residents that have no timers and no children: most of them, for most of their life."""


class Resident:
    __slots__ = (
        "_run_id",
        "at",
        "attached",
        "attempts",
        "children",
        "epoch",
        "events",
        "held_back",
        "held_in_tick",
        "is_begun",
        "is_gone",
        "key",
        "position",
        "program",
        "record",
        "timers",
    )

    def __init__(self, record: RunRecord, program: Program) -> None:
        self.record = record
        self._run_id = record.id
        self.key: RunKey = record.key
        self.epoch = record.epoch
        self.program = program
        self.position = 0
        """Of the next step in its journal."""
        self.at = Instant(0)
        """When it moved last."""
        self.is_begun = False
        """Whether `advance` was called in this life; the first call may come without events."""
        self.is_gone = False
        """The tick under way lets it go: nothing more is decided for it."""
        self.held_in_tick = 0
        """The last tick whose commit names this run, so that it is named once."""
        self.events: list[Event] = []
        """What has happened to it and is not journaled yet, in order."""
        self.attempts: dict[int, LiveAttempt] = {}
        self.held_back: dict[int, UnsettledTask] = _NONE
        """Tasks that are to be tried again, when the program says so."""
        self.timers: dict[int, Alarm] = _NONE
        self.children: dict[int, RunKey] = _NONE
        self.attached: set[int] = _NOBODY

    def add_timer(self, seq: int, alarm: Alarm) -> None:
        if self.timers is _NONE:
            self.timers = {}
        self.timers[seq] = alarm

    def add_child(self, seq: int, key: RunKey, *, is_attached: bool) -> None:
        if self.children is _NONE:
            self.children, self.attached = {}, set()
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
        """Nothing is to be done for it before something happens or some instant comes."""
        if self.events or self.is_gone or not self.is_begun:
            return False
        for attempt in self.attempts.values():  # a generator would double the cost of a tick
            if attempt.stage is not Stage.BACKING_OFF and attempt.stage is not Stage.REMOTE:
                return False
        return True

    def next_due(self) -> Instant | None:
        dues = [alarm.due for alarm in self.timers.values()]
        dues += [attempt.due_at for attempt in self.attempts.values() if attempt.due_at is not None]
        return min(dues, default=None)
