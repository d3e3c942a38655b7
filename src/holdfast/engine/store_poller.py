"""The lookout: when to look into the store, and what is to be done about what is seen there.

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

_LOOK_AGAIN = dt.timedelta(seconds=1)
_LOOK_SOON = dt.timedelta(milliseconds=100)
_SET_CLOCK_EVERY = 30_000_000


class StorePoller:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        room: Admission,
        schedules: ScheduleFirer,
        tuning: Tuning,
        namespace: str,
        on_wake: Callable[[], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._room = room
        self._schedules = schedules
        self._poll = tuning.poll
        self._namespace = namespace
        self._on_wake = on_wake
        self._reap_at = self._room_at = Instant(0)
        self._set_clock_at = 0
        self.next_look = Instant(0)
        self.wants_claim = False
        """There are runs to take."""
        self.wants_mail = False
        """There are messages for runs of this node."""

    def look_now(self) -> None:
        """Something may have changed in the store."""
        self.next_look = Instant(0)
        self._on_wake()

    def look_by(self, at: Instant) -> None:
        self.next_look = min(self.next_look, at)

    async def look(self, node: NodeId) -> None:
        """If it is time."""
        now = self._clock.now()
        if now < self.next_look:
            return
        self.next_look = later(now, self._poll)
        try:
            await self._set_clock()
            now = self._clock.now()
            self.next_look = later(now, self._poll)
            if now >= self._room_at:
                self._room_at = self.next_look
                self._room.look_again()
            peek = await self._peek(node)
            has_moved = True
            if peek.schedule_at is not None and peek.schedule_at <= now:
                has_moved = await self._schedules.fire(now)
        except StoreError as error:
            # A look can wait; the next commit will find out whether the store is really gone.
            _log.warning("%s; looking again soon", error)
            self.next_look = later(self._clock.now(), _LOOK_AGAIN)
            return
        self._heed(peek, now)
        if peek.schedule_at is not None:
            # What was due is dealt with, by this node or another; when the next is due, another look tells.
            # One that cannot fire is always due, and not a reason to spin.
            soon = _LOOK_SOON if has_moved else _LOOK_AGAIN
            self.look_by(later(now, soon) if peek.schedule_at <= now else peek.schedule_at)

    async def _peek(self, node: NodeId) -> NextWork:
        wanted = self._room.wanted()
        if wanted is None:
            workflows = self._schedules.workflows()
            return await self._store.next_work(self._namespace, node, self._room.claims(), workflows)
        peek = await self._store.next_work(self._namespace, node, ())
        wake_at = await self._store.earliest(self._namespace, wanted) if wanted else None
        return peek._replace(wake_at=wake_at)

    def _heed(self, peek: NextWork, now: Instant) -> None:
        self.wants_mail = self.wants_mail or peek.has_mail
        if peek.expires_at is not None and max(peek.expires_at, self._reap_at) <= now:
            self.wants_claim = True
            # A node may have stopped in the middle of a commit, which must end first: not a reason to spin.
            self._reap_at = later(now, _LOOK_SOON)
        elif peek.expires_at is not None:
            self.look_by(max(peek.expires_at, self._reap_at))
        if peek.wake_at is not None and peek.wake_at <= now:
            self.wants_claim = True
        elif peek.wake_at is not None:
            self.look_by(peek.wake_at)

    def claimed(self, request: ClaimRequest, found: int) -> None:
        """What came of a claim."""
        if found == 0:
            # Others were faster, or somebody has locked what is due: not a reason to spin.
            self.next_look = later(self._clock.now(), _LOOK_SOON)
        elif found < request.limit:
            self.look_now()  # to learn when the next one is due
        elif not self._room.was_filled(found):
            self.wants_claim = True
            self._on_wake()

    async def _set_clock(self) -> None:
        """Go by the database's clock, now and then: nobody knows what becomes of that of a machine."""
        if self._clock.elapsed() < self._set_clock_at:
            return
        await set_by_database(self._clock, self._store.now)
        self._set_clock_at = self._clock.elapsed() + _SET_CLOCK_EVERY
