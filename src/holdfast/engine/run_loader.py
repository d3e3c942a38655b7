"""Runs and messages that come in: from the rows of a claim or a mail to residents and events."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from holdfast.core.commands import Command
from holdfast.core.events import ChildEnded, Event, MessageId
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
from holdfast.core.remote import RemoteReport, read_report
from holdfast.core.values import Instant, RunKey, TaskStatus
from holdfast.core.waiting import WaitReason
from holdfast.engine.committing import StoreOutage
from holdfast.engine.engine_context import EngineContext, next_attempt
from holdfast.engine.gc_pause import gc_paused
from holdfast.engine.resident import LiveAttempt, Resident, Stage
from holdfast.engine.residents import Residents
from holdfast.errors import JournalCorrupt, StoreUnavailable, TooManySetbacks
from holdfast.ports.clock import Clock
from holdfast.ports.flows import definition_of
from holdfast.ports.store import Claimed, Receipt, Store

_log = logging.getLogger("holdfast.engine")

T = TypeVar("T")


class RunLoader:
    def __init__(self, store: Store, clock: Clock, context: EngineContext, residents: Residents) -> None:
        self._store = store
        self._clock = clock
        self._context = context
        self._residents = residents
        self.lost: list[LiveAttempt] = []
        """Attempts that were under way on a node that died."""
        self.unable: list[tuple[Resident, Exception]] = []
        """Runs that cannot go on with the code of this node, and why."""
        self.stale: list[tuple[Resident, MessageId]] = []
        """Messages that tell nothing new, to be marked as read."""
        self.reports: list[tuple[LiveAttempt, RemoteReport, MessageId]] = []
        """What workers have said of tasks that they took from the queue."""

    async def receive(self, receipt: Receipt) -> None:
        loaded = await self._load_claimed(receipt.claimed)
        if receipt.mail:
            await self._deliver_mail([m for m in receipt.mail if m.run not in loaded])

    async def _learn_definitions(self, claimed: Sequence[Claimed]) -> None:
        lacking = {(run.workflow, run.version) for run, _ in claimed if self._context.programs.lacks(run)}
        if lacking:
            which = sorted(lacking)
            read = await self._read(lambda: self._store.definitions(self._context.namespace, which))
            for definition in read:
                self._context.programs.learn(definition)
        calls = {name for run, _ in claimed for name in self._context.programs.calls_of(run)}
        for name in sorted(calls):
            await self._learn_published(name)

    async def _learn_published(self, name: str) -> None:
        """A flow that a run may call: its newest version, since that is what is to be started."""
        found = await self._read(lambda: self._store.find_version(self._context.namespace, name, None))
        if found is not None:
            self._context.programs.learn_published(definition_of(found))

    async def _load_claimed(self, claimed: Sequence[Claimed]) -> set[RunKey]:
        """Answers which runs were loaded whole: their unread messages came with them."""
        await self._learn_definitions(claimed)
        to_load: list[RunKey] = []
        fresh: list[History] = []
        for run, is_new in claimed:
            known = self._residents.get(run.key)
            if known is not None and known.epoch == run.epoch:
                continue  # recovered after an answer was lost, and in memory all the time
            if known is not None:
                # It was freed behind our back, by a node whose clock is ahead, and now taken again.
                self._residents.discard([run.key], self._context.dispatcher)
            if is_new:
                fresh.append(History(run, [], [], [], []))
            else:
                to_load.append(run.key)
        self._load_all(fresh)
        if to_load:
            self._load_all(await self._read(lambda: self._store.load(self._context.namespace, to_load)))
        return set(to_load)

    def _load_all(self, histories: Sequence[History]) -> None:
        with gc_paused():
            for history in histories:
                self._load_run(history)

    def _load_run(self, history: History) -> None:
        """Bring a run into memory, to where its journal ends, with all it has under way."""
        resident = Resident(history.run, _NoProgram())
        self._residents.add(resident)
        try:
            past = restore(history)
            for seq, child in past.children.items():
                if child is not None:
                    self._context.add_child(resident, seq, child.key, is_attached=seq in past.attached)
            if history.run.setbacks >= SETBACKS_ALLOWED:
                raise TooManySetbacks(history.run.setbacks)
            resident.program = self._context.programs.program(history.run, past)
        except Exception as error:
            unread = [message for message in history.messages if message.taken is None]
            resident.events += [message_event(each) for each in unread if each.kind is MessageKind.CANCEL]
            self._post_unable(resident, error)
            return
        resident.position = past.position
        resident.at = past.steps[-1].at if past.steps else resident.at
        resident.is_begun = past.position > 0
        for seq, due in past.timers.items():
            self._context.start_timer(resident, seq, due)
        if past.held:
            resident.held_back = past.held
        for task in past.tasks.values():
            if not task.record.status.is_final:
                self._resume_task(resident, task)
        for event in past.unheard:
            if isinstance(event, ChildEnded):
                resident.children.pop(event.seq, None)
            resident.events.append(event)
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
            self.stale.append((resident, message.id))
        else:
            self.reports.append((attempt, read_report(message.payload), message.id))
        self._residents.mark_ready(resident)

    def _post_unable(self, resident: Resident, error: Exception) -> None:
        _log.error("run %s cannot go on and is parked: %s", resident.run_id, error)
        self.unable.append((resident, error))
        self._residents.mark_ready(resident)

    def _resume_task(self, resident: Resident, task: UnsettledTask) -> None:
        record, attempt = task.record, next_attempt(resident, task)
        if task.options.service is not None:
            attempt.stage = Stage.REMOTE
        elif record.status is not TaskStatus.PENDING:
            attempt.started_at = record.started_at
            self.lost.append(attempt)
        elif record.due_at is not None:
            self._context.back_off(attempt, record.due_at)
        else:
            self._context.due.append(attempt)

    async def _deliver_mail(self, mail: Sequence[MessageRecord]) -> None:
        children: dict[RunKey, tuple[Resident, MessageRecord]] = {}
        for message in mail:
            resident = self._residents.get(message.run)
            if resident is None:
                continue  # it has just been let go, and whoever takes it next reads its mail
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
                self.stale.append((resident, message.id))
                self._residents.mark_ready(resident)
            else:
                children[child] = (resident, message)
        if not children:
            return
        for run in await self._read(lambda: self._store.ended(self._context.namespace, list(children))):
            resident, message = children[run.key]
            seq = child_number(message)
            resident.attached.discard(seq)
            if self._context.scope is not None:
                self._context.scope.forget([run.key])
            resident.events.append(
                ChildEnded(seq, run_outcome(run.status, run.output, run.failure), message.id)
            )
            self._residents.mark_ready(resident)

    async def _read(self, read: Callable[[], Awaitable[T]]) -> T:
        """Read what cannot be done without, however long the store is away."""
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
    """Stands in for a program until there is one, or because there can be none."""

    def advance(self, at: Instant, events: Sequence[Event]) -> list[Command]:
        return []

    def waits(self) -> list[WaitReason]:
        return []

    def dispose(self) -> None:
        pass
