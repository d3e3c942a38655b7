"""The world of a simulation: one virtual time, the processes in it, and the events that are due.

Everything runs in one thread. Random numbers from the seed decide whose turn is next and how long a turn
takes, so the same seed always gives the same history, step for step.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from random import Random
from typing import Any, Protocol
from zlib import crc32

from holdfast.core.values import Instant, instant
from holdfast.testing.clock import START

SECOND = 1_000_000
_REMEMBERED = 400
_TURNS_WITHOUT_A_PAUSE = 50_000
"""More turns than this without a wait mean that a process spins."""


class Violation(Exception):
    """A promise was broken."""

    simulation: Any = None
    """The simulation in which it happened."""


class Schedulable(Protocol):
    """What the world gives turns to: a `Process`."""

    def next_due(self) -> int | None:
        """When it wants its next turn; in the past if it is ready; None if nothing is planned."""
        ...

    def turn(self) -> None: ...


class World:
    def __init__(self, dice: Random, *, is_traced: bool = False) -> None:
        self.began: Instant = instant(START)
        self.now: int = self.began
        self.dice = dice
        self.processes: list[Schedulable] = []
        self.steps = 0
        """How often the loop of `run` has gone round."""
        self._timed_calls: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()
        self._trace: deque[str] = deque(maxlen=None if is_traced else _REMEMBERED)
        self._digest = 0
        self._broken: str | None = None

    def fail(self, promise: str) -> None:
        """Record a broken promise. `run` raises it later: the running code might catch an exception."""
        if self._broken is None:
            self._broken = promise
            self.note("!", promise)

    def after(self, delay: int, call: Callable[[], None]) -> None:
        """Make the call after `delay` microseconds."""
        heapq.heappush(self._timed_calls, (self.now + delay, next(self._order), call))

    def run(self, *, until: Callable[[], bool], deadline: int) -> bool:
        """Run until `until()` is true. False if nothing is due before the deadline. Raises Violation."""
        turns = 0
        dice = self.dice
        while not until():
            self.steps += 1
            ready: list[Schedulable] = []
            due = self._timed_calls[0][0] if self._timed_calls else None
            for process in self.processes:
                wanted = process.next_due()
                if wanted is None:
                    continue
                if wanted <= self.now:
                    ready.append(process)
                elif due is None or wanted < due:
                    due = wanted
            if ready:
                turns += 1
                if turns > _TURNS_WITHOUT_A_PAUSE:
                    raise Violation(f"spinning: {turns:,} turns in a row and nobody waits for anything")
                ready[dice.getrandbits(16) % len(ready)].turn()
                self.now += 1 + dice.getrandbits(5)
            elif due is None or due > deadline:
                return False
            else:
                turns = 0
                self.now = max(self.now, due)
            while self._timed_calls and self._timed_calls[0][0] <= self.now:
                heapq.heappop(self._timed_calls)[2]()
            if self._broken is not None:
                raise Violation(self._broken)
        return True

    # --- the trace

    def note(self, who: str, what: str) -> None:
        line = f"{(self.now - self.began) / SECOND:12.6f}  {who:<10} {what}"
        self._digest = crc32(line.encode(), self._digest)
        self._trace.append(line)

    @property
    def digest(self) -> int:
        """A checksum of all notes, in order. Two runs with the same digest had the same history."""
        return self._digest

    @property
    def trace(self) -> Iterable[str]:
        """The last notes; all of them if `is_traced`."""
        return self._trace
