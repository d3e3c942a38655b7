"""What a tick does once its commit stands: attempts start and are cancelled, callers are answered."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterable, Sequence
from typing import Protocol

from holdfast.core.events import ChildEnded
from holdfast.core.history import CHILD_EXISTS
from holdfast.core.values import Failed, RunKey, later
from holdfast.engine.admission import Admission
from holdfast.engine.attempt_timers import AttemptTimers
from holdfast.engine.dispatcher import Dispatcher
from holdfast.engine.failure_log import log_failed_runs, log_failed_tasks, log_parked_runs, log_retries
from holdfast.engine.inbox import EngineInbox
from holdfast.engine.resident import Stage
from holdfast.engine.residents import Residents
from holdfast.engine.run_scope import RunScope
from holdfast.engine.start_queue import StartQueue
from holdfast.engine.store_poller import StorePoller
from holdfast.engine.tick import Tick
from holdfast.errors import NodeStopped
from holdfast.ports.commits import EndedRun, Receipt

_log = logging.getLogger("holdfast.engine")

_OTHERS_FIRST = dt.timedelta(milliseconds=100)
"""When to look whether other nodes have taken the runs that were left to them."""


class RunObserver(Protocol):
    """Hears what becomes of the runs of this node, after the commit. It does not hear what a node decided for
    a run that it had lost."""

    def runs_ended(self, runs: Sequence[EndedRun]) -> None: ...

    def runs_released(self, runs: Iterable[RunKey]) -> None:
        """This node no longer has these runs, and will not tell when they end."""
        ...

    def items_published(self, runs: Iterable[RunKey]) -> None:
        """These runs may have published items."""
        ...

    def updates_answered(self, runs: Iterable[RunKey]) -> None:
        """Updates to these runs may have been answered."""
        ...

    def committed(self) -> None:
        """Something may have changed."""
        ...

    def node_stopped(self, failure: NodeStopped) -> None:
        """This node has stopped because of an error of its own."""
        ...


class Effects:
    def __init__(
        self,
        *,
        residents: Residents,
        dispatcher: Dispatcher,
        attempt_timers: AttemptTimers,
        starts: StartQueue,
        scope: RunScope,
        poller: StorePoller,
        admission: Admission,
        observer: RunObserver,
        inbox: EngineInbox,
    ) -> None:
        self._residents = residents
        self._dispatcher = dispatcher
        self._attempt_timers = attempt_timers
        self._starts = starts
        self._scope = scope
        self._poller = poller
        self._admission = admission
        self._observer = observer
        self._inbox = inbox

    def carry_out(self, tick: Tick, receipt: Receipt) -> None:
        self._residents.discard([resident.key for resident in tick.gone])
        if receipt.lost or receipt.existing:
            self._drop_lost(tick, receipt)
        self._dispatcher.note_commit()
        if tick.leaves_backlog:
            self._dispatcher.forget_closed()
        self.dispatch(tick)
        self._dispatcher.start_waiting()  # now that all that wait are in line, by priority
        for attempt in tick.recorder.to_cancel:
            self._dispatcher.cancel(attempt)
        self._starts.answer(receipt)
        if tick.recorder.failed or tick.recorder.failed_once or tick.failed or tick.parked:
            _log_failures(tick, receipt.lost | receipt.existing.keys())
        if tick.commit.published:
            self._observer.items_published({row.run for row in tick.commit.published})
        if tick.commit.answered:
            self._observer.updates_answered({row.run for row in tick.commit.answered})
        if tick.commit.ended:
            self._announce_ends(tick, receipt)
            self._scope.remove(row.run for row in tick.commit.ended)
        self._observer.committed()
        self._observer.runs_released([row.run for row in tick.commit.released])
        self._plan_polls(tick, receipt)

    def dispatch(self, tick: Tick) -> None:
        """Hand attempts to their executors, now or when a slot is free."""
        attempts = [attempt for attempt in tick.recorder.to_dispatch if attempt.stage is Stage.SCHEDULED]
        for attempt in attempts:
            if attempt.options.start_timeout is not None:
                self._attempt_timers.limit_wait(attempt, attempt.options.start_timeout)
        self._dispatcher.dispatch(attempts)

    def _drop_lost(self, tick: Tick, receipt: Receipt) -> None:
        """Forget runs that another node owns or that were replaced, and runs whose id was taken by an
        existing run."""
        if lost := receipt.lost - tick.replaced:
            _log.warning(
                "node %s has lost %d runs to other nodes, or to newer runs with their ids",
                tick.commit.node,
                len(lost),
            )
        if replaced := receipt.lost & tick.replaced:
            _log.info(
                "node %s forgets %d runs that newer ones have replaced", tick.commit.node, len(replaced)
            )
        self._residents.discard(receipt.lost)
        self._residents.discard(receipt.existing)
        if self._admission.is_limiting or self._poller.wants_claim:
            self._inbox.wake()  # there is room now
        self._observer.runs_released(receipt.lost)
        for key, (parent, seq) in tick.children.items():
            if key in receipt.existing and parent.key in self._residents:
                parent.children.pop(seq, None)
                # Replaces the failure of a child that was refused: replay will find this failure.
                others = [it for it in parent.events if not (isinstance(it, ChildEnded) and it.seq == seq)]
                parent.events = [*others, ChildEnded(seq, Failed(CHILD_EXISTS))]
                self._residents.mark_ready(parent)

    def _announce_ends(self, tick: Tick, receipt: Receipt) -> None:
        void = receipt.lost | receipt.existing.keys()
        ended = [row for row in tick.commit.ended if row.run not in void]
        if tick.is_answer_late:
            # The store knows how these runs ended. What this node decided may have been overtaken.
            self._observer.runs_released([row.run for row in ended])
        else:
            self._observer.runs_ended(ended)

    def _plan_polls(self, tick: Tick, receipt: Receipt) -> None:
        poller = self._poller
        for row in tick.commit.released:
            if row.wake_at is not None:
                poller.poll_by(row.wake_at)
        if tick.commit.released and tick.commit.collect:
            poller.poll_now()  # the mail may be for a run that has just been released, and is due now
        if tick.has_shared_work:
            poller.poll_by(later(tick.now, _OTHERS_FIRST))
        if tick.has_new_work:
            poller.wants_claim = poller.wants_mail = True
            self._inbox.wake()
        if any(resident.record.schedule is not None for resident in tick.gone):
            poller.poll_now()  # the schedule may wait for the end of this run
        if tick.gone and (self._admission.is_limiting or poller.wants_claim):
            self._inbox.wake()  # there is room now, and perhaps nothing else leads to a tick
        # The next tick that has room collects the rest. Runs with something to read lead to that tick.
        poller.wants_mail = poller.wants_mail or bool(receipt.left)
        if tick.commit.claim is not None or tick.commit.collect:
            self._residents.mail.left = receipt.left
        if poller.wants_mail and (tick.gone or receipt.lost):
            self._inbox.wake()  # there is room now, and perhaps nothing else leads to a tick
        if tick.commit.claim is not None:
            self._admission.note_inputs(receipt.claimed)
            poller.note_claim(tick.commit.claim, len(receipt.claimed))


def _log_failures(tick: Tick, void: frozenset[RunKey]) -> None:
    log_retries(tick.recorder.failed_once, void)
    log_failed_tasks(tick.recorder.failed, void)
    log_failed_runs(tick.failed, void)
    log_parked_runs(tick.parked, void)
