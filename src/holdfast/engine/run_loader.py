"""Loads claimed runs into memory, and delivers messages to the runs that are there.

Histories are read in pages and replayed in pieces, between which the node ticks (see `loading`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from holdfast.core.codec import decode_any, digest_of
from holdfast.core.commands import Command
from holdfast.core.events import ChildEnded, Event
from holdfast.core.history import (
    Past,
    UnsettledTask,
    child_number,
    message_event,
    restore_in_pieces,
    run_outcome,
    task_number,
)
from holdfast.core.log_lines import LimitedLog
from holdfast.core.policies import SETBACKS_ALLOWED, STALLS_ALLOWED, claim_limit
from holdfast.core.records import ACTS, MessageKind, MessageRecord
from holdfast.core.remote import read_report
from holdfast.core.sealed import check_open, opened
from holdfast.core.stream_items import UnwrittenItems
from holdfast.core.updates import UpdateRefusal
from holdfast.core.values import Instant, Payload, RunKey, TaskStatus, microseconds
from holdfast.core.waiting import WaitReason
from holdfast.engine.attempt_timers import AttemptTimers
from holdfast.engine.committing import StoreOutage
from holdfast.engine.gc_pause import GcPause
from holdfast.engine.inbox import (
    AttemptDue,
    AttemptLost,
    EngineInbox,
    MessageStale,
    OperatorActed,
    RunUnable,
    WorkerReported,
)
from holdfast.engine.loading import LoadingRun, Replay
from holdfast.engine.loop_watch import Activity
from holdfast.engine.resident import Resident, Stage
from holdfast.engine.residents import Residents
from holdfast.engine.run_scope import RunScope
from holdfast.engine.tuning import Tuning
from holdfast.errors import (
    DeterminismError,
    JournalCorrupt,
    StoreFull,
    StoreUnavailable,
    TooManySetbacks,
    TooManyStalls,
)
from holdfast.ports.clock import Clock
from holdfast.ports.commits import Claimed, Receipt
from holdfast.ports.nodes import EngineStore, StallRecord
from holdfast.ports.programs import Programs

T = TypeVar("T")

_MOST_READ_AT_ONCE = 100
_PIECES_IN_TICK = 2


class _EditedRun(NamedTuple):
    loading: LoadingRun
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
        tuning: Tuning,
        activity: Activity,
    ) -> None:
        self._store = store
        self._clock = clock
        self._namespace = namespace
        self._programs = programs
        self._residents = residents
        self._attempt_timers = attempt_timers
        self._scope = scope
        self._inbox = inbox
        self._tuning = tuning
        self._activity = activity
        self._loading: dict[RunKey, LoadingRun] = {}
        """All runs that are in one of the queues."""
        self._claimed: deque[LoadingRun] = deque()
        """Of these runs nothing has been read yet."""
        self._read: deque[LoadingRun] = deque()
        """These have short histories, which have been read."""
        self._long: deque[LoadingRun] = deque()
        """These have long histories. The first one is being read or replayed."""
        self._fitting = _MOST_READ_AT_ONCE
        """Of how many claimed runs to read the histories next."""
        self._suspects: list[Resident] = []
        """Runs with setbacks. Some may have taken a step since they came."""
        self.replays: list[int] | None = None
        """How many microseconds the runs took that came back into memory. None: nobody asks."""

    async def receive(self, receipt: Receipt) -> None:
        """Take the runs and the mail that came with a commit. `go_on` loads the runs."""
        await self._learn_definitions(receipt.claimed)
        self._adopt(receipt.claimed, await self._find_stalls(receipt.claimed))
        mail: list[MessageRecord] = []
        for message in receipt.mail:
            if message.run not in self._residents:
                continue  # the run has just left memory, and its next owner reads this message
            if not self._residents.mail.add(message):
                continue  # it waits for a tick that has room for it
            loading = self._loading.get(message.run)
            if message.kind is MessageKind.TERMINATE:
                self._stop_loading(message)
            elif loading is None:
                mail.append(message)
            else:
                loading.mail[message.id] = message
        if mail:
            await self._deliver_mail(mail)

    def _stop_loading(self, message: MessageRecord) -> None:
        """A run is terminated whatever its code does, so its code is not even loaded."""
        resident = self._residents.get(message.run)
        loading = self._loading.pop(message.run, None)
        if loading is not None:
            loading.drop()
        if resident is not None:
            self._inbox.post(OperatorActed(resident, message))

    @property
    def has_work(self) -> bool:
        """Whether there are runs to load."""
        return bool(self._loading)

    @property
    def is_risky(self) -> bool:
        """Whether there are as many runs with setbacks as may be together on a node. A run that is claimed
        before they have taken a step gets a setback too, if one of them kills the node."""
        self._suspects = [each for each in self._suspects if each.record.setbacks and not each.is_gone]
        most = self._tuning.claim_batch
        return any(len(self._suspects) >= claim_limit(most, each.record.setbacks) for each in self._suspects)

    async def go_on(self) -> None:
        """Load runs for some pieces of time. Between two of them others may use the event loop. A tick has
        several: each tick waits for its commit, and that would make a long replay much longer."""
        ends_at = self._clock.elapsed() + _PIECES_IN_TICK * microseconds(self._tuning.piece)
        while self._loading:
            await self._do_piece()
            await asyncio.sleep(0)
            if self._clock.elapsed() >= ends_at:
                break
        if self._loading:
            self._inbox.wake()

    async def _do_piece(self) -> None:
        """Short histories come first. Then one long history gets a piece too, so that neither kind waits for
        the other."""
        if not self._read and self._claimed:
            await self._read_short()
        await self._replay_some(self._read)
        if self._long:
            await self._read_page(self._long[0])
            await self._replay_some(self._long)

    def drop(self) -> None:
        """Forget the runs that are being loaded, as a crash does."""
        for loading in self._loading.values():
            loading.drop()
        self._loading.clear()
        for queue in (self._claimed, self._read, self._long):
            queue.clear()

    # --- definitions

    async def _learn_definitions(self, claimed: Sequence[Claimed]) -> None:
        lacking = {(run.workflow, run.version) for run, _ in claimed if self._programs.lacks(run)}
        if lacking:
            which = sorted(lacking)
            read = await self._ask(lambda: self._store.find_definitions(self._namespace, which))
            for definition in read:
                self._programs.learn(definition)
        calls = {name for run, _ in claimed for name in self._programs.calls_of(run)}
        for name in sorted(calls):
            await self._learn_published(name)

    async def _learn_published(self, name: str) -> None:
        """Read the newest published version of a workflow that a run may call. A call starts this version."""
        found = await self._ask(lambda: self._store.find_published_definition(self._namespace, name, None))
        if found is not None:
            self._programs.learn_published(found)

    # --- claimed runs

    async def _find_stalls(self, claimed: Sequence[Claimed]) -> dict[RunKey, list[StallRecord]]:
        """A stall is a setback too, so only runs with setbacks can have any."""
        suspects = [run.key for run, _ in claimed if run.setbacks]
        found: dict[RunKey, list[StallRecord]] = {}
        if suspects:
            for stall in await self._ask(lambda: self._store.find_stalls(suspects)):
                found.setdefault(stall.run, []).append(stall)
        return found

    def _adopt(self, claimed: Sequence[Claimed], stalls: Mapping[RunKey, Sequence[StallRecord]]) -> None:
        began = self._clock.elapsed()
        for run, is_new in claimed:
            known = self._residents.get(run.key)
            if known is not None and known.epoch == run.epoch:
                continue  # the claim was recovered after its answer was lost, and the run is here already
            if known is not None:
                # Another node freed the run, because its clock was ahead, and this node has claimed it again.
                self._residents.discard([run.key])
            resident = Resident(run, _NoProgram())
            self._residents.add(resident)
            if run.setbacks:
                self._suspects.append(resident)
            loading = LoadingRun(resident, stalls.get(run.key, ()), began)
            if is_new:
                loading.place = None
                self._read.append(loading)
            else:
                self._claimed.append(loading)
            self._loading[run.key] = loading

    async def _read_short(self) -> None:
        """Read the histories of claimed runs, as many as have few rows together."""
        batch = [self._claimed.popleft() for _ in range(min(len(self._claimed), self._fitting))]
        unread = {loading.resident.key: loading for loading in batch if self._is_here(loading)}
        if not unread:
            return
        runs, rows, room = list(unread), self._tuning.page_rows, self._tuning.tick_bytes
        found = await self._ask(lambda: self._store.load_short_histories(self._namespace, runs, rows, room))
        for history in found.loaded:
            loading = unread[history.run.key]
            loading.set(history)
            self._read.append(loading)
        for history in found.long:
            loading = unread[history.run.key]
            loading.begin(history)
            self._long.append(loading)
        self._claimed.extendleft(unread[run] for run in reversed(found.left))
        # Twice as many as there was room for: of those that do not fit, the sizes are found out in vain.
        read = len(found.loaded) if found.left else self._fitting
        self._fitting = min(max(1, 2 * read), _MOST_READ_AT_ONCE)

    async def _read_page(self, loading: LoadingRun) -> None:
        """Read the next page of a long history, if there is one."""
        run, place, rows = loading.resident.key, loading.place, self._tuning.page_rows
        if place is not None and self._is_here(loading):
            page = await self._ask(lambda: self._store.load_history_page(self._namespace, run, place, rows))
            loading.add(page)

    async def _replay_some(self, queue: deque[LoadingRun]) -> None:
        """Replay the runs at the head of the queue whose history has been read, for a piece of time."""
        ends_at = self._clock.elapsed() + microseconds(self._tuning.piece)
        edited: list[_EditedRun] = []
        late: list[MessageRecord] = []
        with GcPause():
            while queue:
                loading = queue[0]
                if self._is_here(loading):
                    if loading.place is not None:
                        break
                    self._activity.begin(loading.resident.record)
                    try:
                        if not self._replay_until(loading, ends_at):
                            break
                        late += loading.late_mail()
                        if self.replays is not None and loading.bytes:  # a new run has no history
                            self.replays.append(self._clock.elapsed() - loading.began)
                    except DeterminismError as error:
                        edited.append(_EditedRun(loading, error))
                queue.popleft()
                if self._loading.get(loading.resident.key) is loading:
                    del self._loading[loading.resident.key]
                if self._clock.elapsed() >= ends_at:
                    break
            self._activity.end()
        if edited:
            await self._explain(edited)
        if late:
            await self._deliver_mail(late)

    def _is_here(self, loading: LoadingRun) -> bool:
        """Whether its run is still in memory. If not, the node has lost it, or has handed it back."""
        key = loading.resident.key
        is_ours = self._residents.get(key) is loading.resident and not loading.resident.is_gone
        if is_ours and self._loading.get(key) is loading:
            return True
        loading.drop()
        if self._loading.get(key) is loading:
            del self._loading[key]
        return False

    async def _explain(self, edited: Sequence[_EditedRun]) -> None:
        """Park runs whose code was edited, with the whole difference."""
        which = sorted({(run.workflow, run.version) for run in (it.loading.resident.record for it in edited)})
        read = await self._ask(lambda: self._store.find_definitions(self._namespace, which))
        stored = {(definition.name, definition.version): definition for definition in read}
        for loading, error in edited:
            run = loading.resident.record
            recorded = await self._recorded_payload(run.key, error)
            self._activity.begin(run)
            self._programs.explain(run, error, stored.get((run.workflow, run.version)), recorded)
            self._activity.end()
            if not loading.resident.is_gone:
                self._post_unable(loading, error)

    async def _recorded_payload(self, run: RunKey, error: DeterminismError) -> Payload | None:
        """What the recorded request has: the input of a task, or a value of the state, if the run has not
        changed it since."""
        if error.task is not None:
            seq = error.task
            tasks = await self._ask(lambda: self._store.list_tasks(self._namespace, run, seq, 1))
            return next((task.input for task in tasks if task.seq == seq), None)
        if error.state is None:
            return None
        key, digest = error.state
        value = (await self._ask(lambda: self._store.read_state(self._namespace, run))).get(key)
        return value if value is not None and digest_of(decode_any(value)) == digest else None

    # --- replay

    def _replay_until(self, loading: LoadingRun, ends_at: int) -> bool:
        """Go on with the replay of a run. Returns whether it has ended.

        Raises DeterminismError. A run that cannot go on for another reason is parked.
        """
        if loading.replay is None:
            loading.replay = self._replay(loading)
        try:
            while True:
                next(loading.replay)
                if self._clock.elapsed() >= ends_at:
                    return False
        except StopIteration as end:
            past, loading.resident.program = end.value
            self._resume(loading, past)
        except DeterminismError:
            raise
        except (Exception, KeyboardInterrupt) as error:
            # KeyboardInterrupt as well: if workflow code raises it, other runs must not stop.
            self._post_unable(loading, error)
        return True

    def _replay(self, loading: LoadingRun) -> Replay:
        resident, steps = loading.resident, self._tuning.piece_steps
        check_open(resident.record.input)
        past = yield from restore_in_pieces(loading.history, steps)
        for seq, child in past.children.items():
            if child is not None:
                is_terminated = seq in past.terminated
                resident.add_child(
                    seq, child.key, is_attached=seq in past.attached, is_terminated=is_terminated
                )
                self._scope.add([child.key])
        if resident.record.setbacks >= SETBACKS_ALLOWED:
            raise TooManySetbacks(resident.record.setbacks)
        if len(loading.stalls) >= STALLS_ALLOWED:
            last = max(loading.stalls, key=lambda stall: stall.at)
            raise TooManyStalls(len(loading.stalls), last.task, last.stack)
        program = yield from self._programs.replay(resident.record, past, steps)
        return past, program

    def _resume(self, loading: LoadingRun, past: Past) -> None:
        """Resume the timers, tasks and children of a run that was replayed."""
        resident = loading.resident
        resident.history_bytes = loading.bytes
        resident.position = past.position
        resident.at = resident.at if past.at is None else past.at
        resident.first_position = past.chapter.first_position
        resident.is_begun = past.is_begun
        for seq, due in past.timers.items():
            self._residents.start_timer(resident, seq, due)
        self._residents.set_deadline(resident, is_overdue=past.is_overdue)
        if past.held_back:
            resident.held_back = past.held_back
        for task in past.tasks.values():
            self._resume_task(resident, task)
        for event in past.unheard:
            if isinstance(event, ChildEnded):
                resident.children.pop(event.seq, None)
            resident.events.append(event)
        for message in past.stale:
            self._inbox.post(MessageStale(resident, message))
        self._residents.mark_ready(resident)

    def _receive_report(self, resident: Resident, message: MessageRecord) -> None:
        """Raises JournalCorrupt."""
        attempt = resident.attempts.get(task_number(message))
        if attempt is None or attempt.stage is not Stage.REMOTE:
            self._inbox.post(MessageStale(resident, message.id))
        else:
            self._inbox.post(WorkerReported(attempt, read_report(opened(message.payload)), message.id))
        self._residents.mark_ready(resident)

    def _post_unable(self, loading: LoadingRun, error: BaseException) -> None:
        """Have a run parked, or cancelled, if that is among its unread messages."""
        for message in loading.late_mail():
            if message.kind is MessageKind.CANCEL:
                loading.resident.events.append(message_event(message))
        self._park(loading.resident, error)

    def _park(self, resident: Resident, error: BaseException) -> None:
        # The fact may have to wait for a later tick, and the run must not be advanced before.
        resident.program.dispose()
        resident.program = _NoProgram(error)
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
                if message.kind in ACTS:
                    self._inbox.post(OperatorActed(resident, message))
                    continue
                if message.kind is not MessageKind.CHILD:
                    resident.events.append(message_event(message))
                    self._residents.mark_ready(resident)
                    continue
                child = resident.children.pop(child_number(message), None)
            except JournalCorrupt as error:
                self._park(resident, error)
                continue
            if child is None:
                if not _is_known(resident, message):
                    self._inbox.post(MessageStale(resident, message.id))
                    self._residents.mark_ready(resident)
            else:
                children[child] = (resident, message)
        if not children:
            return
        ended = await self._ask(lambda: self._store.ended_runs(self._namespace, list(children)))
        messages = {child: message.id for child, (_, message) in children.items()}
        for run in sorted(ended, key=lambda run: messages[run.key]):  # in the order in which they ended
            resident, message = children[run.key]
            try:
                check_open(run.output)
                outcome = run_outcome(run.status, run.output, run.failure)
            except JournalCorrupt as error:
                self._park(resident, error)
                continue
            seq = child_number(message)
            resident.attached.discard(seq)
            self._scope.remove([run.key])
            resident.events.append(ChildEnded(seq, outcome, message.id))
            self._residents.mark_ready(resident)

    # --- the store

    async def _ask(self, read: Callable[[], Awaitable[T]]) -> T:
        """Read, and try again for as long as the store is away: the engine cannot go on without the
        answer."""
        outage = StoreOutage(self._clock)
        while True:
            try:
                answer = await read()
            except (StoreUnavailable, StoreFull) as error:  # a query may need the disk, too
                await outage.wait(error)
            else:
                outage.end()
                return answer


def _is_known(resident: Resident, message: MessageRecord) -> bool:
    """Whether this message about a child came with the history, and the run has not read it yet."""
    return any(isinstance(event, ChildEnded) and event.message == message.id for event in resident.events)


class _NoProgram:
    """The program of a run whose own is not restored yet, or cannot be, because of an error."""

    log: LimitedLog | None = None
    published: UnwrittenItems | None = None
    refused: list[UpdateRefusal] | None = None

    def __init__(self, error: BaseException | None = None) -> None:
        self._error = error

    def advance(self, at: Instant, events: Sequence[Event]) -> list[Command]:
        if self._error is not None:
            raise self._error
        return []

    def waits(self) -> list[WaitReason]:
        return []

    def dispose(self) -> None:
        pass
