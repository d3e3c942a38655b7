"""Threads that start processes, so that the event loop need not wait for each.

To start one is to wait more than to work, so there are several. If many are to be started, the loop waits for
half of them and then goes on, while the threads start the others. Without that wait it would go on for each
as it comes, one at a time, which costs more. It waits only for a moment: a program that is slow to load, as
its disk is far away or gone, holds up nothing but its own thread.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections import deque
from collections.abc import Callable
from contextvars import Context
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from holdfast.executors.orders import Order, Start
from holdfast.executors.spawning import prepare

_THREADS = 2
_AT_ONCE = 16
"""How many are being started at the same time. They hold more descriptors than those that run."""
_AHEAD = 8
"""For so many of them the loop does not wait."""
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
        self._due: dict[Any, Order] = {}
        self._starting: dict[Any, tuple[Order, tuple[int, ...]]] = {}
        self._asked: SimpleQueue[tuple[Any, Start] | None] = SimpleQueue()
        self._started: deque[tuple[Any, int | Exception]] = deque()
        self._is_called = False
        self._is_awaited = False
        self._enough_started = threading.Event()
        self._threads: list[threading.Thread] = []
        self._is_closed = False

    def ask(self, subject: Any, order: Order) -> None:
        """Start a process soon, for whatever hashable thing. The order's channel is closed here."""
        self._due[subject] = order
        if len(self._due) == 1:
            self._loop.call_soon(self._start_due, context=self._variables)

    def withdraw(self, subject: Any) -> bool:
        """Whether there was still time to. Then `take` is not called."""
        order = self._due.pop(subject, None)
        if order is None:
            return False
        _close_channel(order)
        return True

    def close(self) -> None:
        """What is started from now on is ended at once."""
        self._is_closed = True
        for _ in self._threads:
            self._asked.put(None)

    def _start_due(self) -> None:
        # All are prepared before any is handed over: from then on, the threads contend for the lock.
        prepared: list[tuple[Any, Start]] = []
        while self._due and len(self._starting) < _AT_ONCE:
            subject = next(iter(self._due))
            start = self._prepare(subject, self._due.pop(subject))
            if start is not None:
                prepared.append((subject, start))
        if prepared and not self._threads:
            self._start_threads()
        self._is_awaited = True
        for each in prepared:
            self._asked.put(each)
        self._enough_started.clear()
        if prepared and not self._has_enough_started():
            self._enough_started.wait(_A_MOMENT)
        self._is_awaited = False
        self._tell()

    def _has_enough_started(self) -> bool:
        return len(self._starting) - len(self._started) <= _AHEAD

    def _prepare(self, subject: Any, order: Order) -> Start | None:
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

    def _start_threads(self) -> None:
        # Daemons: one that waits for a disk that has gone must not keep the program from its end.
        for number in range(_THREADS):
            thread = threading.Thread(target=self._work, name=f"holdfast-spawn-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def _tell(self) -> None:
        self._is_called = False
        if self._is_closed:
            self._put_down()
            return
        while self._started:
            subject, pid = self._started.popleft()
            order, pipes = self._starting.pop(subject)
            _close_channel(order)
            if isinstance(pid, int):
                out, out_end, err, err_end = pipes
                os.close(out_end)
                os.close(err_end)
                self._take(subject, Begun(pid, out, err))
            else:
                for descriptor in pipes:
                    os.close(descriptor)
                self._take(subject, pid)
        if self._due:
            self._loop.call_soon(self._start_due, context=self._variables)

    # --- on the threads

    def _work(self) -> None:
        while (asked := self._next()) is not None:
            subject, start = asked
            try:
                pid = start()
            except Exception as error:  # whatever it is, this one cannot be started, and the next one can
                pid = error
            self._started.append((subject, pid))
            if self._is_closed:
                self._put_down()
            elif self._is_awaited and self._has_enough_started():
                self._enough_started.set()

    def _next(self) -> tuple[Any, Start] | None:
        """What is to be started now. If there is nothing, the loop is called before it is waited for."""
        try:
            return self._asked.get_nowait()
        except Empty:
            if self._started and not (self._is_awaited or self._is_called):
                self._is_called = True
                try:
                    self._loop.call_soon_threadsafe(self._tell, context=self._variables)
                except RuntimeError:  # the loop was closed, and nobody has closed this
                    self._put_down()
            return self._asked.get()

    def _put_down(self) -> None:
        """End what was started too late for anybody to want it."""
        while self._started:
            try:
                _, pid = self._started.popleft()
            except IndexError:
                return  # another thread has taken it
            if isinstance(pid, int):
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


def _close_channel(order: Order) -> None:
    if order.channel is not None:
        os.close(order.channel)
