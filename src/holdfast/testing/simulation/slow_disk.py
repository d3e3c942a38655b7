"""The disk of the simulated database: when a write that arrives now is durable and visible.

Until its fsync is over, nobody sees a write. So it is done in one instant, at the end of the fsync. The
writes of SQLite wait for each other meanwhile, those of Postgres do not.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple, Protocol

from holdfast.testing.simulation.faults import SlowFsync
from holdfast.testing.simulation.world import World


class DiskTurn(NamedTuple):
    """In microseconds."""

    waits: int
    """How long a write waits until it may begin."""
    takes: int
    """How long it takes, with that wait."""
    is_locked: bool = False
    """Other writes took too long: after the wait this one is given up and not done."""


AT_ONCE: Final = DiskTurn(0, 0)


class DiskConditions(Protocol):
    @property
    def slow_fsync(self) -> SlowFsync | None: ...


class SlowDisk:
    def __init__(self, world: World, conditions: DiskConditions) -> None:
        self._world = world
        self._conditions = conditions
        self._free_at = 0
        """When the last of the writes that wait for each other is over."""
        self.busy: Counter[str] = Counter()
        """How many writes of a process are under way. They lock the row of its node: a reaper skips it."""

    @property
    def is_slow(self) -> bool:
        return self._conditions.slow_fsync is not None or self._free_at > self._world.now

    def plan(self, process: str, patience: int | None) -> DiskTurn:
        """The turn of a write that arrives now, and waits no longer than `patience` for the others."""
        if not self.is_slow:
            return AT_ONCE
        fault, now = self._conditions.slow_fsync, self._world.now
        has_one_writer = fault is None or fault.has_one_writer
        waits = max(0, self._free_at - now) if has_one_writer else 0
        if patience is not None and waits > patience:
            return DiskTurn(patience, patience, is_locked=True)
        takes = waits + (0 if fault is None else self._world.dice.randrange(1 + fault.delay))
        if has_one_writer:
            self._free_at = now + takes
        elif takes:
            self.busy[process] += 1
            self._world.after(takes, lambda: self.busy.subtract([process]))
        return DiskTurn(waits, takes)
