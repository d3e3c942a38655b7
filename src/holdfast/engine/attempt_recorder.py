"""What a tick decides about attempts, as rows of its commit: ends, retries, starts and log lines."""

from __future__ import annotations

from random import Random

import msgspec

from holdfast.core.events import TaskEnded
from holdfast.core.failures import failure_of
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
from holdfast.engine.attempt_timers import AttemptTimers
from holdfast.engine.dispatcher import END_TIMEOUT, Dispatcher
from holdfast.engine.failure_log import FailedAttempt
from holdfast.engine.resident import LiveAttempt, Resident, Stage
from holdfast.engine.residents import Residents
from holdfast.errors import TaskTimedOut
from holdfast.ports.commits import (
    Commit,
    EndedAttempt,
    Held,
    MovedTask,
    NewItems,
    NewLog,
    QueuedTask,
    SettledTask,
)

encode_failure = msgspec.json.Encoder().encode

_SELF_CANCELLED = Failure(
    type="asyncio.exceptions:CancelledError",
    message="the task raised CancelledError, though nobody cancelled it",
)


def hold(commit: Commit, resident: Resident) -> None:
    """Have the commit check that the run still belongs to this node."""
    if resident.held_in_tick != commit.tick:
        resident.held_in_tick = commit.tick
        commit.held.append(Held(resident.key, resident.epoch))


class AttemptRecorder:
    def __init__(
        self,
        commit: Commit,
        *,
        residents: Residents,
        dispatcher: Dispatcher,
        attempt_timers: AttemptTimers,
        dice: Random,
        is_measured: bool,
    ) -> None:
        self._commit = commit
        self._now = commit.now
        self._residents = residents
        self._dispatcher = dispatcher
        self._attempt_timers = attempt_timers
        self._dice = dice
        self.unplaced: list[LiveAttempt] = []
        """Attempts at known tasks that need a slot. `Tick.place_tasks` gives them slots by priority."""
        self.to_dispatch: list[LiveAttempt] = []
        """Attempts to start once the commit stands."""
        self.to_cancel: list[LiveAttempt] = []
        """Running attempts to cancel once the commit stands."""
        self.is_risky = False
        """An attempt is to start whose task was running when other nodes died."""
        self.ended: list[LiveAttempt] | None = [] if is_measured else None
        """The last attempts at the tasks that are settled, in the order of their rows. None: nobody asks."""
        self.retried: list[LiveAttempt] = []
        """Attempts that are to be made because another was in vain."""
        self.failed: list[FailedAttempt] = []
        """Attempts that have ended their tasks, and why."""
        self.failed_once: list[FailedAttempt] = []
        """Attempts that have failed, and are made again."""
        self.reported: list[tuple[LiveAttempt, Outcome]] = []
        """Attempts that workers have made which took them from the queue."""

    def conclude(self, attempt: LiveAttempt, outcome: Outcome, at: Instant) -> None:
        """An attempt has ended: try again, or settle its task."""
        if attempt.stage is Stage.CLOSED:
            return
        if attempt.pending_failure is not None:
            self._fail(attempt, attempt.pending_failure, "timed_out", at)
        elif isinstance(outcome, Succeeded):
            if attempt.worker:
                self._record_attempt(attempt, None, "success", at)
            self._settle(attempt, TaskStatus.SUCCESS, outcome, at)
        elif isinstance(outcome, Failed):
            self._fail(attempt, outcome.failure, "failed", at)
        else:
            # A cancelled attempt would be closed, so the task has raised CancelledError by itself.
            self._fail(attempt, _SELF_CANCELLED, "failed", at)

    def conclude_remote(self, attempt: LiveAttempt, report: RemoteReport) -> None:
        """A worker has ended a task that it took from the queue. The report counts the attempts that other
        workers have lost."""
        attempt.lost += report.attempt - attempt.number
        attempt.number = report.attempt
        attempt.worker, attempt.started_at = report.worker, report.started_at
        self.reported.append((attempt, report.outcome))
        if report.failure is not None and report.failure.type == LOST:
            # The store has recorded the lost attempts, and there were too many: there is no retry.
            self.failed.append(FailedAttempt(attempt, report.failure, None))
            self._settle(attempt, TaskStatus.FAILED, report.outcome, self._now)
            return
        self.conclude(attempt, report.outcome, self._now)

    def offer_to_workers(self, attempt: LiveAttempt, ready_at: Instant) -> None:
        """Let workers take the attempt from the store's queue. It needs no executor of this node."""
        service = attempt.options.service
        assert service is not None
        attempt.stage = Stage.REMOTE
        row = QueuedTask(attempt.run, attempt.seq, service, attempt.number, ready_at, self._now)
        self._commit.queued.append(row)

    def time_out(self, attempt: LiveAttempt, reason: str) -> None:
        """The attempt has run, waited or been silent for too long.

        If its executor promises that cancelled attempts end, the attempt is cancelled at once, before the
        commit, and its failure is recorded when it has ended. Otherwise the failure is recorded now, and the
        attempt is cancelled after the commit.
        """
        if attempt.stage not in (Stage.WAITING, Stage.RUNNING) or attempt.pending_failure is not None:
            return
        failure = failure_of(TaskTimedOut, f"task {attempt.name!r} {reason}")
        slots = attempt.slots if attempt.stage is Stage.RUNNING else None
        if slots is not None and slots.executor.ends_surely:
            # Until it has ended, nothing may run in its place, least of all the next attempt at its task.
            attempt.pending_failure = failure
            self._attempt_timers.expect_end(attempt, later(self._now, END_TIMEOUT))
            self._dispatcher.cancel(attempt)
            return
        self.cancel_work(attempt)
        self._fail(attempt, failure, "timed_out", self._now)

    def fail_overdue(self, attempt: LiveAttempt) -> None:
        """The attempt was cancelled because of a timeout, and its end was not reported in time."""
        if attempt.stage is Stage.RUNNING and attempt.pending_failure is not None:
            self._fail(attempt, attempt.pending_failure, "timed_out", self._now)

    def lose(self, attempt: LiveAttempt, lost_allowed: int) -> None:
        """The node that ran this attempt has died, or lost its lease, before the end was recorded."""
        self._record_attempt(attempt, None, "lost", self._now)
        if attempt.lost + 1 > lost_allowed:
            failure = Failure(
                type="holdfast.errors:TaskLost",
                message=f"task {attempt.name!r} was running when its node died, {attempt.lost + 1} times; "
                "it may be what kills the node, or workflow code that blocks it for longer than its lease",
                task=task_id(attempt.run, attempt.seq),
            )
            self.failed.append(FailedAttempt(attempt, failure, None))
            self._settle(attempt, TaskStatus.FAILED, Failed(failure), self._now)
        else:
            wait = wait_after_loss(attempt.lost + 1, self._dice)
            due = None if wait is None else later(self._now, wait)
            self._try_again(attempt, due=due, failures=attempt.failures, lost=attempt.lost + 1)

    def dispatch_due(self, attempt: LiveAttempt) -> None:
        """Dispatch an attempt that the store knows as pending.

        Its start is recorded first. Otherwise a task that kills its node would do so again and again, since
        the lost attempts could not be counted.
        """
        if attempt.stage is Stage.CLOSED:
            return
        if attempt.resident.pause is not None:
            attempt.due_at = None
            hold(self._commit, attempt.resident)
            self.move(attempt, TaskStatus.PENDING, None)
            return  # the run is being paused: whoever has it when it is resumed dispatches the attempt
        if attempt.options.service is not None:
            self.offer_to_workers(attempt, self._now)
            return
        attempt.stage = Stage.SCHEDULED
        attempt.due_at = None
        hold(self._commit, attempt.resident)
        self.unplaced.append(attempt)

    def place(self, attempt: LiveAttempt) -> None:
        """Reserve a slot for an attempt at a known task, and record its start if it has one."""
        attempt.may_start = self._dispatcher.reserve(attempt)
        if attempt.may_start:
            self._record_start(attempt)

    def record_start(self, attempt: LiveAttempt) -> None:
        """Record the start of an attempt that has waited for a slot."""
        hold(self._commit, attempt.resident)
        self._record_start(attempt)

    def _record_start(self, attempt: LiveAttempt) -> None:
        self.is_risky = self.is_risky or attempt.lost > 0
        self.move(attempt, TaskStatus.DISPATCHED, None)

    def _fail(self, attempt: LiveAttempt, failure: Failure, status: str, at: Instant) -> None:
        failures = attempt.failures + 1
        error, attempt.error = attempt.error, None  # else it would refer to itself by its traceback
        failed = FailedAttempt(attempt, failure, error)
        self._record_attempt(attempt, failure, status, at)
        delay = attempt.options.retry.delay_after(failures, failure, self._dice)
        if delay is None:
            named = msgspec.structs.replace(failure, task=task_id(attempt.run, attempt.seq))
            self.failed.append(failed)
            self._settle(attempt, TaskStatus.FAILED, Failed(named), at)
        else:
            self.failed_once.append(failed)
            self._try_again(attempt, due=later(self._now, delay), failures=failures, lost=attempt.lost)

    def write_log(self, attempt: LiveAttempt, *, is_over: bool) -> None:
        """Write the lines that the attempt has logged since the last time."""
        lines = attempt.log.take(is_over=is_over)
        if lines is not None:
            hold(self._commit, attempt.resident)
            self._commit.logs.append(NewLog(attempt.run, attempt.seq, attempt.number, lines))
            self._commit.size += len(lines)

    def write_items(self, attempt: LiveAttempt) -> None:
        """Write what the attempt has published since the last time."""
        for stream, is_first, length, items in attempt.published.take():
            hold(self._commit, attempt.resident)
            row = NewItems(
                attempt.run, stream, attempt.seq, attempt.number, int(is_first), length, len(items), items
            )
            self._commit.published.append(row)
            self._commit.size += len(items)

    def _record_attempt(
        self, attempt: LiveAttempt, failure: Failure | None, status: str, at: Instant
    ) -> None:
        encoded = None if failure is None else encode_failure(failure)
        self._commit.size += len(encoded or b"")
        self._commit.attempts.append(
            EndedAttempt(
                attempt.run,
                attempt.seq,
                attempt.number,
                status,
                encoded,
                attempt.started_at,
                at,
                # The row of the dead node is gone, so its id is not known any more.
                NodeId("") if status == "lost" else self._commit.node,
                attempt.worker,
                attempt.worker_url,
            )
        )
        hold(self._commit, attempt.resident)

    def _try_again(self, attempt: LiveAttempt, *, due: Instant | None, failures: int, lost: int) -> None:
        resident = attempt.resident
        self.retire(attempt)
        again = resident.new_attempt(
            attempt.seq,
            attempt.name,
            attempt.own_input,
            attempt.options,
            number=attempt.number + 1,
            failures=failures,
            lost=lost,
            shared=attempt.shared,
        )
        again.heartbeat_details = attempt.heartbeat_details
        self.retried.append(again)
        if attempt.options.service is not None:
            self.offer_to_workers(again, self._now if due is None else due)
            self.move(again, TaskStatus.PENDING, None)
            return
        if due is not None:
            self._attempt_timers.back_off(again, due)
            # When runs are advanced, this one is seen to be idle now, and may leave memory.
            self._residents.mark_ready(resident)
            self.move(again, TaskStatus.PENDING, None)
            return
        self.move(again, TaskStatus.PENDING, None)
        if resident.pause is None:
            self.unplaced.append(again)

    def _settle(self, attempt: LiveAttempt, status: TaskStatus, outcome: Outcome, at: Instant) -> None:
        resident = attempt.resident
        hold(self._commit, resident)
        self.retire(attempt)
        del resident.attempts[attempt.seq]
        self.settle_row(attempt, status, outcome, at)
        resident.events.append(TaskEnded(attempt.seq, outcome))
        self._residents.mark_ready(resident)

    def settle_row(self, attempt: LiveAttempt, status: TaskStatus, outcome: Outcome, at: Instant) -> None:
        output = failure = None
        if isinstance(outcome, Succeeded):
            output = outcome.payload
        elif isinstance(outcome, Failed):
            failure = encode_failure(outcome.failure)
        size = len(output or failure or b"")
        self._commit.size += size
        attempt.resident.history_bytes += size
        if self.ended is not None:
            self.ended.append(attempt)
        self._commit.settled.append(
            SettledTask(
                attempt.run, attempt.seq, status, attempt.number, output, failure, attempt.started_at, at
            )
        )

    def retire(self, attempt: LiveAttempt) -> None:
        """The attempt is over for the engine: no more alarms, and later reports of it are ignored."""
        attempt.stage = Stage.CLOSED
        attempt.due_at = None
        if attempt.log is not None:
            self.write_log(attempt, is_over=True)
        if attempt.published is not None:
            self.write_items(attempt)
            attempt.published.close()
        if attempt.alarms is not None:
            for alarm in attempt.alarms:
                alarm.cancel()

    def cancel_work(self, attempt: LiveAttempt) -> None:
        if attempt.stage is Stage.RUNNING:
            self.to_cancel.append(attempt)

    def record_running(self, attempt: LiveAttempt) -> None:
        """Record that the attempt is running, since it has been for a while."""
        attempt.is_recorded_running = True
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
