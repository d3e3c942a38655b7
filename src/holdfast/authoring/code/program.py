"""The program of a code workflow: it replays a coroutine.

Everything the coroutine asks for takes the next number of its kind and is held against what the
journal has under that number. What is there already is not asked for again; what is new becomes a
command. So the same code brings a run to where it was, and longer code goes on from there.

A `DeterminismError` is raised where the code asked, but user code could catch it; so it is also
kept, and `advance` raises it whatever the code made of it.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import uuid
from collections.abc import Callable, Coroutine, Sequence
from random import Random
from typing import Any, Protocol, TypeVar

from holdfast.authoring.code.handles import ChildHandle, TaskHandle, settle
from holdfast.authoring.code.inbox import Inbox
from holdfast.authoring.code.loop import CALLBACKS_ALLOWED, WorkflowLoop
from holdfast.authoring.code.recorded_requests import RecordedRequests
from holdfast.core import journal
from holdfast.core.codec import Codec
from holdfast.core.commands import (
    CancelChild,
    CancelRun,
    CancelTask,
    CancelTimer,
    Command,
    CompleteRun,
    FailRun,
    MarkPatch,
    RecordTask,
    ResumeChild,
    ScheduleTask,
    SetState,
    StartChild,
    StartTimer,
)
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
from holdfast.core.failures import capture, revive
from holdfast.core.history import Past
from holdfast.core.ids import name_for_children
from holdfast.core.names import checked_name
from holdfast.core.policies import TaskOptions
from holdfast.core.records import RunRecord
from holdfast.core.values import (
    Cancelled,
    Failed,
    Instant,
    Outcome,
    Payload,
    Succeeded,
    key_text,
    moment,
)
from holdfast.errors import (
    BadOption,
    Deadlock,
    DeterminismError,
    RunCancelled,
    RunFailed,
    TaskError,
)

R = TypeVar("R")
T = TypeVar("T")

_log = logging.getLogger("holdfast.workflow")


class NamedDefinitions(Protocol):
    """Tasks and workflows that the code asks for by name; the catalog knows them."""

    def require_workflow(self, name: str, version: str | None) -> None:
        """Raises UnknownWorkflow."""
        ...

    def schedule(
        self, program: CodeProgram, task: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> TaskHandle[Any]: ...

    def start_child(
        self,
        program: CodeProgram,
        workflow: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        id: str | None,
        version: str | None,
        detached: bool,
    ) -> ChildHandle[Any]: ...


class CodeProgram:
    """Kept small: a node holds ten thousand of them, so what is rarely needed is made when it is."""

    _main: asyncio.Task[Payload]
    __slots__ = (
        "_broken",
        "_cancel_reason",
        "_children",
        "_commands",
        "_fresh_timers",
        "_handles",
        "_has_ended",
        "_is_disposed",
        "_loop",
        "_main",
        "_next_child",
        "_next_task",
        "_next_timer",
        "_open_timers",
        "_outside",
        "_patches",
        "_prefix",
        "_random",
        "_then",
        "_uuids",
        "at",
        "by_name",
        "cancel_requested",
        "codec",
        "is_replaying",
        "run",
        "state",
    )

    def __init__(
        self,
        run: RunRecord,
        past: Past,
        codec: Codec,
        main: Callable[[CodeProgram], Coroutine[Any, Any, Payload]],
        by_name: NamedDefinitions,
    ) -> None:
        self.run = run
        self.codec = codec
        self.by_name = by_name
        self.at = run.created_at
        self.is_replaying = False
        self.cancel_requested = False
        self.state: dict[str, Payload] | None = None
        self._random: Random | None = None
        self._uuids: Random | None = None
        self._cancel_reason = ""
        self._prefix: str | None = None
        self._commands: list[Command | None] = []
        self._next_task = self._next_timer = self._next_child = self._open_timers = 0
        self._handles: dict[int, TaskHandle[Any]] = {}
        self._children: dict[int, ChildHandle[Any]] | None = None
        self._fresh_timers: dict[int, int] | None = None
        """Timers of this step with their place among the commands; one that is cancelled never was."""
        self._patches: dict[str, bool] | None = None
        self._then: RecordedRequests | None = None
        self._outside: Inbox | None = None
        self._broken: BaseException | None = None
        self._has_ended = self._is_disposed = False
        self._loop = WorkflowLoop(self, run.key)
        self._main = asyncio.Task(main(self), loop=self._loop, name=run.workflow)
        if past.steps:
            try:
                self._replay(past)
            except BaseException:
                self.dispose()  # else the garbage collector would run what is left of the code
                raise

    # --- the protocol

    def advance(self, at: Instant, events: Sequence[Event]) -> list[Command]:
        self.at = at
        self._fresh_timers = None
        self._loop.feed(events, self._hear, SignalReceived, CALLBACKS_ALLOWED)
        if self._broken is not None:
            raise self._broken
        if self._main.done():
            self._end()
        elif not (self._handles or self._waits_elsewhere or self.is_replaying):
            raise Deadlock()
        if self.is_replaying:
            return []
        commands: list[Any] = self._commands
        self._commands = []
        if not self._next_timer:
            return commands
        return [command for command in commands if command is not None]

    @property
    def _waits_elsewhere(self) -> bool:
        """For something that is not a task."""
        outside = self._outside is not None and self._outside.waits
        return bool(self._open_timers or self._children or outside)

    def waits(self) -> list[str]:
        outside = [] if self._outside is None else list(self._outside.waits)
        if self._children:
            # Named first: a wait for children alone can be checked against their rows.
            ids = sorted(handle.id for handle in self._children.values())
            outside.insert(0, "child " + ", ".join(ids[:3]) + (" …" if len(ids) > 3 else ""))
        return outside

    def dispose(self) -> None:
        """Also unties the circle of program, loop and coroutine: counting references frees it at once,
        where ten thousand runs a second would keep the garbage collector busy."""
        if not self._is_disposed:
            self._is_disposed = True
            self._loop.dispose(self._main)
            self._loop.host = None  # pyright: ignore[reportAttributeAccessIssue]
            self._main = None  # pyright: ignore[reportAttributeAccessIssue]
            self._handles.clear()

    # --- replay

    def _replay(self, past: Past) -> None:
        # A retry that goes back to the very beginning has nothing to replay: its code begins right here.
        begins_anew = len(past.steps) == 1 and any(isinstance(it, Reopened) for it in past.steps[0].events)
        then = self._then = RecordedRequests(past)
        for step in past.steps:
            for asked in step.asked:
                then.expect(asked)
                if isinstance(asked, journal.PatchMarked):
                    self._remember_patch(asked.change_id, is_patched=True)
        self.is_replaying = not begins_anew
        for number, step in enumerate(past.steps):
            commands = self.advance(step.at, step.events)
            if begins_anew:
                self._commands = [*commands]
            if self._has_ended:
                if self.is_replaying:
                    self._check_end(number)
                break  # the code got shorter, and this run is past its new end
        self.is_replaying = False
        if then.is_reopened:
            # The store forgot the state with the steps that were struck out: tell it what stands.
            for key, value in (self.state or {}).items():
                self._emit(SetState(key, value))
        if any(isinstance(event, Reopened) for event in past.steps[-1].events):
            # Those that were opened again with it may wait for it to go on.
            for seq, child in past.children.items():
                if child is not None and not child.status.is_final:
                    self._emit(ResumeChild(seq))

    def _check_end(self, step: int) -> None:
        """Code that now fails where the run once went on is mistaken, and not a run that has failed."""
        error = None if self._main.cancelled() else self._main.exception()
        if error is not None:
            raised = f"an end, with {type(error).__name__}: {error}"
            raise self._break("step", step, "followed by others", raised) from error

    def _break(self, kind: str, position: int, recorded: str, requested: str) -> DeterminismError:
        error = DeterminismError(kind, position, recorded, requested)
        self._broken = self._broken or error
        return error

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
                self.outside.queue(event.name).put_nowait(event.payload)
            case PromiseAnswered():
                self.outside.settled.setdefault(event.name, event.outcome)
                waiting = self.outside.promises.get(event.name)
                if waiting is not None and not waiting.done():
                    waiting.set_result(event.outcome)
            case CancelRequested():
                self._request_cancel(event.reason)
            case Reopened():
                self._next_task = max(self._next_task, event.tasks)
                self._next_timer = max(self._next_timer, event.timers)
                self._next_child = max(self._next_child, event.children)
                if self._then is not None:
                    self._then.is_reopened = True

    def _keep_early(self, kind: str, seq: int, asked_so_far: int, outcome: Outcome) -> None:
        # What was asked for and has no handle any more was cancelled: its outcome is of no interest.
        if self._then is not None and seq >= asked_so_far:
            self._then.early[kind, seq] = outcome

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

    # --- who it is

    @property
    def run_id(self) -> str:
        return self.run.id or key_text(self.run.key)

    @property
    def outside(self) -> Inbox:
        if self._outside is None:
            self._outside = Inbox()
        return self._outside

    @property
    def random(self) -> Random:
        if self._random is None:
            self._random = Random(self.run.key)
        return self._random

    def uuid4(self) -> uuid.UUID:
        if self._uuids is None:
            self._uuids = Random(self.run.key + b"uuid")
        return uuid.UUID(int=self._uuids.getrandbits(128), version=4)

    def now(self) -> dt.datetime:
        return moment(self.at)

    # --- what workflow code asks for (through `Context`, tasks and workflows)

    def schedule(
        self, name: str, input: Payload, options: TaskOptions, decode: Callable[[Payload], R]
    ) -> TaskHandle[R]:
        seq, is_recorded = self._take_task("task", name)
        if not is_recorded:
            self._emit(ScheduleTask(seq, name, input, options))
        handle: TaskHandle[R] = TaskHandle(loop=self._loop)
        handle.seq = seq
        handle.decode = decode
        handle.program = self
        early = self._then.early.pop(("task", seq), None) if self._then is not None else None
        if early is None:
            self._handles[seq] = handle
        else:
            settle(handle, early, self._task_error)
        return handle

    def record(self, name: str, effect: Callable[[], Any]) -> Outcome:
        """Do a local side effect once and for all; on replay, give its recorded outcome."""
        seq, is_recorded = self._take_task("local side effect", name)
        if is_recorded and self._then is not None:
            return self._then.local[seq]
        if self._is_disposed:
            # It only leaves memory, but closing its coroutine runs its `finally` blocks.
            raise asyncio.CancelledError
        try:
            outcome: Outcome = Succeeded(self.codec.encode(effect(), f"the result of {name!r}"))
        except Exception as error:
            outcome = Failed(capture(error, task=self.task_id(seq)))
        self._emit(RecordTask(seq, name, outcome))
        return outcome

    def _take_task(self, kind: str, name: str) -> tuple[int, bool]:
        """The next task number, and whether the journal has that task already."""
        seq = self._next_task
        self._next_task = seq + 1
        then = self._then.tasks.get(seq) if self._then is not None else None
        if then is None:
            return seq, False
        if then != (kind, name):
            raise self._break("task", seq, f"{then.kind} {then.name!r}", f"{kind} {name!r}")
        return seq, True

    def task_id(self, seq: int) -> str:
        if self._prefix is None:
            self._prefix = key_text(self.run.key) + ":"
        return self._prefix + str(seq)

    def cancel_task(self, seq: int) -> None:
        if self._handles.pop(seq, None) is not None and not self._cancelled_then("task", seq):
            self._emit(CancelTask(seq))

    def _cancelled_then(self, kind: str, seq: int) -> bool:
        return self._then is not None and (kind, seq) in self._then.cancels

    def start_timer(self, due: Instant) -> int:
        seq = self._next_timer
        self._next_timer += 1
        self._open_timers += 1
        if self._then is None or seq not in self._then.timers:
            if self._fresh_timers is None:
                self._fresh_timers = {}
            self._fresh_timers[seq] = len(self._commands)
            self._emit(StartTimer(seq, due))
        return seq

    def cancel_timer(self, seq: int) -> None:
        self._open_timers -= 1
        if self._is_disposed:
            return
        place = self._fresh_timers.pop(seq, None) if self._fresh_timers else None
        if place is not None:
            self._commands[place] = None
        elif not self._cancelled_then("timer", seq):
            self._emit(CancelTimer(seq))

    def start_child(
        self,
        workflow: str,
        version: str | None,
        input: Payload,
        decode: Callable[[Payload], R],
        *,
        id: str | None,
        detached: bool,
    ) -> ChildHandle[R]:
        if id is not None:
            id = checked_name("the id of a child", id)
        if detached is not True and detached is not False:
            raise BadOption("detached", detached, "True or False")  # it is recorded as one of the two
        seq = self._next_child
        self._next_child += 1
        child_id = id or f"{name_for_children(self.run.id, self.run.key)}/{seq}"
        then = self._then.children.get(seq) if self._then is not None else None
        if then is None:
            self._emit(StartChild(seq, workflow, version, child_id, input, detached))
        elif then != workflow:
            raise self._break("child", seq, f"workflow {then!r}", f"workflow {workflow!r}")
        handle: ChildHandle[R] = ChildHandle(loop=self._loop)
        handle.run_id = child_id
        handle.seq = seq
        handle.decode = decode
        handle.program = self
        early = self._then.early.pop(("child", seq), None) if self._then is not None else None
        if early is not None:
            settle(handle, early, self._child_error)
        else:
            if self._children is None:
                self._children = {}
            self._children[seq] = handle
        return handle

    def cancel_child(self, seq: int) -> None:
        known = self._children.pop(seq, None) if self._children else None
        if known is not None and not self._cancelled_then("child", seq):
            self._emit(CancelChild(seq))

    @property
    def is_live(self) -> bool:
        """Whether what the code does now is done for the first time."""
        return not (self.is_replaying or self._is_disposed)

    def is_recorded_child(self) -> bool:
        """Whether the next child to be started was started before: then it need not be known here."""
        return self._then is not None and self._next_child in self._then.children

    def set_state(self, key: str, value: Payload | None) -> None:
        if self.state is None:
            self.state = {}
        if value is None:
            self.state.pop(key, None)
        else:
            self.state[key] = value
        if not self.is_replaying:
            self._emit(SetState(key, value))

    def patched(self, change_id: str) -> bool:
        """True for a run that begins, or goes on, with the change; False for one that passed here without."""
        known = self._patches.get(change_id) if self._patches is not None else None
        if known is None:
            known = self._remember_patch(change_id, is_patched=not self.is_replaying)
            if known:
                self._emit(MarkPatch(change_id))
        return known

    def _remember_patch(self, change_id: str, *, is_patched: bool) -> bool:
        if self._patches is None:
            self._patches = {}
        self._patches[change_id] = is_patched
        return is_patched

    def spawn(self, coroutine: Coroutine[Any, Any, R], name: str) -> asyncio.Task[R]:
        return self._loop.create_task(coroutine, name=name)

    async def next_signal(self, name: str) -> Payload:
        return await self.outside.wait_for(f"signal {name!r}", self.outside.queue(name).get())

    def has_signal(self, name: str) -> bool:
        return not self.outside.queue(name).empty()

    def drain_signals(self, name: str) -> list[Payload]:
        queue = self.outside.queue(name)
        return [queue.get_nowait() for _ in range(queue.qsize())]

    async def settled(self, name: str) -> Outcome:
        """The outcome of a promise, when it has one."""
        known = self.outside.settled.get(name)
        if known is not None:
            return known
        waiting = self.outside.promises.get(name)
        if waiting is None:
            waiting = self.outside.promises[name] = self._loop.create_future()
        # Shielded: one who stops waiting must not take the promise from the others.
        return await self.outside.wait_for(f"promise {name!r}", asyncio.shield(waiting))

    def _emit(self, command: Command) -> None:
        if not self._is_disposed:
            self._commands.append(command)

    # --- outcomes as exceptions

    def _task_error(self, handle: TaskHandle[Any], outcome: Failed | Cancelled) -> Exception | None:
        return revive(outcome.failure, TaskError) if isinstance(outcome, Failed) else None

    def _child_error(self, handle: ChildHandle[Any], outcome: Failed | Cancelled) -> Exception | None:
        if isinstance(outcome, Failed):
            return revive(outcome.failure, RunFailed)
        return RunCancelled(handle.id, outcome.reason)
