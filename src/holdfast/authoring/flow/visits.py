"""One visit of one node: what it asks for, what it waits for, and how it ends.

A visit ends once, with `VisitDone` or `VisitFailed`, perhaps as soon as it begins. Executors and workers do
its work, as tasks. The visit itself waits for a time, an event or a person, and has a row that shows it.
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
from holdfast.core.events import Reopened
from holdfast.core.failures import capture
from holdfast.core.policies import LONGEST_DELAY
from holdfast.core.values import Cancelled, Failed, Failure, Outcome, Payload, Succeeded, later, task_id
from holdfast.core.waiting import WaitReason
from holdfast.errors import Refused, WrongType, show


class VisitDone(NamedTuple):
    value: Any
    action: str | None = None
    """None: what `post` says."""


class VisitFailed(NamedTuple):
    failure: Failure
    action: str | None = None
    """The edge that is taken if none is for errors."""
    results: list[Any] | None = None
    """What is written of it all the same."""


Result: TypeAlias = VisitDone | VisitFailed


class VisitContext(NamedTuple):
    """Where a visit is, and what it can see from there."""

    node: FlowNode
    path: str
    """The keys that lead to it, as in `checkout/charge`."""
    params: dict[str, Any]
    around: Sequence[Shared]
    """The state of its own flow first, then of those around it."""
    input: Any

    @property
    def sight(self) -> PathValues:
        return PathValues(self.params, self.around[0].values, self.input)


class Visit:
    """What all have in common. It is begun with `go`, and hears of what happens until it has ended."""

    def __init__(self, desk: CommandBuffer, place: VisitContext, end: Callable[[Result], None]) -> None:
        self._desk = desk
        self._place = place
        self._end = end
        self._row: int | None = None
        """Of the task that shows it while it waits."""
        self._shown = Payload(b"{}")

    def go(self) -> None:
        """Begin. What cannot be begun has failed."""
        refused = self._desk.refused.get(self._desk.next_task)
        if refused is None:
            try:
                self.begin()
                return
            except Refused as error:
                refused = Failed(capture(error.with_traceback(None)))
        self._record(refused)

    def begin(self) -> None:
        """Raises Refused before anything is asked for."""
        raise NotImplementedError

    def go_again(self, event: Reopened) -> None:
        """The run had ended with it, and was opened again."""
        del event
        self._row = None
        self.go()

    def task_ended(self, seq: int, outcome: Outcome) -> None:
        pass

    def task_ended_late(self, seq: int, outcome: Outcome) -> None:
        """In the same step, but after the run has ended with this visit."""

    def child_ended(self, seq: int, outcome: Outcome) -> None:
        pass

    def shared_changed(self) -> None:
        pass

    def undone(self) -> tuple[list[int], list[int]]:
        """The tasks and children that it has ended with and that did not succeed."""
        return [], []

    def waits(self) -> list[WaitReason]:
        return []

    def close(self) -> None:
        """The run ends: nothing is left waiting."""
        if self._row is not None:
            self._settle_row(Cancelled("the run ended"))

    # --- for those below

    def _show(self, **shown: Any) -> Payload:
        return self._desk.encode(shown, f"the input of node {self._place.path!r}")

    def _open(self, **shown: Any) -> None:
        """Show that it waits. Raises PayloadTooLarge."""
        self._row = self._desk.open(self._place.path, self._show(**shown))

    def _settle_row(self, outcome: Outcome) -> Outcome:
        """Record how it has ended, in the row that shows it or in one of its own."""
        path, row, self._row = self._place.path, self._row, None
        seq = self._desk.take_task() if row is None else row
        if isinstance(outcome, Failed):
            named = msgspec.structs.replace(outcome.failure, task=task_id(self._desk.run, seq))
            outcome = Failed(named)
        return self._desk.record(seq, path, outcome, is_open=row is not None, input=self._shown)

    def _record(
        self, outcome: Outcome, done: VisitDone | None = None, broken: VisitFailed | None = None
    ) -> None:
        """End as the row says, which may be otherwise: what it gives may be too large."""
        stands = self._settle_row(outcome)
        if isinstance(stands, Failed):
            end = broken or VisitFailed(stands.failure)
            self._end(end._replace(failure=stands.failure))
        else:
            assert done is not None
            self._end(done)

    def _finish(self, done: VisitDone, shown: Any) -> None:
        """End well, with a row that says `shown`."""
        self._record(self._desk.succeeded(shown, self._place.path), done)

    def _param(self, name: str) -> Any:
        return self._place.params.get(name)

    def _span(self, name: str) -> dt.timedelta:
        """Of a parameter in milliseconds, which a run may have set. Raises WrongType."""
        value = self._param(name)
        if value is None:
            return dt.timedelta(0)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= LONGEST_DELAY / dt.timedelta(milliseconds=1):
            what = f"params.{name} of node {self._place.path!r}"
            raise WrongType(what, f"expected a number of milliseconds, got {show(value)}")
        return dt.timedelta(milliseconds=value)


class Working(Visit):
    """An executor node: one task."""

    _task: int | None = None

    def begin(self) -> None:
        does, path = self._place.node.does, self._place.path
        assert isinstance(does, ExecutorNode)
        input = self._show(input=self._place.input, params=self._place.params)
        self._task = self._desk.take_task()
        self._desk.emit(ScheduleTask(self._task, path, input, does.options))

    def go_again(self, event: Reopened) -> None:
        if self._task is not None and self._task in event.tasks_again:
            self._desk.emit(ResumeTask(self._task))
        else:
            self.go()

    def task_ended(self, seq: int, outcome: Outcome) -> None:
        if seq != self._task:
            return
        if isinstance(outcome, Succeeded):
            self._end(VisitDone(self._desk.decode(outcome.payload)))
        else:
            self._end(VisitFailed(failure_of(outcome)))

    def undone(self) -> tuple[list[int], list[int]]:
        return [] if self._task is None else [self._task], []


class Choosing(Visit):
    def begin(self) -> None:
        does, place = self._place.node.does, self._place
        assert isinstance(does, ChoiceNode)
        self._shown = self._show(input=place.input)
        action = self._action(does)
        self._finish(VisitDone(place.input, action), action)

    def _action(self, choice: ChoiceNode) -> str:
        sight, key = self._place.sight, self._place.node.post.action_key
        for case in choice.cases:
            if holds(case.condition, sight):
                return case.action
        if self._place.node.post.action_static is not None:
            return self._place.node.post.action_static
        if key is not None:
            for value in (find(sight.input, key), find(sight.shared, key)):
                if isinstance(value, str) and value:
                    return value
        return choice.default_action or ""


class Sleeping(Visit):
    def begin(self) -> None:
        delay = self._span("delay_ms")
        self._open(input=self._place.input, delay_ms=self._param("delay_ms") or 0)
        self._desk.start_timer(later(self._desk.at, delay), self._wake)

    def _wake(self) -> None:
        self._finish(VisitDone(self._place.input), self._place.input)


def failure_of(outcome: Outcome) -> Failure:
    if isinstance(outcome, Failed):
        return outcome.failure
    return Failure(type="holdfast.errors:TaskError", message="it was cancelled")


def cancel_tasks(desk: CommandBuffer, tasks: Sequence[int]) -> None:
    for seq in tasks:
        desk.emit(CancelTask(seq))
