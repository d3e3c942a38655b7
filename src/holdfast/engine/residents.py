"""The runs in memory: which there are, which have something to do, and which only wait."""

from __future__ import annotations

import datetime as dt
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator

from holdfast.core.values import Instant, RunKey, later
from holdfast.engine.dispatcher import Dispatcher
from holdfast.engine.resident import Resident, Stage


class Residents:
    def __init__(self, on_wake: Callable[[], None]) -> None:
        self._on_wake = on_wake
        self._all: dict[RunKey, Resident] = {}
        self._by_claim: Counter[str] = Counter()
        self._ready: dict[RunKey, Resident] = {}
        self._idle: OrderedDict[RunKey, Instant] = OrderedDict()
        """Those that only wait, with since when; the longest first."""

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Resident]:
        return iter(list(self._all.values()))

    def __contains__(self, key: RunKey) -> bool:
        return key in self._all

    def get(self, key: RunKey) -> Resident | None:
        return self._all.get(key)

    def count(self, claim: str) -> int:
        """How many are of that workflow."""
        return self._by_claim[claim]

    def add(self, resident: Resident) -> None:
        self._all[resident.key] = resident
        self._by_claim[resident.record.claim] += 1

    def mark_ready(self, resident: Resident) -> None:
        """Have it advanced in the next tick."""
        if not self._ready:
            self._on_wake()
        self._ready[resident.key] = resident

    def take_ready(self) -> Iterable[Resident]:
        awake, self._ready = self._ready, {}
        return awake.values()

    def update_idle(self, resident: Resident, now: Instant) -> None:
        """After it has moved: does it only wait now?"""
        if resident.is_idle:
            self._idle[resident.key] = now
            self._idle.move_to_end(resident.key)
        elif self._idle:
            self._idle.pop(resident.key, None)

    def next_release(self, after: dt.timedelta) -> Instant | None:
        """When the one that waits longest will have waited long enough."""
        return later(next(iter(self._idle.values())), after) if self._idle else None

    def take_idle(self, now: Instant, after: dt.timedelta, at_most: int) -> Iterable[Resident]:
        """Those that waited for `after` or longer, and the longest waiting of those over `at_most`."""
        while self._idle:
            key, since = next(iter(self._idle.items()))
            if later(since, after) > now and len(self._idle) <= at_most:
                return
            del self._idle[key]
            resident = self._all.get(key)
            if resident is not None and resident.is_idle:
                yield resident

    def discard(self, keys: Iterable[RunKey], dispatcher: Dispatcher) -> None:
        """Forget runs that are over, released, or no longer ours. Attempts under way end unheard."""
        for key in keys:
            resident = self._all.pop(key, None)
            self._ready.pop(key, None)
            self._idle.pop(key, None)
            if resident is None:
                continue
            self._by_claim[resident.record.claim] -= 1
            # Its last words are of no interest: it may be back, under another epoch.
            resident.is_gone = True
            for attempt in resident.attempts.values():
                if attempt.stage is Stage.RUNNING:
                    dispatcher.cancel(attempt)
                attempt.stage = Stage.CLOSED
                for alarm in attempt.alarms or ():
                    alarm.cancel()
            for alarm in resident.timers.values():
                alarm.cancel()
            resident.program.dispose()

    def drop_all(self) -> None:
        """Drop everything, as a crash does."""
        for resident in self._all.values():
            resident.is_gone = True
            for attempt in resident.attempts.values():
                attempt.stage = Stage.CLOSED
            resident.program.dispose()
        self._all.clear()
        self._by_claim.clear()
        self._ready.clear()
        self._idle.clear()
