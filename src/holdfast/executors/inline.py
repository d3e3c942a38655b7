"""Async tasks, on the engine's own event loop.

Ten thousands of attempts a second go through here, so an attempt is one asyncio task around one
coroutine that calls, stores and reports. Its own task, so that `asyncio.timeout`, `current_task`
and cancellation mean inside it what they mean everywhere.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable

from holdfast.core.codec import Codec
from holdfast.core.values import Cancelled, Outcome, Succeeded
from holdfast.errors import NotOpen
from holdfast.executors.context import EngineLink, TaskContext, enter, outcome_of
from holdfast.ports.executor import Attempt, Beat, Log, Report, TaskBody


class InlineExecutor:
    """Every method is called on the loop's thread; the first `start` decides which loop that is."""

    def __init__(
        self,
        bodies: Callable[[Attempt], TaskBody],
        report: Report,
        beat: Beat,
        codec: Codec,
        capacity: int,
        log: Log | None = None,
    ) -> None:
        self._bodies = bodies
        self._report = report
        self._beat = beat
        self._codec = codec
        self._log = log
        self._capacity = capacity
        self._link: EngineLink | None = None
        self._tasks: dict[Attempt, asyncio.Task[None]] = {}
        self._is_stopped = False

    ends_surely = False

    @property
    def capacity(self) -> int:
        return self._capacity

    def start(self, attempt: Attempt) -> None:
        if self._is_stopped:
            raise NotOpen
        link = self._link
        if link is None:
            link = self._link = EngineLink(self._beat, self._codec, self._log)
        context = attempt.context = TaskContext(attempt, link)
        # Made directly, since a task factory might start it at once and so report before `start` is
        # over. The variables are a fresh copy of the link's and not of the caller's: `start` may
        # well be called from what another attempt's report set in motion.
        self._tasks[attempt] = asyncio.Task(
            self._run(attempt, context, link),
            loop=link.loop,
            name=attempt.name,
            context=link.variables.copy(),
        )

    def cancel(self, attempt: Attempt) -> None:
        """Throw CancelledError into the task, once: a second cancel does not cut its clean-up short."""
        task = self._tasks.get(attempt)
        link = self._link
        if task is None or link is None:
            return  # it has reported
        context: TaskContext = attempt.context
        if context.cancelled:
            return
        context.cancelled = True

        # A task that is cancelled before its first step never gets into its coroutine.
        def report_if_never_begun(_: asyncio.Task[None]) -> None:
            if attempt in self._tasks:
                self._end(attempt, context, Cancelled())

        task.add_done_callback(report_if_never_begun, context=link.variables)
        task.cancel()

    async def stop(self, patience: dt.timedelta = dt.timedelta(seconds=5)) -> None:
        """Cancel everything and wait for it to end, but not longer than `patience` for tasks that do not."""
        self._is_stopped = True
        if self._link is not None:
            self._link.is_cut = True
        tasks = list(self._tasks.values())
        for attempt in list(self._tasks):
            self.cancel(attempt)
        if tasks:
            await asyncio.wait(tasks, timeout=patience.total_seconds())

    async def _run(self, attempt: Attempt, context: TaskContext, link: EngineLink) -> None:
        enter(context)
        body = None
        outcome: Outcome
        try:
            body = self._bodies(attempt)
            result = await body.call(attempt.input)
            link.birth.end_child(None)
            outcome = Succeeded(body.store(result))
        except BaseException as error:
            # Also SystemExit and KeyboardInterrupt: asyncio would let them end the loop, and with it
            # every other run of this node.
            if not link.loop.is_running():
                raise  # GeneratorExit from the garbage collector: there is nobody left to report to
            link.birth.end_child(error)
            outcome = outcome_of(error, context, body)
        # In the link's variables: what a report sets in motion must not inherit those of this task.
        link.variables.run(self._end, attempt, context, outcome)

    def _end(self, attempt: Attempt, context: TaskContext, outcome: Outcome) -> None:
        del self._tasks[attempt]
        attempt.context = None
        context.end()
        if not self._is_stopped:
            self._report(attempt, outcome)
