"""The poller: when to look into the store, and what to do about what is found there.

A node learns of most things from its executors and alarms. The rest is in the store: runs that are due,
mail, dead nodes, schedules. A notification of the store says that something may have changed. The node
polls at once then, and every `Tuning.poll` in case a notification was lost. If a notification names another
node, this node polls a little later.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Sequence

from holdfast.core.values import Instant, NodeId, RunKey, later
from holdfast.engine.admission import Admission
from holdfast.engine.inbox import EngineInbox
from holdfast.engine.schedule_firing import ScheduleFirer
from holdfast.engine.system_clock import set_by_database
from holdfast.engine.tuning import Tuning
from holdfast.errors import StoreError
from holdfast.ports.clock import Clock
from holdfast.ports.commits import ClaimRequest
from holdfast.ports.nodes import EngineStore, NextWork

_log = logging.getLogger("holdfast.engine")

_RETRY_AFTER = dt.timedelta(seconds=1)
_WARN_EVERY = dt.timedelta(seconds=10)
_AFTER_CLAIM = dt.timedelta(milliseconds=5)
_SOON = dt.timedelta(milliseconds=100)
_PATIENCE_WITH_OTHERS = dt.timedelta(seconds=5)
_SET_CLOCK_EVERY = 30_000_000


class StorePoller:
    def __init__(
        self,
        store: EngineStore,
        clock: Clock,
        admission: Admission,
        schedules: ScheduleFirer,
        tuning: Tuning,
        namespace: str,
        inbox: EngineInbox,
    ) -> None:
        self._store = store
        self._clock = clock
        self._admission = admission
        self._schedules = schedules
        self._poll_every = tuning.poll
        self._namespace = namespace
        self._inbox = inbox
        self._free_runs_at = self._relax_at = Instant(0)
        """The earliest times to claim runs of dead nodes, and to lift limits of admission."""
        self._set_clock_at = 0
        self.next_poll = self._warn_at = Instant(0)
        self._is_failing = False
        """The last poll has failed."""
        self._is_named = False
        """The store has named this node to take a run."""
        self._pass_on_at = Instant(0)
        self.serves: str | None = None
        """Which workflows this node serves: see `Admission.serves`."""
        self.is_unknown = False
        """Other nodes do not know of this one, and cannot leave it anything."""
        self.has_more_peers = False
        """More nodes share the work than before."""
        self.wants_claim = False
        """There are runs to claim."""
        self.wants_mail = False
        """There are messages for runs of this node."""
        self.lost_runs: set[RunKey] = set()
        """Runs that were taken from this node. The next commit checks them."""
        self.must_check_all = False
        """Any of the runs may have been taken from this node: the answer that names them was lost."""
        self.drain_asked_by: str | None = None
        """Who has asked this node to end in order. None: nobody."""

    def poll_now(self) -> None:
        """Something may have changed in the store."""
        self.poll_by(Instant(0))
        self._inbox.wake()

    def poll_soon(self) -> None:
        """A run is due that another node was told of. Look whether that node has taken it, but do not hurry:
        it nearly always has."""
        at = later(self._clock.now(), _PATIENCE_WITH_OTHERS)
        if at < self.next_poll:
            self.next_poll = at
            self._inbox.wake()

    def poll_when_named(self) -> None:
        """Something is meant for this node: a message for one of its runs, or a run that it owned last."""
        self._is_named = True
        self.poll_now()

    def poll_by(self, at: Instant) -> None:
        """If the last poll has failed, not at once: news may come all the time."""
        if self._is_failing:
            at = max(at, later(self._clock.now(), _RETRY_AFTER))
        self.next_poll = min(self.next_poll, at)

    async def poll(self, node: NodeId) -> None:
        """Look into the store, if it is time."""
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
            await self._pass_on_if_full(now)
            work = await self._next_work(node)
            self.drain_asked_by = work.drain_asked_by
            if work.has_lost_runs:
                self.must_check_all = True
                self.lost_runs.update(await self._store.collect_lost_runs(node))
                self.must_check_all = False
            has_moved = True
            if work.schedule_at is not None and work.schedule_at <= now:
                has_moved = await self._schedules.fire(now)
        except StoreError as error:
            # Polling can wait. If the store is really away, the next commit finds out.
            now = self._clock.now()
            if now >= self._warn_at:
                _log.warning("%s; polling again soon", error)
                self._warn_at = later(now, _WARN_EVERY)
            self.next_poll = later(now, _RETRY_AFTER)
            self._is_failing = True
            return
        self._is_failing, self._warn_at = False, Instant(0)
        self._note_work(work, now)
        if work.schedule_at is not None:
            # A schedule that was due has been fired, by this node or another, so the next one is soon known.
            # A schedule that cannot fire stays due, and must not make the node spin.
            soon = _SOON if has_moved else _RETRY_AFTER
            self.poll_by(later(now, soon) if work.schedule_at <= now else work.schedule_at)

    async def next_due(self, node: NodeId) -> Instant | None:
        """When the store has something that this node would do, also if it has no room for it now. Not in the
        future if that is due, or if the store does not answer."""
        now = self._clock.now()
        try:
            wanted = self._admission.runs_wanted()
            if wanted is None:
                claims, workflows = self._admission.all_claims(), self._schedules.workflows()
                work = await self._store.next_work(self._namespace, node, claims, workflows)
            else:
                work = await self._own_work(node, wanted)
            schedule_at = work.schedule_at
            if schedule_at is not None and schedule_at <= now:
                schedule_at = await self._schedules.next_try(now)
        except StoreError:
            return now
        if work.has_lost_runs or (work.has_mail and self._admission.has_room_for_mail):
            return now
        dues = (work.wake_at, work.expires_at, schedule_at)
        return min((at for at in dues if at is not None), default=None)

    async def _pass_on_if_full(self, now: Instant) -> None:
        """A run may be meant for this node that it has no room for. The others need not wait for that."""
        is_full = self._admission.is_limiting or self._admission.free <= 0
        if self._is_named and is_full and now >= self._pass_on_at:
            self._pass_on_at = later(now, _RETRY_AFTER)
            await self._store.tell_other_nodes()
        self._is_named = False

    async def _next_work(self, node: NodeId) -> NextWork:
        wanted = self._admission.runs_wanted()
        if wanted is None:
            self.serves = self._admission.serves
            work = await self._store.next_work(
                self._namespace,
                node,
                self._admission.claims(),
                self._schedules.workflows(),
                self.serves,
                self._clock.now(),
            )
            self.is_unknown = work.peers == 0
            peers = work.peers or 1
            self.has_more_peers = self.has_more_peers or peers > self._admission.peers
            self._admission.peers = peers
            return work
        return await self._own_work(node, wanted)

    async def _own_work(self, node: NodeId, wanted: Sequence[RunKey]) -> NextWork:
        work = await self._store.next_work(self._namespace, node, ())
        wake_at = await self._store.next_due_time(self._namespace, wanted) if wanted else None
        return work._replace(wake_at=wake_at)

    def _note_work(self, work: NextWork, now: Instant) -> None:
        self.wants_mail = self.wants_mail or work.has_mail
        if work.expires_at is not None and max(work.expires_at, self._free_runs_at) <= now:
            self.wants_claim = True
            # The dead node may have a commit under way, which must end first. The node must not spin
            # meanwhile.
            self._free_runs_at = later(now, _SOON)
        elif work.expires_at is not None:
            self.poll_by(max(work.expires_at, self._free_runs_at))
        if work.wake_at is not None and work.wake_at <= now:
            self.wants_claim = True
        elif work.wake_at is not None:
            self.poll_by(work.wake_at)

    def note_claim(self, request: ClaimRequest, found: int) -> None:
        """A claim has found so many runs."""
        if found == 0:
            # Other nodes were faster, or the due runs are locked. The node must not spin meanwhile.
            self.next_poll = later(self._clock.now(), _SOON)
        elif found < request.limit:
            # To learn when the next one is due. The runs that were found go first.
            self.poll_by(later(self._clock.now(), _AFTER_CLAIM))
        elif not self._admission.is_full_after(found):
            self.wants_claim = True
            self._inbox.wake()

    async def _set_clock(self) -> None:
        """Set the clock by the database now and then: all nodes have to agree on the time."""
        if self._clock.elapsed() < self._set_clock_at:
            return
        await set_by_database(self._clock, self._store.now)
        self._set_clock_at = self._clock.elapsed() + _SET_CLOCK_EVERY
