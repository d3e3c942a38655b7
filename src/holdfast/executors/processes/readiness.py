"""Noticing that there is something to read, and that a process has ended: no threads, no asking.

`Readable` puts all descriptors of an executor into one epoll, which is the one thing that the event loop
watches: with some thousand processes a second, three `add_reader` for each would cost more than the rest.
It also bounds what is done in one turn of the loop, however many processes are shouting.

`Exits` tells of a process by its pidfd. Where there is none (macOS, Linux before 5.3) it goes by
SIGCHLD, and asks about the processes it was told of and no others: the application may have its own.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
from collections.abc import Callable
from contextvars import Context
from typing import Any
from weakref import WeakKeyDictionary

_EVENTS_A_TURN = 64
_BYTES_A_TURN = 64 * 1024
_ASK_AGAIN = 0.02
"""Seconds."""

Take = Callable[[Any, int], int]
"""Called with what was given to `add` and the descriptor; returns how many bytes it has read. There may be
nothing to read: the number of a descriptor may be another's by the time that one is told of it."""


class Readable:
    """Tells which descriptors can be read, again in each turn until they are read or dropped."""

    __slots__ = ("_epoll", "_loop", "_ready", "_takers", "_variables")

    def __init__(self, loop: asyncio.AbstractEventLoop, variables: Context) -> None:
        self._loop = loop
        self._variables = variables
        self._takers: dict[int, tuple[Take, Any]] = {}
        self._ready: list[int] = []
        """Told of and not taken yet; the next one last."""
        self._epoll = select.epoll() if hasattr(select, "epoll") else None
        if self._epoll is not None:
            variables.run(loop.add_reader, self._epoll.fileno(), self._take_turn)

    def add(self, descriptor: int, take: Take, subject: Any) -> None:
        self._takers[descriptor] = (take, subject)
        if self._epoll is None:
            # In a copy, as these may be the current variables already.
            variables = self._variables.copy()
            variables.run(self._loop.add_reader, descriptor, self._take_one, descriptor)
        else:
            self._epoll.register(descriptor, select.EPOLLIN)

    def drop(self, descriptor: int) -> None:
        del self._takers[descriptor]
        if self._epoll is None:
            self._loop.remove_reader(descriptor)
        else:
            self._epoll.unregister(descriptor)

    def close(self) -> None:
        """Drop everything. The descriptors stay open: they are not ours."""
        if self._epoll is not None:
            self._loop.remove_reader(self._epoll.fileno())
            self._epoll.close()
        else:
            for descriptor in self._takers:
                self._loop.remove_reader(descriptor)
        self._takers.clear()
        self._ready.clear()

    def _take_turn(self) -> None:
        epoll, ready = self._epoll, self._ready
        if not ready and epoll is not None:
            ready += [descriptor for descriptor, _ in reversed(epoll.poll(0, _EVENTS_A_TURN))]
        left = _BYTES_A_TURN
        # Those that are not reached now come first in the next turn: else the same few would always be.
        while ready and left > 0:
            descriptor = ready.pop()
            taker = self._takers.get(descriptor)
            if taker is not None:  # else it was dropped, by what was done for another one
                take, subject = taker
                left -= take(subject, descriptor)

    def _take_one(self, descriptor: int) -> None:
        taker = self._takers.get(descriptor)
        if taker is not None:
            take, subject = taker
            take(subject, descriptor)


class Exits:
    """Tells when a process may have ended. It is not reaped: that is for whoever is told."""

    __slots__ = ("_descriptors", "_has_pidfd", "_loop", "_poll", "_readable", "_takers", "_variables")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        variables: Context,
        readable: Readable,
        *,
        has_pidfd: bool | None = None,
    ) -> None:
        self._loop = loop
        self._variables = variables
        self._readable = readable
        self._has_pidfd = _kernel_has_pidfd() if has_pidfd is None else has_pidfd
        self._descriptors: dict[int, int] = {}
        self._takers: dict[int, tuple[Take, Any]] = {}
        self._poll: asyncio.TimerHandle | None = None
        if not self._has_pidfd:
            self._listen_for_signals()

    def add(self, pid: int, take: Take, subject: Any) -> None:
        """Call `take` when the process may have ended. Raises OSError if there is no descriptor left."""
        if self._has_pidfd:
            descriptor = self._descriptors[pid] = os.pidfd_open(pid)
            self._readable.add(descriptor, take, subject)
        else:
            self._takers[pid] = (take, subject)
            # It may have ended before, and its signal have come and gone.
            self._loop.call_soon(self._look_at, pid, context=self._variables)

    def drop(self, pid: int) -> None:
        if self._has_pidfd:
            descriptor = self._descriptors.pop(pid)
            self._readable.drop(descriptor)
            os.close(descriptor)
        else:
            del self._takers[pid]

    def close(self) -> None:
        for pid in [*self._descriptors, *self._takers]:
            self.drop(pid)
        if self._poll is not None:
            self._poll.cancel()
        elif not self._has_pidfd:
            _listeners[self._loop].remove(self)
            if not _listeners[self._loop]:
                self._loop.remove_signal_handler(signal.SIGCHLD)

    def _listen_for_signals(self) -> None:
        try:
            # The loop keeps one handler for a signal, so all that listen on it share that.
            self._loop.add_signal_handler(signal.SIGCHLD, _tell_listeners, self._loop)
        except (RuntimeError, ValueError):
            # Signals reach only the main thread, and this loop runs on another. Asking is all that is left.
            self._ask_again()
        else:
            _listeners.setdefault(self._loop, []).append(self)

    def _ask_again(self) -> None:
        self._look_at_all()
        self._poll = self._loop.call_later(_ASK_AGAIN, self._ask_again, context=self._variables)

    def wake(self) -> None:
        """Some process of this one has ended."""
        self._loop.call_soon(self._look_at_all, context=self._variables)

    def _look_at_all(self) -> None:
        for pid in list(self._takers):
            self._look_at(pid)

    def _look_at(self, pid: int) -> None:
        taker = self._takers.get(pid)
        if taker is not None:
            take, subject = taker
            take(subject, -1)


_listeners: WeakKeyDictionary[asyncio.AbstractEventLoop, list[Exits]] = WeakKeyDictionary()


def _tell_listeners(loop: asyncio.AbstractEventLoop) -> None:
    for exits in list(_listeners[loop]):
        exits.wake()


def _kernel_has_pidfd() -> bool:
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True
