"""What a tick writes of attempts: that they ended, are tried again, are to start, and what they have said."""

from __future__ import annotations

import msgspec

from holdfast.core.events import TaskEnded
from holdfast.core.policies import wait_after_loss
from holdfast.core.remote import LOST, RemoteReport
from holdfast.core.values import (
    Failed,
    Failure,
    Instant,
    NodeId,
    Outcome,
    Succeeded,
    TaskStatus,
    later,
    task_id,
)
from holdfast.engine.dispatcher import PATIENCE
from holdfast.engine.resident import Flight, Resident, Stage
from holdfast.engine.scene import Scene, new_flight
from holdfast.ports.store import Commit, EndedAttempt, Held, MovedTask, NewLog, QueuedTask, SettledTask

encode_failure = msgspec.json.Encoder().encode

_SELF_CANCELLED = Failure(
    type="asyncio.exceptions:CancelledError",
    message="the task raised CancelledError, though nobody cancelled it",
)


def hold(commit: Commit, resident: Resident) -> None:
    """Have the commit ask whether the run is still ours."""
    if resident.held_in != commit.tick:
        resident.held_in = commit.tick
        commit.held.append(Held(resident.key, resident.epoch))


class Attempts:
    def __init__(self, scene: Scene, commit: Commit, now: Instant) -> None:
        self._scene = scene
        self._commit = commit
        self._now = now
        self.dispatch: list[Flight] = []
        """To be started once the commit stands."""
        self.cancel: list[Flight] = []
        """To be ended then."""
        self.is_risky = False
        """One is to be started of a task that nodes have died with."""

    def settle(self, flight: Flight, outcome: Outcome, at: Instant) -> None:
        """An attempt has ended. Record it, or try again."""
        if flight.stage is Stage.CLOSED:
            return
        if flight.verdict is not None:
            self._fail(flight, flight.verdict, "timed_out", at)
        elif isinstance(outcome, Succeeded):
            if flight.worker:
                self._record_attempt(flight, None, "success", at)
            self._close(flight, TaskStatus.SUCCESS, outcome, at)
        elif isinstance(outcome, Failed):
            self._fail(flight, outcome.failure, "failed", at)
        else:
            # Nobody asked for it, or the flight would be closed: the task cancelled itself.
            self._fail(flight, _SELF_CANCELLED, "failed", at)

    def settle_remote(self, flight: Flight, report: RemoteReport) -> None:
        """A worker has ended a task that it took from the queue. Of those who lost it the store has told."""
        flight.lost += report.attempt - flight.number
        flight.number = report.attempt
        flight.worker, flight.started_at = report.worker, report.started_at
        if report.failure is not None and report.failure.type == LOST:
            # The store has given it up and recorded its attempts: as with `lose`, there is nothing to retry.
            self._close(flight, TaskStatus.FAILED, report.outcome, self._now)
            return
        self.settle(flight, report.outcome, self._now)

    def queue(self, flight: Flight, ready_at: Instant) -> None:
        """Let workers take it. No executor of this node has anything to do with it."""
        service = flight.options.service
        assert service is not None
        flight.stage = Stage.REMOTE
        row = QueuedTask(flight.run, flight.seq, service, flight.number, ready_at, self._now)
        self._commit.queued.append(row)

    def time_out(self, flight: Flight, why: str) -> None:
        """It took, waited or was silent for too long. The work itself is ended after the commit."""
        if flight.stage not in (Stage.QUEUED, Stage.RUNNING) or flight.verdict is not None:
            return
        failure = Failure(type="holdfast.errors:TaskTimedOut", message=f"task {flight.name!r} {why}")
        if flight.stage is Stage.RUNNING and flight.lane is not None and flight.lane.executor.ends_surely:
            # It has failed when it has ended: until then nothing may take its place, least of all the next
            # attempt at the same task.
            flight.verdict = failure
            self._scene.await_end(flight, later(self._now, PATIENCE))
            return
        self.end_work(flight)
        self._fail(flight, failure, "timed_out", self._now)

    def give_up(self, flight: Flight) -> None:
        """It should have ended long ago, and was not heard of."""
        if flight.stage is Stage.RUNNING and flight.verdict is not None:
            self._fail(flight, flight.verdict, "timed_out", self._now)

    def lose(self, flight: Flight, lost_allowed: int) -> None:
        """The node that ran this attempt died, as far as anyone can tell, before it ended."""
        self._record_attempt(flight, None, "lost", self._now)
        if flight.lost + 1 > lost_allowed:
            failure = Failure(
                type="holdfast.errors:TaskLost",
                message=f"task {flight.name!r} was running when its node died, {flight.lost + 1} times; "
                "it may be what kills the node, or workflow code that blocks it for longer than its lease",
                task=task_id(flight.run, flight.seq),
            )
            self._close(flight, TaskStatus.FAILED, Failed(failure), self._now)
        else:
            wait = wait_after_loss(flight.lost + 1, self._scene.dice)
            due = None if wait is None else later(self._now, wait)
            self._try_again(flight, due=due, failures=flight.failures, lost=flight.lost + 1)

    def dispatch_due(self, flight: Flight) -> None:
        """The time of an attempt has come that the store knows as pending.

        It is told before the attempt starts: one that takes its node down with it would else do so for ever.
        """
        if flight.stage is Stage.CLOSED:
            return
        if flight.options.service is not None:
            self.queue(flight, self._now)
            return
        flight.stage = Stage.SCHEDULED
        flight.due_at = None
        self.dispatch.append(flight)
        hold(self._commit, flight.resident)
        flight.is_told = self._scene.dispatcher.promise(flight)
        if flight.is_told:
            self._tell(flight)

    def tell(self, flight: Flight) -> None:
        """Its turn comes after a wait, and the store is to know of it before."""
        hold(self._commit, flight.resident)
        self._tell(flight)

    def _tell(self, flight: Flight) -> None:
        self.is_risky = self.is_risky or flight.lost > 0
        self.move(flight, TaskStatus.DISPATCHED, None)

    def _fail(self, flight: Flight, failure: Failure, status: str, at: Instant) -> None:
        failures = flight.failures + 1
        self._record_attempt(flight, failure, status, at)
        delay = flight.options.retry.delay_after(failures, failure, self._scene.dice)
        if delay is None:
            named = msgspec.structs.replace(failure, task=task_id(flight.run, flight.seq))
            self._close(flight, TaskStatus.FAILED, Failed(named), at)
        else:
            self._try_again(flight, due=later(self._now, delay), failures=failures, lost=flight.lost)

    def write_log(self, flight: Flight, *, is_over: bool) -> None:
        """What it has said since this was done last."""
        lines = flight.log.take(is_over=is_over)
        if lines is not None:
            hold(self._commit, flight.resident)
            self._commit.logs.append(NewLog(flight.run, flight.seq, flight.number, lines))

    def _record_attempt(self, flight: Flight, failure: Failure | None, status: str, at: Instant) -> None:
        encoded = None if failure is None else encode_failure(failure)
        self._commit.attempts.append(
            EndedAttempt(
                flight.run,
                flight.seq,
                flight.number,
                status,
                encoded,
                flight.started_at,
                at,
                # Which node died is not known any more: its row is gone, and its runs have other owners.
                NodeId("") if status == "lost" else self._scene.node,
                flight.worker,
            )
        )
        hold(self._commit, flight.resident)

    def _try_again(self, flight: Flight, *, due: Instant | None, failures: int, lost: int) -> None:
        resident = flight.resident
        self.retire(flight)
        again = new_flight(
            resident,
            flight.seq,
            flight.name,
            flight.input,
            flight.options,
            number=flight.number + 1,
            failures=failures,
            lost=lost,
        )
        again.heartbeat_details = flight.heartbeat_details
        if flight.options.service is not None:
            self.queue(again, self._now if due is None else due)
            self.move(again, TaskStatus.PENDING, None)
            return
        if due is not None:
            self._scene.back_off(again, due)
            self._scene.wake(resident)  # not to move, but to be seen to only wait: it may leave memory
            self.move(again, TaskStatus.PENDING, None)
            return
        self.dispatch.append(again)
        again.is_told = self._scene.dispatcher.promise(again)
        if again.is_told:
            self._tell(again)
        else:
            self.move(again, TaskStatus.PENDING, None)

    def _close(self, flight: Flight, status: TaskStatus, outcome: Outcome, at: Instant) -> None:
        resident = flight.resident
        hold(self._commit, resident)
        self.retire(flight)
        del resident.flights[flight.seq]
        self.settle_row(flight, status, outcome, at)
        resident.events.append(TaskEnded(flight.seq, outcome))
        self._scene.wake(resident)

    def settle_row(self, flight: Flight, status: TaskStatus, outcome: Outcome, at: Instant) -> None:
        output = outcome.payload if isinstance(outcome, Succeeded) else None
        failure = encode_failure(outcome.failure) if isinstance(outcome, Failed) else None
        self._commit.settled.append(
            SettledTask(flight.run, flight.seq, status, flight.number, output, failure, flight.started_at, at)
        )

    def retire(self, flight: Flight) -> None:
        flight.stage = Stage.CLOSED
        flight.due_at = None
        if flight.log is not None:
            self.write_log(flight, is_over=True)
        if flight.alarms is not None:
            for alarm in flight.alarms:
                alarm.call_off()

    def end_work(self, flight: Flight) -> None:
        if flight.stage is Stage.RUNNING:
            self.cancel.append(flight)

    def show(self, flight: Flight) -> None:
        """It has been running long enough for someone to look."""
        flight.is_shown = True
        hold(self._commit, flight.resident)
        self.move(flight, TaskStatus.RUNNING, flight.started_at)

    def move(self, flight: Flight, status: TaskStatus, started_at: Instant | None) -> None:
        self._commit.moved.append(
            MovedTask(
                flight.run,
                flight.seq,
                status,
                flight.number,
                flight.lost,
                flight.heartbeat_details,
                flight.due_at,
                started_at,
            )
        )
