"""Services: each attempt is a call of a worker over HTTP, and of the next worker if that one does not answer.

A worker that says that the service has failed has answered: it is not for another one to try. A worker that
cannot be reached, breaks off, takes too long or talks nonsense has not, and is left out for the rest of the
attempt. It may have done the work all the same, so every call of a task carries the same idempotency key.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Collection
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Final

from holdfast.core.failures import capture
from holdfast.core.names import written_span
from holdfast.core.values import Cancelled, Failed, Instant, Outcome
from holdfast.errors import NotOpen, NoWorker, WorkerFailed
from holdfast.executors.file_descriptors import descriptor_capacity
from holdfast.executors.http.service_workers import Live, NoAnswer, ServiceWorkers
from holdfast.ports.executor import OURS, Attempt, Beat, Log, OutputLine, Report, ServiceCall
from holdfast.ports.workers import WorkerRecord

if TYPE_CHECKING:
    from holdfast.executors.http.worker_client import WorkerClient

_LOOK_EVERY: Final = 1.0
"""Seconds between two looks for a worker, where there is none."""

_PATIENCE: Final = 5.0
"""Seconds that `stop` waits for connections to be closed, which take no time."""


class HttpExecutor:
    """Every method is called on the loop's thread; the first `start` decides which loop that is."""

    def __init__(
        self,
        calls: Callable[[Attempt], ServiceCall],
        live: Live,
        report: Report,
        beat: Beat,
        log: Log,
        *,
        capacity: int,
        limit: int,
        call_timeout: dt.timedelta,
        wait: dt.timedelta,
        now: Callable[[], Instant],
    ) -> None:
        """`live` tells of all workers that are online and can be called. `limit` is in bytes of an answer,
        `call_timeout` is for one call as a whole, and `wait` is how long an attempt waits for a worker of its
        service to appear."""
        self._calls = calls
        self._report = report
        self._beat = beat
        self._log = log
        self._capacity = descriptor_capacity(capacity, each=1)
        self._limit = limit
        self._call_timeout = call_timeout
        self._wait = wait
        self._now = now
        self._workers = ServiceWorkers(live)
        self._tasks: dict[Attempt, asyncio.Task[Outcome]] = {}
        """Started and not yet reported."""
        self._ending: set[Attempt] = set()
        """Those of them that were cancelled. Once is enough, and `task.cancelling()` also counts timeouts."""
        self._variables: Context | None = None
        """Those of the first start. Every attempt runs in them, and so does what a report sets in motion: it
        inherits nothing that the caller of `start`, or another attempt, has set."""
        self._http: WorkerClient | None = None
        self._is_stopped = False

    ends_surely = True
    """Cancelled, it ends as soon as its connection is closed, and that waits for nobody. What the worker then
    does is up to the worker: to wait would not tell."""

    @property
    def capacity(self) -> int:
        return self._capacity

    def start(self, attempt: Attempt) -> None:
        if self._is_stopped:
            raise NotOpen
        loop = asyncio.get_running_loop()
        if self._variables is None:
            self._variables = copy_context()
        variables = self._variables
        # Made directly, as a task factory might start it at once and so report before `start` is over.
        task = asyncio.Task(self._perform(attempt), loop=loop, name=attempt.name, context=variables)
        self._tasks[attempt] = task
        task.add_done_callback(lambda task: self._settle(attempt, task), context=variables)

    def cancel(self, attempt: Attempt) -> None:
        """Close the connection, if there is one."""
        task = self._tasks.get(attempt)
        if task is not None and attempt not in self._ending:
            self._ending.add(attempt)
            task.cancel()

    async def stop(self) -> None:
        self._is_stopped = True
        tasks = list(self._tasks.values())
        for attempt in list(self._tasks):
            self.cancel(attempt)
        if tasks:
            await asyncio.wait(tasks, timeout=_PATIENCE)
        await self._workers.close()
        if self._http is not None:
            await self._http.close()

    def _settle(self, attempt: Attempt, task: asyncio.Task[Outcome]) -> None:
        del self._tasks[attempt]
        self._ending.discard(attempt)
        if task.cancelled():
            outcome: Outcome = Cancelled()
        elif (error := task.exception()) is not None:  # whatever it is, it is this attempt that has failed
            outcome = Failed(capture(error))
        else:
            outcome = task.result()
        if not self._is_stopped:
            self._report(attempt, outcome)

    async def _perform(self, attempt: Attempt) -> Outcome:
        http = self._http or self._open()
        call = self._calls(attempt)
        candidates = await self._wait_for_workers(call.service, {})
        if not candidates:
            trouble = self._workers.trouble
            return Failed(capture(trouble or self._nobody(call.service)))
        reasons: dict[str, str] = {}
        """By id of those that have not answered: why, with its address."""
        all_gone = True
        while candidates and not 0 < call.max_attempts <= len(reasons):
            if reasons:
                await asyncio.sleep(call.attempt_delay.total_seconds())
            worker = self._workers.choose(call, candidates)
            attempt.worker, attempt.worker_url = worker.id, worker.url
            self._beat(attempt, None)
            with self._workers.calling(worker):
                answer = await http.call(worker, call, attempt)
            if not isinstance(answer, NoAnswer):
                return answer
            reasons[worker.id] = f"{worker.id} ({worker.url}): {answer.reason}"
            self._log(attempt, [OutputLine(self._now(), OURS, f"worker {reasons[worker.id]}")])
            all_gone = all_gone and answer.is_gone
            candidates = await self._workers.of(call.service, without=reasons)
            if not candidates and all_gone:  # as if there were none, but nobody has noticed it yet
                candidates = await self._wait_for_workers(call.service, reasons)
        told = "; ".join(reasons.values())
        return Failed(capture(WorkerFailed(f"no worker of service {call.service!r} has answered: {told}")))

    async def _wait_for_workers(self, service: str, without: Collection[str]) -> list[WorkerRecord]:
        """Empty if none but these has appeared in time."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._wait.total_seconds()
        while not (found := await self._workers.of(service, without)):
            left = deadline - loop.time()
            if left <= 0:
                break
            await asyncio.sleep(min(left, _LOOK_EVERY))
        return found

    def _nobody(self, service: str) -> NoWorker:
        return NoWorker(
            f"no worker of service {service!r} has been online for {written_span(self._wait)}: start one, or "
            "see whether it has registered under that name"
        )

    def _open(self) -> WorkerClient:
        try:
            from holdfast.executors.http.worker_client import WorkerClient
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"to call workers over HTTP, {error.name} is needed: pip install 'holdfast[server]'"
            ) from None
        self._http = WorkerClient(self._limit, self._call_timeout)
        return self._http
