"""A task that is started by itself: a run with one task and no code of its own around it.

A run is pinned to the name of its task, not to the code. Each attempt runs the code that has the name then,
so a task may be edited while runs of it wait.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from holdfast.authoring.code.source import origin_of, source_of
from holdfast.authoring.replaying import compare
from holdfast.core.commands import CancelRun, Command, CompleteRun, EndRun, FailRun, ScheduleTask
from holdfast.core.events import CancelRequested, DeadlinePassed, Event, Reopened, TaskEnded, UpdateReceived
from holdfast.core.failures import deadline_failure, failure_of
from holdfast.core.history import Past
from holdfast.core.log_lines import LimitedLog
from holdfast.core.pieces import Pieces
from holdfast.core.policies import TaskOptions
from holdfast.core.records import TASK_VERSION, RunRecord, task_claim
from holdfast.core.run_options import read_run_options
from holdfast.core.stream_items import UnwrittenItems
from holdfast.core.updates import UpdateRefusal, refusal
from holdfast.core.values import Cancelled, Failed, Instant, Outcome, Succeeded, task_id
from holdfast.core.waiting import WaitReason
from holdfast.errors import TaskError

if TYPE_CHECKING:
    from holdfast.authoring.catalog import Definitions, TaskDefinition


class TaskProgram:
    __slots__ = ("_is_asked", "_options", "_run", "_seq", "log", "published", "refused")

    def __init__(self, run: RunRecord, options: TaskOptions) -> None:
        self._run = run
        self._options = options
        self._seq = 0
        self._is_asked = False
        self.log: LimitedLog | None = None  # it has no code that could write
        self.published: UnwrittenItems | None = None
        self.refused: list[UpdateRefusal] | None = None

    def advance(self, at: Instant, events: Sequence[Event]) -> list[Command]:
        for event in events:
            match event:
                case TaskEnded():
                    return [self._end(event.outcome)]
                case CancelRequested():
                    return [CancelRun(event.reason)]  # which cancels the task, too
                case DeadlinePassed():
                    return [FailRun(deadline_failure(event.deadline))]
                case Reopened():
                    # The client that reopened the run wrote this step, without requests. If the run was
                    # cancelled before it began, the node that claims it asks for the task in its first step.
                    self._seq = self._seq if self._is_asked else event.tasks
                    return []
                case UpdateReceived():
                    self.refused = [*(self.refused or ()), refusal(event, "a task takes no updates")]
                case _:
                    pass  # a signal or an answer to a promise, which no task can read
        if self._is_asked:
            return []
        self._is_asked = True
        return [ScheduleTask(self._seq, self._run.workflow, self._run.input, self._options)]

    def _end(self, outcome: Outcome) -> EndRun:
        match outcome:
            case Succeeded():
                return CompleteRun(outcome.payload)
            case Failed():
                failure = outcome.failure
            case Cancelled():
                failure = failure_of(TaskError, f"task {self._run.workflow!r} was cancelled")
        return FailRun(msgspec.structs.replace(failure, task=task_id(self._run.key, self._seq)))

    def waits(self) -> list[WaitReason]:
        return []

    def dispose(self) -> None:
        pass

    def replay(self, past: Past, pause_after: int) -> Pieces[None]:
        for number, step in enumerate(past.steps):
            compare(number, self.advance(step.at, step.events), step.asked)
            if number % pause_after == pause_after - 1:
                yield


class TaskWorkflow:
    """The definition of the runs of a task that are started by themselves."""

    kind = "task"
    version = TASK_VERSION
    is_data = False
    is_pinned = True

    def __init__(self, task: TaskDefinition) -> None:
        self.name = task.name
        self.claim = task_claim(task.name)
        # Not of the code: the next edition of the task goes on with the same runs.
        self.hash = hashlib.sha256(self.claim.encode()).hexdigest()
        self.source = source_of(task.function) or ""
        self.origin = origin_of(task.function)
        self.signature = task.signature
        self._options = task.task_options

    @property
    def input_schema(self) -> str | None:
        return self.signature.input_schema

    def program(self, run: RunRecord, definitions: Definitions) -> TaskProgram:
        given = None if run.options is None else read_run_options(run.options).task_options
        return TaskProgram(run, given or self._options)

    def __repr__(self) -> str:
        return f"<task {self.name!r} by itself>"
