"""Services: each attempt calls a worker over HTTP, and the next worker if that one does not answer.

A worker that reports an error of the service has answered, and no other worker is called. A worker has not
answered if it cannot be reached, closes the connection, takes too long, or sends what is no answer. It is
then left out for the rest of the attempt. It may have done the work all the same, so every call of a task
carries the same idempotency key.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Collection
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Final

from holdfast.core.failures import capture
from holdfast.core.log_lines import OURS, OutputLine
from holdfast.core.names import written_span
from holdfast.core.values import Cancelled, Failed, Instant, Outcome
from holdfast.errors import NotOpen, NoWorker, WorkerFailed
from holdfast.executors.file_descriptors import descriptor_capacity
from holdfast.executors.http.outbound_gate import OutboundGate
from holdfast.executors.http.service_workers import ListWorkers, NoAnswer, ServiceWorkers
from holdfast.ports.executor import Attempt, Beat, Log, Report, ServiceCall
from holdfast.ports.workers import WorkerRecord

if TYPE_CHECKING:
    from holdfast.executors.http.worker_client import WorkerClient

_POLL_EVERY: Final = 1.0
"""Seconds between two looks into the registry, while a service has no worker."""

_STOP_TIMEOUT: Final = 5.0
"""Seconds that `stop` waits for connections to be closed. Usually that takes no time."""


class HttpExecutor:
    """Every method is called on the event loop's thread. The first `start` decides which loop that is."""

    def __init__(
        self,
        calls: Callable[[Attempt], ServiceCall],
        list_workers: ListWorkers,
        report: Report,
        beat: Beat,
        log: Log,
        *,
        capacity: int,
        limit: int,
        call_timeout: dt.timedelta,
        wait: dt.timedelta,
        now: Callable[[], Instant],
        gate: OutboundGate,
    ) -> None:
        """`list_workers` reads the registry. `limit` bounds an answer, in bytes. `call_timeout` bounds one
        call as a whole. `wait` is how long an attempt waits for a worker of its service to appear."""
        self._calls = calls
        self._report = report
        self._beat = beat
        self._log = log
        self._capacity = descriptor_capacity(capacity, each=1)
        self._limit = limit
        self._call_timeout = call_timeout
        self._wait = wait
        self._now = now
        self._gate = gate
        self._workers = ServiceWorkers(list_workers)
        self._tasks: dict[Attempt, asyncio.Task[Outcome]] = {}
        """Every attempt that was started and has not been reported."""
        self._cancelled: set[Attempt] = set()
        """`task.cancelling()` would not do: it also counts timeouts."""
        self._contextvars: Context | None = None
        """The context variables of the first `start`. Every attempt and every report runs in them, so that
        nothing is inherited from the caller of a later `start` or from another attempt."""
        self._http: WorkerClient | None = None
        self.unbegun = 0
        """How many attempts wait for a worker, and have called none so far."""
        self._is_stopped = False

    ends_surely = True
    """A cancelled attempt ends when its connection is closed, which waits for nothing. Whether the worker
    then stops is up to the worker; the node could not find out by waiting."""

    @property
    def capacity(self) -> int:
        return self._capacity

    def start(self, attempt: Attempt) -> None:
        if self._is_stopped:
            raise NotOpen
        loop = asyncio.get_running_loop()
        if self._contextvars is None:
            self._contextvars = copy_context()
        contextvars = self._contextvars
        # Created directly: a task factory might start it at once, and it could report before `start` returns.
        task = asyncio.Task(self._perform(attempt), loop=loop, name=attempt.name, context=contextvars)
        self._tasks[attempt] = task
        task.add_done_callback(lambda task: self._settle(attempt, task), context=contextvars)

    def cancel(self, attempt: Attempt) -> None:
        """Close the connection, if there is one."""
        task = self._tasks.get(attempt)
        if task is not None and attempt not in self._cancelled:
            self._cancelled.add(attempt)
            task.cancel()

    async def stop(self) -> None:
        self._is_stopped = True
        tasks = list(self._tasks.values())
        for attempt in list(self._tasks):
            self.cancel(attempt)
        if tasks:
            await asyncio.wait(tasks, timeout=_STOP_TIMEOUT)
        await self._workers.close()
        if self._http is not None:
            await self._http.close()

    def _settle(self, attempt: Attempt, task: asyncio.Task[Outcome]) -> None:
        del self._tasks[attempt]
        self._cancelled.discard(attempt)
        if task.cancelled():
            outcome: Outcome = Cancelled()
        elif (error := task.exception()) is not None:  # whatever it is, only this attempt fails
            outcome = Failed(capture(error))
        else:
            outcome = task.result()
        if not self._is_stopped:
            self._report(attempt, outcome)

    async def _perform(self, attempt: Attempt) -> Outcome:
        http = self._http or self._open()
        call = self._calls(attempt)
        self.unbegun += 1
        try:
            candidates = await self._wait_for_workers(call.service, {})
        finally:
            self.unbegun -= 1
        if not candidates:
            error = self._workers.registry_error or self._no_worker(call.service)
            return Failed(capture(error))
        reasons: dict[str, str] = {}
        """Why workers have not answered, by their ids, each with its address."""
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
            candidates = await self._workers.online(call.service, exclude=reasons)
            if not candidates and all_gone:  # no worker is left, but the registry has not noticed that yet
                candidates = await self._wait_for_workers(call.service, reasons)
        listed = "; ".join(reasons.values())
        return Failed(capture(WorkerFailed(f"no worker of service {call.service!r} has answered: {listed}")))

    async def _wait_for_workers(self, service: str, exclude: Collection[str]) -> list[WorkerRecord]:
        """Workers of the service except the excluded ones; empty if none has appeared in time."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._wait.total_seconds()
        while not (found := await self._workers.online(service, exclude)):
            left = deadline - loop.time()
            if left <= 0:
                break
            await asyncio.sleep(min(left, _POLL_EVERY))
        return found

    def _no_worker(self, service: str) -> NoWorker:
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
        self._http = WorkerClient(self._limit, self._call_timeout, self._gate)
        return self._http
