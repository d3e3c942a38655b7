"""The program of a DAG: it starts the tasks that are ready, and counts those that have ended.

A run is pinned to one edition of its file, so on replay the same events lead to the same commands. A journal
that says otherwise was written by another version of this program.

Executors run shell commands and functions. The program itself waits for approvals, signals, timers and other
workflows; see `waits`.
"""

from __future__ import annotations

import datetime as dt
import heapq
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from holdfast.authoring.dag.expressions import CannotEvaluate
from holdfast.authoring.dag.model import ApprovalTask, CallTask, Dag, SignalTask, SleepTask
from holdfast.authoring.dag.progress import DagProgress, TaskProgress
from holdfast.authoring.dag.types import check
from holdfast.authoring.dag.values import Values
from holdfast.authoring.dag.waits import Wait, Waits
from holdfast.authoring.documents.unfit_answers import warn_of_answer
from holdfast.authoring.replaying import compare, shares_in
from holdfast.core.codec import Codec
from holdfast.core.commands import (
    CancelRun,
    Command,
    CompleteRun,
    EndRun,
    FailRun,
    RecordTask,
    ResumeChild,
    ResumeTask,
    ScheduleTask,
    StartChild,
)
from holdfast.core.events import (
    CancelRequested,
    ChildEnded,
    DeadlinePassed,
    Event,
    PromiseAnswered,
    Reopened,
    SignalReceived,
    TaskEnded,
    TimerFired,
    UpdateReceived,
)
from holdfast.core.failures import capture, deadline_failure
from holdfast.core.history import Past
from holdfast.core.ids import name_for_children
from holdfast.core.journal import TaskOpened
from holdfast.core.log_lines import LimitedLog
from holdfast.core.names import written_span
from holdfast.core.pieces import Pieces
from holdfast.core.records import RunRecord
from holdfast.core.shared_inputs import SharedInput
from holdfast.core.stream_items import UnwrittenItems
from holdfast.core.updates import UpdateRefusal, refusal
from holdfast.core.values import (
    Cancelled,
    Failed,
    Failure,
    Instant,
    Outcome,
    Payload,
    Succeeded,
    TaskStatus,
    later,
    task_id,
)
from holdfast.core.waiting import WaitReason
from holdfast.errors import Refused
from holdfast.ports.executor import PythonFunction, ShellCommand

_NOTHING = Payload(b"{}")
_NO_ITEMS = Payload(b"[]")

PackChild = Callable[[str, dict[str, Any]], Payload]
"""Encodes the inputs of a workflow, given its name. Raises Refused."""

_LONGEST_REASON: Final = 2000
"""In characters."""


class DagProgram:
    log: LimitedLog | None = None  # it has no code that could write
    published: UnwrittenItems | None = None
    refused: list[UpdateRefusal] | None = None

    def __init__(self, run: RunRecord, dag: Dag, codec: Codec, pack_child: PackChild) -> None:
        self._run = run
        self._dag = dag
        self._codec = codec
        self._pack_child = pack_child
        self._progress = DagProgress(dag)
        self._values = Values(run.input, dag, self._progress, codec)
        self._at = run.created_at
        self._commands: list[Command] = []
        self._waits = Waits(self._emit, self._end_wait, self._warn_of_answer)
        self._next_task = self._next_child = 0
        self._child_ids: dict[int, str] = {}
        self._held: dict[int, tuple[TaskProgress, int]] = {}
        """Children that were opened again and wait for their turn."""
        self._tasks: dict[int, tuple[TaskProgress, int]] = {}
        """The items that executors run, by the number of the task."""
        self._ready: list[tuple[int, int, TaskProgress]] = []
        """Tasks with items to start, the most urgent first."""
        self._arriving: deque[TaskProgress] = deque()
        """Tasks whose upstream has ended."""
        self._round = 1
        """How often the run was opened."""
        self._ending: EndRun | None = None
        self._reopening: Reopened | None = None
        self._is_begun = False
        self._failed_then: dict[int, Failed] | None = None
        """On replay: the items that could not be started, by number."""
        self._has_questions = True
        """On replay: whether approvals are recorded as questions. Older versions knew them by name."""
        self._shared_then: set[int] | None = None
        """On replay: the tasks that a shared part of inputs was stored with, by number."""

    # --- the protocol

    def advance(self, at: Instant, events: Sequence[Event]) -> list[Command]:
        self._at = at
        if not self._is_begun:
            self._is_begun = True
            self._begin()
        if self._reopening is not None:
            self._reopen(self._reopening)
        for event in events:
            self._hear(event)
        if self._reopening is not None:
            return []
        if self._ending is None:
            self._go_on()
        if self._ending is not None:
            self._close(self._ending)
        commands, self._commands = self._commands, []
        return commands

    def waits(self) -> list[WaitReason]:
        return self._waits.reasons(self._child_ids)

    def dispose(self) -> None:
        self._waits.dispose()

    def _warn_of_answer(self, name: str, why: str) -> None:
        if self._failed_then is None:  # else it was said when the answer came
            warn_of_answer(name_for_children(self._run), name, why)

    def _emit(self, command: Command) -> None:
        self._commands.append(command)

    def replay(self, past: Past, pause_after: int) -> Pieces[None]:
        opened = {asked.seq for step in past.steps for asked in step.asked if isinstance(asked, TaskOpened)}
        # Replay uses the recorded answer: a workflow that was unknown then may be known now.
        self._shared_then = shares_in(past)
        self._failed_then = {
            seq: outcome
            for seq, outcome in past.local.items()
            if isinstance(outcome, Failed) and seq not in opened
        }
        for number, step in enumerate(past.steps):
            self._has_questions = step.has_questions
            compare(number, self.advance(step.at, step.events), step.asked)
            if number % pause_after == pause_after - 1:
                yield
        self._failed_then = self._shared_then = None
        self._has_questions = True

    # --- events

    def _hear(self, event: Event) -> None:
        match event:
            case TaskEnded():
                item = self._tasks.pop(event.seq, None)
                if item is not None:
                    self._end_item(*item, event.outcome, event.seq)
            case TimerFired():
                self._waits.fire(event.seq)
            case ChildEnded():
                if event.seq in self._held:
                    self._end_early(event.seq)
                self._waits.end_child(event.seq, event.outcome)
            case SignalReceived():
                self._waits.receive(event.name, event.payload)
            case PromiseAnswered():
                self._waits.settle(event)
            case UpdateReceived():
                self.refused = [*(self.refused or ()), refusal(event, "a run of a DAG takes no updates")]
            case CancelRequested():
                self._ending = self._ending or CancelRun(event.reason)
            case DeadlinePassed():
                self._ending = self._ending or FailRun(deadline_failure(event.deadline))
            case Reopened():
                # The client that reopened the run wrote that step without requests. The node that claims the
                # run makes them in its first step.
                self._reopening = event
                self._ending = None

    # --- the run

    def _begin(self) -> None:
        if self._dag.timeout is not None:
            allowed = self._dag.timeout
            self._waits.start_timer(later(self._at, allowed), lambda: self._time_out(allowed))
        self._arriving.extend(self._progress.ready())

    def _go_on(self) -> None:
        while self._arriving or self._can_start():
            while self._arriving:
                self._arrive(self._arriving.popleft())
            while self._can_start():
                self._start_next()
        if self._progress.open == 0:
            self._ending = self._end()

    def _end(self) -> EndRun:
        failed = self._progress.failed()
        if failed:
            return FailRun(_run_failure(self._run, failed))
        try:
            return CompleteRun(self._output())
        except Refused as error:
            return FailRun(capture(error))

    def _output(self) -> Payload:
        given: dict[str, Any]
        if self._dag.output is None:
            given = {node.task.name: msgspec.Raw(node.output()) for node in self._progress.leaves()}
        else:
            given = {name: self._values.of(ref) for name, ref in self._dag.output.items()}
        return self._codec.encode(given, "the output of the run")

    def _time_out(self, allowed: dt.timedelta) -> None:
        message = f"the run took longer than {written_span(allowed)}"
        self._ending = self._ending or FailRun(Failure(type="builtins:TimeoutError", message=message))

    def _close(self, ending: EndRun) -> None:
        """Close the rows of all waits. The engine ends the tasks of executors."""
        for wait in self._waits:
            self._emit(RecordTask(wait.seq, wait.node.task.name, Cancelled("the run ended"), is_open=True))
        self._waits.close_questions()
        self._emit(ending)

    def _reopen(self, event: Reopened) -> None:
        """An operator tries again: open everything that has not succeeded."""
        self._reopening = None
        self._next_task = max(self._next_task, event.tasks)
        self._next_child = max(self._next_child, event.children)
        self._waits.next_timer = max(self._waits.next_timer, event.timers)
        self._waits.next_question = max(self._waits.next_question, event.questions)
        self._round += 1
        self._ready.clear()
        self._arriving.clear()
        interrupted = [(*item, seq) for seq, item in self._tasks.items()]
        interrupted += [(wait.node, wait.item, seq) for seq, wait in self._waits.children.items()]
        interrupted += [(wait.node, wait.item, None) for wait in self._waits.break_off()]
        self._tasks.clear()
        for node, *_ in interrupted:
            node.active -= 1
        tasks_again, children_again = set(event.tasks_again), set(event.children_again)
        for node, index, seq in [*interrupted, *self._progress.reopen()]:
            node.redo.append(index)
            is_child = isinstance(node.task.work, CallTask)
            if seq is not None and seq in (children_again if is_child else tasks_again):
                node.again[index] = seq
                if is_child:
                    self._held[seq] = (node, index)
        for node in self._progress.nodes.values():
            node.redo.sort(reverse=True)  # the last is the first to go
            node.forget_common()
            self._queue(node)
        self._begin()

    # --- one task

    def _arrive(self, node: TaskProgress) -> None:
        """All tasks before it have ended: skip it, or begin."""
        task = node.task
        if node.has_bad_upstream and not task.runs_on_failure:
            self._skip(node, "a task that it depends on did not succeed")
            return
        try:
            if task.when is not None and not task.when.evaluate(self._values.of):
                self._skip(node, f"its condition is not met: {task.when.text}")
                return
            count, items = self._values.items_of(node)
        except (CannotEvaluate, Refused) as error:
            seq = self._take_task()
            node.failure = _named(capture(error), self._run, seq)
            self._emit(RecordTask(seq, task.name, Failed(node.failure)))
            self._finish(node, TaskStatus.FAILED)
            return
        node.begin(count, items)
        if count == 0:
            self._emit(RecordTask(self._take_task(), task.name, Succeeded(_NO_ITEMS)))
            self._finish(node, TaskStatus.SUCCESS)
        else:
            self._queue(node)

    def _skip(self, node: TaskProgress, reason: str) -> None:
        self._emit(RecordTask(self._take_task(), node.task.name, Cancelled(reason)))
        self._finish(node, TaskStatus.SKIPPED)

    def _finish(self, node: TaskProgress, status: TaskStatus) -> None:
        self._arriving.extend(self._progress.finish(node, status))

    def _queue(self, node: TaskProgress) -> None:
        if not node.is_queued and node.status is TaskStatus.RUNNING and node.may_start:
            node.is_queued = True
            heapq.heappush(self._ready, (-node.task.options.priority, node.order, node))

    def _can_start(self) -> bool:
        if not self._ready:
            return False
        most = self._dag.max_parallel
        # Tasks that wait for a person or a timer do not count.
        return most is None or len(self._tasks) + len(self._waits.children) < most

    def _start_next(self) -> None:
        node = heapq.heappop(self._ready)[2]
        node.is_queued = False
        if not node.may_start:
            return  # its items have ended before their turn
        index = node.start_next()
        self._queue(node)
        self._start(node, index)

    # --- one item

    def _take_task(self) -> int:
        self._next_task += 1
        return self._next_task - 1

    def _start(self, node: TaskProgress, index: int) -> None:
        again = node.again.pop(index, None)
        if again is not None:
            self._start_again(node, index, again)
            return
        failed = None if self._failed_then is None else self._failed_then.get(self._next_task)
        if failed is None:
            try:
                self._start_work(node, index)
                return
            except Refused as error:
                failed = Failed(_named(capture(error), self._run, self._next_task))
        self._emit(RecordTask(self._take_task(), node.task.name, failed))
        self._end_item(node, index, failed, None)

    def _start_again(self, node: TaskProgress, index: int, seq: int) -> None:
        if isinstance(node.task.work, CallTask):
            del self._held[seq]
            self._await_again(seq, node, index)
            self._emit(ResumeChild(seq))
        else:
            self._tasks[seq] = (node, index)
            self._emit(ResumeTask(seq))

    def _end_early(self, child: int) -> None:
        """A child ended before its turn: it was cancelled, or an earlier retry had resumed it."""
        node, index = self._held.pop(child)
        node.start_early(index)
        self._await_again(child, node, index)

    def _await_again(self, child: int, node: TaskProgress, index: int) -> None:
        self._waits.await_child(child, self._open(node, index, self._values.with_index(node, index, {})))

    def _start_work(self, node: TaskProgress, index: int) -> None:
        """Raises Refused before it emits any command."""
        task = node.task
        match task.work:
            case ShellCommand() | PythonFunction():
                input, common = self._values.inputs_of(node, index)
                seq = self._take_task()
                self._tasks[seq] = (node, index)
                shared = self._share(node, seq, common)
                self._emit(ScheduleTask(seq, task.name, input, task.options, shared=shared))
            case CallTask():
                self._start_child(node, index, task.work.workflow)
            case ApprovalTask():
                self._ask(node, index, task.work)
            case SignalTask():
                shown = self._codec.encode({"wait_for_signal": task.work.name}, "a signal")
                self._waits.listen(task.work.name, self._open(node, index, shown))
            case SleepTask():
                wait = self._open(node, index, _NOTHING)
                self._waits.sleep(wait, later(self._at, task.work.duration))

    def _ask(self, node: TaskProgress, index: int, work: ApprovalTask) -> None:
        name = node.task.name
        if not self._has_questions:
            promise = name if self._round == 1 else f"{name}#{self._round}"
            self._waits.ask_by_name(promise, self._open(node, index, _NOTHING))
            return
        details = self._values.question_of(node, work)
        question = self._waits.next_question
        shown = {"promise": name, "question": question, "message": work.message}
        wait = self._open(node, index, self._codec.encode(shown, "an approval"))
        self._waits.ask(name, wait, details)

    def _share(self, node: TaskProgress, seq: int, common: Payload | None) -> SharedInput | None:
        """On replay the journal decides: what an earlier version has written is whole in each row."""
        if common is None:
            return None
        if node.shared is None and (self._shared_then is None or seq in self._shared_then):
            node.shared = SharedInput(seq, common)
        return node.shared

    def _open(self, node: TaskProgress, index: int, input: Payload) -> Wait:
        return self._waits.open(node, index, self._take_task(), input, self._at)

    def _start_child(self, node: TaskProgress, index: int, workflow: str) -> None:
        given = self._values.child_inputs(node, index)
        shown = self._values.with_index(node, index, given)
        # On replay the inputs were accepted before, even if the workflow is not known here now.
        packed = self._pack_child(workflow, given) if self._failed_then is None else shown
        child = self._next_child
        self._next_child += 1
        self._waits.await_child(child, self._open(node, index, shown))
        id = self._child_ids[child] = self._child_id(node, index)
        self._emit(StartChild(child, workflow, None, id, packed))

    def _child_id(self, node: TaskProgress, index: int) -> str:
        parent = name_for_children(self._run)
        name = f"{parent}/{node.task.name}" + (f"/{index}" if node.is_fan_out else "")
        # After a retry the id without the round may be taken: by the child of an earlier round, or by
        # another run.
        return name if self._round == 1 else f"{name}#{self._round}"

    def _end_wait(self, wait: Wait, outcome: Outcome, child: int | None) -> None:
        name, expected = wait.node.task.name, wait.node.task.output_type
        if isinstance(outcome, Succeeded) and expected is not None:
            what = f"the output of task {name!r}"
            problem = check(self._codec.decode(outcome.payload, Any, what), expected)
            if problem is not None:
                outcome = Failed(Failure(type="holdfast.errors:WrongType", message=f"{what}: {problem}"))
        if isinstance(outcome, Failed):
            outcome = Failed(_named(outcome.failure, self._run, wait.seq))
        self._emit(RecordTask(wait.seq, name, outcome, is_open=True))
        self._end_item(wait.node, wait.item, outcome, child)

    def _end_item(self, node: TaskProgress, index: int, outcome: Outcome, seq: int | None) -> None:
        node.active -= 1
        node.remaining -= 1
        if isinstance(outcome, Succeeded):
            node.outputs[index] = outcome.payload
        else:
            node.failed[index] = seq
            node.failure = node.failure or _failure_of(node, outcome)
        if node.remaining == 0:
            self._finish(node, TaskStatus.FAILED if node.failed else TaskStatus.SUCCESS)
        else:
            self._queue(node)


def _named(failure: Failure, run: RunRecord, seq: int) -> Failure:
    return msgspec.structs.replace(failure, task=task_id(run.key, seq))


def _failure_of(node: TaskProgress, outcome: Failed | Cancelled) -> Failure:
    if isinstance(outcome, Failed):
        return outcome.failure
    return Failure(type="holdfast.errors:TaskError", message=f"task {node.task.name!r} was cancelled")


def _run_failure(run: RunRecord, failed: list[TaskProgress]) -> Failure:
    """Why the run failed: the first task that did, and the names of others."""
    first = failed[0]
    failure = first.failure or Failure(type="holdfast.errors:TaskError", message="it is not known why")
    of_items = f" ({len(first.failed)} of {first.count})" if first.is_fan_out and first.failed else ""
    message = f"task {first.task.name!r} failed{of_items}: {_reason(failure, first.task.name)}"
    if len(failed) > 1:
        message += "; also failed: " + ", ".join(node.task.name for node in failed[1:6])
        message += f" and {len(failed) - 6} more" if len(failed) > 6 else ""
    return msgspec.structs.replace(failure, message=message, arguments=None)


def _reason(failure: Failure, name: str) -> str:
    """The message without the name of the task. A long one, from a chain of called DAGs, is cut in the
    middle."""
    reason = failure.message.removeprefix(f"task {name!r}").lstrip(": ")
    while reason.startswith("failed: "):  # a task of the same name in a DAG that it has called
        reason = reason.removeprefix("failed: ").removeprefix(f"task {name!r} ")
    if len(reason) <= _LONGEST_REASON:
        return reason
    return f"{reason[: _LONGEST_REASON // 4]} … {reason[-_LONGEST_REASON // 4 * 3 :]}"
