"""The engine's inbox: what has happened to attempts, runs and messages since the last tick, as typed facts.

The parts of the engine post facts at any time, and the next tick takes them by kind, in the order of the
two tuples below. That order decides races: an outcome that arrives together with a timeout counts as an
outcome. Fired timers, messages and ended children are events of one run: they are put into `Resident.events`,
and the run is marked as ready.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from holdfast.core.events import MessageId
from holdfast.core.remote import RemoteReport
from holdfast.core.values import Instant, Outcome
from holdfast.engine.resident import LiveAttempt, Resident


class AttemptEnded(msgspec.Struct):
    """An executor has reported an attempt."""

    attempt: LiveAttempt
    outcome: Outcome
    at: Instant


class WorkerReported(msgspec.Struct):
    """A worker has ended a task that it took from the queue."""

    attempt: LiveAttempt
    report: RemoteReport
    message: MessageId


class LimitExceeded(msgspec.Struct):
    """An attempt has run, waited or been silent for longer than its options allow."""

    attempt: LiveAttempt
    reason: str


class EndOverdue(msgspec.Struct):
    """An attempt was cancelled because of a timeout, and its executor has not reported its end for long."""

    attempt: LiveAttempt


class AttemptDue(msgspec.Struct):
    """An attempt is to be dispatched: its backoff is over, or its run has just been loaded."""

    attempt: LiveAttempt


class AttemptLost(msgspec.Struct):
    """The store has the attempt as dispatched or running, on a node that died or lost its lease."""

    attempt: LiveAttempt


class RunUnable(msgspec.Struct):
    """A run cannot go on with the code of this node."""

    resident: Resident
    error: Exception


class MessageStale(msgspec.Struct):
    """A message says nothing new, and only has to be marked as read."""

    resident: Resident
    message: MessageId


Fact: TypeAlias = (
    AttemptEnded
    | WorkerReported
    | LimitExceeded
    | EndOverdue
    | AttemptDue
    | AttemptLost
    | RunUnable
    | MessageStale
)

BEFORE_RUNS = (
    AttemptEnded,
    WorkerReported,
    LimitExceeded,
    EndOverdue,
    AttemptDue,
    AttemptLost,
    RunUnable,
)
"""Taken before runs are advanced, in this order."""
AFTER_RUNS = (MessageStale,)
"""Taken after runs were advanced."""


class EngineInbox:
    """Wakes the engine's loop, and keeps the facts for its next tick."""

    def __init__(self) -> None:
        self.wake_event = asyncio.Event()
        """What the loop waits for."""
        self._facts: dict[type[Fact], list[Fact]] = {kind: [] for kind in (*BEFORE_RUNS, *AFTER_RUNS)}

    def wake(self) -> None:
        """Have a tick, though there may be no fact for it."""
        self.wake_event.set()

    def post(self, fact: Fact) -> None:
        """Keep a fact until facts of its kind are taken, and see that there is a tick."""
        facts = self._facts[type(fact)]
        if not facts:
            self.wake_event.set()
        facts.append(fact)

    def post_within_tick(self, fact: Fact) -> None:
        """Keep a fact that the tick itself has found, such as an alarm that is due. The same tick takes the
        fact, so it need not wake the loop."""
        self._facts[type(fact)].append(fact)

    def take(self, kinds: tuple[type[Fact], ...]) -> Iterator[Fact]:
        for kind in kinds:
            facts = self._facts[kind]
            if facts:
                self._facts[kind] = []
                yield from facts
