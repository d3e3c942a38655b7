"""The program of a code workflow. It restores a run by replaying its coroutine.

Replay feeds the events of each step at the instant of that step. The code asks again for what it asked for
then; `Requests` compares each request with the journal.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from holdfast.authoring.code.handles import settle
from holdfast.authoring.code.loop import CALLBACKS_ALLOWED, WorkflowLoop
from holdfast.authoring.code.recorded_requests import RecordedRequests
from holdfast.authoring.code.requests import DefinitionResolver, Requests
from holdfast.core import journal
from holdfast.core.codec import Codec
from holdfast.core.commands import CancelRun, Command, CompleteRun, FailRun, ResumeChild, SetState
from holdfast.core.events import (
    CancelRequested,
    ChildEnded,
    Event,
    PromiseAnswered,
    Reopened,
    SignalReceived,
    TaskEnded,
    TimerFired,
)
from holdfast.core.failures import capture
from holdfast.core.history import Past
from holdfast.core.records import RunRecord
from holdfast.core.values import Instant, Outcome, Payload
from holdfast.core.waiting import WaitReason, wait_for_children
from holdfast.errors import Deadlock

_log = logging.getLogger("holdfast.workflow")


class CodeProgram(Requests):
    _main: asyncio.Task[Payload]
    __slots__ = ("_cancel_reason", "_has_ended", "_main", "cancel_requested")

    def __init__(
        self,
        run: RunRecord,
        past: Past,
        codec: Codec,
        main: Callable[[CodeProgram], Coroutine[Any, Any, Payload]],
        resolver: DefinitionResolver,
    ) -> None:
        super().__init__(run, codec, resolver)
        self.cancel_requested = False
        self._cancel_reason = ""
        self._has_ended = False
        self._loop = WorkflowLoop(self, run.key)
        self._main = asyncio.Task(main(self), loop=self._loop, name=run.workflow)
        if past.steps:
            try:
                self._replay(past)
            except BaseException:
                self.dispose()  # otherwise the garbage collector would run the `finally` blocks of the code
                raise

    # --- the protocol

    def advance(self, at: Instant, events: Sequence[Event]) -> list[Command]:
        self.at = at
        self._new_timers = None
        self._loop.feed(events, self._hear, SignalReceived, CALLBACKS_ALLOWED)
        if self._determinism_error is not None:
            raise self._determinism_error
        if self._main.done():
            self._end()
        elif not (self._handles or self._waits_beyond_tasks or self.is_replaying):
            raise Deadlock()
        if self.is_replaying:
            return []
        commands: list[Any] = self._commands
        self._commands = []
        if not self._next_timer:
            return commands
        return [command for command in commands if command is not None]

    @property
    def _waits_beyond_tasks(self) -> bool:
        """Whether the run waits for a timer, a child or a message."""
        has_waits = self._inbox is not None and self._inbox.waits
        return bool(self._open_timers or self._children or has_waits)

    def waits(self) -> list[WaitReason]:
        messages = [] if self._inbox is None else list(self._inbox.waits)
        children = () if self._children is None else self._children.values()
        return wait_for_children(child.id for child in children) + messages

    def dispose(self) -> None:
        """Also breaks the reference cycle of program, loop and coroutine, so that reference counting frees
        them at once. At ten thousand runs a second the garbage collector would be busy with them."""
        if not self._is_disposed:
            self._is_disposed = True
            self._loop.dispose(self._main)
            self._loop.host = None  # pyright: ignore[reportAttributeAccessIssue]
            self._main = None  # pyright: ignore[reportAttributeAccessIssue]
            self._handles.clear()

    # --- replay

    def _replay(self, past: Past) -> None:
        # If a retry goes back to the very beginning, there is nothing to replay: the code starts here.
        starts_over = len(past.steps) == 1 and any(isinstance(it, Reopened) for it in past.steps[0].events)
        recorded = self._recorded = RecordedRequests(past)
        for step in past.steps:
            for asked in step.asked:
                recorded.expect(asked)
                if isinstance(asked, journal.PatchMarked):
                    self._remember_patch(asked.change_id, is_patched=True)
        self.is_replaying = not starts_over
        for number, step in enumerate(past.steps):
            commands = self.advance(step.at, step.events)
            if starts_over:
                self._commands = [*commands]
            if self._has_ended:
                if self.is_replaying:
                    self._check_end(number)
                break  # the code was shortened, and this run is past its new end
        self.is_replaying = False
        if recorded.is_reopened:
            # The store dropped the state of the steps that were struck out. Write the current state.
            for key, value in (self.state or {}).items():
                self._emit(SetState(key, value))
        if any(isinstance(event, Reopened) for event in past.steps[-1].events):
            # Children that were reopened with this run may be held back until it asks for them.
            for seq, child in past.children.items():
                if child is not None and not child.status.is_final:
                    self._emit(ResumeChild(seq))

    def _check_end(self, step: int) -> None:
        """Raises DeterminismError if the code now fails where the run once went on: the run did not fail."""
        error = None if self._main.cancelled() else self._main.exception()
        if error is not None:
            raised = f"an end, with {type(error).__name__}: {error}"
            raise self._mismatch("step", step, "followed by others", raised) from error

    # --- events

    def _hear(self, event: Event) -> None:
        match event:
            case TaskEnded():
                handle = self._handles.pop(event.seq, None)
                if handle is not None:
                    settle(handle, event.outcome, self._task_error)
                else:
                    self._keep_early("task", event.seq, self._next_task, event.outcome)
            case TimerFired():
                self._open_timers -= 1
                self._loop.fire(event.seq)
            case ChildEnded():
                child = self._children.pop(event.seq, None) if self._children else None
                if child is not None:
                    settle(child, event.outcome, self._child_error)
                else:
                    self._keep_early("child", event.seq, self._next_child, event.outcome)
            case SignalReceived():
                self.inbox.queue(event.name).put_nowait(event.payload)
            case PromiseAnswered():
                self.inbox.settle(event.name, event.outcome)
            case CancelRequested():
                self._request_cancel(event.reason)
            case Reopened():
                self._next_task = max(self._next_task, event.tasks)
                self._next_timer = max(self._next_timer, event.timers)
                self._next_child = max(self._next_child, event.children)
                if self._recorded is not None:
                    self._recorded.is_reopened = True

    def _keep_early(self, kind: str, seq: int, next_seq: int, outcome: Outcome) -> None:
        # A number that was used and has no handle belongs to cancelled work: nobody needs the outcome.
        if self._recorded is not None and seq >= next_seq:
            self._recorded.early[kind, seq] = outcome

    def _request_cancel(self, reason: str) -> None:
        # A second request must not interrupt the clean-up that the first one began.
        if not self.cancel_requested:
            self.cancel_requested = True
            self._cancel_reason = reason
            self._main.cancel(reason or None)

    def _end(self) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        if self._main.cancelled():
            if self.cancel_requested:
                self._emit(CancelRun(self._cancel_reason))
            else:
                error = asyncio.CancelledError("it awaited something that it had cancelled itself")
                self._emit(FailRun(capture(error)))
            return
        error = self._main.exception()
        if error is None:
            self._emit(CompleteRun(self._main.result()))
        else:
            self._emit(FailRun(capture(error, task=getattr(error, "task_id", None))))

    def report_unhandled(self, context: dict[str, Any]) -> None:
        if not self.is_replaying:
            error = context.get("exception")
            _log.warning("run %s: %s", self.run_id, context.get("message"), exc_info=error)
