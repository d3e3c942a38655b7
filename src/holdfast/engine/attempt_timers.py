"""Timers of attempts: their limits, their heartbeats, their backoff, and when they are shown as running."""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Iterable

from holdfast.core.names import written_span
from holdfast.core.values import Instant, Payload, later
from holdfast.engine.alarms import Alarms
from holdfast.engine.inbox import AttemptDue, EndOverdue, EngineInbox, LimitExceeded
from holdfast.engine.resident import LiveAttempt, Stage
from holdfast.engine.tuning import Tuning
from holdfast.ports.clock import Clock
from holdfast.ports.executor import Attempt


class AttemptTimers:
    """Limits count elapsed time, so that setting the clock does not time out a task. Backoffs go by the
    clock, since their due time is stored."""

    def __init__(self, clock: Clock, tuning: Tuning, alarms: Alarms, inbox: EngineInbox) -> None:
        self._clock = clock
        self._alarms = alarms
        self._inbox = inbox
        self._limits = Alarms()
        self._record_after = tuning.record_running_after // dt.timedelta(microseconds=1)
        self._unrecorded: deque[tuple[int, LiveAttempt]] = deque()
        """Running attempts that the store does not know to be running, and when to record it."""

    def limit_wait(self, attempt: LiveAttempt, allowed: dt.timedelta) -> None:
        self._limit(attempt, allowed, f"waited longer than {written_span(allowed)} for a free slot")

    def start(self, attempt: LiveAttempt, now: Instant) -> None:
        attempt.started_at = now
        self._unrecorded.append((now + self._record_after, attempt))
        if attempt.alarms is not None:
            for alarm in attempt.alarms:
                alarm.cancel()
            attempt.alarms = None
        options = attempt.options
        if options.timeout is not None:
            self._limit(attempt, options.timeout, f"ran longer than {written_span(options.timeout)}")
        if options.heartbeat is not None:
            self._expect_heartbeat(attempt, self._elapsed())

    def beat(self, attempt: Attempt, details: Payload | None) -> None:
        """Executors call this for each heartbeat of an attempt."""
        if not isinstance(attempt, LiveAttempt) or attempt.stage is not Stage.RUNNING:
            return
        attempt.heartbeat_at = self._elapsed()
        if details is None:
            return
        secrets = attempt.secrets
        attempt.heartbeat_details = details if secrets is None else secrets.mask.payload(details)
        if attempt.is_recorded_running:
            attempt.is_recorded_running = False
            self._unrecorded.append((self._clock.now() + self._record_after, attempt))
            self._inbox.wake()

    def back_off(self, attempt: LiveAttempt, due: Instant) -> None:
        attempt.stage = Stage.BACKING_OFF
        attempt.due_at = due
        fact = AttemptDue(attempt)
        attempt.alarms = [self._alarms.set(due, lambda: self._inbox.post_within_tick(fact))]

    def expect_end(self, attempt: LiveAttempt, by: Instant) -> None:
        """Notice if an attempt that is being cancelled has not ended by then."""
        fact = EndOverdue(attempt)
        alarm = self._alarms.set(by, lambda: self._inbox.post_within_tick(fact))
        attempt.alarms = [*(attempt.alarms or ()), alarm]

    def _elapsed(self) -> Instant:
        return Instant(self._clock.elapsed())

    def _limit(self, attempt: LiveAttempt, allowed: dt.timedelta, reason: str) -> None:
        fact = LimitExceeded(attempt, reason)
        alarm = self._limits.set(later(self._elapsed(), allowed), lambda: self._inbox.post_within_tick(fact))
        attempt.alarms = [*(attempt.alarms or ()), alarm]

    def _expect_heartbeat(self, attempt: LiveAttempt, since: Instant) -> None:
        allowed = attempt.options.heartbeat
        assert allowed is not None

        def check() -> None:
            heard = attempt.heartbeat_at or since
            if later(heard, allowed) > self._elapsed():
                self._expect_heartbeat(attempt, heard)
            else:
                reason = f"was silent for longer than {written_span(allowed)}"
                self._inbox.post_within_tick(LimitExceeded(attempt, reason))

        attempt.alarms = [*(attempt.alarms or ()), self._limits.set(later(since, allowed), check)]

    def next_limit(self) -> Instant | None:
        due = self._limits.next_due()
        return None if due is None else Instant(self._clock.now() + due - self._elapsed())

    def check_limits(self) -> None:
        self._limits.fire_due(self._elapsed())

    def next_unrecorded_running(self) -> Instant | None:
        while self._unrecorded and self._unrecorded[0][1].stage is not Stage.RUNNING:
            self._unrecorded.popleft()
        return Instant(self._unrecorded[0][0]) if self._unrecorded else None

    def take_unrecorded_running(self, now: Instant) -> Iterable[LiveAttempt]:
        """Attempts that have been running long enough to be shown as running."""
        while self._unrecorded and self._unrecorded[0][0] <= now:
            _, attempt = self._unrecorded.popleft()
            if attempt.stage is Stage.RUNNING and not attempt.is_recorded_running:
                yield attempt
