"""How much one tick does. Without a limit, one commit could have to hold gigabytes, or the event loop could
stand still for seconds, while other runs wait.

Each part of a tick (runs that start, facts, runs that are advanced) has a budget of its own, so that none of
them can keep the next one from its turn. Every part does at least one piece of its work in each tick.
"""

from __future__ import annotations

from holdfast.core.values import Instant, RunKey
from holdfast.ports.clock import Clock
from holdfast.ports.commits import Commit

_MANY = 2000


class TickBudget:
    """Begins when it is made."""

    __slots__ = ("_clock", "_commit", "_deadline", "_is_new", "_most")

    def __init__(self, commit: Commit, clock: Clock, tick_bytes: int, tick_time: int) -> None:
        """The time is in microseconds."""
        self._commit = commit
        self._clock = clock
        self._most = commit.size + tick_bytes
        self._deadline = clock.now() + tick_time
        self._is_new = True

    def is_spent(self, now: Instant | None = None) -> bool:
        """Asked before each piece of work. Never True before the first: the engine must get on even if its
        process stood still in between. `now` saves a look at the clock, if the caller has just had one."""
        if self._is_new:
            self._is_new = False
            return False
        if self._commit.size >= self._most:
            return True
        return (self._clock.now() if now is None else now) > self._deadline


class FactBudget(TickBudget):
    """A budget of which one run may spend no more than half, so that a run with gigabytes of results does not
    hold up the small results of others."""

    __slots__ = ("_large", "_seen", "_share", "_spent", "blocked")

    def __init__(self, commit: Commit, clock: Clock, tick_bytes: int, tick_time: int) -> None:
        super().__init__(commit, clock, tick_bytes, tick_time)
        self._share = tick_bytes // 2
        self._large = tick_bytes // 1024
        self._seen = commit.size
        self._spent: dict[RunKey, int] = {}
        self.blocked: set[RunKey] = set()
        """Runs that have spent their share. The next tick takes what is left of theirs."""

    def has_room_for(self, results: int, size: int) -> bool:
        """Whether so many results fit, which have this size together. To record one takes microseconds, so
        that this is a matter of time too."""
        return results <= _MANY and self._commit.size + size < self._most

    def charge(self, run: RunKey) -> None:
        """The last fact was one of this run."""
        added = self._commit.size - self._seen
        if added > self._large:  # otherwise a thousand of them fit, and counting would cost more
            self._seen = self._commit.size
            spent = self._spent[run] = self._spent.get(run, 0) + added
            if spent > self._share:
                self.blocked.add(run)
