"""Alarms: functions to call at an instant, kept in memory only. Cancelled alarms are removed now and then."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from holdfast.core.values import Instant

_WORTH_SWEEPING = 1000


class Alarm:
    __slots__ = ("_alarms", "action", "due", "order")

    def __init__(self, alarms: Alarms, due: Instant, order: int, action: Callable[[], None]) -> None:
        self._alarms = alarms
        self.due = due
        self.order = order
        self.action: Callable[[], None] | None = action

    def cancel(self) -> None:
        if self.action is not None:
            self.action = None
            self._alarms.note_cancelled()

    def __lt__(self, other: Alarm) -> bool:
        return (self.due, self.order) < (other.due, other.order)


class Alarms:
    """Due alarms fire in the order of their instants, then in the order in which they were set."""

    def __init__(self) -> None:
        self._heap: list[Alarm] = []
        self._order = count()
        self._cancelled = 0

    def set(self, due: Instant, action: Callable[[], None]) -> Alarm:
        alarm = Alarm(self, due, next(self._order), action)
        heapq.heappush(self._heap, alarm)
        return alarm

    def note_cancelled(self) -> None:
        self._cancelled += 1
        # Ten thousand tasks a second with a timeout of minutes would leave millions of cancelled alarms.
        if self._cancelled > _WORTH_SWEEPING and self._cancelled * 2 > len(self._heap):
            self._heap = [kept for kept in self._heap if kept.action is not None]
            heapq.heapify(self._heap)
            self._cancelled = 0

    def next_due(self) -> Instant | None:
        while self._heap and self._heap[0].action is None:
            heapq.heappop(self._heap)
            self._cancelled -= 1
        return self._heap[0].due if self._heap else None

    def fire_due(self, now: Instant) -> None:
        """Call the functions of all alarms that are due."""
        while (due := self.next_due()) is not None and due <= now:
            alarm = heapq.heappop(self._heap)
            action, alarm.action = alarm.action, None
            if action is not None:
                action()
