"""Slots: which attempt runs when. Bounded, by priority, first come first served among equals.

A lane is one queue on one executor. An attempt is started at once if its lane has a free slot, and
waits in the lane otherwise. A slot is free again when the executor has reported, not when the
engine has lost interest: an attempt that was cancelled still runs until it says that it ended.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from itertools import count

from holdfast.core.values import Outcome
from holdfast.engine.resident import Flight, Stage
from holdfast.ports.executor import Attempt, Executor


class _Lane:
    __slots__ = ("capacity", "executor", "free", "promised", "waiting")

    def __init__(self, executor: Executor, capacity: int) -> None:
        self.executor = executor
        self.capacity = capacity
        self.free = capacity
        self.promised = 0
        """Slots for attempts whose commit is under way."""
        self.waiting: list[tuple[int, int, Flight]] = []


class Dispatcher:
    def __init__(
        self,
        route: Callable[[str], Executor],
        queue_limits: Mapping[str, int],
        on_start: Callable[[Flight], None],
        on_outcome: Callable[[Flight, Outcome], None],
        may_start: Callable[[], bool],
    ) -> None:
        self._route = route
        self._queue_limits = queue_limits
        self._on_start = on_start
        self._on_outcome = on_outcome
        self._may_start = may_start
        """Whether the runs are still ours, as far as anyone knows. If not, everything waits."""
        self._lanes: dict[tuple[int, str], _Lane] = {}
        self._order = count()
        self.running = 0
        self.is_open = True

    def promise(self, flight: Flight) -> bool:
        """Whether the attempt will start as soon as it is submitted. Good until `keep_promises`."""
        lane = self._lane(flight)
        if not self.is_open or lane.waiting or lane.promised >= lane.free:
            return False
        lane.promised += 1
        return True

    def keep_promises(self) -> None:
        for lane in self._lanes.values():
            lane.promised = 0

    def submit(self, flight: Flight) -> None:
        """Start the attempt, now or when a slot is free. Only after the commit that records it."""
        flight.stage = Stage.QUEUED
        lane = self._lane(flight)
        if self.is_open and lane.free > 0 and not lane.waiting and self._may_start():
            self._start(lane, flight)
        else:
            heapq.heappush(lane.waiting, (-flight.options.priority, next(self._order), flight))

    def cancel(self, flight: Flight) -> None:
        """End an attempt that is running. (One that waits is passed over when its turn comes.)"""
        self._lane(flight).executor.cancel(flight)

    def close(self) -> None:
        """Start nothing more; what runs goes on."""
        self.is_open = False

    def report(self, attempt: Attempt, outcome: Outcome) -> None:
        """What executors call, once for every attempt that was started."""
        assert isinstance(attempt, Flight)
        lane = self._lane(attempt)
        lane.free += 1
        self.running -= 1
        self._on_outcome(attempt, outcome)
        if lane.waiting:
            self._fill(lane)

    def start_waiting(self) -> None:
        """Start what could not start while the lease was in doubt."""
        for lane in self._lanes.values():
            self._fill(lane)

    def _fill(self, lane: _Lane) -> None:
        while lane.waiting and lane.free > 0 and self.is_open and self._may_start():
            _, _, flight = heapq.heappop(lane.waiting)
            if flight.stage is Stage.QUEUED:
                self._start(lane, flight)

    def _start(self, lane: _Lane, flight: Flight) -> None:
        lane.free -= 1
        self.running += 1
        flight.stage = Stage.RUNNING
        self._on_start(flight)
        lane.executor.start(flight)

    def _lane(self, flight: Flight) -> _Lane:
        if flight.lane is None:
            flight.lane = self._find_lane(flight)
        return flight.lane

    def _find_lane(self, flight: Flight) -> _Lane:
        executor = self._route(flight.name)
        queue = flight.options.queue
        lane = self._lanes.get((id(executor), queue))
        if lane is None:
            capacity = min(executor.capacity, self._queue_limits.get(queue, executor.capacity))
            lane = self._lanes[id(executor), queue] = _Lane(executor, capacity)
        return lane
