"""The engine: the life cycle and the loop of one node.

Each round of the loop is a tick: it polls the store, decides (deciding.py), commits (committing.py), and only
then acts (effects.py). Everything runs on one event loop, so nothing here needs a lock. Time, dice, ids and
waiting come from outside, so that several engines can run in one thread on a simulated clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

from holdfast.core.records import RunRecord
from holdfast.core.run_options import PLAIN_TERMS, RunTerms
from holdfast.core.values import Instant, NodeId, Payload, RunKey, later
from holdfast.engine.admission import Admission
from holdfast.engine.after_commits import AfterCommits
from holdfast.engine.alarms import Alarms
from holdfast.engine.attempt_timers import AttemptTimers
from holdfast.engine.committing import Committer
from holdfast.engine.deciding import Decider
from holdfast.engine.dispatcher import Dispatcher, ExecutorRouter
from holdfast.engine.effects import Effects, RunObserver
from holdfast.engine.gc_pause import GcPause, relax_gc
from holdfast.engine.idle_wait import IdleWait
from holdfast.engine.inbox import EngineInbox
from holdfast.engine.lease import NodeLease
from holdfast.engine.lease_keeper import KeeperRunner, KeeperThread, LeaseKeeper
from holdfast.engine.log_buffer import LogBuffer
from holdfast.engine.loop_watch import Activity, FindAttempt, LoopWatch
from holdfast.engine.measuring import Meter
from holdfast.engine.pruning import Pruner
from holdfast.engine.resident import LiveAttempt, Stage
from holdfast.engine.residents import Residents
from holdfast.engine.run_loader import RunLoader
from holdfast.engine.run_scope import RunScope
from holdfast.engine.run_spans import RunSpans
from holdfast.engine.schedule_firing import ScheduleFirer
from holdfast.engine.start_queue import StartQueue
from holdfast.engine.store_poller import StorePoller
from holdfast.engine.stream_buffer import StreamBuffer
from holdfast.engine.tick import Tick
from holdfast.engine.tuning import Tuning
from holdfast.errors import LoopStalled, NotOpen, Refused, StoreError, node_stopped
from holdfast.ports.clock import Clock
from holdfast.ports.executor import Beat, Log, Publish, Report
from holdfast.ports.fleet import NodeReport
from holdfast.ports.nodes import EngineStore
from holdfast.ports.programs import Pinned, Programs
from holdfast.ports.runs import StartedRuns
from holdfast.ports.secrets import SecretReader
from holdfast.ports.store_life import COLD, DUE, WATCHED, of_node
from holdfast.ports.telemetry import Telemetry
from holdfast.ports.tracing import NodeTracing

_log = logging.getLogger("holdfast.engine")

_LEAVE_TIMEOUT = dt.timedelta(seconds=5)
"""How long a node that has stopped tries to remove its row from the store."""


class NodeWait(NamedTuple):
    """What a node waits for that has handled everything so far."""

    next_due: Instant | None
    """When something is due for a run, an attempt or a schedule. The node's own upkeep does not count."""
    running: Sequence[LiveAttempt]
    """Attempts that run, and whose outcomes count."""
    cancelled: int
    """How many attempts were cancelled and have not ended."""
    is_end_awaited: bool
    """Another attempt may start when a cancelled one has ended."""


class Engine:
    def __init__(
        self,
        store: EngineStore,
        clock: Clock,
        programs: Programs,
        build_executors: Callable[[Report, Beat, Log, Publish], ExecutorRouter],
        *,
        namespace: str,
        node: NodeId,
        new_key: Callable[[Instant], RunKey],
        dice: Random,
        observer: RunObserver,
        queue_limits: Mapping[str, int],
        tuning: Tuning,
        own_runs_only: bool = False,
        pruner: Pruner | None = None,
        after_commits: Sequence[AfterCommits] = (),
        telemetry: Telemetry | None = None,
        tracing: NodeTracing | None = None,
        secrets: SecretReader | None = None,
        find_attempt: FindAttempt = lambda _: None,
        watch_loop: Callable[[Clock, Activity, FindAttempt, dt.timedelta], LoopWatch] = LoopWatch,
        run_keeper: Callable[[LeaseKeeper, Activity], KeeperRunner] = KeeperThread,
    ) -> None:
        """With `own_runs_only` the node works only on runs that were started here or passed to `take_up`, and
        on their children. `find_attempt` tells which attempt an asyncio task belongs to."""
        self.node = node
        self._namespace = namespace
        self._store = store
        self._clock = clock
        self._programs = programs
        self._tuning = tuning
        self._observer = observer
        self._pruner = pruner
        self._after_commits = after_commits
        self._find_attempt = find_attempt
        self._watch_loop, self._run_keeper = watch_loop, run_keeper
        self._keeper: LeaseKeeper | None = None
        self._keeper_runner: KeeperRunner | None = None
        self.on_stall: Callable[[LoopStalled], None] = lambda _: None
        """Called, on another thread, when the node has given up because its event loop stands still."""
        self.on_drain: Callable[[str], None] = lambda _: None
        """Called when somebody has asked this node to end in order, with who it was. It ends by itself."""
        activity = self._activity = Activity()
        inbox = self._inbox = EngineInbox()
        alarms = Alarms()
        lease = self._lease = NodeLease(tuning.lease)
        attempt_timers = AttemptTimers(clock, tuning, alarms, inbox)
        logs = LogBuffer(clock, tuning.log_every, tuning.log_limit, inbox)
        streams = StreamBuffer(clock, tuning.stream_every, inbox)
        self._spans = None if tracing is None else RunSpans(tracing, node)
        dispatcher = self._dispatcher = Dispatcher(
            build_executors,
            queue_limits,
            clock,
            lease,
            attempt_timers,
            logs,
            streams,
            inbox,
            tuning.unrecorded_bytes,
            secrets,
            self._spans,
        )
        residents = self._residents = Residents(inbox, alarms, dispatcher, clock, tuning.deadline_grace)
        scope = self._scope = RunScope(own_runs_only=own_runs_only)
        self._loader = RunLoader(
            store,
            clock,
            namespace,
            programs=programs,
            residents=residents,
            attempt_timers=attempt_timers,
            scope=scope,
            inbox=inbox,
            tuning=tuning,
            activity=activity,
        )
        admission = Admission(residents, programs, dispatcher, tuning, scope)
        schedules = ScheduleFirer(store, programs, namespace, new_key)
        self._poller = StorePoller(store, clock, admission, schedules, tuning, namespace, inbox)
        starts = self._starts = StartQueue(residents, admission, programs, new_key, tuning.start_batch)
        self._committer = Committer(store, clock, lease, residents, starts, namespace=namespace, node=node)
        self._decider = Decider(
            partial(
                Tick,
                residents=residents,
                dispatcher=dispatcher,
                attempt_timers=attempt_timers,
                scope=scope,
                programs=programs,
                new_key=new_key,
                dice=dice,
                max_depth=tuning.max_depth,
                max_history=tuning.max_history,
                step_bytes=tuning.step_bytes,
                is_measured=telemetry is not None,
            ),
            clock=clock,
            tuning=tuning,
            lease=lease,
            activity=activity,
            inbox=inbox,
            alarms=alarms,
            attempt_timers=attempt_timers,
            logs=logs,
            streams=streams,
            dispatcher=dispatcher,
            residents=residents,
            loader=self._loader,
            admission=admission,
            poller=self._poller,
            starts=starts,
            committer=self._committer,
        )
        self._effects = Effects(
            residents=residents,
            dispatcher=dispatcher,
            attempt_timers=attempt_timers,
            starts=starts,
            scope=scope,
            poller=self._poller,
            admission=admission,
            observer=observer,
            inbox=inbox,
        )
        self._idle_wait = IdleWait(
            clock, residents, dispatcher, self._loader, starts, self._poller, lambda: self.is_waiting
        )
        self._meter = None if telemetry is None else Meter(telemetry, alarms, self._loader)
        self._registered: set[tuple[str, str]] = set()
        """Workflows of children whose definitions are known to be in the store, by name and version."""
        self._is_ticking = self._is_draining = False
        self._stalled: LoopStalled | None = None
        self._main: asyncio.Task[None] | None = None
        self._drain: asyncio.Task[None] | None = None
        """Ends the node in order, because somebody has asked it to."""
        self._stop_listening: Callable[[], None] | None = None
        self._restore_gc: Callable[[], None] = lambda: None
        self.failure: BaseException | None = None
        """The error that ended the loop: a defect of ours, or a crash in a test."""

    # --- life cycle

    def start(self, node: NodeId | None = None) -> None:
        """After a fork, pass a new id for the node: the old one belongs to the parent process."""
        if node is not None:
            self.node = self._committer.node = node
            if self._spans is not None:
                self._spans.node = node
        self._stop_listening = self._listen()
        self._restore_gc = relax_gc()
        self._poller.poll_now()
        self._start_keeper()
        self._main = asyncio.create_task(self._run(), name=f"holdfast node {self.node}")
        if self._pruner is not None:
            self._pruner.start()

    def _listen(self) -> Callable[[], None]:
        stops = [
            self._store.listen(self._poller.poll_now, DUE),
            self._store.listen(self._poller.poll_when_named, of_node(self.node)),
            self._store.listen(self._poller.poll_soon, COLD),
            self._store.listen(self._committer.note_watched, WATCHED),
        ]

        def stop() -> None:
            for each in stops:
                each()

        return stop

    def _start_keeper(self) -> None:
        renewal = self._store.open_renewal(self._tuning.lease / 3)
        self._lease.is_kept = renewal is not None
        if renewal is None:
            return
        watch = self._watch_loop(self._clock, self._activity, self._find_attempt, self._tuning.look_every)

        def stop_stalled(error: LoopStalled) -> None:
            self.on_stall(error)
            watch.post(self._end_stalled, error)

        self._keeper = LeaseKeeper(
            renewal,
            self._lease,
            watch,
            self._clock,
            self._tuning,
            namespace=self._namespace,
            node=self.node,
            has_runs=lambda: len(self._residents) > 0 or self._activity.run is not None,
            on_stall=stop_stalled,
        )
        self._keeper_runner = self._run_keeper(self._keeper, self._activity)
        self._keeper_runner.start()

    def _end_stalled(self, error: LoopStalled) -> None:
        """The event loop moves again, after the node has given up its runs."""
        self._stalled = error
        if self._main is not None:
            self._main.cancel()

    def expect_stop(self) -> None:
        """The process was told to stop. If its event loop stands still, `on_stall` is called after the drain
        time. May be called by a signal handler."""
        if self._keeper is not None and self._keeper_runner is not None:
            self._keeper.expect_stop()
            self._keeper_runner.wake()

    async def _stop_keeper(self) -> None:
        if self._keeper_runner is not None:
            self._keeper_runner.close()
            await self._keeper_runner.wait_until_closed()

    async def stop(self) -> None:
        """Let running tasks finish for a while, hand back the rest, and remove the node's row."""
        if self._main is None:
            return
        if self._drain is not None:  # it ends already
            await asyncio.shield(self._drain)
            return
        self._begin_stop()
        await self._end_in_order()

    def _begin_drain(self, by: str) -> None:
        _log.warning(
            "node %s is drained%s: it takes no more runs, and ends when its tasks have",
            self.node,
            f" by {by}" if by else "",
        )
        self.on_drain(by)
        self._begin_stop()
        self._drain = asyncio.create_task(self._end_in_order(), name=f"drain holdfast node {self.node}")

    def _begin_stop(self) -> None:
        self._is_draining = True
        if self._pruner is not None:
            self._pruner.stop()
        for each in self._after_commits:
            each.note_commit(self._clock.now())  # perhaps none follows while tasks finish
        self._dispatcher.close()
        self._inbox.wake()

    async def _end_in_order(self) -> None:
        assert self._main is not None
        patience = self._tuning.drain + self._tuning.lease / 2 + _LEAVE_TIMEOUT
        if not await self._has_ended_by(later(self._clock.now(), patience)):
            _log.warning(
                "node %s cannot hand back its runs; others take them when its lease runs out", self.node
            )
            await self.kill()
            return
        await self._dispatcher.stop_executors()
        await self._stop_keeper()
        if self.failure is None:
            with contextlib.suppress(StoreError, TimeoutError):  # otherwise the lease runs out by itself
                async with asyncio.timeout(_LEAVE_TIMEOUT.total_seconds()):
                    await self._store.remove_node(self._namespace, self.node)
        self.drop_everything()

    async def _has_ended_by(self, deadline: Instant) -> bool:
        """Wait for the loop to end. While the store is away, it retries its commit and does not end."""
        assert self._main is not None
        over = asyncio.Event()
        self._main.add_done_callback(lambda _: over.set())
        await self._clock.wait(over, deadline)
        return self._main.done()

    async def wait_until_stopped(self) -> None:
        if self._main is not None:
            await asyncio.wait([self._main])
        if self._drain is not None:
            await asyncio.wait([self._drain])

    async def kill(self) -> None:
        """Stop as a crash would: nothing is written, nothing is handed back."""
        if self._drain is not None and self._drain is not asyncio.current_task():
            self._drain.cancel()
        if self._main is not None:
            self._main.cancel()
            await asyncio.gather(self._main, return_exceptions=True)
        self._residents.drop_all()
        await self._stop_keeper()
        await self._dispatcher.stop_executors()
        self.drop_everything()

    def drop_everything(self) -> None:
        """Forget everything in memory, and stop listening to the store."""
        if self._stop_listening is not None:
            self._stop_listening()
            self._restore_gc()
            self._stop_listening = None
        if self._keeper_runner is not None:
            self._keeper_runner.close()
        self._stop_pruners()
        self._starts.refuse(NotOpen())
        self._loader.drop()
        self._residents.drop_all()

    def _stop_pruners(self) -> None:
        for each in (self._pruner, *self._after_commits):
            if each is not None:
                each.stop()

    # --- starting runs, and questions

    def start_runs(
        self,
        workflow: str,
        pinned: Pinned,
        runs: Sequence[tuple[Payload, str | None]],
        terms: RunTerms = PLAIN_TERMS,
    ) -> asyncio.Future[StartedRuns]:
        """Start a run for each input and id, all on the same terms. The future gets their keys when all are
        recorded. Where a run with that id exists already, it gets the key of that run."""
        if isinstance(self.failure, Exception):
            raise node_stopped(self.failure)
        if self._is_draining or self._main is None or self._main.done():
            raise NotOpen
        answer = self._starts.add(workflow, pinned, runs, terms)
        if self._scope.is_limited:
            answer.add_done_callback(self._take_up_started)
        self._inbox.wake()
        return answer

    def take_up(self, runs: Iterable[RunKey]) -> None:
        """Work on these runs too, if the engine is limited to its own runs."""
        if self._scope.is_limited:
            self._scope.add(runs)
            self._poller.poll_now()

    def _take_up_started(self, answer: asyncio.Future[StartedRuns]) -> None:
        if not answer.cancelled() and answer.exception() is None:
            self.take_up(answer.result().keys)  # an existing run is taken up too, since it may have no node

    def has(self, run: RunKey) -> bool:
        """Whether this node has the run in memory, and so will tell its observer when the run ends."""
        return run in self._residents

    def describe(self, version: str) -> tuple[NodeId, Instant | None, NodeReport]:
        """This node, since when it has its lease, and its report."""
        report = NodeReport(version, self._is_draining, self._dispatcher.queue_reports())
        return self.node, self._lease.since, report

    @property
    def is_empty(self) -> bool:
        """Whether no run is in memory and no attempt has a slot."""
        return not (len(self._residents) or self._dispatcher.running)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing will happen here until time passes or someone asks for something."""
        return not (self._is_ticking or self._inbox.wake_event.is_set() or self._dispatcher.running)

    @property
    def is_waiting(self) -> bool:
        """Whether it is alive and has handled everything so far. Attempts may run."""
        is_alive = self._main is not None and not self._main.done()
        return is_alive and not (self._is_ticking or self._inbox.wake_event.is_set())

    def find_wait(self) -> NodeWait | None:
        """What the node waits for; None while it has something to do. For tests that let time pass."""
        if not self.is_waiting:
            return None
        running = self._running_attempts() if self._dispatcher.running else []
        cancelled = self._dispatcher.running - len(running)
        return NodeWait(
            self._decider.next_due_of_runs(),
            running,
            cancelled,
            cancelled > 0 and self._dispatcher.has_waiting,
        )

    async def wait_until_idle(self) -> Instant | None:
        """Wait until nothing is due for this node, or its loop has ended: see `IdleWait`."""
        assert self._main is not None
        due = await self._idle_wait.until_idle(self.node, self._main)
        # If the node stops now, nothing must be due because of that: nobody might be there for a long time.
        self._decider.hands_back_waiting = True
        return due

    def look_into_store(self) -> None:
        """Poll the store now: for tests in which time stands still, and with it the interval of the polls."""
        self._poller.poll_now()

    # --- the loop

    async def _run(self) -> None:
        try:
            deadline: Instant | None = None
            while True:
                self._is_ticking = False
                self._idle_wait.note_rest()
                due = self._decider.next_due()
                until = deadline if due is None else min(due, deadline or due)
                await self._clock.wait(self._inbox.wake_event, until)
                self._clock.catch_up()
                self._is_ticking = True
                self._inbox.wake_event.clear()
                if self._is_draining:
                    deadline = deadline or later(self._clock.now(), self._tuning.drain)
                    is_done = not self._dispatcher.is_working and self._inbox.is_empty
                    is_done = is_done and not self._starts.has_more
                    if is_done or self._clock.now() >= deadline:
                        break
                await self._tick()
                if self._is_draining and not self._dispatcher.is_working:
                    self._inbox.wake()  # there is nothing more to wait for
            await self._end_running_attempts()
            await self._tick(hand_back=True)
        except asyncio.CancelledError:
            if self._stalled is None:
                raise
            self._fail(self._stalled)
        except BaseException as error:
            self._fail(error)
        finally:
            self._is_ticking = False

    def _fail(self, error: BaseException) -> None:
        self.failure = error
        if isinstance(error, LoopStalled):
            # Other nodes have its runs now, so its attempts are cancelled.
            self._residents.discard([resident.key for resident in self._residents])
        elif isinstance(error, Exception):
            _log.critical("node %s has stopped by an error of its own", self.node, exc_info=error)
        if isinstance(error, Exception):
            self._starts.refuse(node_stopped(error))
            self._observer.node_stopped(node_stopped(error))
        self.drop_everything()

    async def _end_running_attempts(self) -> None:
        """Cancel attempts that are sure to end, and wait for their end, before they are handed back: the next
        owner starts them at once, and they must not run twice."""
        ending = [attempt for attempt in self._running_attempts() if attempt.slots.executor.ends_surely]
        for attempt in ending:
            attempt.stage = Stage.CLOSED  # what it reports now is ignored, since it is handed back
            self._dispatcher.cancel(attempt)
        deadline = later(self._clock.now(), self._tuning.lease / 2)
        while any(attempt.slots is not None for attempt in ending) and self._clock.now() < deadline:
            self._inbox.wake_event.clear()
            await self._clock.wait(self._inbox.wake_event, deadline)

    def _running_attempts(self) -> list[LiveAttempt]:
        attempts = [attempt for resident in self._residents for attempt in resident.attempts.values()]
        return [
            attempt for attempt in attempts if attempt.stage is Stage.RUNNING and attempt.slots is not None
        ]

    async def _tick(self, *, hand_back: bool = False) -> None:
        if not self._is_draining:
            await self._poller.poll(self.node)
            if self._poller.drain_asked_by is not None and not self._is_draining:
                self._begin_drain(self._poller.drain_asked_by)
        with GcPause():
            self._note_serves()
            now = self._clock.now()
            if self._meter is not None:
                self._meter.begin(now)
            tick = self._decider.decide(now, hand_back=hand_back)
        if self._decider.is_worth_committing(tick.commit, tick.now):
            if tick.children:
                await self._register_children(tick.commit.created)
            began = self._clock.elapsed()
            receipt = await self._committer.commit(tick)
            took = self._clock.elapsed() - began
            self._poller.is_unknown = False
            if receipt.lease_since == tick.commit.now and tick.commit.serves is not None:
                self._poller.poll_now()  # it has just joined, and counts among its peers now
            with GcPause():
                self._effects.carry_out(tick, receipt)
                if self._meter is not None:
                    self._meter.committed(tick, receipt, took)
                if self._spans is not None and (tick.commit.ended or tick.recorder.reported):
                    void = receipt.lost | receipt.existing.keys()
                    self._spans.note_reports(tick.recorder.reported, void, tick.now)
                    self._spans.note_ends(tick.commit.ended, tick.gone, void, tick.now)
                for each in self._after_commits:
                    each.note_commit(tick.now)
            await self._loader.receive(receipt)
        if self._loader.has_work and not self._is_draining:
            await self._loader.go_on()

    def _note_serves(self) -> None:
        """Have the next commit write which workflows this node serves, if that has changed."""
        if self._poller.is_unknown or self._poller.serves != self._committer.serves:
            self._committer.serves = self._poller.serves
            self._lease.renew_with_commit()

    async def _register_children(self, runs: Sequence[RunRecord]) -> None:
        """Write the definitions of children into the store before their runs. If a workflow was added to the
        catalog after the node was opened, the store does not have it, and whoever retries the child needs it.
        If they cannot be written, the commit goes on."""
        lacking = {(run.workflow, run.version) for run in runs} - self._registered
        if lacking:
            definitions = [it for it in self._programs.stored() if (it.name, it.version) in lacking]
            try:
                await self._store.register_definitions(self._namespace, definitions, self._clock.now())
            except (StoreError, Refused) as error:
                _log.warning("definitions of children could not be written: %s", error)
                return
            self._registered |= lacking
