"""What a node decides in a tick: it passes on what has happened, in a fixed order, and collects the rows for
the commit."""

from __future__ import annotations

import logging
from collections.abc import Callable

from holdfast.core.values import Instant, later, microseconds
from holdfast.engine.admission import Admission
from holdfast.engine.alarms import Alarms
from holdfast.engine.attempt_recorder import hold
from holdfast.engine.attempt_timers import AttemptTimers
from holdfast.engine.committing import Committer
from holdfast.engine.dispatcher import Dispatcher
from holdfast.engine.inbox import AFTER_RUNS, BEFORE_RUNS, EngineInbox
from holdfast.engine.lease import NodeLease
from holdfast.engine.log_buffer import LogBuffer
from holdfast.engine.loop_watch import Activity
from holdfast.engine.operator_acts import try_to_pause
from holdfast.engine.resident import Resident, Stage
from holdfast.engine.residents import Residents
from holdfast.engine.run_loader import RunLoader
from holdfast.engine.start_queue import StartQueue
from holdfast.engine.store_poller import StorePoller
from holdfast.engine.stream_buffer import StreamBuffer
from holdfast.engine.tick import Tick
from holdfast.engine.tick_budget import FactBudget, TickBudget
from holdfast.engine.tuning import Tuning
from holdfast.ports.clock import Clock
from holdfast.ports.commits import Commit

_log = logging.getLogger("holdfast.engine")

_LONG_STEP = 1_000_000
"""Microseconds. Workflow code that takes longer for one step is named in a warning."""


class Decider:
    def __init__(
        self,
        new_tick: Callable[[Commit], Tick],
        *,
        clock: Clock,
        tuning: Tuning,
        lease: NodeLease,
        activity: Activity,
        inbox: EngineInbox,
        alarms: Alarms,
        attempt_timers: AttemptTimers,
        logs: LogBuffer,
        streams: StreamBuffer,
        dispatcher: Dispatcher,
        residents: Residents,
        loader: RunLoader,
        admission: Admission,
        poller: StorePoller,
        starts: StartQueue,
        committer: Committer,
    ) -> None:
        self._new_tick = new_tick
        self._clock = clock
        self._tuning = tuning
        self._budget = tuning.tick_bytes, microseconds(tuning.tick_time)
        self._lease = lease
        self._activity = activity
        self._inbox = inbox
        self._alarms = alarms
        self._attempt_timers = attempt_timers
        self._logs = logs
        self._streams = streams
        self._dispatcher = dispatcher
        self._residents = residents
        self._loader = loader
        self._admission = admission
        self._poller = poller
        self._starts = starts
        self._committer = committer
        self.hands_back_waiting = False
        """Whether runs that only wait are handed back without making them due. Those with long histories
        always are: the next owner need not load them before there is something to do."""

    def next_due(self) -> Instant | None:
        """When there will be something to decide, if nothing happens before."""
        dues = [
            self.next_due_of_runs(),
            self._attempt_timers.next_unrecorded_running(),
            self._logs.next_due(),
            self._streams.next_due(),
            self._lease.commit_at if len(self._residents) else None,
        ]
        return min((due for due in dues if due is not None), default=None)

    def next_due_of_runs(self) -> Instant | None:
        """When something is due for a run, an attempt or a schedule."""
        dues = [
            # While draining, the node does not poll, and a poll that is due would make the loop spin.
            self._poller.next_poll if self._dispatcher.is_open else None,
            self._alarms.next_due(),
            self._attempt_timers.next_limit(),
            self._residents.next_release(self._tuning.idle_after),
        ]
        return min((due for due in dues if due is not None), default=None)

    def decide(self, now: Instant, *, hand_back: bool) -> Tick:
        self._alarms.fire_due(now)
        self._attempt_timers.check_limits()
        tick = self._new_tick(self._committer.new_commit(now))
        self._hear(tick, takes_all=hand_back)
        if hand_back:
            for resident in self._residents:
                if not resident.is_gone:
                    may_wait = self.hands_back_waiting or self._residents.is_kept(resident)
                    is_waiting = may_wait and self._residents.may_leave(resident)
                    tick.release(resident, wake_at=resident.wake_at if is_waiting else now)
        else:
            self._release_idle(tick)
            if self._poller.has_more_peers:
                self._leave_to_others(tick)
            self._request_work(tick)
        if not self._lease.is_valid(self._clock.now()) or self._poller.must_check_all:
            # The process stood still for too long. What was decided counts only for runs that are still ours,
            # so the commit checks all of them.
            tick.hold_all(self._residents)
            self._poller.must_check_all = False
        if self._poller.lost_runs:
            self._check_lost(tick)
        return tick

    def _check_lost(self, tick: Tick) -> None:
        """Have the commit check the runs that new ones have replaced. It finds them lost, and they leave
        memory with their attempts."""
        for run in self._poller.lost_runs:
            resident = self._residents.get(run)
            if resident is not None:
                hold(tick.commit, resident)
        tick.replaced.update(self._poller.lost_runs)
        self._poller.lost_runs.clear()

    def _release_idle(self, tick: Tick) -> None:
        """Runs that only wait leave memory after a while. Those that would take long to load again stay,
        while there is room."""
        room = self._tuning.idle_bytes if self._admission.max_idle else 0
        for resident in self._residents.take_idle(
            tick.now, self._tuning.idle_after, self._admission.max_idle
        ):
            if self._tuning.long_history <= resident.history_bytes <= room:
                self._residents.keep(resident)
                tick.show_wait(resident)
            else:
                tick.release(resident, wake_at=resident.wake_at)
        for resident in self._residents.take_kept(room):
            tick.release(resident, wake_at=resident.wake_at)

    def _leave_to_others(self, tick: Tick) -> None:
        """Another node has joined: it gets its share of what waits here for a slot."""
        self._poller.has_more_peers = False
        for resident in self._admission.surplus():
            if not self._residents.is_ready(resident):
                tick.release(resident, wake_at=tick.now)
                tick.leaves_backlog = True

    def _hear(self, tick: Tick, *, takes_all: bool) -> None:
        """Pass what has happened to the tick, in a fixed order: all of it, or as much as one tick may do."""
        if self._starts.has_more:
            self._starts.begin(tick, TickBudget(tick.commit, self._clock, *self._budget))
            if self._starts.has_more:
                self._inbox.wake()
        budget = None if takes_all else FactBudget(tick.commit, self._clock, *self._budget)
        for fact in self._inbox.take(BEFORE_RUNS, budget):
            tick.hear(fact)
        for resident in list(self._residents.pausing):
            try_to_pause(tick, resident)
        self._advance_ready(tick)
        for resident in self._inbox.behind:
            if not resident.is_gone:
                self._residents.mark_ready(resident)
        tick.place_tasks()
        for attempt in self._dispatcher.begin_recording_starts():
            if attempt.stage is Stage.WAITING:
                tick.recorder.record_start(attempt)
        for attempt in self._attempt_timers.take_unrecorded_running(tick.now):
            tick.recorder.record_running(attempt)
        for attempt in self._logs.take_due(tick.now):
            tick.recorder.write_log(attempt, is_over=attempt.stage is Stage.CLOSED)
        if self._streams.next_due() is not None:
            budget = TickBudget(tick.commit, self._clock, *self._budget)
            for attempt in self._streams.take_due(tick.now, budget):
                tick.recorder.write_items(attempt)
        if tick.commit.published:
            tick.commit.stream_items = self._tuning.stream_items
            tick.commit.stream_bytes = self._tuning.stream_bytes
            tick.commit.drop_items_at = later(tick.now, self._tuning.stream_kept)
        for fact in self._inbox.take(AFTER_RUNS):
            tick.hear(fact)

    def _advance_ready(self, tick: Tick) -> None:
        budget = TickBudget(tick.commit, self._clock, *self._budget)
        before = self._clock.now()
        ready = iter(self._residents.take_ready())
        for resident in ready:
            if resident.is_gone or resident.pause is not None:
                continue
            if budget.is_spent(before):
                self._residents.put_back([resident, *ready])
                break
            self._activity.begin(resident.record)
            tick.advance(resident)
            if not resident.is_gone:
                self._residents.update_idle(resident, tick.now)
            after = self._clock.now()
            if after - before > _LONG_STEP:
                _warn_of_long_step(resident, after - before)
            before = after
        self._activity.end()

    def _request_work(self, tick: Tick) -> None:
        """Have the commit claim runs and collect mail, if there are any."""
        if not self._dispatcher.is_open:
            return
        poller = self._poller
        if tick.commit.chapters:
            poller.wants_claim = True  # with the same commit, which makes these runs due
        if self._admission.is_limiting and self._admission.try_reopen():
            poller.wants_claim = True
        if poller.wants_claim and (tick.recorder.is_risky or self._loader.is_risky):
            # Claim with a later commit. A run claimed with this one would get a setback before it has
            # taken a step, if the node dies with the attempt that starts now, or with a run that is loaded.
            self._inbox.wake()
        elif poller.wants_claim and self._admission.free > 0:
            poller.wants_claim = False
            tick.commit.claim = self._admission.claim_request()
        room = self._tuning.tick_bytes - self._residents.mail.bytes
        tick.commit.mail_bytes = max(room, 1)
        if room > 0:  # otherwise a later tick collects, when runs have read what is in memory
            tick.commit.collect = poller.wants_mail
            poller.wants_mail = False

    def is_worth_committing(self, commit: Commit, now: Instant) -> bool:
        commit_at = self._lease.commit_at
        must_renew = len(self._residents) and (commit_at is None or commit_at <= now)
        must_renew = must_renew or self._poller.is_unknown
        return bool(commit.created or commit.held or commit.claim or commit.collect or must_renew)


def _warn_of_long_step(resident: Resident, microseconds: int) -> None:
    _log.warning(
        "workflow %r (run %s) has held up everything on this node for %.1f s; what takes time "
        "belongs in a task: a node whose event loop stands still for too long stops",
        resident.record.workflow,
        resident.run_id,
        microseconds / 1_000_000,
    )
