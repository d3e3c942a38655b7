"""What the parts of one engine share, and the few things that more than one of them does."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from holdfast.core.events import TimerFired
from holdfast.core.history import OpenTask
from holdfast.core.policies import TaskOptions
from holdfast.core.values import Instant, NodeId, Payload, RunKey
from holdfast.engine.alarms import Alarms
from holdfast.engine.dispatcher import Dispatcher
from holdfast.engine.family import Family
from holdfast.engine.resident import Flight, Resident, Stage
from holdfast.engine.watch import Watch
from holdfast.ports.programs import Programs


class Scene:
    """What every tick of one engine works with."""

    def __init__(
        self,
        namespace: str,
        node: NodeId,
        programs: Programs,
        dispatcher: Dispatcher,
        alarms: Alarms,
        watch: Watch,
        dice: Random,
        new_key: Callable[[Instant], RunKey],
        wake: Callable[[Resident], None],
        family: Family | None,
        max_depth: int,
    ) -> None:
        self.namespace = namespace
        self.node = node
        self.programs = programs
        self.dispatcher = dispatcher
        self.alarms = alarms
        self.watch = watch
        self.dice = dice
        self.new_key = new_key
        self.wake = wake
        """Has a resident advanced in the next tick."""
        self.family = family
        self.max_depth = max_depth
        """How many runs may be above a run in its family."""
        self.overdue: list[Flight] = []
        """Attempts that were to be ended, and whose end was not heard of for long."""
        self.due: list[Flight] = []
        """Attempts that the next tick is to dispatch: their backoff is over, or their run was taken up."""

    def add_child(self, resident: Resident, seq: int, child: RunKey, *, is_attached: bool) -> None:
        resident.add_child(seq, child, is_attached=is_attached)
        if self.family is not None:
            self.family.add([child])

    def start_timer(self, resident: Resident, seq: int, due: Instant) -> None:
        def fire() -> None:
            del resident.timers[seq]
            resident.events.append(TimerFired(seq))
            self.wake(resident)

        resident.add_timer(seq, self.alarms.set(due, fire))

    def await_end(self, flight: Flight, at_most: Instant) -> None:
        """End an attempt, and see that it is heard of."""
        flight.alarms = [
            *(flight.alarms or ()),
            self.alarms.set(at_most, lambda: self.overdue.append(flight)),
        ]
        self.dispatcher.cancel(flight)

    def back_off(self, flight: Flight, due: Instant) -> None:
        flight.stage = Stage.BACKING_OFF
        flight.due_at = due
        flight.alarms = [self.alarms.set(due, lambda: self.due.append(flight))]


def flight_again(resident: Resident, task: OpenTask) -> Flight:
    """The next attempt at a task that was asked for before this node had its run."""
    record = task.record
    flight = new_flight(
        resident,
        record.seq,
        record.name,
        record.input,
        task.options,
        number=record.attempt,
        failures=record.attempt - 1 - record.lost - record.forgiven,
        lost=record.lost,
    )
    flight.heartbeat_details = record.heartbeat
    return flight


def new_flight(
    resident: Resident,
    seq: int,
    name: str,
    input: Payload,
    options: TaskOptions,
    *,
    number: int = 1,
    failures: int = 0,
    lost: int = 0,
) -> Flight:
    record = resident.record
    flight = Flight(
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
    resident.flights[seq] = flight
    return flight
