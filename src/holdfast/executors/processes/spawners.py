"""Threads that start processes, so that the event loop need not wait for each.

To start one is to wait more than to work, so there are several. If many are to be started, the loop waits for
half of them and then goes on, while the threads start the others. Without that wait it would go on for each
as it comes, one at a time, which costs more. It waits only for a moment: a program that is slow to load, as
its disk is far away or gone, holds up its own thread, and there are more if all of them hang.
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

from holdfast.executors.processes.spawn_requests import SpawnRequest, Start
from holdfast.executors.processes.spawning import prepare

_log = logging.getLogger("holdfast.executors")

_THREADS = 2
_AT_ONCE = 16
"""How many are being started at the same time. They hold more descriptors than those that run. If none gets
on, there are as many threads."""
_AHEAD = 8
"""For so many of them the loop does not wait."""
_PAUSE = 0.1
"""Seconds, if there are as many processes as there may be."""
_PATIENCE = 60.0
"""Seconds after which one fails that there was no room for."""
_A_MOMENT = 0.02
"""Seconds. It takes a tenth of that, or a fifth."""


class Begun(NamedTuple):
    """A process that has loaded its program, and our ends of its pipes."""

    pid: int
    out: int
    err: int


class Spawners:
    """`take` is called on the loop, for each that was asked for: with what has begun, or why nothing has."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        variables: Context,
        take: Callable[[Any, Begun | Exception], None],
    ) -> None:
        self._loop = loop
        self._variables = variables
        self._take = take
        self._due: dict[Any, SpawnRequest] = {}
        self._starting: dict[Any, tuple[SpawnRequest, tuple[int, ...]]] = {}
        self._ready: dict[Any, Start] = {}
        """Prepared. Whoever takes one out of it, a thread or `withdraw`, decides what becomes of it."""
        self._asked: SimpleQueue[Any] = SimpleQueue()
        """Those that are ready, for the threads; None to end one."""
        self._started: deque[tuple[Any, int | Exception]] = deque()
        self._is_called = False
        self._is_awaited = False
        self._is_slow = False
        self._timer: asyncio.TimerHandle | None = None
        self._told = self._told_then = 0
        """How many were told of, now and when the timer was set."""
        self._short_since: dict[Any, float] = {}
        """Those that there was no room for, and when that was first."""
        self._is_pausing = False
        self._enough_started = threading.Event()
        self._threads: list[threading.Thread] = []
        self._is_closed = False

    def ask(self, subject: Any, order: SpawnRequest) -> None:
        """Start a process soon, for whatever hashable thing. The order's channel is closed here."""
        self._due[subject] = order
        if len(self._due) == 1:
            self._loop.call_soon(self._start_due, context=self._variables)

    def withdraw(self, subject: Any) -> bool:
        """Whether there was still time to. Then `take` is not called."""
        self._short_since.pop(subject, None)
        order = self._due.pop(subject, None)
        if order is not None:
            _close_channel(order)
        elif self._ready.pop(subject, None) is not None:
            self._clear_away(subject)
        else:
            return False
        return True

    def close(self) -> None:
        """What is started from now on is ended at once."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        for subject in [*self._due, *self._ready]:
            self.withdraw(subject)
        for _ in self._threads:
            self._asked.put(None)

    def _start_due(self) -> None:
        if self._is_pausing:
            return
        # All are prepared before any is handed over: from then on, the threads contend for the lock.
        prepared: list[Any] = []
        while self._due and len(self._starting) < _AT_ONCE:
            subject = next(iter(self._due))
            start = self._prepare(subject, self._due.pop(subject))
            if start is not None:
                self._ready[subject] = start
                prepared.append(subject)
        if prepared and not self._threads:
            prepared = self._start_threads(prepared)
        self._is_awaited = True
        for each in prepared:
            self._asked.put(each)
        self._enough_started.clear()
        if prepared and not self._is_slow and not self._has_enough_started():
            # It was in vain: those of now are slow, and the loop does not wait again until they have begun.
            self._is_slow = not self._enough_started.wait(_A_MOMENT)
        self._is_awaited = False
        self._tell()

    def _has_enough_started(self) -> bool:
        return len(self._starting) - len(self._started) <= _AHEAD

    def _prepare(self, subject: Any, order: SpawnRequest) -> Start | None:
        """None if it cannot be started, which is then told of as if it had been tried."""
        pipes: tuple[int, ...] = ()
        try:
            pipes = _, out_end, _, err_end = _two_pipes()
            start = prepare(order, out_end, err_end)
        except (OSError, ValueError) as error:
            start = None
            self._started.append((subject, error))
        self._starting[subject] = order, pipes
        return start

    def _start_threads(self, prepared: list[Any]) -> list[Any]:
        """What they can be asked for: nothing if there is no room for a thread, as for a process."""
        while len(self._threads) < _THREADS:
            problem = self._start_thread()
            if problem is None:
                continue
            if self._threads:
                break  # one is enough
            for subject in prepared:
                del self._ready[subject]
                self._started.append((subject, problem))
            return []
        return prepared

    def _start_thread(self) -> OSError | None:
        # A daemon: one that waits for a disk that has gone must not keep the program from its end.
        name = f"holdfast-spawn-{len(self._threads)}"
        thread = threading.Thread(target=self._work, name=name, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            return OSError(errno.EAGAIN, str(error))
        self._threads.append(thread)
        return None

    def _tell(self) -> None:
        self._is_called = False
        if self._is_closed:
            self._put_down()
            return
        while self._started:
            subject, pid = self._started.popleft()
            self._told += 1
            if isinstance(pid, BlockingIOError) and self._is_put_back(subject):
                continue
            self._short_since.pop(subject, None)
            begun: Begun | Exception
            if isinstance(pid, int):
                begun = Begun(pid, *self._clear_away(subject, is_begun=True))
            else:
                self._clear_away(subject)
                begun = pid
            try:
                self._take(subject, begun)
            except Exception:  # of one: the others are still to be told of
                _log.exception("a process that was started is not taken in")
        self._is_slow = self._is_slow and len(self._starting) > _AHEAD
        if self._due and len(self._starting) < _AT_ONCE:
            self._loop.call_soon(self._start_due, context=self._variables)
        if self._starting and self._timer is None:
            # A thread tells of what has begun when it has nothing more to start; and that may hang.
            self._timer = self._loop.call_later(_A_MOMENT, self._look_again, context=self._variables)
            self._told_then = self._told

    def _is_put_back(self, subject: Any) -> bool:
        """There are as many processes as there may be. It is tried again: others will end, ours or not."""
        now = self._loop.time()
        if now - self._short_since.setdefault(subject, now) > _PATIENCE:
            return False
        order, pipes = self._starting.pop(subject)
        for descriptor in pipes:
            os.close(descriptor)
        self._due[subject] = order
        if not self._is_pausing:
            self._is_pausing = True
            self._loop.call_later(_PAUSE, self._go_on, context=self._variables)
        return True

    def _go_on(self) -> None:
        self._is_pausing = False
        if not self._is_closed:
            self._start_due()

    def _look_again(self) -> None:
        self._timer = None
        has_moved = self._started or self._told > self._told_then
        if self._ready and not has_moved and len(self._threads) < _AT_ONCE:
            self._start_thread()  # those that there are hang
        self._tell()

    def _clear_away(self, subject: Any, *, is_begun: bool = False) -> tuple[int, ...]:
        """Close what was open for it, but for our ends of its pipes if it has begun: those are answered."""
        order, pipes = self._starting.pop(subject)
        _close_channel(order)
        ours, others = (pipes[::2], pipes[1::2]) if is_begun else ((), pipes)
        for descriptor in others:
            os.close(descriptor)
        return ours

    # --- on the threads

    def _work(self) -> None:
        while (subject := self._next()) is not None:
            start = self._ready.pop(subject, None)
            if start is None:
                continue  # it was withdrawn
            try:
                pid = start()
            except Exception as error:  # whatever it is, this one cannot be started, and the next one can
                pid = error
            self._started.append((subject, pid))
            if self._is_closed:
                self._put_down()
            elif self._is_awaited and self._has_enough_started():
                self._enough_started.set()

    def _next(self) -> Any:
        """What is to be started now. If there is nothing, the loop is called before it is waited for."""
        try:
            return self._asked.get_nowait()
        except Empty:
            if self._started and not (self._is_awaited or self._is_called):
                self._is_called = True
                try:
                    self._loop.call_soon_threadsafe(self._tell, context=self._variables)
                except RuntimeError:  # the loop was closed, and nobody has closed this
                    self._is_closed = True
                    self._put_down()
            return self._asked.get()

    def _put_down(self) -> None:
        """End what was started too late for anybody to want it."""
        while self._started:
            try:
                subject, pid = self._started.popleft()
            except IndexError:
                return  # another thread has taken it
            self._clear_away(subject)
            if isinstance(pid, int):
                with contextlib.suppress(OSError):  # somebody else in this process has waited for it
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


def _close_channel(order: SpawnRequest) -> None:
    if order.channel is not None:
        os.close(order.channel)
