"""The witness: a record of what tasks really did, kept apart from the code under test."""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple

from holdfast.core.values import Outcome, Payload, RunKey
from holdfast.executors.context import task_context
from holdfast.executors.inline import InlineExecutor
from holdfast.ports.executor import Attempt, Beat, Executor, Publish, Report, TaskBody
from holdfast.ports.workers import QueueItem


class TaskExecution(NamedTuple):
    """One execution of the body of a task, to its end or its error."""

    at: int
    process: str
    run: RunKey
    seq: int
    name: str
    attempt: int
    input: Payload
    is_success: bool


class Witness:
    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self.begun = 0
        self.executions: list[TaskExecution] = []

    def saw(self, process: str, attempt: Attempt, *, is_success: bool) -> None:
        self.executions.append(
            TaskExecution(
                self._now(),
                process,
                attempt.run,
                attempt.seq,
                attempt.name,
                attempt.number,
                attempt.input,
                is_success,
            )
        )

    def saw_item(self, worker: str, item: QueueItem, *, is_success: bool) -> None:
        """A worker has done an item of the queue."""
        execution = TaskExecution(
            self._now(), worker, item.run, item.seq, item.name, item.attempt, item.input, is_success
        )
        self.executions.append(execution)


class Reporting:
    """How results reach the engine now: at most how many microseconds late, and whether twice."""

    delay = 0
    is_doubled = False


class WatchedBody:
    """Adds a delay before and after the body of a task, and tells the witness what the body did.

    A plain function is called on the event loop too: a simulation has no threads.
    """

    is_async = True

    def __init__(
        self,
        body: TaskBody,
        witness: Witness,
        process: str,
        dice: Random,
        longest: float,
        is_alive: Callable[[], bool],
    ) -> None:
        self._body = body
        self._witness = witness
        self._process = process
        self._dice = dice
        self._longest = longest
        self._is_alive = is_alive
        self.store = body.store
        self.explain = body.explain

    async def call(self, input: Payload) -> Any:
        attempt: Attempt = task_context()._attempt  # pyright: ignore[reportPrivateUsage]
        self._witness.begun += 1
        await asyncio.sleep(self._while())
        is_success = False
        try:
            result = self._body.call(input)
            if inspect.isawaitable(result):
                result = await result
            is_success = True
        finally:
            if self._is_alive():
                self._witness.saw(self._process, attempt, is_success=is_success)
        await asyncio.sleep(self._while())
        return result

    def _while(self) -> float:
        """Seconds: mostly below a millisecond."""
        dice = self._dice
        return self._longest * 10 ** dice.uniform(-4, 0) if dice.random() < 0.3 else 0.001 * dice.random()


class SimulatedExecutors:
    """The executors of one process. Every attempt runs inline."""

    def __init__(
        self,
        bodies: Callable[[Attempt], TaskBody],
        report: Report,
        beat: Beat,
        publish: Publish,
        codec: Any,
        capacity: int,
        reporting: Reporting,
        dice: Random,
        queue_limits: Mapping[str, int],
        on_start: Callable[[Attempt], None],
        fail: Callable[[str], None],
    ) -> None:
        self._reporting = reporting
        self._dice = dice
        self._report_now = report
        self._queue_limits = queue_limits
        self._on_start = on_start
        self._fail = fail
        self._running: Counter[str] = Counter()
        """How many attempts run now, by queue."""
        self._inline = InlineExecutor(bodies, self._report, beat, codec, capacity, publish=publish)

    def route(self, attempt: Attempt) -> Executor:
        return self

    async def stop(self) -> None:
        await self._inline.stop()

    ends_surely = False
    unbegun = 0

    @property
    def capacity(self) -> int:
        return self._inline.capacity

    def start(self, attempt: Attempt) -> None:
        self._on_start(attempt)
        queue = attempt.options.queue
        self._running[queue] += 1
        limit = min(self.capacity, self._queue_limits.get(queue, self.capacity))
        if self._running[queue] > limit:
            self._fail(f"slots are counted: {self._running[queue]} attempts run in {queue!r}, limit {limit}")
        self._inline.start(attempt)

    def cancel(self, attempt: Attempt) -> None:
        self._inline.cancel(attempt)

    def _report(self, attempt: Attempt, outcome: Outcome) -> None:
        self._running[attempt.options.queue] -= 1
        loop = asyncio.get_running_loop()
        for _ in range(2 if self._reporting.is_doubled else 1):
            if self._reporting.delay:
                delay = self._dice.randrange(self._reporting.delay) / 1_000_000
                loop.call_later(delay, self._report_now, attempt, outcome)
            else:
                self._report_now(attempt, outcome)
