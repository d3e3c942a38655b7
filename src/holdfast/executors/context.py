"""What a running task can find out and report: `task_context()`.

The context is kept in a ContextVar. So it reaches everything that the task starts in the ordinary way:
`asyncio.TaskGroup`, `asyncio.to_thread`, a plain call ten frames down.

Heartbeats may come from any thread, and as fast as a loop can spin. They take no lock, because a thread that
is interrupted could leave it locked. They reach the engine at most once in `BEAT_GAP`.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextvars import Context, ContextVar, copy_context
from enum import Enum
from logging import Logger, LoggerAdapter, getLogger
from typing import Any

import msgspec

from holdfast.core.codec import Codec
from holdfast.core.failures import capture
from holdfast.core.log_lines import OutputLine, PrintedText
from holdfast.core.masking import AttemptSecrets
from holdfast.core.stream_items import checked_stream, encode_items
from holdfast.core.values import Cancelled, Failed, Instant, Outcome, Payload, task_id
from holdfast.errors import OutsideContext, SecretNotDeclared
from holdfast.executors.forks import ForkGuard
from holdfast.executors.publishing import AwaitableItems
from holdfast.executors.task_logging import TaskLogBuffer, add_to_logs
from holdfast.ports.executor import Attempt, Beat, Log, Publish, TaskBody
from holdfast.ports.run_logger import RunLogger

BEAT_GAP = 0.05
"""Seconds between two heartbeats of one attempt. The last heartbeat of a gap is sent at its end."""


_PAUSE_WHEN_FULL = 0.001
"""Seconds that a thread sleeps, again and again, while many items of its attempt wait to be written."""


class EngineLink:
    """How the attempts of one executor reach the engine: one object for all of them.

    It belongs to the event loop that it is created on. Callbacks run in `contextvars`, and not in the
    variables of the task that happened to be running.
    """

    __slots__ = (
        "beat",
        "codec",
        "contextvars",
        "fork_guard",
        "is_closed",
        "log_buffer",
        "loop",
        "publish",
        "thread",
    )

    def __init__(
        self, beat: Beat, codec: Codec, log: Log | None = None, publish: Publish | None = None
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.thread = threading.get_ident()
        self.publish = publish
        self.fork_guard = ForkGuard()
        self.beat = beat
        self.codec = codec
        self.contextvars: Context = copy_context()
        self.is_closed = False
        """The executor has stopped, and nothing more is sent to the engine."""
        self.log_buffer = None if log is None else TaskLogBuffer(log, self.post)
        if self.log_buffer is not None:
            add_to_logs(_current_context)

    def post(self, callback: Callable[[], None]) -> None:
        """Have the event loop call it soon. May be called from any thread."""
        try:
            self.loop.call_soon_threadsafe(callback, context=self.contextvars)
        except RuntimeError:
            # A thread that was left behind outlives its event loop. Then there is nothing to report to.
            if not self.loop.is_closed():
                raise


class _Unsent(Enum):
    NOTHING = "the engine has received every heartbeat so far"


class TaskContext(msgspec.Struct, eq=False):
    """One attempt, as its task sees it. A Struct, because one is created for each attempt and few are
    used."""

    _attempt: Attempt
    _link: EngineLink
    cancelled: bool = False
    """The attempt was cancelled. Worth checking between long calls into C, which no exception can
    interrupt."""
    _unsent: Payload | _Unsent | None = _Unsent.NOTHING
    """The details of a heartbeat that is not sent yet; None for a heartbeat without details."""
    _is_scheduled: bool = False
    """The event loop is going to call `_send_and_reschedule`."""
    _has_ended: bool = False
    _printed: PrintedText | None = None
    _items: AwaitableItems | None = None

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
        """The same for every attempt at this task, and unique for ever. Pass it to a payment API, for one."""
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

    @property
    def logger(self) -> LoggerAdapter[Logger]:
        """A logger for the log of this attempt: INFO and above, also where `logging` is not set up."""
        return RunLogger(_loggers.getChild(self.name), {"run_id": self.run_id, "attempt": self.attempt})

    def heartbeat(self, details: object = None) -> None:
        """Report that the task is alive. `details` say how far it got; the next attempt can continue from
        there.

        May be called from any thread and as often as is convenient: the last call wins. A call without
        details keeps the last ones. Raises CannotStore and PayloadTooLarge.
        """
        if details is not None:
            self._unsent = self._link.codec.encode(details, f"the heartbeat of task {self.name!r}")
        elif self._unsent is _Unsent.NOTHING:
            self._unsent = None
        if not self._is_scheduled:
            self._is_scheduled = True
            self._link.post(self._send_and_reschedule)

    def heartbeat_details(self, type: Any = Any) -> Any:
        """The last heartbeat details of the attempt before this one; None if there are none. Raises
        WrongType."""
        payload = self._attempt.heartbeat_details
        if payload is None:
            return None
        return self._link.codec.decode(payload, type, f"the heartbeat details of task {self.name!r}")

    def secret(self, name: str) -> str:
        """The value of a secret that the task declares: `@task(secrets=["STRIPE_KEY"])`. In the log, the
        result and the error of this attempt, `***STRIPE_KEY***` stands for it. Raises SecretNotDeclared."""
        secrets = self._attempt.secrets
        if secrets is None or name not in secrets.values:
            raise SecretNotDeclared(self.name, name, self._attempt.options.secrets)
        return secrets.values[name]

    def publish(self, stream: str, item: object) -> Awaitable[None]:
        """Add an item to a stream of this run. Whoever reads `run.stream(name)` gets it within milliseconds.

        May be called from any thread. The item is queued, and recorded with the node's next commit. If many
        items wait to be recorded, `await` waits for them, and a plain function on a thread waits in here.
        Without `await`, async code gets StreamOverflow in the end. Raises CannotStore and PayloadTooLarge.
        """
        return self.publish_many(stream, (item,))

    def publish_many(self, stream: str, items: Iterable[object]) -> Awaitable[None]:
        """`publish` for several items. Either all of them are published, or none."""
        stream, link = checked_stream(stream), self._link
        secrets = self._attempt.secrets
        mask = None if secrets is None else secrets.mask
        encoded = encode_items(link.codec, stream, _now(), items, mask)
        if self._has_ended or link.fork_guard.is_forked or link.publish is None:
            raise OutsideContext(
                f"stream {stream!r}: only an attempt that is running can publish, in the process of its node"
            )
        unwritten = self._items
        if unwritten is None:
            unwritten = self._items = AwaitableItems(link.thread)
        while unwritten.are_many and threading.get_ident() != link.thread:
            if self._has_ended or link.is_closed:
                break  # nobody takes them any more
            time.sleep(_PAUSE_WHEN_FULL)
        unwritten.check_room(stream, encoded)
        unwritten.add(stream, encoded)
        if not unwritten.is_announced:
            unwritten.is_announced = True
            link.post(self._announce_items)
        return unwritten

    def _announce_items(self) -> None:
        """Also if they are taken already: until the engine takes them again, no other item is announced."""
        link, items = self._link, self._items
        if items is not None and link.publish is not None and not (self._has_ended or link.is_closed):
            link.publish(self._attempt, items)

    def _send_and_reschedule(self) -> None:
        if self._has_ended or self._link.is_closed:
            return
        if not self._send_unsent():
            self._is_scheduled = False
            # Checked again: a heartbeat that came just before that line has relied on this call.
            if self._unsent is _Unsent.NOTHING:
                return
            self._is_scheduled = True
        self._link.loop.call_later(BEAT_GAP, self._send_and_reschedule, context=self._link.contextvars)

    def _send_unsent(self) -> bool:
        details, self._unsent = self._unsent, _Unsent.NOTHING
        if details is _Unsent.NOTHING:
            return False
        self._link.beat(self._attempt, details)
        return True

    # --- the log of the attempt (LineSink)

    @property
    def origin(self) -> dict[str, str | int]:
        attempt = self._attempt
        origin: dict[str, str | int] = {
            "run": self.run_id,
            "task": attempt.name,
            "task_id": task_id(attempt.run, attempt.seq),
            "attempt": attempt.number,
        }
        if attempt.span is not None:
            origin |= attempt.span.ids
        return origin

    @property
    def secrets(self) -> AttemptSecrets | None:
        return self._attempt.secrets

    def add_lines(self, lines: Sequence[OutputLine]) -> None:
        """Lines of the task, on the thread that wrote them."""
        link = self._link
        if link.log_buffer is not None and not (
            self._has_ended or link.is_closed or link.fork_guard.is_forked
        ):
            secrets = self._attempt.secrets
            if secrets is not None:
                lines = secrets.lines.feed(lines, threading.get_ident())
            link.log_buffer.add(self._attempt, lines)

    def print(self, stream: str, text: str) -> None:
        if self._printed is None:
            self._printed = PrintedText()
        if texts := self._printed.feed(stream, text, threading.get_ident()):
            at = _now()
            self.add_lines([OutputLine(at, stream, text) for text in texts])

    def end(self) -> None:
        """Send the last log lines, items and heartbeat. The executor calls it on the event loop's thread,
        before it reports the outcome."""
        if self._printed is not None:
            self.add_lines([OutputLine(_now(), *begun) for begun in self._printed.close()])
        secrets = self._attempt.secrets
        if secrets is not None:
            self._end_masking(secrets)
        if self._items:  # else there are none, or all of them are taken
            self._announce_items()
        self._has_ended = True
        if self._link.log_buffer is not None and not self._link.is_closed:
            self._link.log_buffer.flush()
        if self._unsent is not _Unsent.NOTHING and not self._link.is_closed:
            self._send_unsent()

    def _end_masking(self, secrets: AttemptSecrets) -> None:
        """What was held back is no value of a secret after all."""
        link, held = self._link, secrets.lines.close()
        if held and link.log_buffer is not None and not link.is_closed:
            link.log_buffer.add(self._attempt, held)
        for stream, text in secrets.shown.close():
            with contextlib.suppress(Exception):  # the task may have closed or replaced the stream
                getattr(sys, stream).write(text)


_loggers = getLogger("holdfast.task")


def _now() -> Instant:
    return Instant(int(time.time() * 1_000_000))


_current: ContextVar[TaskContext] = ContextVar("holdfast_task_context")

enter = _current.set
"""For executors: set the current task context, inside the context variables of its attempt."""


def attempt_in(variables: Context) -> Attempt | None:
    """The attempt to which these context variables belong."""
    context = variables.get(_current)
    return None if context is None else context._attempt  # pyright: ignore[reportPrivateUsage]


def _current_context() -> TaskContext | None:
    return _current.get(None)


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
    """What to report of an attempt that `error` ended. `body` is None if the task's function was not found.

    A CancelledError that did not come through the executor is a failure like any other: the task waited for
    something that was cancelled, and may be retried.
    """
    if context.cancelled and isinstance(error, asyncio.CancelledError):
        return Cancelled()
    attempt = context._attempt  # pyright: ignore[reportPrivateUsage]
    if attempt.secrets is None:
        attempt.error = error
    return Failed(capture(error) if body is None else body.explain(error))
