"""Slots: which attempt runs when. Executors and queues limit how many run; higher priority goes first.

Among attempts of one priority, the older one goes first.

A queue's limit holds for each executor. A step of workflow code is in a queue only if the code names one. An
attempt starts at once if its queue and its executor both have a free slot, and waits for its turn otherwise.
A slot is free again when the executor has reported, not when the engine has cancelled the attempt: a
cancelled attempt runs until it says that it ended.
"""

from __future__ import annotations

import datetime as dt
import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Protocol

from holdfast.core.policies import DEFAULT_OPTIONS
from holdfast.core.values import Instant, Outcome, RunKey, later
from holdfast.engine.attempt_timers import AttemptTimers
from holdfast.engine.inbox import AttemptEnded, EngineInbox
from holdfast.engine.lease import NodeLease
from holdfast.engine.log_buffer import LogBuffer
from holdfast.engine.resident import LiveAttempt, Stage
from holdfast.engine.run_spans import RunSpans
from holdfast.engine.secret_attempts import SecretAttempts
from holdfast.engine.stream_buffer import StreamBuffer
from holdfast.ports.clock import Clock
from holdfast.ports.executor import Attempt, Beat, Executor, Log, Publish, Report
from holdfast.ports.fleet import QueueReport, WaitingAttempt
from holdfast.ports.secrets import SecretReader

END_TIMEOUT = dt.timedelta(minutes=1)
"""How long to wait for the end of a cancelled attempt, where the executor promises an end within seconds."""

_NAMED = 10
"""So many of the attempts that wait in a queue are named in a report."""
_NO_QUEUE = ""
"""No queue can be named like this, so it has no limit of its own."""


class ExecutorRouter(Protocol):
    def route(self, attempt: Attempt) -> Executor:
        """The executor for an attempt. Never raises: an attempt at an unknown task fails when it is run."""
        ...

    async def stop(self) -> None:
        """Stop every executor."""
        ...


class _ExecutorSlots:
    """The slots of one executor, which its queues share."""

    __slots__ = ("executor", "free", "queues", "reserved")

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.free = executor.capacity
        self.reserved = 0
        self.queues: list[_QueueSlots] = []


class _QueueSlots:
    """The slots of one queue on one executor."""

    __slots__ = ("capacity", "executor", "free", "reserved", "shared", "waiting")

    def __init__(self, executor: Executor, shared: _ExecutorSlots, capacity: int) -> None:
        self.executor = executor
        self.shared = shared
        self.capacity = capacity
        self.free = capacity
        self.reserved = 0
        """Slots for attempts whose commit is under way."""
        self.waiting: list[tuple[int, int, LiveAttempt]] = []

    def next_ones(self) -> list[LiveAttempt]:
        """The waiting attempts that the free slots are for, in their order."""
        count = min(self.free, self.shared.free, len(self.waiting))
        first = [heapq.heappop(self.waiting) for _ in range(count)]
        for each in first:
            heapq.heappush(self.waiting, each)
        return [attempt for _, _, attempt in first]


class _EndingAttempt:
    """A cancelled attempt, when it was cancelled, and the next attempt at the same task, if there is one."""

    __slots__ = ("attempt", "since", "successor")

    def __init__(self, attempt: LiveAttempt, since: Instant) -> None:
        self.attempt = attempt
        self.since = since
        self.successor: LiveAttempt | None = None


class Dispatcher:
    def __init__(
        self,
        build_executors: Callable[[Report, Beat, Log, Publish], ExecutorRouter],
        queue_limits: Mapping[str, int],
        clock: Clock,
        lease: NodeLease,
        attempt_timers: AttemptTimers,
        logs: LogBuffer,
        streams: StreamBuffer,
        inbox: EngineInbox,
        unrecorded_bytes: int,
        secrets: SecretReader | None,
        spans: RunSpans | None = None,
    ) -> None:
        self._most_unrecorded = unrecorded_bytes
        self._queue_limits = queue_limits
        self._clock = clock
        self._lease = lease
        self._attempt_timers = attempt_timers
        self._inbox = inbox
        self._router = build_executors(self.report, attempt_timers.beat, logs.log, streams.publish)
        self._secret_attempts = SecretAttempts(secrets, self.report, logs.log, clock.now)
        self._spans = spans
        self._recording: list[LiveAttempt] = []
        """Attempts whose start the commit under way records."""
        self._queues: dict[tuple[int, str], _QueueSlots] = {}
        self._executors: dict[int, _ExecutorSlots] = {}
        self._ending: dict[tuple[RunKey, int], _EndingAttempt] = {}
        """Tasks whose attempt was cancelled and will surely end. If the run is back meanwhile (opened again,
        or claimed again), the next attempt waits for that end."""
        self._order = count()
        self.waiting_of: Counter[str] = Counter()
        """How many attempts wait for a slot, by the claim of their run."""
        self.running = 0
        self.is_open = True

    def reserve(self, attempt: LiveAttempt) -> bool:
        """Keep a slot for the attempt until `note_commit`. False if it will have to wait for a slot."""
        slots = attempt.slots or self._find_slots(attempt)
        shared = slots.shared
        if (
            slots.waiting
            or not self._may_start_more
            or slots.reserved >= slots.free
            or shared.reserved >= shared.free
        ):
            return False
        slots.reserved += 1
        shared.reserved += 1
        return True

    @property
    def _may_start_more(self) -> bool:
        """False while too many results wait to be recorded: tasks that end faster than the store writes would
        fill the memory. After each commit, `start_waiting` tries again."""
        return self.is_open and self._inbox.result_bytes < self._most_unrecorded

    @property
    def has_waiting(self) -> bool:
        """Whether an attempt waits for a slot, or for the end of an earlier attempt."""
        return any(slots.waiting for slots in self._queues.values()) or any(
            ending.successor is not None for ending in self._ending.values()
        )

    def begin_recording_starts(self) -> list[LiveAttempt]:
        """Attempts that have a free slot, and whose start is not recorded yet. The next commit records it."""
        if self.is_open:
            for slots in self._queues.values():
                if slots.waiting and not slots.waiting[0][2].may_start:
                    self._recording += [attempt for attempt in slots.next_ones() if not attempt.may_start]
        return self._recording

    def note_commit(self) -> None:
        """The commit stands: reservations end, and the starts recorded with it may happen."""
        for slots in self._queues.values():
            slots.reserved = slots.shared.reserved = 0
        for attempt in self._recording:
            attempt.may_start = True
        self._recording = []

    def dispatch(self, attempts: Iterable[LiveAttempt]) -> None:
        """Start each attempt, now or when a slot is free. Call this only after the commit that records it."""
        now = self._current_time()
        has_lease = self._may_start_more and self._lease.is_valid(now)
        for attempt in attempts:
            attempt.stage = Stage.WAITING
            ending = self._ending.get((attempt.run, attempt.seq))
            if ending is not None:
                ending.successor = attempt
                continue
            slots = attempt.slots or self._find_slots(attempt)
            has_slot = has_lease and slots.free > 0 and slots.shared.free > 0 and not slots.waiting
            if has_slot and attempt.may_start:
                self._start(slots, attempt, now)
                continue
            heapq.heappush(slots.waiting, (-attempt.options.priority, next(self._order), attempt))
            self.waiting_of[attempt.resident.record.claim] += 1
            if has_slot:
                self._inbox.wake()

    def queue_reports(self) -> list[QueueReport]:
        """The queues of tasks and what waits for their slots. A queue has its limit on each executor."""
        found: dict[str, list[_QueueSlots]] = {}
        for (_, name), slots in self._queues.items():
            if name != _NO_QUEUE:
                found.setdefault(name, []).append(slots)
        return [_report(name, found[name]) for name in sorted(found)]

    def cancel(self, attempt: LiveAttempt) -> None:
        """Cancel a running attempt. (A waiting attempt is skipped when its turn comes.)"""
        if attempt.slots is not None:
            executor: Executor = attempt.slots.executor
            if executor.ends_surely:
                self._ending.setdefault(
                    (attempt.run, attempt.seq), _EndingAttempt(attempt, self._current_time())
                )
            if not self._secret_attempts.cancel(attempt):
                executor.cancel(attempt)

    def _stop_waiting_for(self, attempt: LiveAttempt) -> None:
        """The attempt has ended, or should have ended long ago: its successor may start."""
        ending = self._ending.get((attempt.run, attempt.seq))
        if ending is not None and ending.attempt is attempt:
            del self._ending[attempt.run, attempt.seq]
            if ending.successor is not None and ending.successor.stage is Stage.WAITING:
                self.dispatch([ending.successor])

    def close(self) -> None:
        """Start nothing more. Running attempts go on."""
        self.is_open = False

    @property
    def is_working(self) -> bool:
        """Whether running attempts do something. Those that wait for a worker to appear do not."""
        return self.running > sum(each.executor.unbegun for each in self._executors.values())

    async def stop_executors(self) -> None:
        self._secret_attempts.stop()
        await self._router.stop()

    def report(self, attempt: Attempt, outcome: Outcome) -> None:
        """Executors call this for every attempt that was started. Only the first report of an attempt counts:
        a slot that is given back twice would run two attempts at once."""
        assert isinstance(attempt, LiveAttempt)
        slots = attempt.slots
        if slots is None:
            return
        attempt.slots = None
        if attempt.secrets is not None:
            outcome = self._secret_attempts.masked(attempt, attempt.secrets, outcome)
        if self._spans is not None:
            self._spans.end(attempt, outcome)
        slots.free += 1
        slots.shared.free += 1
        self.running -= 1
        if attempt.stage is Stage.CLOSED:
            attempt.error = None
            # An attempt with limits of its own may start in this slot: the loop must find its next due time.
            self._inbox.wake()
        else:
            self._inbox.post(AttemptEnded(attempt, outcome, self._clock.now()))
        self._stop_waiting_for(attempt)
        for each in slots.shared.queues:
            if each.waiting:
                self._fill(each)

    def start_waiting(self) -> None:
        """Start attempts whose start is recorded now. Also those that waited for the lease to be renewed, or
        too long for another attempt to end."""
        if self._ending:
            now = self._current_time()
            for each in [it for it in self._ending.values() if it.successor is not None]:
                if later(each.since, END_TIMEOUT) < now:
                    self._stop_waiting_for(each.attempt)
        for slots in self._queues.values():
            self._fill(slots)

    def forget_closed(self) -> None:
        """Drop attempts that no longer wait, after many runs have left memory at once."""
        self.waiting_of.clear()
        for slots in self._queues.values():
            slots.waiting = [each for each in slots.waiting if each[2].stage is Stage.WAITING]
            heapq.heapify(slots.waiting)
            self.waiting_of.update(each[2].resident.record.claim for each in slots.waiting)

    def _fill(self, slots: _QueueSlots) -> None:
        now = self._current_time()
        if not self._may_start_more or not self._lease.is_valid(now):
            return
        while slots.waiting and slots.free > 0 and slots.shared.free > 0:
            attempt = slots.waiting[0][2]
            if attempt.stage is Stage.WAITING and not attempt.may_start:
                self._inbox.wake()
                return
            heapq.heappop(slots.waiting)
            self.waiting_of[attempt.resident.record.claim] -= 1
            if attempt.stage is Stage.WAITING:
                self._start(slots, attempt, now)

    def _start(self, slots: _QueueSlots, attempt: LiveAttempt, now: Instant) -> None:
        slots.free -= 1
        slots.shared.free -= 1
        self.running += 1
        attempt.stage = Stage.RUNNING
        self._attempt_timers.start(attempt, now)
        if self._spans is not None:
            self._spans.begin(attempt, now)
        if attempt.options.secrets:
            self._secret_attempts.start(slots.executor, attempt)
        else:
            slots.executor.start(attempt)

    def _current_time(self) -> Instant:
        """If the machine has just slept, the time after that: it decides whether the lease is still valid."""
        self._clock.catch_up()
        return self._clock.now()

    def _find_slots(self, attempt: LiveAttempt) -> _QueueSlots:
        executor = self._router.route(attempt)
        queue = attempt.options.queue
        if attempt.options.is_step and queue == DEFAULT_OPTIONS.queue:
            queue = _NO_QUEUE
        slots = self._queues.get((id(executor), queue))
        if slots is None:
            shared = self._executors.get(id(executor))
            if shared is None:
                shared = self._executors[id(executor)] = _ExecutorSlots(executor)
            capacity = min(executor.capacity, self._queue_limits.get(queue, executor.capacity))
            slots = self._queues[id(executor), queue] = _QueueSlots(executor, shared, capacity)
            shared.queues.append(slots)
        attempt.slots = slots
        return slots


def _report(name: str, all_slots: list[_QueueSlots]) -> QueueReport:
    waiting = [each for slots in all_slots for each in slots.waiting if each[2].stage is Stage.WAITING]
    first = [attempt for _, _, attempt in heapq.nsmallest(_NAMED, waiting)]
    return QueueReport(
        name,
        limit=sum(slots.capacity for slots in all_slots),
        running=sum(slots.capacity - slots.free for slots in all_slots),
        waiting=len(waiting),
        first=[WaitingAttempt(attempt.run, attempt.seq) for attempt in first],
    )
