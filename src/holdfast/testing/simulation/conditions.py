"""Faults that last for a while and change the world for every machine, or for one."""

from __future__ import annotations

from collections import Counter
from random import Random

from holdfast.testing.simulation.faults import (
    Condition,
    DatabaseOutage,
    DoubledResults,
    FullDisk,
    LateResults,
    LostNotifications,
    ReadOnly,
    Silence,
    SlowFsync,
    Slowness,
)
from holdfast.testing.simulation.witness import Reporting


class WorldConditions:
    def __init__(self) -> None:
        self.reporting = Reporting()
        self.slowness = 0
        self.slow_fsync: SlowFsync | None = None
        """The slowest one of those that are on."""
        self._away: Counter[str | None] = Counter()
        self._on: list[Condition] = []

    def begin(self, condition: Condition) -> None:
        self._on.append(condition)
        self._look()

    def end(self, condition: Condition) -> None:
        if condition in self._on:
            self._on.remove(condition)
            self._look()

    def clear(self) -> None:
        self._on.clear()
        self._look()

    def is_away(self, machine: str) -> bool:
        return bool(self._away[None] or self._away[machine])

    @property
    def is_full(self) -> bool:
        return any(isinstance(condition, FullDisk) for condition in self._on)

    def is_read_only(self, machine: str) -> bool:
        return any(isinstance(each, ReadOnly) and each.machine in (machine, None) for each in self._on)

    def loses_notification(self, machine: str, dice: Random) -> bool:
        """Whether a notification of this machine is lost now."""
        return any(
            isinstance(each, Silence)
            or (
                isinstance(each, LostNotifications)
                and each.machine in (machine, None)
                and dice.random() < each.chance
            )
            for each in self._on
        )

    def _look(self) -> None:
        on = self._on
        self._away = Counter(condition.machine for condition in on if isinstance(condition, DatabaseOutage))
        self.slowness = max((each.delay for each in on if isinstance(each, Slowness)), default=0)
        fsyncs = [each for each in on if isinstance(each, SlowFsync)]
        self.slow_fsync = max(fsyncs, key=lambda each: each.delay, default=None)
        self.reporting.delay = max((each.delay for each in on if isinstance(each, LateResults)), default=0)
        self.reporting.is_doubled = any(isinstance(each, DoubledResults) for each in on)
