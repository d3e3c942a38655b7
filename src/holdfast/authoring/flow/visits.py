"""One visit of one node: what it asks for, what it waits for, and how it ends.

A visit ends once, with `VisitDone` or `VisitFailed`, perhaps as soon as it begins. Executors and workers run
its tasks. If the visit itself waits, for a timer, an event or a person, a task row shows that.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from holdfast.authoring.documents.references import find
from holdfast.authoring.flow.command_buffer import CommandBuffer
from holdfast.authoring.flow.conditions import holds
from holdfast.authoring.flow.model import ChoiceNode, ExecutorNode, FlowNode
from holdfast.authoring.flow.paths import PathValues
from holdfast.authoring.flow.shared import Shared
from holdfast.core.commands import CancelTask, ResumeTask, ScheduleTask
from holdfast.core.events import PromiseAnswered, Reopened
from holdfast.core.failures import capture
from holdfast.core.policies import LONGEST_DELAY
from holdfast.core.values import Cancelled, Failed, Failure, Outcome, Payload, Succeeded, later, task_id
from holdfast.core.waiting import WaitReason
from holdfast.errors import Refused, WrongType, show


class VisitDone(NamedTuple):
    value: Any
    action: str | None = None
    """None: `post` decides."""


class VisitFailed(NamedTuple):
    failure: Failure
    action: str | None = None
    """The action to take if the node has no edge for errors."""
    results: list[Any] | None = None
    """Results that are written in spite of the failure."""


Result: TypeAlias = VisitDone | VisitFailed


class VisitContext(NamedTuple):
    """The node of a visit, and the values that it can read."""

    node: FlowNode
    path: str
    """The keys that lead to it, as in `checkout/charge`."""
    params: dict[str, Any]
    around: Sequence[Shared]
    """The state of its own flow first, then of those around it."""
    input: Any

    @property
    def values(self) -> PathValues:
        return PathValues(self.params, self.around[0].values, self.input)


class Visit:
    """The base of all visits. `go` begins it, and it gets events until it has ended."""

    def __init__(self, buffer: CommandBuffer, context: VisitContext, end: Callable[[Result], None]) -> None:
        self._buffer = buffer
        self._context = context
        self._end = end
        self._row: int | None = None
        """The number of the task whose row shows the visit while it waits."""
        self._shown = Payload(b"{}")

    def go(self) -> None:
        """Begin. A visit that cannot begin fails."""
        refused = self._buffer.refused.get(self._buffer.next_task)
        if refused is None:
            try:
                self.begin()
                return
            except Refused as error:
                refused = Failed(capture(error.with_traceback(None)))
        self._record(refused)

    def begin(self) -> None:
        """Raises Refused before it emits any command."""
        raise NotImplementedError

    def go_again(self, event: Reopened) -> None:
        """The run ended during this visit, and was opened again."""
        del event
        self._row = None
        self.go()

    def task_ended(self, seq: int, outcome: Outcome) -> None:
        pass

    def task_ended_late(self, seq: int, outcome: Outcome) -> None:
        """A task ended in the same step in which this visit ended the run."""

    def child_ended(self, seq: int, outcome: Outcome) -> None:
        pass

    def shared_changed(self) -> None:
        pass

    def answered(self, answer: PromiseAnswered) -> bool:
        """Whether the visit has asked for this answer."""
        del answer
        return False

    def undone(self) -> tuple[list[int], list[int]]:
        """The tasks and children of this visit that did not succeed."""
        return [], []

    def waits(self) -> list[WaitReason]:
        return []

    def close(self) -> None:
        """The run ends: close the row that shows this visit."""
        if self._row is not None:
            self._settle_row(Cancelled("the run ended"))

    # --- for those below

    def _show(self, **shown: Any) -> Payload:
        return self._buffer.encode(shown, f"the input of node {self._context.path!r}")

    def _open(self, **shown: Any) -> None:
        """Open the row that shows the visit. Raises PayloadTooLarge."""
        self._row = self._buffer.open(self._context.path, self._show(**shown))

    def _settle_row(self, outcome: Outcome) -> Outcome:
        """Record the outcome, in the open row or in a new one."""
        path, row, self._row = self._context.path, self._row, None
        seq = self._buffer.take_task() if row is None else row
        if isinstance(outcome, Failed):
            named = msgspec.structs.replace(outcome.failure, task=task_id(self._buffer.run, seq))
            outcome = Failed(named)
        return self._buffer.record(seq, path, outcome, is_open=row is not None, input=self._shown)

    def _record(
        self, outcome: Outcome, done: VisitDone | None = None, broken: VisitFailed | None = None
    ) -> None:
        """Record the outcome and end the visit as the journal has it: the result may have been too large."""
        stands = self._settle_row(outcome)
        if isinstance(stands, Failed):
            end = broken or VisitFailed(stands.failure)
            self._end(end._replace(failure=stands.failure))
        else:
            assert done is not None
            self._end(done)

    def _finish(self, done: VisitDone, shown: Any) -> None:
        """Succeed, with a row that has `shown` as its output."""
        self._record(self._buffer.succeeded(shown, self._context.path), done)

    def _param(self, name: str) -> Any:
        return self._context.params.get(name)

    def _span(self, name: str) -> dt.timedelta:
        """The duration of a parameter in milliseconds, which a run may have set. Raises WrongType."""
        value = self._param(name)
        if value is None:
            return dt.timedelta(0)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= LONGEST_DELAY / dt.timedelta(milliseconds=1):
            what = f"params.{name} of node {self._context.path!r}"
            raise WrongType(what, f"expected a number of milliseconds, got {show(value)}")
        return dt.timedelta(milliseconds=value)


class Working(Visit):
    """An executor node: one task."""

    _task: int | None = None

    def begin(self) -> None:
        does, path = self._context.node.does, self._context.path
        assert isinstance(does, ExecutorNode)
        input = self._show(input=self._context.input, params=self._context.params)
        self._task = self._buffer.take_task()
        self._buffer.emit(ScheduleTask(self._task, path, input, does.options))

    def go_again(self, event: Reopened) -> None:
        if self._task is not None and self._task in event.tasks_again:
            self._buffer.emit(ResumeTask(self._task))
        else:
            self.go()

    def task_ended(self, seq: int, outcome: Outcome) -> None:
        if seq != self._task:
            return
        if isinstance(outcome, Succeeded):
            self._end(VisitDone(self._buffer.decode(outcome.payload)))
        else:
            self._end(VisitFailed(failure_of(outcome)))

    def undone(self) -> tuple[list[int], list[int]]:
        return [] if self._task is None else [self._task], []


class Choosing(Visit):
    def begin(self) -> None:
        does, context = self._context.node.does, self._context
        assert isinstance(does, ChoiceNode)
        self._shown = self._show(input=context.input)
        action = self._action(does)
        self._finish(VisitDone(context.input, action), action)

    def _action(self, choice: ChoiceNode) -> str:
        values, key = self._context.values, self._context.node.post.action_key
        for case in choice.cases:
            if holds(case.condition, values):
                return case.action
        if self._context.node.post.action_static is not None:
            return self._context.node.post.action_static
        if key is not None:
            for value in (find(values.input, key), find(values.shared, key)):
                if isinstance(value, str) and value:
                    return value
        return choice.default_action or ""


class Sleeping(Visit):
    def begin(self) -> None:
        delay = self._span("delay_ms")
        self._open(input=self._context.input, delay_ms=self._param("delay_ms") or 0)
        self._buffer.start_timer(later(self._buffer.at, delay), self._wake)

    def _wake(self) -> None:
        self._finish(VisitDone(self._context.input), self._context.input)


def failure_of(outcome: Outcome) -> Failure:
    if isinstance(outcome, Failed):
        return outcome.failure
    return Failure(type="holdfast.errors:TaskError", message="it was cancelled")


def cancel_tasks(buffer: CommandBuffer, tasks: Sequence[int]) -> None:
    for seq in tasks:
        buffer.emit(CancelTask(seq))
