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
from holdfast.core.records import MessageRecord
from holdfast.core.remote import RemoteReport
from holdfast.core.values import Instant, Outcome, RunKey, Succeeded
from holdfast.engine.resident import LiveAttempt, Resident
from holdfast.engine.tick_budget import FactBudget


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


class OperatorActed(msgspec.Struct):
    """An operator wants the run to be terminated or paused, or its backoffs to end."""

    resident: Resident
    message: MessageRecord


class RunUnable(msgspec.Struct):
    """A run cannot go on with the code of this node."""

    resident: Resident
    error: BaseException


class RunOverdue(msgspec.Struct):
    """A run goes on, though its deadline has passed and it has had time to clean up."""

    resident: Resident
    deadline: Instant


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
    | OperatorActed
    | RunUnable
    | RunOverdue
    | MessageStale
)

BEFORE_RUNS = (
    AttemptEnded,
    WorkerReported,
    LimitExceeded,
    EndOverdue,
    AttemptDue,
    AttemptLost,
    OperatorActed,
    RunUnable,
    RunOverdue,
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
        self.result_bytes = 0
        """The size of the results that wait to be recorded."""
        self.behind: set[Resident] = set()
        """Runs whose facts the last tick has left. They must not leave memory."""

    @property
    def is_empty(self) -> bool:
        return not any(self._facts.values())

    def wake(self) -> None:
        """Have a tick, though there may be no fact for it."""
        self.wake_event.set()

    def post(self, fact: Fact) -> None:
        """Keep a fact until facts of its kind are taken, and see that there is a tick."""
        facts = self._facts[type(fact)]
        if not facts:
            self.wake_event.set()
        facts.append(fact)
        if type(fact) is AttemptEnded and type(fact.outcome) is Succeeded:
            self.result_bytes += len(fact.outcome.payload)

    def post_within_tick(self, fact: Fact) -> None:
        """Keep a fact that the tick itself has found, such as an alarm that is due. The same tick takes the
        fact, so it need not wake the loop."""
        self._facts[type(fact)].append(fact)

    def take(self, kinds: tuple[type[Fact], ...], budget: FactBudget | None = None) -> Iterator[Fact]:
        """Take the facts of these kinds, or as many as the budget allows; the next tick takes the others.

        The order of the facts of one run decides its races. So if a fact of a run is left, all that follow it
        are left too, of later kinds as well.
        """
        is_over = False
        if budget is not None:
            self.behind = set()
        for kind in kinds:
            facts = self._facts[kind]
            if not facts:
                continue
            self._facts[kind] = []
            if kind is AttemptEnded and (
                budget is None or budget.has_room_for(len(facts), self.result_bytes)
            ):
                # The quick way, which nearly every tick takes.
                self.result_bytes = 0
                yield from facts
                continue
            left: list[Fact] = []
            for fact in facts:
                run = _resident_of(fact).key
                if budget is not None:
                    is_over = is_over or budget.is_spent()
                    if is_over or run in budget.blocked:
                        left.append(fact)
                        continue
                if type(fact) is AttemptEnded:
                    self.result_bytes -= _size(fact)
                yield fact
                if budget is not None:
                    budget.charge(run)
            if left and budget is not None:
                self._leave(kind, left, budget.blocked)

    def _leave(self, kind: type[Fact], left: list[Fact], blocked: set[RunKey]) -> None:
        """Keep facts for the next tick. Those of runs that have had their share come last."""
        if blocked:
            left.sort(key=lambda fact: _resident_of(fact).key in blocked)  # keeps the order of equals
        self.behind.update(map(_resident_of, left))
        self._facts[kind] = left + self._facts[kind]
        self.wake()


def _resident_of(fact: Fact) -> Resident:
    return fact.resident if isinstance(fact, _OF_RUNS) else fact.attempt.resident


_OF_RUNS = (OperatorActed, RunUnable, RunOverdue, MessageStale)


def _size(fact: AttemptEnded) -> int:
    return len(fact.outcome.payload) if type(fact.outcome) is Succeeded else 0
