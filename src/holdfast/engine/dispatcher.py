"""Slots: which attempt runs when. Bounded, by priority, first come first served among equals.

A lane is one queue on one executor. An attempt is started at once if its lane and its executor have a free
slot, and waits in the lane otherwise. A slot is free again when the executor has reported, not when the
engine has lost interest: an attempt that was cancelled still runs until it says that it ended.
"""

from __future__ import annotations

import datetime as dt
import heapq
from collections.abc import Callable, Iterable, Mapping
from itertools import count

from holdfast.core.values import Instant, Outcome, RunKey, later
from holdfast.engine.resident import LiveAttempt, Stage
from holdfast.ports.executor import Attempt, Executor

PATIENCE = dt.timedelta(minutes=1)
"""How long to wait for the end of an attempt that surely ends within seconds."""


class _Pool:
    """The slots of one executor, which all of its lanes share."""

    __slots__ = ("free", "lanes", "promised")

    def __init__(self, capacity: int) -> None:
        self.free = capacity
        self.promised = 0
        self.lanes: list[_ExecutorSlots] = []


class _ExecutorSlots:
    __slots__ = ("capacity", "executor", "free", "pool", "promised", "waiting")

    def __init__(self, executor: Executor, pool: _Pool, capacity: int) -> None:
        self.executor = executor
        self.pool = pool
        self.capacity = capacity
        self.free = capacity
        self.promised = 0
        """Slots for attempts whose commit is under way."""
        self.waiting: list[tuple[int, int, LiveAttempt]] = []

    def next_ones(self) -> list[LiveAttempt]:
        """As many of those that wait as there are free slots, in their order."""
        count = min(self.free, self.pool.free, len(self.waiting))
        first = [heapq.heappop(self.waiting) for _ in range(count)]
        for each in first:
            heapq.heappush(self.waiting, each)
        return [attempt for _, _, attempt in first]


class _Leaving:
    """An attempt that was cancelled, since when, and the next one at its task, if there is one."""

    __slots__ = ("attempt", "follower", "since")

    def __init__(self, attempt: LiveAttempt, since: Instant) -> None:
        self.attempt = attempt
        self.since = since
        self.follower: LiveAttempt | None = None


class Dispatcher:
    def __init__(
        self,
        route: Callable[[Attempt], Executor],
        queue_limits: Mapping[str, int],
        now: Callable[[], Instant],
        on_start: Callable[[LiveAttempt, Instant], None],
        on_outcome: Callable[[LiveAttempt, Outcome], None],
        on_untold: Callable[[], None],
        has_lease: Callable[[Instant], bool],
    ) -> None:
        self._route = route
        self._queue_limits = queue_limits
        self._now = now
        self._on_start = on_start
        self._on_outcome = on_outcome
        self._on_untold = on_untold
        """There is a slot for an attempt that the store must be told of first."""
        self._telling: list[LiveAttempt] = []
        self._has_lease = has_lease
        """Whether the runs are still ours, as far as anyone knows. If not, everything waits."""
        self._lanes: dict[tuple[int, str], _ExecutorSlots] = {}
        self._pools: dict[int, _Pool] = {}
        self._leaving: dict[tuple[RunKey, int], _Leaving] = {}
        """Tasks whose attempt was cancelled and will surely end, and the next attempt at each, if its run was
        opened again meanwhile: that waits for the end."""
        self._order = count()
        self.running = 0
        self.is_open = True

    def promise(self, attempt: LiveAttempt) -> bool:
        """Whether the attempt will start as soon as it is submitted. Good until `keep_promises`."""
        lane = attempt.lane or self._find_lane(attempt)
        pool = lane.pool
        if not self.is_open or lane.waiting or lane.promised >= lane.free or pool.promised >= pool.free:
            return False
        lane.promised += 1
        pool.promised += 1
        return True

    def take_untold(self) -> list[LiveAttempt]:
        """Attempts whose turn has come and that the store must be told of: with the commit to come."""
        if self.is_open:
            for lane in self._lanes.values():
                if lane.waiting and not lane.waiting[0][2].is_told:
                    self._telling += [attempt for attempt in lane.next_ones() if not attempt.is_told]
        return self._telling

    def keep_promises(self) -> None:
        """The commit stands: what was promised and told with it may start."""
        for lane in self._lanes.values():
            lane.promised = lane.pool.promised = 0
        for attempt in self._telling:
            attempt.is_told = True
        self._telling = []

    def submit(self, attempts: Iterable[LiveAttempt]) -> None:
        """Start each attempt, now or when a slot is free. Only after the commit that records it."""
        now = self._now()
        may_start = self.is_open and self._has_lease(now)
        for attempt in attempts:
            attempt.stage = Stage.QUEUED
            leaving = self._leaving.get((attempt.run, attempt.seq))
            if leaving is not None:
                leaving.follower = attempt
                continue
            lane = attempt.lane or self._find_lane(attempt)
            has_slot = may_start and lane.free > 0 and lane.pool.free > 0 and not lane.waiting
            if has_slot and attempt.is_told:
                self._start(lane, attempt, now)
                continue
            heapq.heappush(lane.waiting, (-attempt.options.priority, next(self._order), attempt))
            if has_slot:
                self._on_untold()

    def cancel(self, attempt: LiveAttempt) -> None:
        """End an attempt that is running. (One that waits is passed over when its turn comes.)"""
        if attempt.lane is not None:
            executor: Executor = attempt.lane.executor
            if executor.ends_surely:
                self._leaving.setdefault((attempt.run, attempt.seq), _Leaving(attempt, self._now()))
            executor.cancel(attempt)

    def _await_no_more(self, attempt: LiveAttempt) -> None:
        """It has ended, or should have long ago: its follower may start."""
        leaving = self._leaving.get((attempt.run, attempt.seq))
        if leaving is not None and leaving.attempt is attempt:
            del self._leaving[attempt.run, attempt.seq]
            if leaving.follower is not None and leaving.follower.stage is Stage.QUEUED:
                self.submit([leaving.follower])

    def close(self) -> None:
        """Start nothing more; what runs goes on."""
        self.is_open = False

    def report(self, attempt: Attempt, outcome: Outcome) -> None:
        """What executors call for every attempt that was started. Only the first word counts: a slot that
        is given back twice is one that two attempts run in."""
        assert isinstance(attempt, LiveAttempt)
        lane = attempt.lane
        if lane is None:
            return
        attempt.lane = None
        lane.free += 1
        lane.pool.free += 1
        self.running -= 1
        self._on_outcome(attempt, outcome)
        self._await_no_more(attempt)
        for each in lane.pool.lanes:
            if each.waiting:
                self._fill(each)

    def start_waiting(self) -> None:
        """Start what could not start while the lease was in doubt, or has waited long enough for an end."""
        if self._leaving:
            now = self._now()
            for each in [it for it in self._leaving.values() if it.follower is not None]:
                if later(each.since, PATIENCE) < now:
                    self._await_no_more(each.attempt)
        for lane in self._lanes.values():
            self._fill(lane)

    def _fill(self, lane: _ExecutorSlots) -> None:
        now = self._now()
        if not self.is_open or not self._has_lease(now):
            return
        while lane.waiting and lane.free > 0 and lane.pool.free > 0:
            attempt = lane.waiting[0][2]
            if attempt.stage is Stage.QUEUED and not attempt.is_told:
                self._on_untold()
                return
            heapq.heappop(lane.waiting)
            if attempt.stage is Stage.QUEUED:
                self._start(lane, attempt, now)

    def _start(self, lane: _ExecutorSlots, attempt: LiveAttempt, now: Instant) -> None:
        lane.free -= 1
        lane.pool.free -= 1
        self.running += 1
        attempt.stage = Stage.RUNNING
        self._on_start(attempt, now)
        lane.executor.start(attempt)

    def _find_lane(self, attempt: LiveAttempt) -> _ExecutorSlots:
        executor = self._route(attempt)
        queue = attempt.options.queue
        lane = self._lanes.get((id(executor), queue))
        if lane is None:
            pool = self._pools.get(id(executor))
            if pool is None:
                pool = self._pools[id(executor)] = _Pool(executor.capacity)
            capacity = min(executor.capacity, self._queue_limits.get(queue, executor.capacity))
            lane = self._lanes[id(executor), queue] = _ExecutorSlots(executor, pool, capacity)
            pool.lanes.append(lane)
        attempt.lane = lane
        return lane
