"""Async tasks, on the engine's own event loop.

Tens of thousands of attempts a second go through here. So an attempt is one asyncio task with one coroutine,
which calls the function, stores its result and reports. Each attempt has its own asyncio task, so that
`asyncio.timeout`, `current_task` and cancellation work in it as they do everywhere.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from contextvars import Context
from typing import Any

from holdfast.core.codec import Codec
from holdfast.core.values import Cancelled, Outcome, Succeeded
from holdfast.errors import NotOpen
from holdfast.executors.context import EngineLink, TaskContext, attempt_in, enter, outcome_of
from holdfast.ports.executor import Attempt, Beat, Log, Publish, Report, TaskBody


class InlineExecutor:
    """Every method is called on the event loop's thread. The first `start` decides which loop that is."""

    def __init__(
        self,
        bodies: Callable[[Attempt], TaskBody],
        report: Report,
        beat: Beat,
        codec: Codec,
        capacity: int,
        log: Log | None = None,
        publish: Publish | None = None,
    ) -> None:
        self._bodies = bodies
        self._report = report
        self._beat = beat
        self._codec = codec
        self._log = log
        self._publish = publish
        self._capacity = capacity
        self._link: EngineLink | None = None
        self._tasks: dict[Attempt, asyncio.Task[None]] = {}
        self._is_stopped = False

    ends_surely = False
    unbegun = 0

    @property
    def capacity(self) -> int:
        return self._capacity

    def start(self, attempt: Attempt) -> None:
        if self._is_stopped:
            raise NotOpen
        link = self._link
        if link is None:
            link = self._link = EngineLink(self._beat, self._codec, self._log, self._publish)
        context = attempt.context = TaskContext(attempt, link)
        # Created directly, because a task factory might start it at once, and then it could report before
        # `start` returns. The context variables are a copy of the link's and not of the caller's: `start` may
        # be called from a callback that another attempt's report has caused.
        self._tasks[attempt] = asyncio.Task(
            self._run(attempt, context, link),
            loop=link.loop,
            name=attempt.name,
            context=link.contextvars.copy(),
        )

    def cancel(self, attempt: Attempt) -> None:
        """Throw CancelledError into the task, once: a second cancel does not interrupt its clean-up."""
        task = self._tasks.get(attempt)
        link = self._link
        if task is None or link is None:
            return  # the attempt has reported
        context: TaskContext = attempt.context
        if context.cancelled:
            return
        context.cancelled = True

        # A task that is cancelled before its first step never enters its coroutine.
        def report_if_never_started(_: asyncio.Task[None]) -> None:
            if attempt in self._tasks:
                self._end(attempt, context, Cancelled())

        task.add_done_callback(report_if_never_started, context=link.contextvars)
        task.cancel()

    async def stop(self, grace: dt.timedelta = dt.timedelta(seconds=5)) -> None:
        """Cancel every task and wait until all have ended, for at most the grace period."""
        self._is_stopped = True
        if self._link is not None:
            self._link.is_closed = True
        tasks = list(self._tasks.values())
        for attempt in list(self._tasks):
            self.cancel(attempt)
        if tasks:
            await asyncio.wait(tasks, timeout=grace.total_seconds())

    async def _run(self, attempt: Attempt, context: TaskContext, link: EngineLink) -> None:
        enter(context)
        if attempt.span is not None:
            attempt.span.enter()
        body = None
        outcome: Outcome
        try:
            body = self._bodies(attempt)
            result = await body.call(attempt.input)
            link.fork_guard.exit_if_forked(None)
            outcome = Succeeded(body.store(result))
        except BaseException as error:
            # Also SystemExit and KeyboardInterrupt: asyncio would let them stop the event loop, and with it
            # every other run of this node.
            if not link.loop.is_running():
                raise  # GeneratorExit from the garbage collector: there is no loop left to report on
            link.fork_guard.exit_if_forked(error)
            outcome = outcome_of(error, context, body)
        # In the link's context variables: what the report starts must not inherit those of this task.
        link.contextvars.run(self._end, attempt, context, outcome)

    def _end(self, attempt: Attempt, context: TaskContext, outcome: Outcome) -> None:
        del self._tasks[attempt]
        attempt.context = None
        context.end()
        if not self._is_stopped:
            self._report(attempt, outcome)


def attempt_of(task: asyncio.Task[Any]) -> Attempt | None:
    """The attempt whose asyncio task this is, or in which it was created. May be called from another
    thread."""
    frame = getattr(task.get_coro(), "cr_frame", None)
    if frame is not None and frame.f_code is InlineExecutor._run.__code__:  # pyright: ignore[reportPrivateUsage]
        return frame.f_locals["attempt"]
    # Python 3.11 does not tell the context variables of a task.
    get_context: Callable[[], Context] | None = getattr(task, "get_context", None)
    return None if get_context is None else attempt_in(get_context())
