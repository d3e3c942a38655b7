"""Plain functions, on daemon threads of our own.

A pool of the standard library cannot end a call that runs. Here `cancel` throws CancelledError into
the thread, wherever its Python code stands. What that needs is certainty about *whom* it hits: the
attempt it was meant for, never the thread's own loop, never the next attempt. See `_ThreadAttempt`.

No lock is ever waited for on a thread that can be interrupted. A thread could be interrupted between
getting a lock and being ready to give it back, and then nobody would.
"""

from __future__ import annotations

import asyncio
import ctypes
import datetime as dt
import inspect
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue

from holdfast.core.codec import Codec
from holdfast.core.values import Cancelled, Outcome, Succeeded
from holdfast.errors import NotOpen, WrongType
from holdfast.executors.context import EngineLink, TaskContext, enter, outcome_of
from holdfast.ports.executor import Attempt, Beat, Log, Report, TaskBody

_set_async_exception = ctypes.pythonapi.PyThreadState_SetAsyncExc
_set_async_exception.argtypes = (ctypes.c_ulong, ctypes.py_object)
_set_async_exception.restype = ctypes.c_int

_INTERRUPT = ctypes.py_object(asyncio.CancelledError)
"""A BaseException, so `except Exception` in a task's own code does not eat it."""


class _ThreadAttempt:
    """An attempt on its way through a thread, and who may still decide about it.

    Two questions, each decided once by whoever takes its lock first; neither is ever given back.
    `beginning`: the thread took it, and runs it; `cancel` took it, and it is never run.
    `ending`: the thread took it, and no interrupt will come; `cancel` took it, and exactly one will.
    """

    __slots__ = ("attempt", "beginning", "context", "ending", "is_interrupted", "thread", "variables")

    def __init__(self, attempt: Attempt, context: TaskContext, link: EngineLink) -> None:
        self.attempt = attempt
        self.context = context
        self.variables = link.variables.copy()
        self.beginning = threading.Lock()
        self.ending = threading.Lock()
        self.thread = 0
        self.is_interrupted = False

    def begin(self) -> bool:
        """On the thread. From the moment this takes the job, the thread may be interrupted."""
        self.thread = threading.get_ident()
        return self.beginning.acquire(blocking=False)

    def cancel(self) -> bool:
        """On the loop's thread, once. True if the job had not begun, and now never will."""
        self.context.cancelled = True
        if self.beginning.acquire(blocking=False):
            return True
        if self.ending.acquire(blocking=False):
            _set_async_exception(self.thread, _INTERRUPT)
            self.is_interrupted = True
        return False

    def leave(self) -> None:
        """On the thread. Once this returns, the thread is its own again.

        Or once it is interrupted: then that was the one interrupt there is. A `cancel` in the middle
        of sending is waited for; it needs microseconds.

        Whether an interrupt has struck cannot be known, since the task may have caught it. So another
        is sent, which replaces one that is still on its way, and is caught right here. (Sending NULL
        would take it back too, but in Python 3.11 that leaves a flag of the interpreter set, and a
        thread under a debugger then spins on it for ever.)
        """
        if self.ending.acquire(blocking=False):
            return
        while not self.is_interrupted:
            time.sleep(0)
        try:
            _set_async_exception(self.thread, _INTERRUPT)
            while True:
                time.sleep(0)  # it strikes here, before the first turn is over
        except asyncio.CancelledError:
            pass  # none is on its way any more


class ThreadExecutor:
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
        self._jobs: set[_ThreadAttempt] = set()
        """Started and not yet reported."""
        self._waiting: SimpleQueue[_ThreadAttempt | None] = SimpleQueue()
        self._threads: set[threading.Thread] = set()
        self._all_left = asyncio.Event()
        self._done: deque[tuple[_ThreadAttempt, Outcome]] = deque()
        self._is_waking = False
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
        # A thread that is done is free a little before its report is heard, so this may start one
        # more than was needed, within the capacity.
        if len(self._threads) < min(self._capacity, len(self._jobs) + 1):
            self._start_thread(link)
        attempt.context = job = _ThreadAttempt(attempt, TaskContext(attempt, link), link)
        self._jobs.add(job)
        self._waiting.put(job)

    def cancel(self, attempt: Attempt) -> None:
        """Throw CancelledError into the task, once: a second cancel does not cut its clean-up short.

        It strikes between two steps of Python code. A thread inside a call into C, such as a
        blocking read, goes on until that returns, and reports then.
        """
        job: _ThreadAttempt | None = attempt.context
        if job is None or job.context.cancelled:
            return
        if job.cancel() and self._link is not None:
            self._finish(job, Cancelled(), self._link)

    async def stop(self, patience: dt.timedelta = dt.timedelta(seconds=5)) -> None:
        """Cancel everything and wait for the threads to end, at most for `patience`.

        A thread that is still in a call by then is left behind: it is a daemon, reports nothing,
        and ends when the call does or when the process does.
        """
        if self._link is None or self._is_stopped:
            self._is_stopped = True
            return
        self._is_stopped = True
        self._link.is_cut = True
        for job in list(self._jobs):
            self.cancel(job.attempt)
        for _ in self._threads:
            self._waiting.put(None)
        if self._threads:
            try:
                async with asyncio.timeout(patience.total_seconds()):
                    await self._all_left.wait()
            except TimeoutError:
                pass  # left behind, as promised

    # --- on the threads

    def _start_thread(self, link: EngineLink) -> None:
        name = f"holdfast-task-{len(self._threads) + 1}"
        thread = threading.Thread(target=self._work, args=(link,), name=name, daemon=True)
        thread.start()
        self._threads.add(thread)

    def _work(self, link: EngineLink) -> None:
        while True:
            job = self._waiting.get()
            if job is None:
                break
            outcome = self._perform(job, link)
            if outcome is not None:
                self._finish(job, outcome, link)
            del job, outcome  # else an idle thread would keep the last task's input and output alive
        thread = threading.current_thread()
        link.post(lambda: self._left(thread))

    def _perform(self, job: _ThreadAttempt, link: EngineLink) -> Outcome | None:
        """Run the attempt, unless it may not begin. The thread can be interrupted here, and only here.

        So all of it is inside the `try`. What the task itself raises does not come this far: an
        exception here is the one interrupt there is, and with it the thread is its own again.
        """
        outcome: Outcome | None = None
        try:
            if not job.begin():
                return None
            outcome = job.variables.run(self._call, job, link)
            job.leave()
        except asyncio.CancelledError:
            if outcome is None:
                outcome = Cancelled()  # else the task was over, and it is too late to change what it did
        return outcome

    def _call(self, job: _ThreadAttempt, link: EngineLink) -> Outcome:
        enter(job.context)
        attempt = job.attempt
        body = None
        try:
            body = self._bodies(attempt)
            result = body.call(attempt.input)
            link.birth.end_child(None)
            if inspect.isawaitable(result):
                raise _never_awaited(attempt.name, result)
            return Succeeded(body.store(result))
        except BaseException as error:
            link.birth.end_child(error)
            return outcome_of(error, job.context, body)

    def _finish(self, job: _ThreadAttempt, outcome: Outcome, link: EngineLink) -> None:
        """From any thread. Many ends become one call on the loop."""
        self._done.append((job, outcome))
        if not self._is_waking:
            self._is_waking = True
            link.post(self._report_done)

    # --- on the loop's thread again

    def _report_done(self) -> None:
        # Cleared first: what is appended from here on is either seen below or wakes the loop again.
        self._is_waking = False
        try:
            while self._done:
                job, outcome = self._done.popleft()
                self._jobs.discard(job)
                job.attempt.context = None
                job.context.end()
                if not self._is_stopped:
                    self._report(job.attempt, outcome)
        finally:
            if self._done and self._link is not None:  # a report raised; the others are still due
                self._link.post(self._report_done)

    def _left(self, thread: threading.Thread) -> None:
        thread.join()  # this was the last thing it did
        self._threads.discard(thread)
        if not self._threads:
            self._all_left.set()


def _never_awaited(name: str, result: object) -> WrongType:
    if inspect.iscoroutine(result):
        result.close()  # else Python warns of it later, far from the cause
    return WrongType(
        f"the result of task {name!r}",
        f"a plain function returned an awaitable ({type(result).__name__}), which nobody awaits on a thread; "
        "declare the function with `async def`",
    )
