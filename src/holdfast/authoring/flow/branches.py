"""Nodes with branches: `parallel` calls several services, `foreach` calls one service for each item of a
list.

The end of a branch costs the same however many branches there are.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, cast

import msgspec

from holdfast.authoring.flow.command_buffer import CommandBuffer
from holdfast.authoring.flow.model import Fan, ForeachNode, ParallelNode, Queue
from holdfast.authoring.flow.visits import (
    Result,
    Visit,
    VisitContext,
    VisitDone,
    VisitFailed,
    cancel_tasks,
    failure_of,
)
from holdfast.core.commands import ResumeTask, ScheduleTask
from holdfast.core.events import Reopened
from holdfast.core.failures import capture
from holdfast.core.policies import TaskOptions
from holdfast.core.shared_inputs import SHARED_FROM, SharedInput
from holdfast.core.values import Failed, Failure, Outcome, Payload, Succeeded
from holdfast.errors import Refused, WrongType, show

_SERVICE = re.compile(r"(?!\.{1,2}$)[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,200}")
"""As in definitions (`fields.SERVICE`): a store could not keep a longer name, or one with a NUL."""

_MOST_BYTES = 64_000_000
"""The most bytes of the inputs of all branches together. One transaction writes them, and others wait for
it."""
_MOST_TOLD = 5
"""How many failures a message lists."""


def branch_path(path: str, does: ParallelNode | ForeachNode) -> str:
    """The name of the tasks of its branches. The node itself has a row with its own path."""
    return f"{path}/branch" if isinstance(does, ParallelNode) else f"{path}/item"


class Branching(Visit):
    def __init__(self, buffer: CommandBuffer, context: VisitContext, end: Callable[[Result], None]) -> None:
        super().__init__(buffer, context, end)
        does = context.node.does
        assert isinstance(does, (ParallelNode, ForeachNode))
        self._does = does
        self._fan: Fan = does.fan
        self._inputs: list[Payload] = []
        """Of every branch, in order. Without `_common`, if there is that."""
        self._common: Payload | None = None
        """What the inputs of all branches have in common. None: not enough to store it apart."""
        self._shared: SharedInput | None = None
        """Under which number that is stored."""
        self._services: list[str] = []
        self._results: list[Any] = []
        self._waiting: deque[int] = deque()
        """Branches to start, in order."""
        self._tasks: dict[int, int] = {}
        """The running tasks, with the branch of each."""
        self._task_of: dict[int, int] = {}
        """The task of every branch that was started."""
        self._failures: dict[int, Failure] = {}
        """By branch."""
        self._left = 0

    def begin(self) -> None:
        self._inputs, self._services = self._branches()
        self._open(input=self._context.input)
        self._results = [None] * len(self._inputs)
        self._waiting = deque(range(len(self._inputs)))
        self._left = len(self._inputs)
        self._fill()

    def _branches(self) -> tuple[list[Payload], list[str]]:
        """The input and the service of each branch. Raises WrongType, PayloadTooLarge."""
        input, params = self._context.input, self._context.params
        if isinstance(self._does, ParallelNode):
            services = list(self._does.services) or self._named_services()
            every = self._share({"input": input, "params": params}, len(services))
            shown = (
                self._show(**every, branch=branch, service=service) for branch, service in enumerate(services)
            )
            return self._together(shown), services
        if not isinstance(input, list):
            what = f"the input of node {self._context.path!r}"
            raise WrongType(what, f"foreach expects a list, got {show(input)}")
        items = cast("list[Any]", input)
        every = self._share({"params": params}, len(items))
        shown = (self._show(input=item, **every, index=index) for index, item in enumerate(items))
        inputs = self._together(shown)
        return inputs, [self._does.service] * len(inputs)

    def _share(self, fields: dict[str, Any], branches: int) -> dict[str, Any]:
        """Store the fields that all branches have apart from the others, if that is worth it. Returns those
        that are left to be stored with every branch. Raises PayloadTooLarge."""
        common = self._show(**fields) if branches > 1 else b""
        self._common = Payload(common) if len(common) >= SHARED_FROM else None
        return fields if self._common is None else {}

    def _together(self, inputs: Iterable[Payload]) -> list[Payload]:
        """Raises WrongType as soon as they are too large together."""
        found: list[Payload] = []
        size = common = len(self._common or b"")
        for each in inputs:
            self._buffer.check_size(
                max(common - 1, 0) + len(each), f"the input of node {self._context.path!r}"
            )
            found.append(each)
            size += len(each)
            if size > _MOST_BYTES:
                reason = (
                    f"the inputs of its first {len(found):,} branches take more than {_MOST_BYTES:,} bytes; "
                    "give it fewer items, or smaller ones"
                )
                raise WrongType(f"node {self._context.path!r}", reason)
        return found

    def _named_services(self) -> list[str]:
        given = self._param("services")
        services: list[Any] = cast("list[Any]", given) if isinstance(given, list) else []
        if not services or not all(isinstance(it, str) and _SERVICE.fullmatch(it) for it in services):
            what = f"params.services of node {self._context.path!r}"
            raise WrongType(what, f"expected a list of services, got {show(self._param('services'))}")
        return services

    def _fill(self) -> None:
        at_once = self._fan.at_once
        while self._waiting and (at_once is None or len(self._tasks) < at_once):
            self._start(self._waiting.popleft())
        if self._left == 0:
            self._conclude()

    def _start(self, branch: int) -> None:
        seq = self._task_of.get(branch)
        if seq is None:
            seq = self._task_of[branch] = self._buffer.take_task()
            name = branch_path(self._context.path, self._does)
            input, options = self._inputs[branch], self._options(branch)
            self._buffer.emit(ScheduleTask(seq, name, input, options, shared=self._shared_with(seq)))
        else:
            self._buffer.emit(ResumeTask(seq))
        self._tasks[seq] = branch

    def _shared_with(self, seq: int) -> SharedInput | None:
        """On replay the journal decides: what an earlier version has written is whole in each row."""
        known_then = self._buffer.shared_then
        if self._common is not None and self._shared is None and (known_then is None or seq in known_then):
            self._shared = SharedInput(seq, self._common)
        return self._shared

    def _options(self, branch: int) -> TaskOptions:
        options = self._does.options
        if isinstance(self._does.work, Queue):
            return msgspec.structs.replace(options, service=self._services[branch])
        return options

    def task_ended(self, seq: int, outcome: Outcome) -> None:
        branch = self._tasks.pop(seq, None)
        if branch is None:
            return
        self._left -= 1
        if isinstance(outcome, Succeeded):
            self._results[branch] = self._buffer.decode(outcome.payload)
        else:
            self._failures[branch] = failure_of(outcome)
            if self._fan.strategy == "fail_fast":
                self._break_off()
                return
        self._fill()

    def task_ended_late(self, seq: int, outcome: Outcome) -> None:
        if seq in self._tasks and isinstance(outcome, Succeeded):
            self._results[self._tasks.pop(seq)] = self._buffer.decode(outcome.payload)

    def _break_off(self) -> None:
        cancel_tasks(self._buffer, list(self._tasks))
        failed = Failed(self._failure())
        self._record(failed)

    def _conclude(self) -> None:
        if self._failures and self._fan.strategy != "ignore_errors":
            failure = self._failure()
            self._record(Failed(failure), broken=VisitFailed(failure, results=list(self._results)))
            return
        self._finish(VisitDone(self._results), self._results)

    def _failure(self) -> Failure:
        first = next(iter(self._failures.values()))
        if len(self._results) == 1:
            return first
        told = [f"{self._name(each)}: {it.message}" for each, it in sorted(self._failures.items())]
        message = f"{len(told)} of {len(self._results)} failed: " + "; ".join(told[:_MOST_TOLD])
        message += f"; and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
        return msgspec.structs.replace(first, message=message, arguments=None)

    def _name(self, branch: int) -> str:
        if isinstance(self._does, ParallelNode):
            return f"{self._services[branch]} (branch {branch})"
        return f"item {branch}"

    def undone(self) -> tuple[list[int], list[int]]:
        branches = [*self._failures, *self._tasks.values()]
        return [self._task_of[branch] for branch in branches], []

    def go_again(self, event: Reopened) -> None:
        """Keep the results of branches that succeeded, and try the others again under their numbers."""
        again = sorted({*self._failures, *self._tasks.values(), *self._waiting})
        if not self._inputs:
            self._row = None
            self.go()
            return
        for branch in again:
            if self._task_of.get(branch) not in event.tasks_again:
                self._task_of.pop(branch, None)
        self._failures.clear()
        self._tasks.clear()
        self._waiting = deque(again)
        self._left = len(again)
        try:
            self._open(input=self._context.input)
        except Refused as error:
            self._record(Failed(capture(error.with_traceback(None))))
            return
        self._fill()
