"""Plain functions, on daemon threads.

A thread pool of the standard library cannot end a call that is running. Here `cancel` throws CancelledError
into the thread, wherever its Python code is. The exception must hit the attempt that it is meant for, and
never the thread's own loop or the next attempt. `_ThreadAttempt` makes sure of that.

A thread that can be interrupted never blocks on a lock. It could be interrupted just after it has acquired
the lock, and then nothing would release it.

If a function returns an awaitable, as `lambda: client.get(url)` does, the attempt goes on as an asyncio task
on the event loop, and its thread is free.
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
from typing import Any, NamedTuple

from holdfast.core.codec import Codec
from holdfast.core.values import Cancelled, Outcome, Succeeded
from holdfast.errors import NotOpen
from holdfast.executors.context import EngineLink, TaskContext, enter, outcome_of
from holdfast.ports.executor import Attempt, Beat, Log, Publish, Report, TaskBody

_set_async_exception = ctypes.pythonapi.PyThreadState_SetAsyncExc
_set_async_exception.argtypes = (ctypes.c_ulong, ctypes.py_object)
_set_async_exception.restype = ctypes.c_int

_INTERRUPT = ctypes.py_object(asyncio.CancelledError)
"""A BaseException, so `except Exception` in a task does not catch it."""


class _Awaitable(NamedTuple):
    """What the function of an attempt returned, for the event loop to await."""

    body: TaskBody
    value: Any

    def close(self) -> None:
        """Nobody will await it. Without this, Python warns about it later, far from the cause."""
        if inspect.iscoroutine(self.value):
            self.value.close()


class _ThreadAttempt:
    """An attempt that waits for a thread or runs on one.

    Two locks decide two races between the thread and `cancel`. Each lock is acquired once and never released.
    `start_lock`: if the thread has it, the attempt runs; if `cancel` has it, the attempt never runs.
    `end_lock`: if the thread has it, no interrupt will come; if `cancel` has it, exactly one will.
    """

    __slots__ = (
        "attempt",
        "context",
        "contextvars",
        "end_lock",
        "is_interrupted",
        "start_lock",
        "task",
        "thread",
    )

    def __init__(self, attempt: Attempt, context: TaskContext, link: EngineLink) -> None:
        self.attempt = attempt
        self.context = context
        self.contextvars = link.contextvars.copy()
        self.start_lock = threading.Lock()
        self.end_lock = threading.Lock()
        self.thread = 0
        self.is_interrupted = False
        self.task: asyncio.Task[None] | None = None
        """Awaits what the function returned. Once there is one, the attempt has left its thread."""

    def try_start(self) -> bool:
        """On the thread. False if `cancel` came first. Once this acquires the lock, an interrupt may come."""
        self.thread = threading.get_ident()
        return self.start_lock.acquire(blocking=False)

    def cancel(self) -> bool:
        """On the event loop's thread, once. True if the attempt had not started, and now never will."""
        self.context.cancelled = True
        if self.start_lock.acquire(blocking=False):
            return True
        if self.task is not None:
            self.task.cancel()
        elif self.end_lock.acquire(blocking=False):
            _set_async_exception(self.thread, _INTERRUPT)
            self.is_interrupted = True
        return False

    def leave(self) -> None:
        """On the thread, after the task's function. Once this returns or raises, no interrupt can come any
        more.

        If `cancel` is just sending its interrupt, this waits for it, which takes microseconds.

        The thread cannot know whether the interrupt has already struck, because the task may have caught it.
        So another one is sent, which replaces one that is still pending, and it is caught right here.
        (Sending NULL would withdraw a pending interrupt too. But in Python 3.11 that leaves a flag of the
        interpreter set, and a thread under a debugger then spins on it for ever.)
        """
        if self.end_lock.acquire(blocking=False):
            return
        while not self.is_interrupted:
            time.sleep(0)
        try:
            while True:
                # Sent in each iteration: an interrupt that strikes inside a finalizer (`__del__`) is lost,
                # because Python ignores what a finalizer raises.
                _set_async_exception(self.thread, _INTERRUPT)
                time.sleep(0)  # the interrupt strikes here, nearly always in the first iteration
        except asyncio.CancelledError:
            pass  # and none is pending any more


class ThreadExecutor:
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
        self._unreported: set[_ThreadAttempt] = set()
        """Every attempt that was started and has not been reported."""
        self._waiting: SimpleQueue[_ThreadAttempt | None] = SimpleQueue()
        """Attempts for the threads; None ends one thread."""
        self._threads: set[threading.Thread] = set()
        self._all_exited = asyncio.Event()
        self._done: deque[tuple[_ThreadAttempt, Outcome | _Awaitable]] = deque()
        """What the threads are done with: attempts that have ended, or are to be awaited."""
        self._report_is_scheduled = False
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
        # A thread is free a little before its report is processed. So this may start one thread more than is
        # needed, but never more than the capacity.
        if len(self._threads) < min(self._capacity, len(self._unreported) + 1):
            self._start_thread(link)
        thread_attempt = _ThreadAttempt(attempt, TaskContext(attempt, link), link)
        attempt.context = thread_attempt
        self._unreported.add(thread_attempt)
        self._waiting.put(thread_attempt)

    def cancel(self, attempt: Attempt) -> None:
        """Throw CancelledError into the task, once: a second cancel does not interrupt its clean-up.

        It strikes between two instructions of Python code. A thread inside a call into C, such as a blocking
        read, goes on until that returns, and reports then. If it strikes inside a finalizer (`__del__`), it
        is lost, because Python ignores what a finalizer raises; the task then runs to its end.
        """
        thread_attempt: _ThreadAttempt | None = attempt.context
        if thread_attempt is None or thread_attempt.context.cancelled:
            return
        if thread_attempt.cancel() and self._link is not None:
            self._finish(thread_attempt, Cancelled(), self._link)

    async def stop(self, grace: dt.timedelta = dt.timedelta(seconds=5)) -> None:
        """Cancel every attempt and wait until the threads have exited, for at most the grace period.

        A thread that is still in a call by then is left behind. It is a daemon thread and reports nothing. It
        exits when the call returns, or with the process.
        """
        if self._link is None or self._is_stopped:
            self._is_stopped = True
            return
        self._is_stopped = True
        self._link.is_closed = True
        for thread_attempt in list(self._unreported):
            self.cancel(thread_attempt.attempt)
        for _ in self._threads:
            self._waiting.put(None)
        try:
            async with asyncio.timeout(grace.total_seconds()):
                if self._threads:
                    await self._all_exited.wait()
                tasks = [each.task for each in self._unreported if each.task is not None]
                if tasks:
                    await asyncio.wait(tasks)
        except TimeoutError:
            pass  # left behind, as documented

    # --- on the threads

    def _start_thread(self, link: EngineLink) -> None:
        name = f"holdfast-task-{len(self._threads) + 1}"
        thread = threading.Thread(target=self._work, args=(link,), name=name, daemon=True)
        thread.start()
        self._threads.add(thread)

    def _work(self, link: EngineLink) -> None:
        while True:
            thread_attempt = self._waiting.get()
            if thread_attempt is None:
                break
            outcome = self._perform(thread_attempt, link)
            if outcome is not None:
                self._finish(thread_attempt, outcome, link)
            del thread_attempt, outcome  # else an idle thread keeps the last input and output alive
        thread = threading.current_thread()
        link.post(lambda: self._forget_thread(thread))

    def _perform(self, thread_attempt: _ThreadAttempt, link: EngineLink) -> Outcome | _Awaitable | None:
        """Run the attempt; None if it was cancelled before. The thread can be interrupted here, and only
        here.

        So all of it is inside the `try`. `_call` catches what the task raises. An exception that arrives here
        is therefore the one interrupt of this attempt, and no other will follow.
        """
        outcome: Outcome | _Awaitable | None = None
        try:
            if not thread_attempt.try_start():
                return None
            outcome = thread_attempt.contextvars.run(self._call, thread_attempt, link)
            thread_attempt.leave()
        except asyncio.CancelledError:
            if outcome is None:
                outcome = Cancelled()  # else the task had ended before the interrupt, and its outcome counts
        return outcome

    def _call(self, thread_attempt: _ThreadAttempt, link: EngineLink) -> Outcome | _Awaitable:
        enter(thread_attempt.context)
        attempt = thread_attempt.attempt
        if attempt.span is not None:
            attempt.span.enter()
        body = None
        try:
            body = self._bodies(attempt)
            result = body.call(attempt.input)
            link.fork_guard.exit_if_forked(None)
            return _Awaitable(body, result) if inspect.isawaitable(result) else Succeeded(body.store(result))
        except BaseException as error:
            link.fork_guard.exit_if_forked(error)
            return outcome_of(error, thread_attempt.context, body)

    def _finish(
        self, thread_attempt: _ThreadAttempt, outcome: Outcome | _Awaitable, link: EngineLink
    ) -> None:
        """From any thread. Many outcomes are reported by one callback on the event loop."""
        self._done.append((thread_attempt, outcome))
        if not self._report_is_scheduled:
            self._report_is_scheduled = True
            link.post(self._report_done)

    # --- on the event loop's thread again

    def _report_done(self) -> None:
        # Cleared first: what is appended from here on is either seen below or schedules another callback.
        self._report_is_scheduled = False
        try:
            while self._done:
                thread_attempt, outcome = self._done.popleft()
                if not isinstance(outcome, _Awaitable):
                    self._end(thread_attempt, outcome)
                elif thread_attempt.context.cancelled:  # after it had left its thread, or just before
                    outcome.close()
                    self._end(thread_attempt, Cancelled())
                elif self._link is not None:
                    self._await_on_loop(thread_attempt, outcome, self._link)
        finally:
            if self._done and self._link is not None:  # a report raised; the others are still to be reported
                self._link.post(self._report_done)

    def _end(self, thread_attempt: _ThreadAttempt, outcome: Outcome) -> None:
        self._unreported.discard(thread_attempt)
        thread_attempt.attempt.context = None
        thread_attempt.context.end()
        if not self._is_stopped:
            self._report(thread_attempt.attempt, outcome)

    def _await_on_loop(self, thread_attempt: _ThreadAttempt, found: _Awaitable, link: EngineLink) -> None:
        def end_if_never_started(_: asyncio.Task[None]) -> None:
            if thread_attempt in self._unreported:
                found.close()
                self._end(thread_attempt, Cancelled())

        thread_attempt.task = asyncio.Task(
            self._await(thread_attempt, found, link),
            loop=link.loop,
            name=thread_attempt.attempt.name,
            context=thread_attempt.contextvars,
        )
        # A task that is cancelled before its first step never enters its coroutine.
        thread_attempt.task.add_done_callback(end_if_never_started, context=link.contextvars)

    async def _await(self, thread_attempt: _ThreadAttempt, found: _Awaitable, link: EngineLink) -> None:
        outcome: Outcome
        try:
            result = await found.value
            link.fork_guard.exit_if_forked(None)
            outcome = Succeeded(found.body.store(result))
        except BaseException as error:  # also SystemExit, which would stop the event loop
            if not link.loop.is_running():
                raise  # GeneratorExit from the garbage collector: there is no loop left to report on
            link.fork_guard.exit_if_forked(error)
            outcome = outcome_of(error, thread_attempt.context, found.body)
        link.contextvars.run(self._end, thread_attempt, outcome)

    def _forget_thread(self, thread: threading.Thread) -> None:
        thread.join()  # it returns at once: posting this callback was the last thing the thread did
        self._threads.discard(thread)
        if not self._threads:
            self._all_exited.set()
