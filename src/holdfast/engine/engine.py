"""The engine: one node's loop. It collects what happened, ticks, commits, and only then acts.

Everything runs on one event loop, so nothing here needs a lock. Time, dice, ids and waiting come
from outside, so that several engines can run in one thread on a clock that is not real.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Protocol

from holdfast.core.events import ChildEnded
from holdfast.core.history import CHILD_EXISTS
from holdfast.core.policies import LOST_ATTEMPTS_ALLOWED
from holdfast.core.records import RunRecord
from holdfast.core.values import (
    Failed,
    Instant,
    NodeId,
    Outcome,
    Payload,
    RunKey,
    later,
)
from holdfast.engine.admission import Admission
from holdfast.engine.alarms import Alarms
from holdfast.engine.attempt_timers import AttemptTimers
from holdfast.engine.committing import combine_receipts, commit_with_retries
from holdfast.engine.dispatcher import Dispatcher
from holdfast.engine.engine_context import EngineContext
from holdfast.engine.gc_pause import gc_paused
from holdfast.engine.log_buffer import LogBuffer
from holdfast.engine.resident import LiveAttempt, Stage
from holdfast.engine.residents import Residents
from holdfast.engine.run_loader import RunLoader
from holdfast.engine.run_scope import RunScope
from holdfast.engine.schedule_firing import ScheduleFirer
from holdfast.engine.start_queue import StartQueue
from holdfast.engine.store_poller import StorePoller
from holdfast.engine.tick import Tick
from holdfast.engine.tuning import Tuning
from holdfast.errors import NodeStopped, NotOpen, Refused, StoreError, StoreFull
from holdfast.ports.clock import Clock
from holdfast.ports.executor import Attempt, Beat, Executor, Log, Report
from holdfast.ports.programs import Pinned, Programs
from holdfast.ports.store import Commit, EndedRun, Held, Receipt, Store

_log = logging.getLogger("holdfast.engine")

_LONG_STEP = 1_000_000
"""In microseconds: what workflow code may take for one step before somebody is told."""
_LEAVE_TIMEOUT = dt.timedelta(seconds=5)
"""How long a node that has stopped tries to say so."""


class ExecutorRouter(Protocol):
    def route(self, attempt: Attempt) -> Executor:
        """The executor for an attempt. Never raises: one at an unknown task fails when it is run."""
        ...

    async def stop(self) -> None: ...


class RunObserver(Protocol):
    """Whoever wants to know what becomes of runs. Told after the commit, and of nothing that is lost."""

    def runs_ended(self, runs: Sequence[EndedRun]) -> None: ...

    def runs_released(self, runs: Iterable[RunKey]) -> None:
        """This node no longer has these runs, and will not tell of their end."""
        ...

    def node_stopped(self, failure: NodeStopped) -> None:
        """This node has stopped by an error of its own."""
        ...


class Engine:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        programs: Programs,
        build_executors: Callable[[Report, Beat, Log], ExecutorRouter],
        *,
        namespace: str,
        node: NodeId,
        new_key: Callable[[Instant], RunKey],
        dice: Random,
        observer: RunObserver,
        queue_limits: Mapping[str, int],
        tuning: Tuning,
        own_runs_only: bool = False,
    ) -> None:
        """With `own_runs_only` the node works only on runs that were started here or passed to `take_up`, and
        on their children."""
        self.node = node
        self._namespace = namespace
        self._store = store
        self._clock = clock
        self._programs = programs
        self._tuning = tuning
        self._observer = observer
        self._wake = asyncio.Event()
        self._alarms = Alarms()
        self._timers = AttemptTimers(clock, tuning, self._wake.set)
        self._dispatcher = Dispatcher(
            self._route,
            queue_limits,
            self._current_time,
            self._timers.started,
            self._attempt_ended,
            self._wake.set,
            self._has_lease,
        )
        self._logs = LogBuffer(clock, tuning.log_every, tuning.log_limit, self._wake.set)
        self._executors = build_executors(self._dispatcher.report, self._timers.beat, self._logs.log)
        self._residents = Residents(self._wake.set)
        self._scope = RunScope() if own_runs_only else None
        self._context = EngineContext(
            namespace,
            node,
            programs,
            self._dispatcher,
            self._alarms,
            self._timers,
            dice,
            new_key,
            self._residents.mark_ready,
            self._scope,
            tuning.max_depth,
        )
        self._loader = RunLoader(store, clock, self._context, self._residents)
        self._admission = Admission(self._residents, programs, tuning, self._scope)
        schedules = ScheduleFirer(store, programs, namespace, new_key)
        self._poller = StorePoller(
            store, clock, self._admission, schedules, tuning, namespace, self._wake.set
        )
        self._starts = StartQueue(self._context, self._residents, self._admission, tuning.start_batch)
        self._outcomes: list[tuple[LiveAttempt, Outcome, Instant]] = []
        self._registered: set[tuple[str, str]] = set()
        """Workflows whose definitions are in the store for sure, of those that children are of."""
        self._ticks = 0
        self._renew_at: Instant | None = None
        self._lease_until = Instant(0)
        self._is_ticking = self._is_draining = False
        self._main: asyncio.Task[None] | None = None
        self._stop_listening: Callable[[], None] | None = None
        self.failure: BaseException | None = None
        """What ended the loop, if it was not asked to end: a defect of ours, or a crash in a test."""

    # --- life

    def start(self, node: NodeId | None = None) -> None:
        """`node` is who it is from now on: it may have been made in a process that has forked this one."""
        if node is not None:
            self.node = self._context.node = node
        self._stop_listening = self._store.listen(self._poller.poll_now)
        self._poller.poll_now()
        self._main = asyncio.create_task(self._run(), name=f"holdfast node {self.node}")

    async def stop(self) -> None:
        """Let what runs finish for a while, hand back the rest, and leave."""
        if self._main is None:
            return
        self._is_draining = True
        self._dispatcher.close()
        self._wake.set()
        patience = self._tuning.drain + self._tuning.lease / 2 + _LEAVE_TIMEOUT
        if not await self._has_ended_by(later(self._clock.now(), patience)):
            _log.warning(
                "node %s cannot hand back its runs; others take them when its lease runs out", self.node
            )
            await self.kill()
            return
        await self._executors.stop()
        if self.failure is None:
            with contextlib.suppress(StoreError, TimeoutError):  # then the lease runs out by itself
                async with asyncio.timeout(_LEAVE_TIMEOUT.total_seconds()):
                    await self._store.leave(self._namespace, self.node)
        self.drop_everything()

    async def _has_ended_by(self, patience: Instant) -> bool:
        """Wait for the loop to end. It does not while the store is away: a commit is tried for ever."""
        assert self._main is not None
        over = asyncio.Event()
        self._main.add_done_callback(lambda _: over.set())
        await self._clock.wait(over, patience)
        return self._main.done()

    async def wait_until_stopped(self) -> None:
        if self._main is not None:
            await asyncio.wait([self._main])

    async def kill(self) -> None:
        """Stop as a crash would: nothing is written, nothing is handed back."""
        if self._main is not None:
            self._main.cancel()
            await asyncio.gather(self._main, return_exceptions=True)
        self._residents.drop_all()
        await self._executors.stop()
        self.drop_everything()

    def drop_everything(self) -> None:
        """Drop everything in memory, and listen no more."""
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None
        self._starts.refuse(NotOpen())
        self._residents.drop_all()

    # --- what others tell the engine

    def submit(
        self,
        workflow: str,
        pinned: Pinned,
        runs: Sequence[tuple[Payload, str | None]],
        schedule: str | None = None,
    ) -> asyncio.Future[list[RunKey]]:
        """Start a run for each input and id. Answers when they are recorded, with the key of each, or
        that of the run that has its id. `schedule` is the one that they are started for, if there is one."""
        if isinstance(self.failure, Exception):
            raise NodeStopped(self.failure)
        if self._is_draining or self._main is None or self._main.done():
            raise NotOpen
        answer = self._starts.add(workflow, pinned, runs, schedule)
        if self._scope is not None:
            answer.add_done_callback(self._take_up_started)
        self._wake.set()
        return answer

    def take_up(self, runs: Iterable[RunKey]) -> None:
        """Work on these as well, in an engine that does not on all."""
        if self._scope is not None:
            self._scope.add(runs)
            self._poller.poll_now()

    def _take_up_started(self, answer: asyncio.Future[list[RunKey]]) -> None:
        if not answer.cancelled() and answer.exception() is None:
            self.take_up(answer.result())  # also those that were there already, and may have no node

    def has(self, run: RunKey) -> bool:
        """Whether this node has the run in memory, and so will tell of its end."""
        return run in self._residents

    @property
    def is_empty(self) -> bool:
        """No run is in memory, and no attempt has a slot."""
        return not (len(self._residents) or self._dispatcher.running)

    @property
    def is_quiet(self) -> bool:
        """Nothing is under way here, and nothing will happen but by the passing of time."""
        return not (self._is_ticking or self._wake.is_set() or self._dispatcher.running)

    def _route(self, attempt: Attempt) -> Executor:
        return self._executors.route(attempt)

    def _current_time(self) -> Instant:
        """Also if the machine has just slept: it is to decide whether there is still a lease."""
        self._clock.catch_up()
        return self._clock.now()

    def _attempt_ended(self, attempt: LiveAttempt, outcome: Outcome) -> None:
        if attempt.stage is not Stage.CLOSED:
            if not self._outcomes:
                self._wake.set()
            self._outcomes.append((attempt, outcome, self._clock.now()))
            return
        self._wake.set()  # also for what starts in its slot now: its limits must be rung at

    # --- the loop

    async def _run(self) -> None:
        try:
            deadline: Instant | None = None
            while True:
                self._is_ticking = False
                await self._clock.wait(self._wake, self._next_due(deadline))
                self._clock.catch_up()
                self._is_ticking = True
                self._wake.clear()
                if self._is_draining:
                    deadline = deadline or later(self._clock.now(), self._tuning.drain)
                    if not self._dispatcher.running or self._clock.now() >= deadline:
                        break
                await self._tick()
            await self._end_processes()
            await self._tick(hand_back=True)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self.failure = error
            if isinstance(error, Exception):
                _log.critical("node %s has stopped by an error of its own", self.node, exc_info=error)
                self._starts.refuse(NodeStopped(error))
                self._observer.node_stopped(NodeStopped(error))
            self.drop_everything()
        finally:
            self._is_ticking = False

    async def _end_processes(self) -> None:
        """What can surely be ended is ended before it is handed back: the next owner begins at once, and must
        not find it running."""
        attempts = [attempt for resident in self._residents for attempt in resident.attempts.values()]
        ending = [
            attempt for attempt in attempts if attempt.stage is Stage.RUNNING and attempt.slots is not None
        ]
        ending = [attempt for attempt in ending if attempt.slots.executor.ends_surely]
        for attempt in ending:
            attempt.stage = Stage.CLOSED  # whatever it says now, it is handed back as if it had not been
            self._dispatcher.cancel(attempt)
        deadline = later(self._clock.now(), self._tuning.lease / 2)
        while any(attempt.slots is not None for attempt in ending) and self._clock.now() < deadline:
            self._wake.clear()
            await self._clock.wait(self._wake, deadline)

    def _next_due(self, deadline: Instant | None) -> Instant | None:
        dues = [
            deadline,
            None if self._is_draining else self._poller.next_poll,  # it looks no more, and would only spin
            self._alarms.next_due(),
            self._timers.next_limit(),
            self._timers.next_show(),
            self._logs.next_due(),
            self._residents.next_release(self._tuning.idle_after),
            self._renew_at if len(self._residents) else None,
        ]
        return min((due for due in dues if due is not None), default=None)

    async def _tick(self, *, hand_back: bool = False) -> None:
        if not self._is_draining:
            await self._poller.poll(self.node)
        with gc_paused():
            tick = self._decide(self._clock.now(), hand_back=hand_back)
        if self._is_worth_committing(tick.commit, tick.now):
            if tick.children:
                await self._register_children(tick.commit.created)
            receipt = await self._commit(tick)
            with gc_paused():
                self._act(tick, receipt)
            await self._loader.receive(receipt)

    async def _register_children(self, runs: Sequence[RunRecord]) -> None:
        """The definition of a child must be in the store before its run is: one that was added to the catalog
        after the node was opened is known to nobody else, and whoever retries its run asks for its kind."""
        lacking = {(run.workflow, run.version) for run in runs} - self._registered
        if lacking:
            definitions = [it for it in self._programs.stored() if (it.name, it.version) in lacking]
            try:
                await self._store.register(self._namespace, definitions, self._clock.now())
            except (StoreError, Refused) as error:
                _log.warning("definitions of children could not be written: %s", error)
                return
            self._registered |= lacking

    def _decide(self, now: Instant, *, hand_back: bool) -> Tick:
        self._alarms.fire_due(now)
        self._timers.check_limits()
        tick = self._hear(now)
        if hand_back:
            for resident in self._residents:
                if not resident.is_gone:
                    tick.release(resident, wake_at=now)
        else:
            for resident in self._residents.take_idle(now, self._tuning.idle_after, self._admission.max_idle):
                tick.release(resident, wake_at=resident.next_due())
            self._request_work(tick)
        if not self._has_lease(self._clock.now()):
            tick.hold_all(self._residents)
        return tick

    def _hear(self, now: Instant) -> Tick:
        """Everything that has happened, in one order, to everyone it concerns."""
        self._ticks += 1
        commit = Commit(self._namespace, self.node, self._ticks, now, later(now, self._tuning.lease))
        tick = Tick(self._context, commit, now)
        self._starts.begin(tick)
        if self._starts.has_more:
            self._wake.set()
        outcomes, self._outcomes = self._outcomes, []
        for attempt, outcome, at in outcomes:
            tick.attempts.settle(attempt, outcome, at)
        reports, self._loader.reports = self._loader.reports, []
        for attempt, report, message in reports:
            tick.attempts.settle_remote(attempt, report)
            tick.mark_read(attempt.resident, message)
        for attempt, why in self._timers.take_expired():
            tick.attempts.time_out(attempt, why)
        overdue, self._context.overdue = self._context.overdue, []
        for attempt in overdue:
            tick.attempts.fail_overdue(attempt)
        due, self._context.due = self._context.due, []
        for attempt in due:
            tick.attempts.dispatch_due(attempt)
        lost, self._loader.lost = self._loader.lost, []
        for attempt in lost:
            tick.attempts.lose(attempt, LOST_ATTEMPTS_ALLOWED)
        unable, self._loader.unable = self._loader.unable, []
        for resident, error in unable:
            if not resident.is_gone:
                tick.park(resident, error)
        self._advance_ready(tick)
        for attempt in self._dispatcher.take_unrecorded():
            if attempt.stage is Stage.QUEUED:
                tick.attempts.record_start(attempt)
        for attempt in self._timers.take_unshown(now):
            tick.attempts.show(attempt)
        for attempt in self._logs.take_due(now):
            tick.attempts.write_log(attempt, is_over=attempt.stage is Stage.CLOSED)
        stale, self._loader.stale = self._loader.stale, []
        for resident, message in stale:
            tick.mark_read(resident, message)
        return tick

    def _advance_ready(self, tick: Tick) -> None:
        before = self._clock.now()
        for resident in self._residents.take_ready():
            if resident.is_gone:
                continue
            tick.advance(resident)
            if not resident.is_gone:
                self._residents.update_idle(resident, tick.now)
            after = self._clock.now()
            if after - before > _LONG_STEP:
                _log.warning(
                    "workflow %r (run %s) has held up everything on this node for %.1f s; what takes time "
                    "belongs in a task: a node that is silent for longer than its lease loses its runs",
                    resident.record.workflow,
                    resident.run_id,
                    (after - before) / 1_000_000,
                )
            before = after

    def _request_work(self, tick: Tick) -> None:
        """Claim and collect in the same transaction, if there is reason to."""
        if self._is_draining:
            return
        poller = self._poller
        if self._admission.is_limiting and self._admission.try_reopen():
            poller.wants_claim = True
        if poller.wants_claim and tick.attempts.is_risky:
            self._wake.set()  # then: whoever was taken now would share the blame before it has taken a step
        elif poller.wants_claim and self._admission.free > 0:
            poller.wants_claim = False
            tick.commit.claim = self._admission.claim_request()
        tick.commit.collect = poller.wants_mail
        poller.wants_mail = False

    def _is_worth_committing(self, commit: Commit, now: Instant) -> bool:
        must_renew = len(self._residents) and (self._renew_at is None or self._renew_at <= now)
        return bool(commit.created or commit.held or commit.claim or commit.collect or must_renew)

    async def _commit(self, tick: Tick) -> Receipt:
        def refuse_starts(error: StoreFull) -> None:
            """Whoever wants to start something is told at once; what runs already is kept and retried."""
            refused = self._starts.refuse(error)
            tick.remove_runs(refused)
            self._residents.discard(refused, self._dispatcher)

        # The commit renews the lease, but perhaps after it had run out: it may have been on its way for long.
        # Then others may have taken runs that it does not name, and so has not asked about; and until that
        # is asked the lease must not look good to a slot that comes free meanwhile.
        last_lease = self._lease_until
        receipt = await commit_with_retries(self._store, self._clock, tick.commit, refuse_starts)
        self._clock.catch_up()
        is_sure = tick.holds_all or self._clock.now() < last_lease
        if is_sure:
            self._renewed(tick.commit)
        while not is_sure or not self._has_lease(self._clock.now()):
            receipt = await self._confirm(receipt)
            is_sure = tick.is_answer_late = True
        return receipt

    def _renewed(self, commit: Commit) -> None:
        self._renew_at = later(commit.now, self._tuning.lease / 3)
        self._lease_until = commit.lease_until

    def _has_lease(self, now: Instant) -> bool:
        """Not if it has run out: this process stood still, or the store was away. Then nothing may be
        done before a commit has told which runs are still ours."""
        return now < self._lease_until

    async def _confirm(self, receipt: Receipt) -> Receipt:
        """The answer to a commit came after the lease had run out, so ask again which runs are ours.

        Without it, tasks would be started here that another node has done and recorded long ago.
        """
        now = self._clock.now()
        self._ticks += 1
        commit = Commit(self._namespace, self.node, self._ticks, now, later(now, self._tuning.lease))
        known = {each.key: each.epoch for each in self._residents if not each.is_gone}
        known |= {run.key: run.epoch for run, _ in receipt.claimed}
        commit.held = [
            Held(run, epoch)
            for run, epoch in known.items()
            if run not in receipt.lost and run not in receipt.existing
        ]
        again = await commit_with_retries(self._store, self._clock, commit, lambda _: None)
        self._renewed(commit)
        return combine_receipts(receipt, again)

    def _act(self, tick: Tick, receipt: Receipt) -> None:
        """Everything that had to wait for the commit."""
        self._residents.discard([resident.key for resident in tick.gone], self._dispatcher)
        if receipt.lost or receipt.existing:
            self._drop_lost(tick, receipt)
        self._dispatcher.note_commit()
        self._dispatcher.start_waiting()
        self._submit(tick)
        for attempt in tick.attempts.to_cancel:
            self._dispatcher.cancel(attempt)
        self._starts.answer(receipt)
        if tick.commit.ended:
            self._announce_ends(tick, receipt)
            if self._scope is not None:
                self._scope.forget(row.run for row in tick.commit.ended)
        self._observer.runs_released([row.run for row in tick.commit.released])
        for row in tick.commit.released:
            if row.wake_at is not None:
                self._poller.poll_by(row.wake_at)
        if tick.commit.released and tick.commit.collect:
            self._poller.poll_now()  # the mail may be for one that has just left, and is now due for anyone
        if tick.has_new_work:
            self._poller.wants_claim = self._poller.wants_mail = True
            self._wake.set()
        if any(resident.record.schedule is not None for resident in tick.gone):
            self._poller.poll_now()  # the next tick of the schedule may wait for the end of this run
        if tick.gone and (self._admission.is_limiting or self._poller.wants_claim):
            self._wake.set()  # there is room now, and perhaps nothing else that would lead to a tick
        if tick.commit.claim is not None:
            self._poller.note_claim(tick.commit.claim, len(receipt.claimed))

    def _announce_ends(self, tick: Tick, receipt: Receipt) -> None:
        void = receipt.lost | receipt.existing.keys()
        ended = [row for row in tick.commit.ended if row.run not in void]
        if tick.is_answer_late:
            # Another node may own these runs by now, so the end may no longer be true.
            self._observer.runs_released([row.run for row in ended])
        else:
            self._observer.runs_ended(ended)

    def _submit(self, tick: Tick) -> None:
        """Hand attempts to their executors, now or when a slot is free."""
        attempts = [attempt for attempt in tick.attempts.to_dispatch if attempt.stage is Stage.SCHEDULED]
        for attempt in attempts:
            if attempt.options.start_timeout is not None:
                self._timers.limit_wait(attempt, attempt.options.start_timeout)
        self._dispatcher.submit(attempts)

    def _drop_lost(self, tick: Tick, receipt: Receipt) -> None:
        """Others have these runs: another node, or a run that was there first."""
        if receipt.lost:
            _log.warning("node %s has lost the lease of %d runs", self.node, len(receipt.lost))
        self._residents.discard(receipt.lost, self._dispatcher)
        self._residents.discard(receipt.existing, self._dispatcher)
        if self._admission.is_limiting or self._poller.wants_claim:
            self._wake.set()  # there is room now
        self._observer.runs_released(receipt.lost)
        for key, (parent, seq) in tick.children.items():
            if key in receipt.existing and parent.key in self._residents:
                parent.children.pop(seq, None)
                # One that was not begun would have failed in any case, but this is what replay will say.
                others = [it for it in parent.events if not (isinstance(it, ChildEnded) and it.seq == seq)]
                parent.events = [*others, ChildEnded(seq, Failed(CHILD_EXISTS))]
                self._residents.mark_ready(parent)
