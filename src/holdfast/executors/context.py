"""What a running task may know and say: `task_context()`.

The context travels in a ContextVar, so it reaches everything that the task starts in the ordinary
way: `asyncio.TaskGroup`, `asyncio.to_thread`, a plain call ten frames down.

Heartbeats may come from any thread and as fast as a loop can spin. They take no lock, because an
interrupted thread must never leave one locked, and they reach the engine at most once in `BEAT_GAP`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from enum import Enum
from logging import LogRecord
from typing import Any

import msgspec

from holdfast.core.codec import Codec
from holdfast.core.failures import capture
from holdfast.core.values import Cancelled, Failed, Outcome, Payload, task_id
from holdfast.errors import OutsideContext
from holdfast.executors.processes.forks import Birth
from holdfast.executors.task_logging import Speech, listen
from holdfast.ports.executor import Attempt, Beat, Log, TaskBody

BEAT_GAP = 0.05
"""Seconds. What is said in between is not lost: the last of it is passed on at the end of the gap."""


class EngineLink:
    """How the attempts of one executor reach the engine: one object for all of them.

    It belongs to the running loop that it is made on. Whatever is called through it runs in
    variables of its own and not in those of the task that happened to be running.
    """

    __slots__ = ("beat", "birth", "codec", "is_cut", "loop", "speech", "variables")

    def __init__(self, beat: Beat, codec: Codec, log: Log | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        self.birth = Birth()
        self.beat = beat
        self.codec = codec
        self.variables: Context = copy_context()
        self.is_cut = False
        """The executor has stopped, and the engine hears nothing more."""
        self.speech = None if log is None else Speech(log, self.post)
        if self.speech is not None:
            listen(_say)

    def post(self, callback: Callable[[], None]) -> None:
        """Have the loop call it soon; from any thread."""
        try:
            self.loop.call_soon_threadsafe(callback, context=self.variables)
        except RuntimeError:
            # A thread that was left behind outlives its loop, and then there is nobody to tell.
            if not self.loop.is_closed():
                raise


class _NoDetails(Enum):
    NONE = "nothing was said since the engine was told last"


class TaskContext(msgspec.Struct, eq=False):
    """One attempt, as its task sees it. A Struct, since one is made for each and few are looked at."""

    _attempt: Attempt
    _link: EngineLink
    cancelled: bool = False
    """The attempt was asked to end. Worth a look between long calls into C, which no exception enters."""
    _news: Payload | _NoDetails | None = _NoDetails.NONE
    _is_due: bool = False
    """A heartbeat is on its way to the engine, or was a moment ago."""
    _has_ended: bool = False

    def __repr__(self) -> str:
        return f"<TaskContext of {self.name!r}, task {self.task_id}, attempt {self.attempt}>"

    @property
    def run_id(self) -> str:
        return self._attempt.run_id

    @property
    def task_id(self) -> str:
        return task_id(self._attempt.run, self._attempt.seq)

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt at this task, and unique for ever: hand it to whoever charges cards."""
        return self.task_id

    @property
    def attempt(self) -> int:
        """From 1."""
        return self._attempt.number

    @property
    def name(self) -> str:
        return self._attempt.name

    @property
    def workflow(self) -> str:
        return self._attempt.workflow

    @property
    def namespace(self) -> str:
        return self._attempt.namespace

    def heartbeat(self, details: object = None) -> None:
        """Say that the task is alive, and with `details` how far it got, for the next attempt to go on from.

        May be called from any thread, and as often as is convenient: the last one wins. Without
        details the last ones stand. Raises CannotStore and PayloadTooLarge.
        """
        if details is not None:
            self._news = self._link.codec.encode(details, f"the heartbeat of task {self.name!r}")
        elif self._news is _NoDetails.NONE:
            self._news = None
        if not self._is_due:
            self._is_due = True
            self._link.post(self._pass_on)

    def heartbeat_details(self, type: Any = Any) -> Any:
        """What the attempt before this one said of itself last; None if it said nothing. Raises WrongType."""
        payload = self._attempt.heartbeat_details
        if payload is None:
            return None
        return self._link.codec.decode(payload, type, f"the heartbeat details of task {self.name!r}")

    def _pass_on(self) -> None:
        if self._has_ended or self._link.is_cut:
            return
        if not self._tell():
            self._is_due = False
            # Looked at again after that: a heartbeat that came just before relied on this call.
            if self._news is _NoDetails.NONE:
                return
            self._is_due = True
        self._link.loop.call_later(BEAT_GAP, self._pass_on, context=self._link.variables)

    def _tell(self) -> bool:
        news, self._news = self._news, _NoDetails.NONE
        if news is _NoDetails.NONE:
            return False
        self._link.beat(self._attempt, news)
        return True

    def _hear(self, record: LogRecord) -> None:
        """A logging call of the task, on whatever thread it was made."""
        if self._link.speech is not None and not (self._has_ended or self._link.is_cut):
            self._link.speech.say(self._attempt, record)

    def end(self) -> None:
        """For the executor, on the loop's thread, before it reports: what was said last is heard first."""
        self._has_ended = True
        if self._link.speech is not None and not self._link.is_cut:
            self._link.speech.pass_on()
        if self._news is not _NoDetails.NONE and not self._link.is_cut:
            self._tell()


_current: ContextVar[TaskContext] = ContextVar("holdfast_task_context")

enter = _current.set
"""For executors: make a context the current one, in the variables of its own attempt."""


def _say() -> Callable[[LogRecord], None] | None:
    context = _current.get(None)
    return None if context is None else context._hear  # pyright: ignore[reportPrivateUsage]


def task_context() -> TaskContext:
    """The context of the task that is running. Raises OutsideContext where none is."""
    context = _current.get(None)
    if context is None:
        raise OutsideContext(
            "task_context() is known only while a task runs: call it in a @task or in what the task calls; "
            "a thread of your own sees it if started by asyncio.to_thread or contextvars.copy_context().run; "
            "in a workflow use context()"
        )
    return context


def outcome_of(error: BaseException, context: TaskContext, body: TaskBody | None) -> Outcome:
    """What to report of an attempt that `error` ended; `body` is None if it was not even found.

    A CancelledError that nobody sent through the executor is a failure like any other: the task
    waited for something that was cancelled, and may be tried again.
    """
    if context.cancelled and isinstance(error, asyncio.CancelledError):
        return Cancelled()
    return Failed(capture(error) if body is None else body.explain(error))
