"""What the parts of one engine share, and the few things that more than one of them does."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from holdfast.core.events import TimerFired
from holdfast.core.history import UnsettledTask
from holdfast.core.policies import TaskOptions
from holdfast.core.values import Instant, NodeId, Payload, RunKey
from holdfast.engine.alarms import Alarms
from holdfast.engine.attempt_timers import AttemptTimers
from holdfast.engine.dispatcher import Dispatcher
from holdfast.engine.resident import LiveAttempt, Resident, Stage
from holdfast.engine.run_scope import RunScope
from holdfast.ports.programs import Programs


class EngineContext:
    """What every tick of one engine works with."""

    def __init__(
        self,
        namespace: str,
        node: NodeId,
        programs: Programs,
        dispatcher: Dispatcher,
        alarms: Alarms,
        timers: AttemptTimers,
        dice: Random,
        new_key: Callable[[Instant], RunKey],
        mark_ready: Callable[[Resident], None],
        scope: RunScope | None,
        max_depth: int,
    ) -> None:
        self.namespace = namespace
        self.node = node
        self.programs = programs
        self.dispatcher = dispatcher
        self.alarms = alarms
        self.timers = timers
        self.dice = dice
        self.new_key = new_key
        self.mark_ready = mark_ready
        """Has a resident advanced in the next tick."""
        self.scope = scope
        self.max_depth = max_depth
        """How many runs may be above a run in its family."""
        self.overdue: list[LiveAttempt] = []
        """Attempts that were to be ended, and whose end was not heard of for long."""
        self.due: list[LiveAttempt] = []
        """Attempts that the next tick is to dispatch: their backoff is over, or their run was taken up."""

    def add_child(self, resident: Resident, seq: int, child: RunKey, *, is_attached: bool) -> None:
        resident.add_child(seq, child, is_attached=is_attached)
        if self.scope is not None:
            self.scope.add([child])

    def start_timer(self, resident: Resident, seq: int, due: Instant) -> None:
        def fire() -> None:
            del resident.timers[seq]
            resident.events.append(TimerFired(seq))
            self.mark_ready(resident)

        resident.add_timer(seq, self.alarms.set(due, fire))

    def await_end(self, attempt: LiveAttempt, at_most: Instant) -> None:
        """End an attempt, and see that it is heard of."""
        attempt.alarms = [
            *(attempt.alarms or ()),
            self.alarms.set(at_most, lambda: self.overdue.append(attempt)),
        ]
        self.dispatcher.cancel(attempt)

    def back_off(self, attempt: LiveAttempt, due: Instant) -> None:
        attempt.stage = Stage.BACKING_OFF
        attempt.due_at = due
        attempt.alarms = [self.alarms.set(due, lambda: self.due.append(attempt))]


def next_attempt(resident: Resident, task: UnsettledTask) -> LiveAttempt:
    """The next attempt at a task that was asked for before this node had its run."""
    record = task.record
    attempt = new_attempt(
        resident,
        record.seq,
        record.name,
        record.input,
        task.options,
        number=record.attempt,
        failures=record.attempt - 1 - record.lost - record.forgiven,
        lost=record.lost,
    )
    attempt.heartbeat_details = record.heartbeat
    return attempt


def new_attempt(
    resident: Resident,
    seq: int,
    name: str,
    input: Payload,
    options: TaskOptions,
    *,
    number: int = 1,
    failures: int = 0,
    lost: int = 0,
) -> LiveAttempt:
    record = resident.record
    attempt = LiveAttempt(
        record.key,
        record.id,
        record.namespace,
        record.workflow,
        record.version,
        seq,
        name,
        input,
        options,
        number,
        resident=resident,
        failures=failures,
        lost=lost,
    )
    resident.attempts[seq] = attempt
    return attempt
