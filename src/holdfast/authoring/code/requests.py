"""What workflow code asks for: tasks, timers, children, side effects, state and patches.

A request takes the next number of its kind and becomes a command. In replay it is compared with the journal
instead (`RecordedRequests`), and is not made again. So the same code brings a run back to where it was, and
goes on from there.

A `DeterminismError` is raised where the code asked. User code could catch it, so the error is also kept, and
`CodeProgram.replay` raises it in any case.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import uuid
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any, Protocol, TypeVar

from holdfast.authoring.code.handles import ChildHandle, TaskHandle
from holdfast.authoring.code.inbox import Inbox, MessageTask
from holdfast.authoring.code.loop import WorkflowLoop
from holdfast.authoring.code.open_questions import OpenQuestion
from holdfast.authoring.code.places import calling_line
from holdfast.authoring.code.recorded_requests import AnyRequest, RecordedRequests
from holdfast.authoring.code.request_words import both_in_words, rename_hint
from holdfast.authoring.code.steps import StepBody
from holdfast.core.codec import Codec
from holdfast.core.commands import (
    NO_INPUT,
    AskQuestion,
    CancelChild,
    CancelTask,
    CancelTimer,
    CloseQuestion,
    Command,
    ExpectMessage,
    MarkPatch,
    ScheduleTask,
    SetState,
    StartChild,
    StartTimer,
)
from holdfast.core.events import MessageId
from holdfast.core.failures import revive
from holdfast.core.ids import id_at_start, name_for_children
from holdfast.core.journal import (
    StateAsked,
    TaskAsked,
    TaskRecorded,
    TimerAsked,
    TimerCancelAsked,
    entry_of,
)
from holdfast.core.policies import TaskOptions
from holdfast.core.questions import SAME
from holdfast.core.records import RunRecord
from holdfast.core.run_options import IdPolicy, OnParentEnd, RunTerms, StartOptions, with_options_changed
from holdfast.core.values import Cancelled, Failed, Instant, Outcome, Payload, key_text, moment
from holdfast.core.waiting import WaitKind
from holdfast.errors import BadOption, DeterminismError, RunCancelled, RunFailed, TaskError
from holdfast.ports.signals import SignalSender

R = TypeVar("R")


class DefinitionResolver(Protocol):
    """Finds the tasks and workflows that code asks for by name."""

    log_limit: int
    """How many characters of what the code writes in one step are kept."""
    signal_sender: SignalSender | None
    """None if this process has no node."""

    def require_workflow(self, name: str, version: str | None) -> None:
        """Raises UnknownWorkflow."""
        ...

    def pack_input(self, args: tuple[Any, ...], kwargs: dict[str, Any], codec: Codec) -> Payload:
        """The input of a next chapter of the run. Raises WrongType, CannotStore, PayloadTooLarge."""
        ...

    def schedule(
        self, requests: Requests, task: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> TaskHandle[Any]: ...

    def start_child(
        self,
        requests: Requests,
        workflow: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        options: StartOptions,
        on_parent_end: OnParentEnd,
    ) -> ChildHandle[Any]: ...


class Requests:
    """The part of a `CodeProgram` that workflow code calls, through `Context`, tasks and workflows.

    A node holds ten thousand programs in memory, so fields that few runs need are created on first use.
    """

    _loop: WorkflowLoop
    __slots__ = (
        "_children",
        "_commands",
        "_determinism_error",
        "_handles",
        "_inbox",
        "_is_disposed",
        "_loop",
        "_new_timers",
        "_next_child",
        "_next_task",
        "_next_timer",
        "_open_timers",
        "_patches",
        "_random",
        "_recorded",
        "_task_id_prefix",
        "_uuids",
        "at",
        "codec",
        "resolver",
        "run",
        "state",
    )

    def __init__(self, run: RunRecord, codec: Codec, resolver: DefinitionResolver) -> None:
        self.run = run
        self.codec = codec
        self.resolver = resolver
        self.at = run.created_at
        self.state: dict[str, Payload] | None = None
        self._random: Random | None = None
        self._uuids: Random | None = None
        self._task_id_prefix: str | None = None
        self._commands: list[Command | None] = []
        self._next_task = self._next_timer = self._next_child = self._open_timers = 0
        self._handles: dict[int, TaskHandle[Any]] = {}
        self._children: dict[int, ChildHandle[Any]] | None = None
        self._new_timers: dict[int, int] | None = None
        """Timers of this step, with the index of their command. Cancelling one removes the command."""
        self._patches: dict[str, bool] | None = None
        self._recorded: RecordedRequests | None = None
        """What the journal has, while the run is replayed."""
        self._inbox: Inbox | None = None
        self._determinism_error: DeterminismError | None = None
        self._is_disposed = False

    # --- the run

    @property
    def run_id(self) -> str:
        return id_at_start(self.run) or key_text(self.run.key)

    @property
    def is_replaying(self) -> bool:
        return self._recorded is not None

    @property
    def is_live(self) -> bool:
        """Whether the code runs for the first time: not in a replay, and not while it is disposed of."""
        return self._recorded is None and not self._is_disposed

    @property
    def inbox(self) -> Inbox:
        if self._inbox is None:
            self._inbox = Inbox(self._loop)
        return self._inbox

    @property
    def random(self) -> Random:
        if self._random is None:
            self._random = Random(self._seed)
        return self._random

    @property
    def _seed(self) -> bytes:
        """Each chapter has its own random numbers."""
        chapter = self.run.chapter
        return self.run.key + b"chapter %d" % chapter if chapter else self.run.key

    def uuid4(self) -> uuid.UUID:
        if self._uuids is None:
            self._uuids = Random(self._seed + b"uuid")
        return uuid.UUID(int=self._uuids.getrandbits(128), version=4)

    def now(self) -> dt.datetime:
        return moment(self.at)

    def spawn(self, coroutine: Coroutine[Any, Any, R], name: str) -> asyncio.Task[R]:
        return self._loop.create_task(coroutine, name=name)

    def spawn_reader(self, coroutine: Coroutine[Any, Any, R], name: str) -> asyncio.Task[R]:
        """As `spawn`, for a coroutine that awaits `Inbox.next_signal` or `Inbox.answer_to`."""
        task = self._loop.begin_task(MessageTask, coroutine, name)
        task.inbox, task.message = self.inbox, None
        return task

    # --- tasks

    def schedule_recorded(
        self, name: str, digest: int | None, decode: Callable[[Payload], R]
    ) -> TaskHandle[R] | None:
        """If the journal has this very call next, its handle: its arguments need not be checked and encoded.
        Otherwise None; then call `schedule`."""
        recorded = self._recorded
        if recorded is None or not recorded.take_task(self._next_task, name, digest):
            return None
        return self._new_handle(decode)

    def schedule(
        self,
        name: str,
        input: Payload,
        digest: int | None,
        options: TaskOptions,
        decode: Callable[[Payload], R],
    ) -> TaskHandle[R]:
        handle = self._new_handle(decode)
        if self._recorded is not None:
            self._compare(TaskAsked(handle.seq, name, options, digest), input)
        elif not self._is_disposed:
            self._commands.append(ScheduleTask(handle.seq, name, input, options, digest))
        return handle

    def step(
        self,
        name: str,
        body: StepBody,
        options: TaskOptions,
        input: Payload = NO_INPUT,
        digest: int | None = None,
    ) -> TaskHandle[Any]:
        """Most steps have no input: what their function needs is in its closure."""
        handle: TaskHandle[Any] = self._new_handle(body.unpack)
        handle.body = body
        self._ask(ScheduleTask(handle.seq, name, input, options, digest), input)
        return handle

    @property
    def next_task_id(self) -> str:
        return self.task_id(self._next_task)

    def step_body(self, seq: int) -> StepBody | None:
        return getattr(self._handles.get(seq), "body", None)

    def _new_handle(self, decode: Callable[[Payload], R]) -> TaskHandle[R]:
        handle: TaskHandle[R] = TaskHandle(loop=self._loop)
        handle.seq = seq = self._next_task
        handle.decode = decode
        handle.program = self
        self._next_task = seq + 1
        self._handles[seq] = handle
        return handle

    def past_effect(self, name: str) -> Outcome | None:
        """The recorded outcome of a local side effect, if the journal has one next. Before there were steps,
        the code did side effects in place and recorded them."""
        if self._recorded is None or not self._recorded.has_effect_next():
            return None
        seq = self._next_task
        self._next_task = seq + 1
        self._compare(TaskRecorded(seq, name))
        return self._recorded.local_outcome(seq)

    def task_id(self, seq: int) -> str:
        if self._task_id_prefix is None:
            self._task_id_prefix = key_text(self.run.key) + ":"
        return self._task_id_prefix + str(seq)

    def cancel_task(self, seq: int) -> None:
        if self._handles.pop(seq, None) is not None:
            self._ask(CancelTask(seq))

    def _task_error(self, handle: TaskHandle[Any], outcome: Failed | Cancelled) -> Exception | None:
        return revive(outcome.failure, TaskError) if isinstance(outcome, Failed) else None

    # --- timers

    def start_timer(self, due: Instant) -> int:
        seq = self._next_timer
        self._next_timer += 1
        self._open_timers += 1
        if self._recorded is not None:
            if not self._recorded.take_timer(seq, due):
                raise self._mismatch(TimerAsked(seq, due), calling_line())
        else:
            if self._new_timers is None:
                self._new_timers = {}
            self._new_timers[seq] = len(self._commands)
            self._ask(StartTimer(seq, due))
        return seq

    def cancel_timer(self, seq: int) -> None:
        self._open_timers -= 1
        if self._is_disposed:
            return
        if self._recorded is not None:
            if not self._recorded.take_timer_cancel(seq):
                raise self._mismatch(TimerCancelAsked(seq), calling_line())
            return
        index = self._new_timers.pop(seq, None) if self._new_timers else None
        if index is not None:
            self._commands[index] = None
        else:
            self._ask(CancelTimer(seq))

    # --- children

    def start_child(
        self,
        workflow: str,
        version: str | None,
        input: Payload,
        digest: int | None,
        decode: Callable[[Payload], R],
        *,
        options: StartOptions,
        on_parent_end: OnParentEnd,
    ) -> ChildHandle[R]:
        if options.id_policy != IdPolicy.RETURN:
            raise BadOption("id_policy", options.id_policy, "left out: the id of a child must be free")
        terms = None if options.is_plain else options.terms(self.at, inherited=self.run.priority)
        detached, terminated = on_parent_end is OnParentEnd.DETACH, on_parent_end is OnParentEnd.TERMINATE
        if terminated:
            # Also in the row of the child: if the parent is terminated itself, the store tells the children.
            terms = terms or RunTerms(priority=self.run.priority)
            terms = terms._replace(options=with_options_changed(terms.options, on_parent_end=on_parent_end))
        seq = self._next_child
        self._next_child += 1
        child_id = options.id or f"{name_for_children(self.run)}/{seq}"
        child = StartChild(seq, workflow, version, child_id, input, detached, digest, terms, terminated)
        self._ask(child, input)
        handle: ChildHandle[R] = ChildHandle(loop=self._loop)
        handle.may_be_left = detached
        handle.run_id = child_id
        handle.seq = seq
        handle.decode = decode
        handle.program = self
        if self._children is None:
            self._children = {}
        self._children[seq] = handle
        return handle

    def is_recorded_child(self) -> bool:
        """Whether the journal has the next child. Then its workflow need not be known here."""
        return self._recorded is not None and self._recorded.has_child_next()

    def cancel_child(self, seq: int) -> None:
        known = self._children.pop(seq, None) if self._children else None
        if known is not None:
            self._ask(CancelChild(seq))

    def _child_error(self, handle: ChildHandle[Any], outcome: Failed | Cancelled) -> Exception | None:
        if isinstance(outcome, Failed):
            return revive(outcome.failure, RunFailed)
        return RunCancelled(handle.id, outcome.reason)

    # --- messages, state and patches

    def expect_message(self, kind: WaitKind, name: str) -> None:
        """The code asks for a signal, or again for a promise that it knows by name."""
        self._ask(ExpectMessage(kind, name))

    def ask(self, name: str, details: Payload) -> OpenQuestion:
        question, ahead = self.inbox.open(name, details)
        self._ask(AskQuestion(question.seq, name, details))
        if ahead is not None:
            self.inbox.give(question, ahead)
            self.close_question(question.seq, ahead.message)
        return question

    def close_question(self, seq: int, message: MessageId | None = None) -> None:
        """Nobody waits for the answer any more. Does nothing if the question is not open."""
        if self.inbox.questions.close(seq):
            self._ask(CloseQuestion(seq, message))

    def end_question(self, question: OpenQuestion, *, is_cancelled: bool) -> None:
        """The task that waits for the answer has ended."""
        self.close_question(question.seq)
        self.inbox.asking.pop(question.seq, None)
        if is_cancelled and not self._is_disposed:
            self.inbox.forget(question)

    def ask_by_name(self, name: str) -> None:
        """A promise that whoever asks for its name again shares."""
        inbox = self.inbox
        if inbox.has_promise(name) or self.knows_promises_by_name:
            self.expect_message(WaitKind.PROMISE, name)
            inbox.open_promise(name)
            return
        question = self.ask(name, SAME)
        inbox.open_promise(name, question)
        if question.answer.done():
            inbox.forget(question)
            inbox.settle_promise(name, question.answer.result())

    @property
    def knows_promises_by_name(self) -> bool:
        """Whether the journal has a promise here that an older version has asked for. It was the same one
        for all that asked for its name."""
        return self._recorded is not None and self._recorded.has_promise_next()

    def set_state(self, key: str, value: Payload | None, digest: int | None) -> None:
        if self.state is None:
            self.state = {}
        if value is None:
            self.state.pop(key, None)
        else:
            self.state[key] = value
        self._ask(SetState(key, value, digest), value)

    def patched(self, change_id: str) -> bool:
        """Whether the run takes the changed path: False if it passed this line before the change was made."""
        known = self._patches.get(change_id) if self._patches is not None else None
        if known is None:
            if self._recorded is None:
                known = True
                self._ask(MarkPatch(change_id))
            else:
                known = self._recorded.take_patch(change_id)
            if self._patches is None:
                self._patches = {}
            self._patches[change_id] = known
        return known

    # --- commands and the journal

    def _ask(self, command: Command, input: Payload | None = None) -> None:
        """Make a request. In replay, raises DeterminismError if the journal has another one here; `input` is
        for its message."""
        if self._is_disposed:
            return
        if self._recorded is None:
            self._commands.append(command)
        else:
            self._compare(entry_of(command), input)

    def _compare(self, asked: AnyRequest, input: Payload | None = None) -> None:
        assert self._recorded is not None
        if not self._recorded.take(asked):
            raise self._mismatch(asked, calling_line(), input)

    def _mismatch(
        self,
        asked: AnyRequest | None,
        place: str | None,
        input: Payload | None = None,
        error: BaseException | None = None,
    ) -> DeterminismError:
        """`error` is what the code has failed with, if it asks for the end of the run."""
        assert self._recorded is not None
        recorded = self._recorded.unmade()
        then, now = both_in_words(recorded, asked)
        mismatch = DeterminismError(
            self._recorded.step,
            self._recorded.position,
            then,
            now if error is None else f"{now} with {type(error).__name__}: {error}",
            place=place,
            hint=rename_hint(recorded, asked),
            task=recorded.seq if isinstance(recorded, TaskAsked) else None,
            state=(recorded.key, recorded.digest) if isinstance(recorded, StateAsked) else None,
            input=None if input is None else input.decode(errors="replace"),
        )
        self._determinism_error = self._determinism_error or mismatch
        return mismatch
