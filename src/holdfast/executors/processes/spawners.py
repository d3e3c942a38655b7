"""Threads that start processes, so that the event loop does not wait for each start.

A start is mostly waiting, so several threads share the work. If many processes are to be started, the loop
waits until half of them have started, and then goes on while the threads start the others. Without that wait,
the loop would wake up for each process separately, which costs more. The wait is short: a program that loads
slowly, because its disk is slow or gone, blocks only its own thread. If all threads are blocked, another one
is started.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import threading
from collections import deque
from collections.abc import Callable
from contextvars import Context
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from holdfast.executors.processes.spawning import SpawnRequest, Start, prepare

_log = logging.getLogger("holdfast.executors")

_THREADS = 2
_MOST_STARTING = 16
"""How many processes are being started at the same time: each holds more descriptors than one that runs. Also
the largest number of threads, for the case that all of them are blocked."""
_NOT_WAITED_FOR = 8
"""The event loop goes on when no more than this many starts are left."""
_RETRY_AFTER = 0.1
"""Seconds before another try, if the system has no room for another process."""
_GIVE_UP_AFTER = 60.0
"""Seconds after which a process fails that the system had no room for."""
_LONGEST_WAIT = 0.02
"""Seconds that the event loop waits for the threads. Usually they need a tenth or a fifth of that."""


class StartedProcess(NamedTuple):
    """A process that has loaded its program, and the read ends of its pipes."""

    pid: int
    stdout: int
    stderr: int


class Spawners:
    """Calls `on_started` on the event loop once for each request: with the started process, or with the
    error."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        contextvars: Context,
        on_started: Callable[[Any, StartedProcess | Exception], None],
    ) -> None:
        self._loop = loop
        self._contextvars = contextvars
        self._on_started = on_started
        self._waiting: dict[Any, SpawnRequest] = {}
        """Requests that nothing was done for yet, by their keys."""
        self._starting: dict[Any, tuple[SpawnRequest, tuple[int, ...]]] = {}
        """Requests from `prepare` until `on_started`, each with its open pipes."""
        self._prepared: dict[Any, Start] = {}
        """A thread or `withdraw` takes an entry out, and thereby decides whether the process is started."""
        self._for_threads: SimpleQueue[Any] = SimpleQueue()
        """Keys of prepared requests; None ends one thread."""
        self._results: deque[tuple[Any, int | Exception]] = deque()
        """Pids and errors that the event loop has not reported yet."""
        self._report_is_scheduled = False
        self._loop_is_waiting = False
        self._is_slow = False
        self._timer: asyncio.TimerHandle | None = None
        self._reported = self._reported_when_timer_was_set = 0
        self._refused_since: dict[Any, float] = {}
        """When the system first had no room for a process."""
        self._is_pausing = False
        self._enough_started = threading.Event()
        self._threads: list[threading.Thread] = []
        self._is_closed = False

    def submit(self, key: Any, request: SpawnRequest) -> None:
        """Start a process soon. `key` is any hashable object. The request's stdin is closed by this class."""
        self._waiting[key] = request
        if len(self._waiting) == 1:
            self._loop.call_soon(self._start_waiting, context=self._contextvars)

    def withdraw(self, key: Any) -> bool:
        """True if the process was not started and will not be. Then `on_started` is not called."""
        self._refused_since.pop(key, None)
        request = self._waiting.pop(key, None)
        if request is not None:
            _close_stdin(request)
        elif self._prepared.pop(key, None) is not None:
            self._close_descriptors(key)
        else:
            return False
        return True

    def close(self) -> None:
        """Withdraw what is not started. A process that starts from now on is killed at once."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        for key in [*self._waiting, *self._prepared]:
            self.withdraw(key)
        for _ in self._threads:
            self._for_threads.put(None)

    def _start_waiting(self) -> None:
        if self._is_pausing:
            return
        # All are prepared before the first is handed over: from then on, the threads compete for the GIL.
        prepared: list[Any] = []
        while self._waiting and len(self._starting) < _MOST_STARTING:
            key = next(iter(self._waiting))
            start = self._prepare(key, self._waiting.pop(key))
            if start is not None:
                self._prepared[key] = start
                prepared.append(key)
        if prepared and not self._threads:
            prepared = self._start_threads(prepared)
        self._loop_is_waiting = True
        for each in prepared:
            self._for_threads.put(each)
        self._enough_started.clear()
        if prepared and not self._is_slow and not self._has_enough_started():
            # After a timeout, the loop does not wait again until these slow processes have started.
            self._is_slow = not self._enough_started.wait(_LONGEST_WAIT)
        self._loop_is_waiting = False
        self._report()

    def _has_enough_started(self) -> bool:
        return len(self._starting) - len(self._results) <= _NOT_WAITED_FOR

    def _prepare(self, key: Any, request: SpawnRequest) -> Start | None:
        """None if the process cannot be started. The error is then reported like one of the start itself."""
        pipes: tuple[int, ...] = ()
        try:
            pipes = _, stdout, _, stderr = _two_pipes()
            start = prepare(request, stdout, stderr)
        except (OSError, ValueError) as error:
            start = None
            self._results.append((key, error))
        self._starting[key] = request, pipes
        return start

    def _start_threads(self, prepared: list[Any]) -> list[Any]:
        """Returns the keys that the threads can start: none if the system has no room for a thread."""
        while len(self._threads) < _THREADS:
            error = self._start_thread()
            if error is None:
                continue
            if self._threads:
                break  # one thread is enough
            for key in prepared:
                del self._prepared[key]
                self._results.append((key, error))
            return []
        return prepared

    def _start_thread(self) -> OSError | None:
        # A daemon thread: if it is blocked by a disk that is gone, the program can still exit.
        name = f"holdfast-spawn-{len(self._threads)}"
        thread = threading.Thread(target=self._work, name=name, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            return OSError(errno.EAGAIN, str(error))
        self._threads.append(thread)
        return None

    def _report(self) -> None:
        self._report_is_scheduled = False
        if self._is_closed:
            self._kill_started()
            return
        while self._results:
            key, pid = self._results.popleft()
            self._reported += 1
            if isinstance(pid, BlockingIOError) and self._try_later(key):
                continue
            self._refused_since.pop(key, None)
            result: StartedProcess | Exception
            if isinstance(pid, int):
                result = StartedProcess(pid, *self._close_descriptors(key, keep_read_ends=True))
            else:
                self._close_descriptors(key)
                result = pid
            try:
                self._on_started(key, result)
            except Exception:  # of one process: the others are still to be reported
                _log.exception("a process was started, but the executor failed to take it")
        self._is_slow = self._is_slow and len(self._starting) > _NOT_WAITED_FOR
        if self._waiting and len(self._starting) < _MOST_STARTING:
            self._loop.call_soon(self._start_waiting, context=self._contextvars)
        if self._starting and self._timer is None:
            # A thread schedules a report when it has nothing more to start. But its next start may block.
            self._timer = self._loop.call_later(
                _LONGEST_WAIT, self._check_progress, context=self._contextvars
            )
            self._reported_when_timer_was_set = self._reported

    def _try_later(self, key: Any) -> bool:
        """The system has no room for another process. Try again: other processes will end, ours or not. False
        if that has gone on for too long."""
        now = self._loop.time()
        if now - self._refused_since.setdefault(key, now) > _GIVE_UP_AFTER:
            return False
        request, pipes = self._starting.pop(key)
        for descriptor in pipes:
            os.close(descriptor)
        self._waiting[key] = request
        if not self._is_pausing:
            self._is_pausing = True
            self._loop.call_later(_RETRY_AFTER, self._resume, context=self._contextvars)
        return True

    def _resume(self) -> None:
        self._is_pausing = False
        if not self._is_closed:
            self._start_waiting()

    def _check_progress(self) -> None:
        self._timer = None
        has_progress = self._results or self._reported > self._reported_when_timer_was_set
        if self._prepared and not has_progress and len(self._threads) < _MOST_STARTING:
            self._start_thread()  # all others are blocked
        self._report()

    def _close_descriptors(self, key: Any, *, keep_read_ends: bool = False) -> tuple[int, ...]:
        """Close what was opened for a request. Returns the read ends of its pipes, if those are kept."""
        request, pipes = self._starting.pop(key)
        _close_stdin(request)
        kept, others = (pipes[::2], pipes[1::2]) if keep_read_ends else ((), pipes)
        for descriptor in others:
            os.close(descriptor)
        return kept

    # --- on the threads

    def _work(self) -> None:
        while (key := self._next_key()) is not None:
            start = self._prepared.pop(key, None)
            if start is None:
                continue  # it was withdrawn
            try:
                pid = start()
            except Exception as error:  # this process cannot be started, but the next one can
                pid = error
            self._results.append((key, pid))
            if self._is_closed:
                self._kill_started()
            elif self._loop_is_waiting and self._has_enough_started():
                self._enough_started.set()

    def _next_key(self) -> Any:
        """Waits for the next request. Before it waits, it schedules a report of what has been started."""
        try:
            return self._for_threads.get_nowait()
        except Empty:
            if self._results and not (self._loop_is_waiting or self._report_is_scheduled):
                self._report_is_scheduled = True
                try:
                    self._loop.call_soon_threadsafe(self._report, context=self._contextvars)
                except RuntimeError:  # the event loop was closed, but `close` was not called
                    self._is_closed = True
                    self._kill_started()
            return self._for_threads.get()

    def _kill_started(self) -> None:
        """Kill processes that were started after `close`."""
        while self._results:
            try:
                key, pid = self._results.popleft()
            except IndexError:
                return  # another thread was faster
            self._close_descriptors(key)
            if isinstance(pid, int):
                with contextlib.suppress(OSError):  # another part of this process has reaped it
                    os.killpg(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)


def _two_pipes() -> tuple[int, int, int, int]:
    first = os.pipe()
    try:
        return *first, *os.pipe()
    except OSError:
        os.close(first[0])
        os.close(first[1])
        raise


def _close_stdin(request: SpawnRequest) -> None:
    if request.stdin is not None:
        os.close(request.stdin)
