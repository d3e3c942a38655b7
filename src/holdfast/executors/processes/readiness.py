"""Noticing that a descriptor can be read and that a process has exited, without threads and without polling.

`DescriptorWatcher` puts all descriptors of an executor into one epoll object, and the event loop watches only
that. With a thousand processes a second, three `add_reader` for each would cost more than everything else.
The watcher also bounds how much is done in one iteration of the loop, however much the processes write.

`ExitWatcher` uses a pidfd for each process. Where there is none (macOS, Linux before 5.3), it uses SIGCHLD
and checks the processes that were added and no others: the application may have its own.
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

_EVENTS_PER_ITERATION = 64
_BYTES_PER_ITERATION = 64 * 1024
_POLL_EVERY = 0.02
"""Seconds."""

OnReady = Callable[[Any, int], int]
"""Called with the subject that was given to `add` and the descriptor. Returns how many bytes it has read.
There may be nothing to read: the number of a closed descriptor may have been used again since epoll reported
it."""


class DescriptorWatcher:
    """Calls back for descriptors that can be read, in each iteration of the loop until they are read or
    removed."""

    __slots__ = ("_callbacks", "_contextvars", "_epoll", "_loop", "_ready")

    def __init__(self, loop: asyncio.AbstractEventLoop, contextvars: Context) -> None:
        self._loop = loop
        self._contextvars = contextvars
        self._callbacks: dict[int, tuple[OnReady, Any]] = {}
        self._ready: list[int] = []
        """Reported by epoll and not yet called back for; the next one is last."""
        self._epoll = select.epoll() if hasattr(select, "epoll") else None
        if self._epoll is not None:
            contextvars.run(loop.add_reader, self._epoll.fileno(), self._on_epoll)

    def add(self, descriptor: int, on_ready: OnReady, subject: Any) -> None:
        self._callbacks[descriptor] = (on_ready, subject)
        if self._epoll is None:
            # In a copy: a Context cannot be entered twice, and this code may be running in it already.
            contextvars = self._contextvars.copy()
            contextvars.run(self._loop.add_reader, descriptor, self._call_back, descriptor)
        else:
            self._epoll.register(descriptor, select.EPOLLIN)

    def remove(self, descriptor: int) -> None:
        del self._callbacks[descriptor]
        if self._epoll is None:
            self._loop.remove_reader(descriptor)
        else:
            self._epoll.unregister(descriptor)

    def close(self) -> None:
        """Remove everything. The descriptors stay open: they belong to the caller."""
        if self._epoll is not None:
            self._loop.remove_reader(self._epoll.fileno())
            self._epoll.close()
        else:
            for descriptor in self._callbacks:
                self._loop.remove_reader(descriptor)
        self._callbacks.clear()
        self._ready.clear()

    def _on_epoll(self) -> None:
        epoll, ready = self._epoll, self._ready
        if not ready and epoll is not None:
            ready += [descriptor for descriptor, _ in reversed(epoll.poll(0, _EVENTS_PER_ITERATION))]
        left = _BYTES_PER_ITERATION
        # Descriptors that are not reached now come first in the next iteration. Otherwise the same few would
        # always be read.
        while ready and left > 0:
            descriptor = ready.pop()
            callback = self._callbacks.get(descriptor)
            if callback is not None:  # else the callback of another descriptor has removed it
                on_ready, subject = callback
                left -= on_ready(subject, descriptor)

    def _call_back(self, descriptor: int) -> None:
        callback = self._callbacks.get(descriptor)
        if callback is not None:
            on_ready, subject = callback
            on_ready(subject, descriptor)


class ExitWatcher:
    """Calls back when a process may have exited. The callback has to reap it."""

    __slots__ = (
        "_callbacks",
        "_contextvars",
        "_descriptor_watcher",
        "_has_pidfd",
        "_loop",
        "_pidfds",
        "_poll_timer",
    )

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        contextvars: Context,
        descriptor_watcher: DescriptorWatcher,
        *,
        has_pidfd: bool | None = None,
    ) -> None:
        self._loop = loop
        self._contextvars = contextvars
        self._descriptor_watcher = descriptor_watcher
        self._has_pidfd = _kernel_has_pidfd() if has_pidfd is None else has_pidfd
        self._pidfds: dict[int, int] = {}
        self._callbacks: dict[int, tuple[OnReady, Any]] = {}
        """By pid. Only used without pidfds."""
        self._poll_timer: asyncio.TimerHandle | None = None
        if not self._has_pidfd:
            self._listen_for_signals()

    def add(self, pid: int, on_exit: OnReady, subject: Any) -> None:
        """Call `on_exit` when the process may have exited. Raises OSError if there is no descriptor left."""
        if self._has_pidfd:
            descriptor = self._pidfds[pid] = os.pidfd_open(pid)
            self._descriptor_watcher.add(descriptor, on_exit, subject)
        else:
            self._callbacks[pid] = (on_exit, subject)
            # The process may have exited before, and its signal may have been handled already.
            self._loop.call_soon(self._call_back, pid, context=self._contextvars)

    def remove(self, pid: int) -> None:
        if self._has_pidfd:
            descriptor = self._pidfds.pop(pid)
            self._descriptor_watcher.remove(descriptor)
            os.close(descriptor)
        else:
            del self._callbacks[pid]

    def close(self) -> None:
        for pid in [*self._pidfds, *self._callbacks]:
            self.remove(pid)
        if self._poll_timer is not None:
            self._poll_timer.cancel()
        elif not self._has_pidfd:
            _watchers[self._loop].remove(self)
            if not _watchers[self._loop]:
                self._loop.remove_signal_handler(signal.SIGCHLD)

    def _listen_for_signals(self) -> None:
        try:
            # An event loop has one handler for each signal, so all watchers on this loop share it.
            self._loop.add_signal_handler(signal.SIGCHLD, _wake_watchers, self._loop)
        except (RuntimeError, ValueError):
            # Only the main thread gets signals, and this loop runs on another one. Polling is all that is
            # left.
            self._poll()
        else:
            _watchers.setdefault(self._loop, []).append(self)

    def _poll(self) -> None:
        self._call_all_back()
        self._poll_timer = self._loop.call_later(_POLL_EVERY, self._poll, context=self._contextvars)

    def wake(self) -> None:
        """Some child of this process has exited."""
        self._loop.call_soon(self._call_all_back, context=self._contextvars)

    def _call_all_back(self) -> None:
        for pid in list(self._callbacks):
            self._call_back(pid)

    def _call_back(self, pid: int) -> None:
        callback = self._callbacks.get(pid)
        if callback is not None:
            on_exit, subject = callback
            on_exit(subject, -1)


_watchers: WeakKeyDictionary[asyncio.AbstractEventLoop, list[ExitWatcher]] = WeakKeyDictionary()
"""Those that share the SIGCHLD handler of their event loop."""


def _wake_watchers(loop: asyncio.AbstractEventLoop) -> None:
    for watcher in list(_watchers[loop]):
        watcher.wake()


def _kernel_has_pidfd() -> bool:
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True
