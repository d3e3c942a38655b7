"""Turns the lines of notebooks into operations with a beginning and an end, which checks can compare."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from tests.chaos.notebook import (
    Answered,
    Began,
    Died,
    Entry,
    Finished,
    Hurt,
    InDoubt,
    Invoked,
    Left,
    Marked,
    MarkedAttempt,
    Over,
    Recorded,
    RunAtEnd,
    Settled,
    Shown,
    ShownAttempt,
    Stranded,
    Ticked,
    TurnedDown,
    shown,
)

Fate: TypeAlias = Literal["ok", "fail", "unknown"]


@dataclass
class Operation:
    """A call of a client. If it took effect, it did so between its two times."""

    client: str
    action: str
    run: str
    value: Any
    began_at: float
    ended_at: float = math.inf
    """Infinite if the client was killed, or does not know the outcome."""
    gave_up_at: float = math.inf
    """When the client stopped waiting for an answer."""
    fate: Fate = "unknown"
    answer: Any = None
    error: str = ""

    def __str__(self) -> str:
        times = f"{self.began_at:.3f} to {self.ended_at:.3f}"
        what = f"{self.client} {self.action} {self.run} {self.value!r}"
        return f"{times}  {what}: {self.fate} {self.error or self.answer!r}"

    @property
    def may_have_happened(self) -> bool:
        return self.fate != "fail"


@dataclass
class Evidence:
    """Everything that is known about one chaos run."""

    operations: list[Operation] = field(default_factory=list[Operation])
    begun: list[Began] = field(default_factory=list[Began])
    finished: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    """Pairs of a process and a task that it has done."""
    recorded: dict[str, float] = field(default_factory=dict[str, float])
    """Tasks that the database had as done, and when this was first seen."""
    over: dict[str, float] = field(default_factory=dict[str, float])
    """Runs that the database had as ended for good, and when this was first seen."""
    runs: dict[str, RunAtEnd] = field(default_factory=dict[str, RunAtEnd])
    hurts: list[Hurt] = field(default_factory=list[Hurt])
    stranded: list[Stranded] = field(default_factory=list[Stranded])
    shown: set[ShownAttempt] = field(default_factory=set[ShownAttempt])
    """Attempts that the database had as begun, and on which node."""
    marked: dict[tuple[str, int], MarkedAttempt] = field(default_factory=dict[tuple[str, int], MarkedAttempt])
    """Attempts that did not succeed, by task and number."""
    ticked: list[Ticked] = field(default_factory=list[Ticked])
    left: list[Left] = field(default_factory=list[Left])
    died: list[Died] = field(default_factory=list[Died])
    settled: Settled | None = None

    def by_run(self, *actions: str) -> dict[str, list[Operation]]:
        """Operations of these kinds, by run, in the order in which they began."""
        found: dict[str, list[Operation]] = defaultdict(list)
        for operation in sorted(self.operations, key=lambda each: each.began_at):
            if operation.action in actions:
                found[operation.run].append(operation)
        return found

    def is_excused(self, began: Began) -> bool:
        """Whether its process or its node was frozen, and could not know what had happened since."""
        waking_up = _STARTING if began.node else _WAKING_UP
        return any(
            hurt.process in (began.process, began.node) and hurt.at <= began.at <= hurt.until + waking_up
            for hurt in self.hurts
            if hurt.fault in (FREEZE, FREEZE_BRIEFLY, FREEZE_TASK)
        )

    def peace(self, process: str, since: float, until: float) -> float:
        """For how many seconds of this time no fault hit that process, its place or the database."""
        seconds, at = 0.0, since
        struck = (process, process.rpartition(".")[0], *DATABASES)
        for hurt in sorted(self.hurts, key=lambda each: each.at):
            if hurt.whom in struck:
                seconds += max(0.0, min(hurt.at, until) - at)
                at = max(at, hurt.until + _RECOVERY)
        return seconds + max(0.0, until - at)


DATABASES = ("Postgres", "SQLite")
FREEZE = "SIGSTOP for longer than the lease"
FREEZE_BRIEFLY = "SIGSTOP for less than the lease"
_KILL = "kill -9"
"""The names of faults that kill a process begin so."""
_STARTED_BY_NODES = ("task of ", "worker of ", "keeper of ")
FREEZE_TASK = "SIGSTOP of a task's process"
_RECOVERY = 3.0
"""Seconds until the next look at a database that was down."""
_WAKING_UP = 0.5
"""Seconds. A process that goes on after SIGSTOP first does what it was about to do before."""
_STARTING = 2.0
"""The same in seconds, if it was about to start a process."""


def gather(entries: Iterable[Entry]) -> Evidence:
    evidence = Evidence()
    invoked: dict[tuple[str, int], Invoked] = {}
    ends: dict[tuple[str, int], Answered | TurnedDown | InDoubt] = {}
    for entry in entries:
        match entry:
            case Invoked():
                invoked[entry.client, entry.number] = entry
            case Answered() | TurnedDown() | InDoubt():
                ends[entry.client, entry.number] = entry
            case Began():
                evidence.begun.append(entry)
            case Finished():
                evidence.finished.add((entry.process, entry.task))
            case Recorded():
                for task in entry.tasks:
                    evidence.recorded[task] = min(entry.at, evidence.recorded.get(task, math.inf))
            case Over():
                for run in entry.runs:
                    evidence.over[run] = min(entry.at, evidence.over.get(run, math.inf))
            case RunAtEnd():
                evidence.runs[entry.run] = entry
            case Hurt():
                evidence.hurts.append(entry)
            case Stranded():
                evidence.stranded.append(entry)
            case Shown():
                evidence.shown.update(entry.attempts)
            case Marked():
                evidence.marked |= {(each.task, each.number): each for each in entry.attempts}
            case Ticked():
                evidence.ticked.append(entry)
            case Left():
                evidence.left.append(entry)
            case Died():
                evidence.died.append(entry)
            case Settled():
                evidence.settled = entry
    evidence.begun.sort(key=lambda each: each.at)
    for name, asked in invoked.items():
        evidence.operations += _each(_operation(asked, ends.get(name)))
    return evidence


def _operation(asked: Invoked, end: Answered | TurnedDown | InDoubt | None) -> Operation:
    operation = Operation(asked.client, asked.action, asked.run, asked.value, asked.at)
    match end:
        case Answered():
            operation.fate, operation.ended_at, operation.answer = "ok", end.at, end.value
        case TurnedDown():
            operation.fate, operation.ended_at, operation.error = "fail", end.at, end.error
        case InDoubt():
            # The operation has no end: it may take effect at any time from now on.
            operation.error, operation.gave_up_at = end.error, end.at
        case None:
            operation.error = "no answer"
    return operation


def _each(operation: Operation) -> list[Operation]:
    """A batch of starts becomes one start for each run."""
    if operation.action != "start_many":
        return [operation]
    asked = operation.value
    keys = operation.answer if operation.fate == "ok" else [None] * len(asked["ids"])
    return [
        Operation(
            operation.client,
            "start",
            id,
            {"workflow": asked["workflow"], "arguments": arguments},
            operation.began_at,
            operation.ended_at,
            operation.gave_up_at,
            operation.fate,
            key,
            operation.error,
        )
        for id, arguments, key in zip(asked["ids"], asked["arguments"], keys, strict=True)
    ]


def told(*items: Operation | Entry) -> str:
    """These items, one line each, for the report."""
    return "".join("\n      " + (str(item) if isinstance(item, Operation) else shown(item)) for item in items)


def is_death_of_a_node(hurt: Hurt) -> bool:
    """Whether a node was killed, or a client, and not a process that one of them had started."""
    return hurt.fault.startswith(_KILL) and bool(hurt.process) and not hurt.whom.startswith(_STARTED_BY_NODES)
