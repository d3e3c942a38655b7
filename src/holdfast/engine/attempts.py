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
from holdfast.engine.dispatcher import END_TIMEOUT
from holdfast.engine.engine_context import EngineContext, new_attempt
from holdfast.engine.resident import LiveAttempt, Resident, Stage
from holdfast.ports.store import Commit, EndedAttempt, Held, MovedTask, NewLog, QueuedTask, SettledTask

encode_failure = msgspec.json.Encoder().encode

_SELF_CANCELLED = Failure(
    type="asyncio.exceptions:CancelledError",
    message="the task raised CancelledError, though nobody cancelled it",
)


def hold(commit: Commit, resident: Resident) -> None:
    """Have the commit ask whether the run is still ours."""
    if resident.held_in_tick != commit.tick:
        resident.held_in_tick = commit.tick
        commit.held.append(Held(resident.key, resident.epoch))


class Attempts:
    def __init__(self, context: EngineContext, commit: Commit, now: Instant) -> None:
        self._context = context
        self._commit = commit
        self._now = now
        self.to_dispatch: list[LiveAttempt] = []
        """To be started once the commit stands."""
        self.to_cancel: list[LiveAttempt] = []
        """To be ended then."""
        self.is_risky = False
        """One is to be started of a task that nodes have died with."""

    def settle(self, attempt: LiveAttempt, outcome: Outcome, at: Instant) -> None:
        """An attempt has ended. Record it, or try again."""
        if attempt.stage is Stage.CLOSED:
            return
        if attempt.pending_failure is not None:
            self._fail(attempt, attempt.pending_failure, "timed_out", at)
        elif isinstance(outcome, Succeeded):
            if attempt.worker:
                self._record_attempt(attempt, None, "success", at)
            self._close(attempt, TaskStatus.SUCCESS, outcome, at)
        elif isinstance(outcome, Failed):
            self._fail(attempt, outcome.failure, "failed", at)
        else:
            # Nobody asked for it, or the attempt would be closed: the task cancelled itself.
            self._fail(attempt, _SELF_CANCELLED, "failed", at)

    def settle_remote(self, attempt: LiveAttempt, report: RemoteReport) -> None:
        """A worker has ended a task that it took from the queue. Of those who lost it the store has told."""
        attempt.lost += report.attempt - attempt.number
        attempt.number = report.attempt
        attempt.worker, attempt.started_at = report.worker, report.started_at
        if report.failure is not None and report.failure.type == LOST:
            # The store has given it up and recorded its attempts: as with `lose`, there is nothing to retry.
            self._close(attempt, TaskStatus.FAILED, report.outcome, self._now)
            return
        self.settle(attempt, report.outcome, self._now)

    def enqueue(self, attempt: LiveAttempt, ready_at: Instant) -> None:
        """Let workers take it. No executor of this node has anything to do with it."""
        service = attempt.options.service
        assert service is not None
        attempt.stage = Stage.REMOTE
        row = QueuedTask(attempt.run, attempt.seq, service, attempt.number, ready_at, self._now)
        self._commit.queued.append(row)

    def time_out(self, attempt: LiveAttempt, why: str) -> None:
        """It took, waited or was silent for too long. The work itself is ended after the commit."""
        if attempt.stage not in (Stage.QUEUED, Stage.RUNNING) or attempt.pending_failure is not None:
            return
        failure = Failure(type="holdfast.errors:TaskTimedOut", message=f"task {attempt.name!r} {why}")
        if (
            attempt.stage is Stage.RUNNING
            and attempt.slots is not None
            and attempt.slots.executor.ends_surely
        ):
            # It has failed when it has ended: until then nothing may take its place, least of all the next
            # attempt at the same task.
            attempt.pending_failure = failure
            self._context.await_end(attempt, later(self._now, END_TIMEOUT))
            return
        self.cancel_work(attempt)
        self._fail(attempt, failure, "timed_out", self._now)

    def fail_overdue(self, attempt: LiveAttempt) -> None:
        """It should have ended long ago, and was not heard of."""
        if attempt.stage is Stage.RUNNING and attempt.pending_failure is not None:
            self._fail(attempt, attempt.pending_failure, "timed_out", self._now)

    def lose(self, attempt: LiveAttempt, lost_allowed: int) -> None:
        """The node that ran this attempt died, as far as anyone can tell, before it ended."""
        self._record_attempt(attempt, None, "lost", self._now)
        if attempt.lost + 1 > lost_allowed:
            failure = Failure(
                type="holdfast.errors:TaskLost",
                message=f"task {attempt.name!r} was running when its node died, {attempt.lost + 1} times; "
                "it may be what kills the node, or workflow code that blocks it for longer than its lease",
                task=task_id(attempt.run, attempt.seq),
            )
            self._close(attempt, TaskStatus.FAILED, Failed(failure), self._now)
        else:
            wait = wait_after_loss(attempt.lost + 1, self._context.dice)
            due = None if wait is None else later(self._now, wait)
            self._try_again(attempt, due=due, failures=attempt.failures, lost=attempt.lost + 1)

    def dispatch_due(self, attempt: LiveAttempt) -> None:
        """The time of an attempt has come that the store knows as pending.

        It is told before the attempt starts: one that takes its node down with it would else do so for ever.
        """
        if attempt.stage is Stage.CLOSED:
            return
        if attempt.options.service is not None:
            self.enqueue(attempt, self._now)
            return
        attempt.stage = Stage.SCHEDULED
        attempt.due_at = None
        self.to_dispatch.append(attempt)
        hold(self._commit, attempt.resident)
        attempt.is_recorded = self._context.dispatcher.reserve(attempt)
        if attempt.is_recorded:
            self._record_start(attempt)

    def record_start(self, attempt: LiveAttempt) -> None:
        """Its turn comes after a wait, and the store is to know of it before."""
        hold(self._commit, attempt.resident)
        self._record_start(attempt)

    def _record_start(self, attempt: LiveAttempt) -> None:
        self.is_risky = self.is_risky or attempt.lost > 0
        self.move(attempt, TaskStatus.DISPATCHED, None)

    def _fail(self, attempt: LiveAttempt, failure: Failure, status: str, at: Instant) -> None:
        failures = attempt.failures + 1
        self._record_attempt(attempt, failure, status, at)
        delay = attempt.options.retry.delay_after(failures, failure, self._context.dice)
        if delay is None:
            named = msgspec.structs.replace(failure, task=task_id(attempt.run, attempt.seq))
            self._close(attempt, TaskStatus.FAILED, Failed(named), at)
        else:
            self._try_again(attempt, due=later(self._now, delay), failures=failures, lost=attempt.lost)

    def write_log(self, attempt: LiveAttempt, *, is_over: bool) -> None:
        """What it has said since this was done last."""
        lines = attempt.log.take(is_over=is_over)
        if lines is not None:
            hold(self._commit, attempt.resident)
            self._commit.logs.append(NewLog(attempt.run, attempt.seq, attempt.number, lines))

    def _record_attempt(
        self, attempt: LiveAttempt, failure: Failure | None, status: str, at: Instant
    ) -> None:
        encoded = None if failure is None else encode_failure(failure)
        self._commit.attempts.append(
            EndedAttempt(
                attempt.run,
                attempt.seq,
                attempt.number,
                status,
                encoded,
                attempt.started_at,
                at,
                # Which node died is not known any more: its row is gone, and its runs have other owners.
                NodeId("") if status == "lost" else self._context.node,
                attempt.worker,
                attempt.worker_url,
            )
        )
        hold(self._commit, attempt.resident)

    def _try_again(self, attempt: LiveAttempt, *, due: Instant | None, failures: int, lost: int) -> None:
        resident = attempt.resident
        self.retire(attempt)
        again = new_attempt(
            resident,
            attempt.seq,
            attempt.name,
            attempt.input,
            attempt.options,
            number=attempt.number + 1,
            failures=failures,
            lost=lost,
        )
        again.heartbeat_details = attempt.heartbeat_details
        if attempt.options.service is not None:
            self.enqueue(again, self._now if due is None else due)
            self.move(again, TaskStatus.PENDING, None)
            return
        if due is not None:
            self._context.back_off(again, due)
            # The next tick sees that the run is idle now, and may leave memory.
            self._context.mark_ready(resident)
            self.move(again, TaskStatus.PENDING, None)
            return
        self.to_dispatch.append(again)
        again.is_recorded = self._context.dispatcher.reserve(again)
        if again.is_recorded:
            self._record_start(again)
        else:
            self.move(again, TaskStatus.PENDING, None)

    def _close(self, attempt: LiveAttempt, status: TaskStatus, outcome: Outcome, at: Instant) -> None:
        resident = attempt.resident
        hold(self._commit, resident)
        self.retire(attempt)
        del resident.attempts[attempt.seq]
        self.settle_row(attempt, status, outcome, at)
        resident.events.append(TaskEnded(attempt.seq, outcome))
        self._context.mark_ready(resident)

    def settle_row(self, attempt: LiveAttempt, status: TaskStatus, outcome: Outcome, at: Instant) -> None:
        output = outcome.payload if isinstance(outcome, Succeeded) else None
        failure = encode_failure(outcome.failure) if isinstance(outcome, Failed) else None
        self._commit.settled.append(
            SettledTask(
                attempt.run, attempt.seq, status, attempt.number, output, failure, attempt.started_at, at
            )
        )

    def retire(self, attempt: LiveAttempt) -> None:
        attempt.stage = Stage.CLOSED
        attempt.due_at = None
        if attempt.log is not None:
            self.write_log(attempt, is_over=True)
        if attempt.alarms is not None:
            for alarm in attempt.alarms:
                alarm.cancel()

    def cancel_work(self, attempt: LiveAttempt) -> None:
        if attempt.stage is Stage.RUNNING:
            self.to_cancel.append(attempt)

    def show(self, attempt: LiveAttempt) -> None:
        """It has been running long enough for someone to look."""
        attempt.is_shown = True
        hold(self._commit, attempt.resident)
        self.move(attempt, TaskStatus.RUNNING, attempt.started_at)

    def move(self, attempt: LiveAttempt, status: TaskStatus, started_at: Instant | None) -> None:
        self._commit.moved.append(
            MovedTask(
                attempt.run,
                attempt.seq,
                status,
                attempt.number,
                attempt.lost,
                attempt.heartbeat_details,
                attempt.due_at,
                started_at,
            )
        )
