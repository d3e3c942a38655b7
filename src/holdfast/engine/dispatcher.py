"""Slots: which attempt runs when. Bounded, by priority, first come first served among equals.

A queue's limit holds for each executor. An attempt starts at once if its queue and its executor both have a
free slot, and waits for its turn otherwise. A slot is free again when the executor has reported, not when the
engine has cancelled the attempt: a cancelled attempt runs until it says that it ended.
"""

from __future__ import annotations

import datetime as dt
import heapq
from collections.abc import Callable, Iterable, Mapping
from itertools import count

from holdfast.core.values import Instant, Outcome, RunKey, later
from holdfast.engine.resident import LiveAttempt, Stage
from holdfast.ports.executor import Attempt, Executor

END_TIMEOUT = dt.timedelta(minutes=1)
"""How long to wait for the end of an attempt that surely ends within seconds."""


class _ExecutorSlots:
    """The slots of one executor, which all of its queues share."""

    __slots__ = ("free", "queues", "reserved")

    def __init__(self, capacity: int) -> None:
        self.free = capacity
        self.reserved = 0
        self.queues: list[_QueueSlots] = []


class _QueueSlots:
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
        """As many of those that wait as there are free slots, in their order."""
        count = min(self.free, self.shared.free, len(self.waiting))
        first = [heapq.heappop(self.waiting) for _ in range(count)]
        for each in first:
            heapq.heappush(self.waiting, each)
        return [attempt for _, _, attempt in first]


class _EndingAttempt:
    """An attempt that was cancelled, since when, and the next one at its task, if there is one."""

    __slots__ = ("attempt", "since", "successor")

    def __init__(self, attempt: LiveAttempt, since: Instant) -> None:
        self.attempt = attempt
        self.since = since
        self.successor: LiveAttempt | None = None


class Dispatcher:
    def __init__(
        self,
        route: Callable[[Attempt], Executor],
        queue_limits: Mapping[str, int],
        now: Callable[[], Instant],
        on_start: Callable[[LiveAttempt, Instant], None],
        on_outcome: Callable[[LiveAttempt, Outcome], None],
        on_unrecorded: Callable[[], None],
        has_lease: Callable[[Instant], bool],
    ) -> None:
        self._route = route
        self._queue_limits = queue_limits
        self._now = now
        self._on_start = on_start
        self._on_outcome = on_outcome
        self._on_unrecorded = on_unrecorded
        """There is a slot for an attempt that the store must be told of first."""
        self._recording: list[LiveAttempt] = []
        self._has_lease = has_lease
        """Whether the runs are still ours, as far as anyone knows. If not, everything waits."""
        self._queues: dict[tuple[int, str], _QueueSlots] = {}
        self._executors: dict[int, _ExecutorSlots] = {}
        self._ending: dict[tuple[RunKey, int], _EndingAttempt] = {}
        """Tasks whose attempt was cancelled and will surely end, and the next attempt at each, if its run was
        opened again meanwhile: that waits for the end."""
        self._order = count()
        self.running = 0
        self.is_open = True

    def reserve(self, attempt: LiveAttempt) -> bool:
        """Whether the attempt will start as soon as it is submitted. Good until `note_commit`."""
        slots = attempt.slots or self._find_slots(attempt)
        shared = slots.shared
        if (
            not self.is_open
            or slots.waiting
            or slots.reserved >= slots.free
            or shared.reserved >= shared.free
        ):
            return False
        slots.reserved += 1
        shared.reserved += 1
        return True

    def take_unrecorded(self) -> list[LiveAttempt]:
        """Attempts whose turn has come and that the store must be told of: with the commit to come."""
        if self.is_open:
            for slots in self._queues.values():
                if slots.waiting and not slots.waiting[0][2].is_recorded:
                    self._recording += [attempt for attempt in slots.next_ones() if not attempt.is_recorded]
        return self._recording

    def note_commit(self) -> None:
        """The commit stands: reservations end, and the starts recorded with it may happen."""
        for slots in self._queues.values():
            slots.reserved = slots.shared.reserved = 0
        for attempt in self._recording:
            attempt.is_recorded = True
        self._recording = []

    def submit(self, attempts: Iterable[LiveAttempt]) -> None:
        """Start each attempt, now or when a slot is free. Only after the commit that records it."""
        now = self._now()
        may_start = self.is_open and self._has_lease(now)
        for attempt in attempts:
            attempt.stage = Stage.QUEUED
            ending = self._ending.get((attempt.run, attempt.seq))
            if ending is not None:
                ending.successor = attempt
                continue
            slots = attempt.slots or self._find_slots(attempt)
            has_slot = may_start and slots.free > 0 and slots.shared.free > 0 and not slots.waiting
            if has_slot and attempt.is_recorded:
                self._start(slots, attempt, now)
                continue
            heapq.heappush(slots.waiting, (-attempt.options.priority, next(self._order), attempt))
            if has_slot:
                self._on_unrecorded()

    def cancel(self, attempt: LiveAttempt) -> None:
        """End an attempt that is running. (One that waits is passed over when its turn comes.)"""
        if attempt.slots is not None:
            executor: Executor = attempt.slots.executor
            if executor.ends_surely:
                self._ending.setdefault((attempt.run, attempt.seq), _EndingAttempt(attempt, self._now()))
            executor.cancel(attempt)

    def _stop_waiting_for(self, attempt: LiveAttempt) -> None:
        """It has ended, or should have long ago: its successor may start."""
        ending = self._ending.get((attempt.run, attempt.seq))
        if ending is not None and ending.attempt is attempt:
            del self._ending[attempt.run, attempt.seq]
            if ending.successor is not None and ending.successor.stage is Stage.QUEUED:
                self.submit([ending.successor])

    def close(self) -> None:
        """Start nothing more; what runs goes on."""
        self.is_open = False

    def report(self, attempt: Attempt, outcome: Outcome) -> None:
        """What executors call for every attempt that was started. Only the first word counts: a slot that
        is given back twice is one that two attempts run in."""
        assert isinstance(attempt, LiveAttempt)
        slots = attempt.slots
        if slots is None:
            return
        attempt.slots = None
        slots.free += 1
        slots.shared.free += 1
        self.running -= 1
        self._on_outcome(attempt, outcome)
        self._stop_waiting_for(attempt)
        for each in slots.shared.queues:
            if each.waiting:
                self._fill(each)

    def start_waiting(self) -> None:
        """Start what could not start while the lease was in doubt, or has waited long enough for an end."""
        if self._ending:
            now = self._now()
            for each in [it for it in self._ending.values() if it.successor is not None]:
                if later(each.since, END_TIMEOUT) < now:
                    self._stop_waiting_for(each.attempt)
        for slots in self._queues.values():
            self._fill(slots)

    def _fill(self, slots: _QueueSlots) -> None:
        now = self._now()
        if not self.is_open or not self._has_lease(now):
            return
        while slots.waiting and slots.free > 0 and slots.shared.free > 0:
            attempt = slots.waiting[0][2]
            if attempt.stage is Stage.QUEUED and not attempt.is_recorded:
                self._on_unrecorded()
                return
            heapq.heappop(slots.waiting)
            if attempt.stage is Stage.QUEUED:
                self._start(slots, attempt, now)

    def _start(self, slots: _QueueSlots, attempt: LiveAttempt, now: Instant) -> None:
        slots.free -= 1
        slots.shared.free -= 1
        self.running += 1
        attempt.stage = Stage.RUNNING
        self._on_start(attempt, now)
        slots.executor.start(attempt)

    def _find_slots(self, attempt: LiveAttempt) -> _QueueSlots:
        executor = self._route(attempt)
        queue = attempt.options.queue
        slots = self._queues.get((id(executor), queue))
        if slots is None:
            shared = self._executors.get(id(executor))
            if shared is None:
                shared = self._executors[id(executor)] = _ExecutorSlots(executor.capacity)
            capacity = min(executor.capacity, self._queue_limits.get(queue, executor.capacity))
            slots = self._queues[id(executor), queue] = _QueueSlots(executor, shared, capacity)
            shared.queues.append(slots)
        attempt.slots = slots
        return slots
