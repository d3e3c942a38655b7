"""One tick: from what happened to one commit, and what to do once that commit stands.

A tick is given facts (starts, outcomes, messages, due timers), passes them to the programs they concern,
and turns the commands that come back into rows. It only collects what the rows promise: the engine starts
attempts, cancels them and answers callers after the commit (effects.py).

There is one exception. An attempt that has exceeded a limit is cancelled at once, before the commit, if its
executor promises that cancelled attempts end. Its failure is recorded by a later tick, when it has ended,
so that no commit allows a retry while the attempt still runs (`AttemptRecorder.time_out`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import assert_never

import msgspec

from holdfast.core.commands import (
    AnswerUpdate,
    AskQuestion,
    CancelChild,
    CancelRun,
    CancelTask,
    CancelTimer,
    CloseQuestion,
    Command,
    CompleteRun,
    ContinueRun,
    EndRun,
    ExpectMessage,
    FailRun,
    MarkPatch,
    MarkUndone,
    OpenTask,
    RecordTask,
    ResumeChild,
    ResumeTask,
    ScheduleTask,
    SetState,
    StartChild,
    StartTimer,
)
from holdfast.core.events import CancelRequested, ChildEnded, Event, MessageId, TaskEnded
from holdfast.core.failures import capture, deadline_failure
from holdfast.core.fingerprints import fingerprint
from holdfast.core.history import termination_reason
from holdfast.core.journal import write_step
from holdfast.core.log_lines import NO_TASK, LimitedLog
from holdfast.core.policies import LOST_ATTEMPTS_ALLOWED, TaskOptions, wait_after_setback
from holdfast.core.records import MessageKind, RunRecord, new_run
from holdfast.core.run_options import read_run_options
from holdfast.core.stream_items import UnwrittenItems
from holdfast.core.values import (
    Cancelled,
    Failed,
    Failure,
    Instant,
    Payload,
    RunKey,
    RunStatus,
    Succeeded,
    TaskStatus,
    later,
)
from holdfast.core.waiting import WaitKind, WaitReason, describe_wait, time_text
from holdfast.engine.attempt_recorder import AttemptRecorder, encode_failure, hold
from holdfast.engine.attempt_timers import AttemptTimers
from holdfast.engine.chapters import HistoryLimit, begin_chapter
from holdfast.engine.command_checks import check_commands, check_step_size
from holdfast.engine.dispatcher import Dispatcher
from holdfast.engine.early_ends import ends_before_start
from holdfast.engine.ended_runs import ended_run
from holdfast.engine.failure_log import ParkedRun
from holdfast.engine.inbox import (
    AttemptDue,
    AttemptEnded,
    AttemptLost,
    EndOverdue,
    Fact,
    LimitExceeded,
    MessageStale,
    OperatorActed,
    RunOverdue,
    RunUnable,
    WorkerReported,
)
from holdfast.engine.operator_acts import obey
from holdfast.engine.questions import close_questions, write_question
from holdfast.engine.resident import LiveAttempt, Resident, Stage
from holdfast.engine.residents import Residents
from holdfast.engine.run_scope import RunScope
from holdfast.engine.run_spans import child_terms
from holdfast.engine.update_answers import answer_refused, answer_update, without_refused
from holdfast.errors import FamilyTooDeep, TooManyStalls
from holdfast.ports.commits import (
    Commit,
    EndedRun,
    MovedTask,
    NewBranch,
    NewItems,
    NewLog,
    NewMessage,
    NewSharedInput,
    NewStep,
    NewTask,
    ProvedRun,
    ReleasedRun,
    ShownWait,
    StateChange,
    TakenMessage,
    UnqueuedTask,
    WokenRun,
    remove_runs,
)
from holdfast.ports.programs import Pinned, Programs

_encode_text = msgspec.json.Encoder().encode


class Tick:
    def __init__(
        self,
        commit: Commit,
        *,
        residents: Residents,
        dispatcher: Dispatcher,
        attempt_timers: AttemptTimers,
        scope: RunScope,
        programs: Programs,
        new_key: Callable[[Instant], RunKey],
        dice: Random,
        max_depth: int,
        max_history: int,
        step_bytes: int,
        is_measured: bool = False,
    ) -> None:
        self.commit = commit
        self.now = commit.now
        self.recorder = AttemptRecorder(
            commit,
            residents=residents,
            dispatcher=dispatcher,
            attempt_timers=attempt_timers,
            dice=dice,
            is_measured=is_measured,
        )
        self.residents = residents
        self._dispatcher = dispatcher
        self._scope = scope
        self._programs = programs
        self._new_key = new_key
        self._max_depth = max_depth
        """How many runs may be above a run: its parent, the parent of that, and so on."""
        self._limit = HistoryLimit(max_history)
        self._step_bytes = step_bytes
        self._unplaced: list[LiveAttempt] = []
        """Attempts at new tasks, which `place_tasks` has still to deal with."""
        self.gone: list[Resident] = []
        """Runs that leave memory with this commit: ended, released or parked."""
        self.parked: list[ParkedRun] = []
        self.failed: list[tuple[Resident, Failure]] = []
        self.begun: list[Resident] | None = [] if is_measured else None
        """Runs that take their first step. None: nobody asks."""
        self.children: dict[RunKey, tuple[Resident, int]] = {}
        """Children that this commit creates. If the id of a child is taken, its parent gets a failure."""
        self.replaced: set[RunKey] = set()
        """Runs that newer ones have replaced, as the store has told this node."""
        self.holds_all = False
        """Its commit holds every run that is in memory."""
        self.is_answer_late = False
        """The answer to its commit came after the lease had run out, so other nodes may own its runs by
        now."""
        self.has_new_work = False
        """The commit makes work for any node: a message, or a run to claim."""
        self.has_shared_work = False
        """Runs were created that are for other nodes first."""
        self.leaves_backlog = False
        """Runs that wait for a slot are left to other nodes."""

    # --- what happened

    def hear(self, fact: Fact) -> None:
        match fact:
            case AttemptEnded():
                self.recorder.conclude(fact.attempt, fact.outcome, fact.at)
            case WorkerReported():
                self.recorder.conclude_remote(fact.attempt, fact.report)
                self.mark_read(fact.attempt.resident, fact.message)
            case LimitExceeded():
                self.recorder.time_out(fact.attempt, fact.reason)
            case EndOverdue():
                self.recorder.fail_overdue(fact.attempt)
            case AttemptDue():
                self.recorder.dispatch_due(fact.attempt)
            case AttemptLost():
                self.recorder.lose(fact.attempt, LOST_ATTEMPTS_ALLOWED)
            case OperatorActed():
                if not fact.resident.is_gone:
                    obey(self, fact.resident, fact.message)
            case RunUnable():
                if not fact.resident.is_gone:
                    self.park(fact.resident, fact.error)
            case RunOverdue():
                if not fact.resident.is_gone:
                    hold(self.commit, fact.resident)
                    self.end(fact.resident, FailRun(deadline_failure(fact.deadline)))
            case MessageStale():
                self.mark_read(fact.resident, fact.message)
            case _:
                assert_never(fact)

    # --- advancing runs

    def advance(self, resident: Resident) -> None:
        """Give a run its events, and turn the commands that it answers with into rows."""
        steps = resident.position - resident.first_position
        if steps >= self._limit.warns_from and self._limit.is_reached(self, resident, steps):
            return
        if (
            not resident.is_begun
            and resident.record.options is not None
            and ends_before_start(self, resident)
        ):
            return
        events = resident.events
        resident.events = []
        # The time of a run never goes back, even if the clock was set back or is behind the last owner's
        # clock.
        at = self.now if self.now > resident.at else resident.at
        try:
            commands = resident.program.advance(at, events)
            size = check_commands(resident, commands, self._step_bytes)
            if resident.program.published is not None:
                check_step_size(size + resident.program.published.size, self._step_bytes)
            refused = resident.program.refused
            if refused is not None:
                resident.program.refused = None
                events = without_refused(events, refused)
            step = write_step(at, events, commands)
        except (Exception, KeyboardInterrupt) as error:
            # KeyboardInterrupt as well: if workflow code raises it, other runs must not stop.
            resident.events = events
            self.park(resident, error)
            return
        if resident.record.setbacks:
            self._clear_setbacks(resident)
        if refused:
            answer_refused(self.commit, self.residents.mail, resident, refused)
        if resident.is_begun and not events and not commands:
            return
        resident.is_begun = True
        resident.at = at
        hold(self.commit, resident)
        position = resident.position
        resident.position = position + 1
        if self.begun is not None and position == 0:
            self.begun.append(resident)
        self.commit.steps.append(NewStep(resident.key, position, step))
        self.commit.size += len(step) + size
        resident.history_bytes += len(step)
        if resident.is_wait_shown:
            resident.is_wait_shown = False
            self.commit.waits.append(ShownWait(resident.key))
        if events:
            self._take_messages(resident, events, position)
        if resident.program.log is not None:
            self._write_log(resident, resident.program.log)
        if resident.program.published is not None:
            self._write_items(resident, resident.program.published)
        for command in commands:
            self._apply(resident, command)

    def _write_log(self, resident: Resident, log: LimitedLog) -> None:
        """Write the lines of the run's code with its step. So they are written once, however often the step
        is tried or replayed."""
        resident.program.log = None
        lines = log.take(is_over=True)
        if lines is not None:
            self.commit.logs.append(NewLog(resident.key, NO_TASK, 0, lines))
            self.commit.size += len(lines)

    def _write_items(self, resident: Resident, published: UnwrittenItems) -> None:
        """Write what the run's code has published with its step, once, as its log."""
        resident.program.published = None
        for stream, _, length, items in published.take():
            self.commit.published += [
                NewItems(resident.key, stream, NO_TASK, 0, 0, length, len(items), items)
            ]
            self.commit.size += len(items)

    def _clear_setbacks(self, resident: Resident) -> None:
        """The run has been advanced with all its events and this node still lives, so it is not the run that
        killed other nodes. (If one of its tasks is, the lost attempts of that task are counted.)"""
        resident.record = msgspec.structs.replace(resident.record, setbacks=0)
        hold(self.commit, resident)
        self.commit.proved.append(ProvedRun(resident.key))

    def hold_all(self, residents: Iterable[Resident]) -> None:
        """Have the commit check for every run that it still belongs to this node."""
        self.holds_all = True
        for resident in residents:
            hold(self.commit, resident)

    def _take_messages(self, resident: Resident, events: list[Event], position: int) -> None:
        for event in events:
            message = None if type(event) is TaskEnded else getattr(event, "message", None)
            if message is not None:
                self.commit.taken.append(TakenMessage(resident.key, message, position))
                self.residents.mail.remove(resident.key, message)

    def _apply(self, resident: Resident, command: Command) -> None:
        match command:
            case ScheduleTask():
                self._schedule(resident, command)
            case CompleteRun() | FailRun() | CancelRun():
                self.end(resident, command, by_program=True)
            case ContinueRun():
                begin_chapter(self, resident, command)
            case OpenTask():
                self._open(resident, command)
            case RecordTask():
                self._record(resident, command)
            case ResumeTask():
                self.recorder.dispatch_due(resident.restore_attempt(resident.held_back.pop(command.seq)))
            case ResumeChild():
                child = resident.children.get(command.seq)
                if child is not None:  # otherwise it has ended, and the program gets that event
                    self.commit.woken.append(WokenRun(child, resident.key))
                    self.has_new_work = True
            case CancelTask():
                self._cancel_task(resident, command.seq)
            case StartTimer():
                self.residents.start_timer(resident, command.seq, command.due)
            case CancelTimer():
                alarm = resident.timers.pop(command.seq, None)
                if alarm is not None:
                    alarm.cancel()
            case StartChild():
                self._start_child(resident, command)
            case CancelChild():
                self._cancel_child(resident, command.seq, "its parent cancelled it")
            case SetState():
                self.commit.state.append(StateChange(resident.key, command.key, command.value))
            case AnswerUpdate():
                answer_update(self.commit, resident, command)
            case AskQuestion() | CloseQuestion():
                write_question(self.commit, resident, command, self.now)
            case ExpectMessage() | MarkPatch() | MarkUndone():
                pass  # only the journal needs it, for replay or for a retry
            case _:
                assert_never(command)

    def _schedule(self, resident: Resident, command: ScheduleTask) -> None:
        attempt = resident.new_attempt(
            command.seq, command.name, command.input, command.options, shared=command.shared
        )
        if command.options.service is None:
            self._unplaced.append(attempt)
        else:
            self.recorder.offer_to_workers(attempt, self.now)
            self._add_task(attempt, TaskStatus.PENDING)

    def place_tasks(self) -> None:
        """Reserve slots for the attempts of this tick. Higher priority goes first, then attempts at tasks
        that were asked for before."""
        known, self.recorder.unplaced = self.recorder.unplaced, []
        new, self._unplaced = self._unplaced, []
        unplaced = [*known, *new] if known else new
        if any(attempt.options.priority for attempt in unplaced):
            unplaced.sort(key=lambda attempt: -attempt.options.priority)
        of_known_tasks = set(known)
        reserve = self._dispatcher.reserve
        for attempt in unplaced:
            is_open = attempt.stage is Stage.SCHEDULED  # else the run has cancelled it in the same tick
            if not of_known_tasks or attempt not in of_known_tasks:
                status = TaskStatus.DISPATCHED if is_open and reserve(attempt) else TaskStatus.PENDING
                self._add_task(attempt, status)
            elif is_open:
                self.recorder.place(attempt)
        self.recorder.to_dispatch += unplaced

    def _add_task(self, attempt: LiveAttempt, status: TaskStatus) -> None:
        run, seq, shared = attempt.run, attempt.seq, attempt.shared
        if shared is None:
            self.commit.tasks.append(NewTask(run, seq, attempt.name, status, attempt.own_input, self.now))
            return
        row = NewBranch(run, seq, attempt.name, status, attempt.own_input, self.now, shared.seq)
        self.commit.branches.append(row)
        if shared.seq == seq:
            self.commit.shared_inputs.append(NewSharedInput(run, seq, shared.fields))

    def _open(self, resident: Resident, command: OpenTask) -> None:
        run, seq = resident.key, command.seq
        self.commit.tasks.append(NewTask(run, seq, command.name, TaskStatus.PENDING, command.input, self.now))
        self.commit.moved.append(MovedTask(run, seq, TaskStatus.RUNNING, 1, 0, None, None, self.now))

    def _record(self, resident: Resident, command: RecordTask) -> None:
        match command.outcome:
            case Succeeded():
                status = TaskStatus.SUCCESS
            case Failed():
                status = TaskStatus.FAILED
            case Cancelled():
                status = TaskStatus.CANCELLED if command.is_open else TaskStatus.SKIPPED
        attempt = resident.new_attempt(command.seq, command.name, command.input, TaskOptions())
        del resident.attempts[command.seq]
        if not command.is_open:
            attempt.started_at = None if status is TaskStatus.SKIPPED else self.now
            self.commit.tasks.append(
                NewTask(resident.key, command.seq, command.name, TaskStatus.PENDING, command.input, self.now)
            )
        self.recorder.settle_row(attempt, status, command.outcome, self.now)

    def _cancel_task(self, resident: Resident, seq: int) -> None:
        attempt = resident.attempts.pop(seq, None)
        if attempt is not None:
            if attempt.stage is Stage.REMOTE:
                self.commit.unqueued.append(UnqueuedTask(resident.key, seq))
            self.recorder.cancel_work(attempt)
            self.recorder.retire(attempt)
            self.recorder.settle_row(attempt, TaskStatus.CANCELLED, Cancelled(), self.now)

    def _start_child(self, resident: Resident, command: StartChild) -> None:
        refusal: Exception | None = None
        try:
            pinned = self._programs.pin(command.workflow, command.version)
        except Exception as error:
            # The program knew the workflow a moment ago, so the catalog has changed meanwhile.
            pinned, refusal = Pinned(command.version or "", command.workflow), error
        child = new_run(
            self._new_key(self.now),
            self.commit.namespace,
            command.id,
            command.workflow,
            pinned.version,
            pinned.claim,
            command.input,
            self.now,
            parent=resident.key,
            parent_seq=command.seq,
            # A detached child is not cancelled with its parent, so its depth is counted anew.
            depth=0 if command.detached else resident.record.depth + 1,
            terms=child_terms(resident, command.terms),
        )
        self.commit.created.append(child)
        self.children[child.key] = (resident, command.seq)
        if refusal is None and child.depth > self._max_depth:
            refusal = FamilyTooDeep(child.workflow, self._max_depth)
        if refusal is not None:
            self._refuse_child(resident, child, command.seq, capture(refusal))
            return
        resident.add_child(
            command.seq, child.key, is_attached=not command.detached, is_terminated=command.terminated
        )
        self._scope.add([child.key])
        self.has_new_work = True

    def _refuse_child(self, resident: Resident, child: RunRecord, seq: int, failure: Failure) -> None:
        """Record that the child failed before any node could take it. Its row says why, and replay of the
        parent reads the same failure, whatever the limit or the catalog is then."""
        # This EndedRun names no parent, so that the store sends no message: the parent gets its event here.
        self.commit.ended.append(
            EndedRun(
                child.key,
                RunStatus.FAILED,
                None,
                encode_failure(failure),
                None,
                None,
                self.now,
                fingerprint(failure),
            )
        )
        resident.events.append(ChildEnded(seq, Failed(failure)))
        self.residents.mark_ready(resident)

    def _cancel_child(
        self, resident: Resident, seq: int, reason: str, kind: MessageKind = MessageKind.CANCEL
    ) -> None:
        key = resident.children.pop(seq, None)
        resident.attached.discard(seq)
        if key is not None:
            payload = Payload(_encode_text(reason))
            self.commit.messages.append(NewMessage(key, kind, "", payload, resident.key))
            self.has_new_work = True

    # --- leaving memory

    def end(
        self, resident: Resident, command: EndRun, *, is_forced: bool = False, by_program: bool = False
    ) -> None:
        """End a run, its open tasks and attached children. If it is forced, the store finds the children."""
        if isinstance(command, FailRun):
            self.failed.append((resident, command.failure))
        if not by_program:
            close_questions(self.commit, resident, self.now)
        self.cancel_open(resident, None if is_forced else "its parent ended")
        self.commit.ended.append(ended_run(resident.record, command, self.now, is_forced=is_forced))
        if resident.record.parent is not None or is_forced:
            self.has_new_work = True  # mail for its parent, or for children that only the store knows
        self.leave_memory(resident)

    def cancel_open(self, resident: Resident, reason: str | None) -> None:
        """Cancel its open tasks, and for a reason its attached children."""
        for task in resident.held_back.values():
            resident.restore_attempt(task)  # to be cancelled with the others
        for seq in list(resident.attempts):
            self._cancel_task(resident, seq)
        if resident.attached and reason is not None:
            for seq in list(resident.attached & resident.children.keys()):
                if seq in resident.terminated:
                    self._cancel_child(resident, seq, termination_reason(reason), MessageKind.TERMINATE)
                else:
                    self._cancel_child(resident, seq, reason)

    def release(self, resident: Resident, *, wake_at: Instant | None) -> None:
        """Give up ownership of a run that is idle, or that this node must hand back."""
        self._hand_back(resident)
        wait = describe_wait(resident.wait_reasons())
        hold(self.commit, resident)
        self.commit.released.append(ReleasedRun(resident.key, RunStatus.RUNNING, None, wake_at, *wait))
        self.leave_memory(resident)

    def show_wait(self, resident: Resident) -> None:
        """Say what a run waits for that is idle and stays in memory."""
        hold(self.commit, resident)
        resident.is_wait_shown = True
        self.commit.waits.append(ShownWait(resident.key, *describe_wait(resident.wait_reasons())))

    def park(self, resident: Resident, error: BaseException) -> None:
        """Release a run that cannot go on with this code. Nodes try it again for a while, since another node
        may have the code that it needs. After that it waits for an operator.

        A run that was asked to cancel is cancelled instead: a parked run would not get that message. One
        whose deadline has passed fails."""
        asked = next((event for event in resident.events if isinstance(event, CancelRequested)), None)
        if asked is not None:
            hold(self.commit, resident)
            self.end(resident, CancelRun(asked.reason))
            return
        deadline = read_run_options(resident.record.options).deadline
        if deadline is not None and deadline <= self.now:
            hold(self.commit, resident)
            self.end(resident, FailRun(deadline_failure(deadline)))
            return
        self._hand_back(resident)
        hold(self.commit, resident)
        captured = capture(error)
        failure = encode_failure(captured)
        # No other node has code that returns where this does not. An operator must say that it is mended.
        is_final = isinstance(error, TooManyStalls)
        wait = None if is_final else wait_after_setback(resident.record.setbacks)
        self.parked.append(ParkedRun(resident, captured, error, wait is None or not resident.record.setbacks))
        again_at, reasons = None, []
        if wait is not None:
            again_at = later(self.now, wait)
            reasons = [WaitReason(WaitKind.CODE, resident.record.workflow, time_text(again_at))]
        if deadline is not None:
            again_at = deadline if again_at is None else min(again_at, deadline)
        row = ReleasedRun(resident.key, RunStatus.PARKED, failure, again_at, *describe_wait(reasons))
        self.commit.released.append(row)
        self.leave_memory(resident)

    def _hand_back(self, resident: Resident) -> None:
        """Cancel running attempts and record them as pending, so that the next owner makes the same
        attempts."""
        for attempt in resident.attempts.values():
            if attempt.stage is Stage.BACKING_OFF or attempt.stage is Stage.REMOTE:
                continue
            self.recorder.cancel_work(attempt)
            self.recorder.move(attempt, TaskStatus.PENDING, None)

    def leave_memory(self, resident: Resident) -> None:
        for attempt in list(resident.attempts.values()):
            self.recorder.retire(attempt)
        for alarm in resident.timers.values():
            alarm.cancel()
        if resident.deadline is not None:
            resident.deadline.cancel()
        resident.is_gone = True
        self.gone.append(resident)

    def mark_read(self, resident: Resident, message: MessageId) -> None:
        """Mark a message as read that is no event for the program."""
        hold(self.commit, resident)
        self.commit.taken.append(TakenMessage(resident.key, message, resident.position))
        self.residents.mail.remove(resident.key, message)

    def remove_runs(self, runs: set[RunKey]) -> None:
        """Take all rows of these runs, which the commit was to create, out of the commit."""
        remove_runs(self.commit, runs)
        if self.recorder.ended is not None:
            self.recorder.ended = [attempt for attempt in self.recorder.ended if attempt.run not in runs]
        self.gone = [resident for resident in self.gone if resident.key not in runs]
