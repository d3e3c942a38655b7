"""Faults that last for a while and change the world for every machine, or for one."""

from __future__ import annotations

from collections import Counter

from holdfast.testing.simulation.faults import (
    DatabaseOutage,
    DoubledResults,
    FullDisk,
    LateResults,
    Silence,
    Slowness,
)
from holdfast.testing.simulation.witness import Reporting

Condition = DatabaseOutage | FullDisk | Slowness | Silence | LateResults | DoubledResults


class WorldConditions:
    def __init__(self) -> None:
        self.reporting = Reporting()
        self.slowness = 0
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

    @property
    def is_silent(self) -> bool:
        return any(isinstance(condition, Silence) for condition in self._on)

    def _look(self) -> None:
        on = self._on
        self._away = Counter(condition.machine for condition in on if isinstance(condition, DatabaseOutage))
        self.slowness = max((each.delay for each in on if isinstance(each, Slowness)), default=0)
        self.reporting.delay = max((each.delay for each in on if isinstance(each, LateResults)), default=0)
        self.reporting.is_doubled = any(isinstance(each, DoubledResults) for each in on)
