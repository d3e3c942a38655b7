"""Loads claimed runs into memory, and delivers messages to the runs that are there."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeVar

from holdfast.core.commands import Command
from holdfast.core.events import ChildEnded, Event
from holdfast.core.history import (
    UnsettledTask,
    child_number,
    message_event,
    restore,
    run_outcome,
    task_number,
)
from holdfast.core.policies import SETBACKS_ALLOWED
from holdfast.core.records import History, MessageKind, MessageRecord
from holdfast.core.remote import read_report
from holdfast.core.values import Instant, RunKey, TaskStatus
from holdfast.core.waiting import WaitReason
from holdfast.engine.attempt_timers import AttemptTimers
from holdfast.engine.committing import StoreOutage
from holdfast.engine.gc_pause import gc_paused
from holdfast.engine.inbox import (
    AttemptDue,
    AttemptLost,
    EngineInbox,
    MessageStale,
    RunUnable,
    WorkerReported,
)
from holdfast.engine.resident import Resident, Stage
from holdfast.engine.residents import Residents
from holdfast.engine.run_scope import RunScope
from holdfast.errors import DeterminismError, JournalCorrupt, StoreUnavailable, TooManySetbacks
from holdfast.ports.clock import Clock
from holdfast.ports.commits import Claimed, Receipt
from holdfast.ports.nodes import EngineStore
from holdfast.ports.programs import Programs

_log = logging.getLogger("holdfast.engine")

T = TypeVar("T")


class _EditedRun(NamedTuple):
    history: History
    error: DeterminismError


class RunLoader:
    def __init__(
        self,
        store: EngineStore,
        clock: Clock,
        namespace: str,
        *,
        programs: Programs,
        residents: Residents,
        attempt_timers: AttemptTimers,
        scope: RunScope,
        inbox: EngineInbox,
    ) -> None:
        self._store = store
        self._clock = clock
        self._namespace = namespace
        self._programs = programs
        self._residents = residents
        self._attempt_timers = attempt_timers
        self._scope = scope
        self._inbox = inbox

    async def receive(self, receipt: Receipt) -> None:
        """Take the runs and the mail that came with a commit."""
        loaded = await self._load_claimed(receipt.claimed)
        if receipt.mail:
            await self._deliver_mail([m for m in receipt.mail if m.run not in loaded])

    async def _learn_definitions(self, claimed: Sequence[Claimed]) -> None:
        lacking = {(run.workflow, run.version) for run, _ in claimed if self._programs.lacks(run)}
        if lacking:
            which = sorted(lacking)
            read = await self._read(lambda: self._store.find_definitions(self._namespace, which))
            for definition in read:
                self._programs.learn(definition)
        calls = {name for run, _ in claimed for name in self._programs.calls_of(run)}
        for name in sorted(calls):
            await self._learn_published(name)

    async def _learn_published(self, name: str) -> None:
        """Read the newest published version of a workflow that a run may call. A call starts this version."""
        found = await self._read(lambda: self._store.find_published_definition(self._namespace, name, None))
        if found is not None:
            self._programs.learn_published(found)

    async def _load_claimed(self, claimed: Sequence[Claimed]) -> set[RunKey]:
        """Returns the runs that were read from the store, together with their unread messages."""
        await self._learn_definitions(claimed)
        to_load: list[RunKey] = []
        fresh: list[History] = []
        for run, is_new in claimed:
            known = self._residents.get(run.key)
            if known is not None and known.epoch == run.epoch:
                continue  # the claim was recovered after its answer was lost, and the run is here already
            if known is not None:
                # Another node freed the run, because its clock was ahead, and this node has claimed it again.
                self._residents.discard([run.key])
            if is_new:
                fresh.append(History(run, [], [], [], []))
            else:
                to_load.append(run.key)
        await self._load_all(fresh)
        if to_load:
            read = await self._read(lambda: self._store.load_histories(self._namespace, to_load))
            await self._load_all(read)
        return set(to_load)

    async def _load_all(self, histories: Sequence[History]) -> None:
        edited: list[_EditedRun] = []
        with gc_paused():
            for history in histories:
                try:
                    self._load_run(history)
                except DeterminismError as error:
                    edited.append(_EditedRun(history, error))
        if edited:
            await self._explain(edited)

    async def _explain(self, edited: Sequence[_EditedRun]) -> None:
        """Park runs whose code was edited, with the whole difference."""
        which = sorted({(each.history.run.workflow, each.history.run.version) for each in edited})
        read = await self._read(lambda: self._store.find_definitions(self._namespace, which))
        stored = {(definition.name, definition.version): definition for definition in read}
        for history, error in edited:
            run = history.run
            self._programs.explain(run, error, stored.get((run.workflow, run.version)), history)
            resident = self._residents.get(run.key)
            if resident is not None:
                self._post_unable(resident, error, history)

    def _load_run(self, history: History) -> None:
        """Bring a run into memory: replay its journal, and resume its timers, tasks and children.

        Raises DeterminismError. A run that cannot go on for another reason is parked.
        """
        resident = Resident(history.run, _NoProgram())
        self._residents.add(resident)
        try:
            past = restore(history)
            for seq, child in past.children.items():
                if child is not None:
                    resident.add_child(seq, child.key, is_attached=seq in past.attached)
                    self._scope.add([child.key])
            if history.run.setbacks >= SETBACKS_ALLOWED:
                raise TooManySetbacks(history.run.setbacks)
            resident.program = self._programs.program(history.run, past)
        except DeterminismError:
            raise
        except Exception as error:
            self._post_unable(resident, error, history)
            return
        resident.position = past.position
        resident.at = past.steps[-1].at if past.steps else resident.at
        resident.is_begun = past.position > 0
        for seq, due in past.timers.items():
            self._residents.start_timer(resident, seq, due)
        if past.held_back:
            resident.held_back = past.held_back
        for task in past.tasks.values():
            if not task.record.status.is_final:
                self._resume_task(resident, task)
        for event in past.unheard:
            if isinstance(event, ChildEnded):
                resident.children.pop(event.seq, None)
            resident.events.append(event)
        for message in past.stale:
            self._inbox.post(MessageStale(resident, message))
        try:
            for message in history.messages:
                if message.kind is MessageKind.TASK and message.taken is None:
                    self._receive_report(resident, message)
        except JournalCorrupt as error:
            self._post_unable(resident, error)
        self._residents.mark_ready(resident)

    def _receive_report(self, resident: Resident, message: MessageRecord) -> None:
        """Raises JournalCorrupt."""
        attempt = resident.attempts.get(task_number(message))
        if attempt is None or attempt.stage is not Stage.REMOTE:
            self._inbox.post(MessageStale(resident, message.id))
        else:
            self._inbox.post(WorkerReported(attempt, read_report(message.payload), message.id))
        self._residents.mark_ready(resident)

    def _post_unable(self, resident: Resident, error: Exception, history: History | None = None) -> None:
        """Have a run parked, or cancelled, if that is among its unread messages."""
        for message in () if history is None else history.messages:
            if message.taken is None and message.kind is MessageKind.CANCEL:
                resident.events.append(message_event(message))
        _log.error("run %s cannot go on and is parked: %s", resident.run_id, error)
        self._inbox.post(RunUnable(resident, error))
        self._residents.mark_ready(resident)

    def _resume_task(self, resident: Resident, task: UnsettledTask) -> None:
        record, attempt = task.record, resident.restore_attempt(task)
        if task.options.service is not None:
            attempt.stage = Stage.REMOTE
        elif record.status is not TaskStatus.PENDING:
            attempt.started_at = record.started_at
            self._inbox.post(AttemptLost(attempt))
        elif record.due_at is not None:
            self._attempt_timers.back_off(attempt, record.due_at)
        else:
            self._inbox.post(AttemptDue(attempt))

    async def _deliver_mail(self, mail: Sequence[MessageRecord]) -> None:
        children: dict[RunKey, tuple[Resident, MessageRecord]] = {}
        for message in mail:
            resident = self._residents.get(message.run)
            if resident is None:
                continue  # the run has just left memory, and its next owner reads this message
            try:
                if message.kind is MessageKind.TASK:
                    self._receive_report(resident, message)
                    continue
                if message.kind is not MessageKind.CHILD:
                    resident.events.append(message_event(message))
                    self._residents.mark_ready(resident)
                    continue
                child = resident.children.pop(child_number(message), None)
            except JournalCorrupt as error:
                self._post_unable(resident, error)
                continue
            if child is None:
                self._inbox.post(MessageStale(resident, message.id))
                self._residents.mark_ready(resident)
            else:
                children[child] = (resident, message)
        if not children:
            return
        ended = await self._read(lambda: self._store.ended_runs(self._namespace, list(children)))
        messages = {child: message.id for child, (_, message) in children.items()}
        for run in sorted(ended, key=lambda run: messages[run.key]):  # in the order in which they ended
            resident, message = children[run.key]
            seq = child_number(message)
            resident.attached.discard(seq)
            self._scope.remove([run.key])
            resident.events.append(
                ChildEnded(seq, run_outcome(run.status, run.output, run.failure), message.id)
            )
            self._residents.mark_ready(resident)

    async def _read(self, read: Callable[[], Awaitable[T]]) -> T:
        """Read, and try again for as long as the store is away: the engine cannot go on without the
        answer."""
        outage = StoreOutage(self._clock)
        while True:
            try:
                answer = await read()
            except StoreUnavailable as error:
                await outage.wait(error)
            else:
                outage.end()
                return answer


class _NoProgram:
    """The program of a run whose own is not restored yet, or cannot be."""

    def advance(self, at: Instant, events: Sequence[Event]) -> list[Command]:
        return []

    def waits(self) -> list[WaitReason]:
        return []

    def dispose(self) -> None:
        pass
