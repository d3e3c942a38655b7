"""The runs in memory: which there are, which are ready to be advanced, and which only wait."""

from __future__ import annotations

import datetime as dt
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator

from holdfast.core.events import DeadlinePassed, TimerFired
from holdfast.core.run_options import read_run_options
from holdfast.core.values import Instant, RunKey, later
from holdfast.engine.alarms import Alarms
from holdfast.engine.dispatcher import Dispatcher
from holdfast.engine.inbox import EngineInbox, RunOverdue
from holdfast.engine.resident import Resident, Stage
from holdfast.engine.unheard_mail import UnheardMail
from holdfast.ports.clock import Clock


class Residents:
    def __init__(
        self, inbox: EngineInbox, alarms: Alarms, dispatcher: Dispatcher, clock: Clock, grace: dt.timedelta
    ) -> None:
        self._inbox = inbox
        self._alarms = alarms
        self._clock = clock
        self._grace = grace
        """How long a run may clean up after its deadline."""
        self._dispatcher = dispatcher
        self._all: dict[RunKey, Resident] = {}
        self._by_claim: Counter[str] = Counter()
        self._ready: dict[RunKey, Resident] = {}
        self._idle: OrderedDict[RunKey, Instant] = OrderedDict()
        """Since when each idle run has been waiting. The longest wait comes first."""
        self._kept: OrderedDict[RunKey, int] = OrderedDict()
        """Idle runs that stay in memory, with the bytes of their histories. The one that was used least
        recently comes first."""
        self._kept_bytes = 0
        self.mail = UnheardMail()
        self.pausing: set[Resident] = set()
        """Runs that are to be paused and still have running attempts."""

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Resident]:
        return iter(list(self._all.values()))

    def __contains__(self, key: RunKey) -> bool:
        return key in self._all

    def get(self, key: RunKey) -> Resident | None:
        return self._all.get(key)

    def count(self, claim: str) -> int:
        """How many runs have this claim."""
        return self._by_claim[claim]

    def add(self, resident: Resident) -> None:
        self._all[resident.key] = resident
        self._by_claim[resident.record.claim] += 1

    def mark_ready(self, resident: Resident) -> None:
        """Have the run advanced: in this tick, if its runs are still to be advanced, or else in the next."""
        if not self._ready:
            self._inbox.wake()
        self._ready[resident.key] = resident

    def is_ready(self, resident: Resident) -> bool:
        return resident.key in self._ready

    def take_ready(self) -> Iterable[Resident]:
        ready, self._ready = self._ready, {}
        return ready.values()

    def put_back(self, residents: Iterable[Resident]) -> None:
        """Have these runs advanced in the next tick, before all others."""
        self._ready = {resident.key: resident for resident in residents} | self._ready
        self._inbox.wake()

    def start_timer(self, resident: Resident, seq: int, due: Instant) -> None:
        def fire() -> None:
            del resident.timers[seq]
            if not resident.events:
                # Runs with overdue timers may have been marked as ready when they were loaded. They go on in
                # the order in which their timers were due.
                self._ready.pop(resident.key, None)
            resident.events.append(TimerFired(seq))
            self.mark_ready(resident)

        resident.add_timer(seq, self._alarms.set(due, fire))

    def set_deadline(self, resident: Resident, *, is_overdue: bool = False) -> None:
        """Have the run told when its deadline has passed. `is_overdue`: it has been told."""
        deadline = read_run_options(resident.record.options).deadline
        if deadline is None:
            return

        def end() -> None:
            resident.deadline = None
            self._inbox.post_within_tick(RunOverdue(resident, deadline))

        def tell() -> None:
            resident.events.append(DeadlinePassed(deadline))
            self.mark_ready(resident)
            resident.deadline = self._alarms.set(later(self._clock.now(), self._grace), end)

        if is_overdue:
            # From its last step on: when it was told is not recorded, but it was not after that.
            resident.deadline = self._alarms.set(later(max(resident.at, deadline), self._grace), end)
        else:
            resident.deadline = self._alarms.set(deadline, tell)

    def update_idle(self, resident: Resident, now: Instant) -> None:
        """Note whether the run, which has just been advanced, is idle now."""
        self._forget_kept(resident.key)
        if resident.is_idle:
            self._idle[resident.key] = now
            self._idle.move_to_end(resident.key)
        elif self._idle:
            self._idle.pop(resident.key, None)

    def next_release(self, after: dt.timedelta) -> Instant | None:
        """When the run that has been idle longest will have been idle for `after`."""
        return later(next(iter(self._idle.values())), after) if self._idle else None

    def take_idle(self, now: Instant, after: dt.timedelta, at_most: int) -> Iterable[Resident]:
        """Runs that have been idle for `after`. If more than `at_most` are idle, also the longest idle of the
        rest."""
        while self._idle:
            key, since = next(iter(self._idle.items()))
            if later(since, after) > now and len(self._idle) <= at_most:
                return
            del self._idle[key]
            resident = self._all.get(key)
            if resident is not None and self.may_leave(resident):
                yield resident

    def may_leave(self, resident: Resident) -> bool:
        """Whether it is idle and has nothing to read, in memory or in the store."""
        return resident.is_idle and resident.key not in self._ready and resident.key not in self.mail.left

    def keep(self, resident: Resident) -> None:
        """Let an idle run stay in memory. `take_kept` may end that."""
        self._kept[resident.key] = resident.history_bytes
        self._kept_bytes += resident.history_bytes

    def is_kept(self, resident: Resident) -> bool:
        return resident.key in self._kept

    def take_kept(self, most_bytes: int) -> Iterable[Resident]:
        """Runs that were kept and must leave, so that the others have no more than so many bytes."""
        while self._kept and self._kept_bytes > most_bytes:
            key = next(iter(self._kept))
            self._forget_kept(key)
            resident = self._all.get(key)
            if resident is not None and self.may_leave(resident):
                yield resident

    def _forget_kept(self, key: RunKey) -> None:
        if self._kept:
            self._kept_bytes -= self._kept.pop(key, 0)

    def discard(self, keys: Iterable[RunKey]) -> None:
        """Forget runs that have ended, were released, or are no longer ours. Running attempts are cancelled,
        and what they report is ignored."""
        for key in keys:
            resident = self._all.pop(key, None)
            self._ready.pop(key, None)
            self._idle.pop(key, None)
            self._forget_kept(key)
            self.mail.forget(key)
            if resident is None:
                continue
            self._by_claim[resident.record.claim] -= 1
            self.pausing.discard(resident)
            # Lines that its attempts still log are dropped: the run may be back, under another epoch.
            resident.is_gone = True
            for attempt in resident.attempts.values():
                if attempt.stage is Stage.RUNNING:
                    self._dispatcher.cancel(attempt)
                attempt.stage = Stage.CLOSED
                for alarm in attempt.alarms or ():
                    alarm.cancel()
            for alarm in resident.timers.values():
                alarm.cancel()
            if resident.deadline is not None:
                resident.deadline.cancel()
            resident.program.dispose()

    def drop_all(self) -> None:
        """Forget everything, as a crash does."""
        for resident in self._all.values():
            resident.is_gone = True
            for attempt in resident.attempts.values():
                attempt.stage = Stage.CLOSED
            resident.program.dispose()
        self._all.clear()
        self._by_claim.clear()
        self._ready.clear()
        self._idle.clear()
        self._kept.clear()
        self._kept_bytes = 0
        self.pausing.clear()
        self.mail.clear()
