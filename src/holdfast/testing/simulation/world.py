"""The world of a simulation: one virtual time, the processes in it, and what is due to happen to them.

One thread. Whose turn is next, and how long a turn takes, comes from dice that the seed has thrown, so
a seed is a whole history: the same one again, step for step, however often it is asked for.
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
"""Nobody has waited for anything in between: a process spins."""


class Violation(Exception):
    """A promise was broken."""

    simulation: Any = None
    """The one it was seen in."""


class Citizen(Protocol):
    """Whoever takes turns."""

    def next_due(self) -> int | None:
        """When it wants its next turn; in the past if it is ready; None if nothing is planned."""
        ...

    def turn(self) -> None: ...


class World:
    def __init__(self, dice: Random, *, is_traced: bool = False) -> None:
        self.began: Instant = instant(START)
        self.now: int = self.began
        self.dice = dice
        self.citizens: list[Citizen] = []
        self.steps = 0
        """Turns and happenings so far."""
        self._happenings: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()
        self._trace: deque[str] = deque(maxlen=None if is_traced else _REMEMBERED)
        self._digest = 0
        self._broken: str | None = None

    def fail(self, promise: str) -> None:
        """Something was seen that must not be. Kept, since whoever is at work would catch an exception."""
        if self._broken is None:
            self._broken = promise
            self.note("!", promise)

    def after(self, delay: int, happening: Callable[[], None]) -> None:
        """Have something happen, in so many microseconds."""
        heapq.heappush(self._happenings, (self.now + delay, next(self._order), happening))

    def run(self, *, until: Callable[[], bool], deadline: int) -> bool:
        """Let the world go on. Says whether it came to `until` before the deadline. Raises Violation."""
        turns = 0
        dice = self.dice
        while not until():
            self.steps += 1
            ready: list[Citizen] = []
            due = self._happenings[0][0] if self._happenings else None
            for citizen in self.citizens:
                wanted = citizen.next_due()
                if wanted is None:
                    continue
                if wanted <= self.now:
                    ready.append(citizen)
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
            while self._happenings and self._happenings[0][0] <= self.now:
                heapq.heappop(self._happenings)[2]()
            if self._broken is not None:
                raise Violation(self._broken)
        return True

    # --- what happened, for people

    def note(self, who: str, what: str) -> None:
        line = f"{(self.now - self.began) / SECOND:12.6f}  {who:<10} {what}"
        self._digest = crc32(line.encode(), self._digest)
        self._trace.append(line)

    @property
    def digest(self) -> int:
        """A number for all that was noted, in order: two histories with the same are the same."""
        return self._digest

    @property
    def trace(self) -> Iterable[str]:
        """The last of what was noted, or all of it if it was to be traced."""
        return self._trace
