"""The poller: when to look into the store, and what is to be done about what is seen there.

Nearly all that happens is told to a node by its executors and its alarms. The rest is in the store: runs that
are due, mail, dead nodes, schedules. A call from the store says that something may have changed; the time of
the next look is the safety net under it.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable

from holdfast.core.values import Instant, NodeId, later
from holdfast.engine.admission import Admission
from holdfast.engine.schedule_firing import ScheduleFirer
from holdfast.engine.system_clock import set_by_database
from holdfast.engine.tuning import Tuning
from holdfast.errors import StoreError
from holdfast.ports.clock import Clock
from holdfast.ports.store import ClaimRequest, NextWork, Store

_log = logging.getLogger("holdfast.engine")

_RETRY_AFTER = dt.timedelta(seconds=1)
_SOON = dt.timedelta(milliseconds=100)
_SET_CLOCK_EVERY = 30_000_000


class StorePoller:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        admission: Admission,
        schedules: ScheduleFirer,
        tuning: Tuning,
        namespace: str,
        on_wake: Callable[[], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._admission = admission
        self._schedules = schedules
        self._poll_every = tuning.poll
        self._namespace = namespace
        self._on_wake = on_wake
        self._reap_at = self._relax_at = Instant(0)
        self._set_clock_at = 0
        self.next_poll = Instant(0)
        self.wants_claim = False
        """There are runs to take."""
        self.wants_mail = False
        """There are messages for runs of this node."""

    def poll_now(self) -> None:
        """Something may have changed in the store."""
        self.next_poll = Instant(0)
        self._on_wake()

    def poll_by(self, at: Instant) -> None:
        self.next_poll = min(self.next_poll, at)

    async def poll(self, node: NodeId) -> None:
        """If it is time."""
        now = self._clock.now()
        if now < self.next_poll:
            return
        self.next_poll = later(now, self._poll_every)
        try:
            await self._set_clock()
            now = self._clock.now()
            self.next_poll = later(now, self._poll_every)
            if now >= self._relax_at:
                self._relax_at = self.next_poll
                self._admission.relax()
            work = await self._next_work(node)
            has_moved = True
            if work.schedule_at is not None and work.schedule_at <= now:
                has_moved = await self._schedules.fire(now)
        except StoreError as error:
            # A look can wait; the next commit will find out whether the store is really gone.
            _log.warning("%s; looking again soon", error)
            self.next_poll = later(self._clock.now(), _RETRY_AFTER)
            return
        self._note_work(work, now)
        if work.schedule_at is not None:
            # What was due is dealt with, by this node or another; when the next is due, another look tells.
            # One that cannot fire is always due, and not a reason to spin.
            soon = _SOON if has_moved else _RETRY_AFTER
            self.poll_by(later(now, soon) if work.schedule_at <= now else work.schedule_at)

    async def _next_work(self, node: NodeId) -> NextWork:
        wanted = self._admission.runs_wanted()
        if wanted is None:
            workflows = self._schedules.workflows()
            return await self._store.next_work(self._namespace, node, self._admission.claims(), workflows)
        work = await self._store.next_work(self._namespace, node, ())
        wake_at = await self._store.earliest(self._namespace, wanted) if wanted else None
        return work._replace(wake_at=wake_at)

    def _note_work(self, work: NextWork, now: Instant) -> None:
        self.wants_mail = self.wants_mail or work.has_mail
        if work.expires_at is not None and max(work.expires_at, self._reap_at) <= now:
            self.wants_claim = True
            # A node may have stopped in the middle of a commit, which must end first: not a reason to spin.
            self._reap_at = later(now, _SOON)
        elif work.expires_at is not None:
            self.poll_by(max(work.expires_at, self._reap_at))
        if work.wake_at is not None and work.wake_at <= now:
            self.wants_claim = True
        elif work.wake_at is not None:
            self.poll_by(work.wake_at)

    def note_claim(self, request: ClaimRequest, found: int) -> None:
        """What came of a claim."""
        if found == 0:
            # Others were faster, or somebody has locked what is due: not a reason to spin.
            self.next_poll = later(self._clock.now(), _SOON)
        elif found < request.limit:
            self.poll_now()  # to learn when the next one is due
        elif not self._admission.is_full_after(found):
            self.wants_claim = True
            self._on_wake()

    async def _set_clock(self) -> None:
        """Go by the database's clock, now and then: nobody knows what becomes of that of a machine."""
        if self._clock.elapsed() < self._set_clock_at:
            return
        await set_by_database(self._clock, self._store.now)
        self._set_clock_at = self._clock.elapsed() + _SET_CLOCK_EVERY
