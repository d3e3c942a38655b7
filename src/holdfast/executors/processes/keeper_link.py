"""The node's side of the keeper: starts it with the first process, tells it of groups, restarts it if it
dies."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Mapping
from contextvars import Context
from pathlib import Path

from holdfast.executors.processes import keeper
from holdfast.executors.processes.readiness import ExitWatcher

_log = logging.getLogger("holdfast.executors")

_SEND_AFTER = 0.1
"""Seconds. Most groups have come and gone by then. Until a group is sent, its mark is enough to find it."""
_SHORTEST_LIFE = 1.0
"""Seconds. A keeper that dies sooner is restarted after a pause of the same length."""
_AFTER_FAILURE = 10.0
_STOP_TIMEOUT = 3.0

_TERMINAL_SIGNALS = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
)


class KeeperLink:
    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        contextvars: Context,
        exit_watcher: ExitWatcher,
        environment: Mapping[bytes, bytes],
        token: str,
        scratch: str,
    ) -> None:
        self._loop = loop
        self._contextvars = contextvars
        self._exit_watcher = exit_watcher
        self._environment = environment
        self._arguments = [str(os.getpid()), token, scratch]
        self._pid = 0
        self._pipe = -1
        self._started_at = 0.0
        self._groups: set[int] = set()
        self._known_groups: set[int] = set()
        """Those that the keeper was told of."""
        self._unsent = b""
        self._timer: asyncio.TimerHandle | None = None
        self._is_stopping = False
        self._has_exited = asyncio.Event()

    @property
    def pid(self) -> int:
        """0 while no keeper runs."""
        return self._pid

    def ensure_started(self) -> None:
        """Start the keeper with the first process. Later restarts are scheduled by this class itself."""
        if not self._pid and not self._started_at:
            self._start()

    def add_group(self, group: int) -> None:
        self._groups.add(group)
        if self._timer is None:
            self._timer = self._loop.call_later(_SEND_AFTER, self._send_changes, context=self._contextvars)

    def remove_group(self, group: int) -> None:
        self._groups.discard(group)
        if self._timer is None and group in self._known_groups:
            self._timer = self._loop.call_later(_SEND_AFTER, self._send_changes, context=self._contextvars)

    async def stop(self) -> None:
        """To be called when all groups are gone. Waits until the keeper has exited."""
        self._is_stopping = True
        if self._timer is not None:
            self._timer.cancel()
        if not self._pid:
            return
        self._unsent += b"end\n"
        self._send()
        self._close_pipe()
        try:
            async with asyncio.timeout(_STOP_TIMEOUT):
                await self._has_exited.wait()
        except TimeoutError:
            os.kill(self._pid, signal.SIGKILL)  # it was stopped by a signal, or reads a very long /proc
            await self._has_exited.wait()

    def _start(self) -> None:
        self._started_at = self._loop.time()
        try:
            self._spawn()
        except OSError as error:
            _log.warning("no keeper can be started, so what this node starts may outlive it: %s", error)
            self._loop.call_later(_AFTER_FAILURE, self._restart, context=self._contextvars)
        else:
            self._known_groups.clear()
            self._unsent = b""
            self._send_changes()

    def _spawn(self) -> None:
        if not sys.executable:
            raise FileNotFoundError("this program does not know its Python: sys.executable is empty")
        read_end, write_end = os.pipe()
        try:
            pid = os.posix_spawn(
                sys.executable,
                [sys.executable, "-I", "-S", str(Path(keeper.__file__).resolve()), *self._arguments],
                self._environment,
                file_actions=(
                    (os.POSIX_SPAWN_DUP2, read_end, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ),
                setsigmask=_TERMINAL_SIGNALS,
                setsigdef=_TERMINAL_SIGNALS,
            )
            self._exit_watcher.add(pid, self._on_exit, None)
        except BaseException:
            os.close(write_end)
            raise
        finally:
            os.close(read_end)
        os.set_blocking(write_end, False)
        self._pid, self._pipe = pid, write_end

    def _send_changes(self) -> None:
        """Send the groups that have started or ended since the last time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        started, ended = self._groups - self._known_groups, self._known_groups - self._groups
        self._known_groups = set(self._groups)
        lines = [b"+%d\n" % group for group in started] + [b"-%d\n" % group for group in ended]
        self._unsent += b"".join(lines)
        self._send()
        if self._unsent:
            self._timer = self._loop.call_later(_SEND_AFTER, self._send_changes, context=self._contextvars)

    def _send(self) -> None:
        if not self._unsent or self._pipe < 0:
            return
        try:
            self._unsent = self._unsent[os.write(self._pipe, self._unsent) :]
        except BlockingIOError:
            pass  # the keeper is busy or was stopped by a signal; `_send_changes` tries again
        except BrokenPipeError:
            self._unsent = b""  # the keeper has died, and the next one is told of all groups

    def _close_pipe(self) -> None:
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1

    def _on_exit(self, _subject: None, _descriptor: int) -> int:
        try:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
        except ChildProcessError:
            pid, status = self._pid, 0
        if not pid:
            return 0
        self._exit_watcher.remove(self._pid)
        self._pid = 0
        self._close_pipe()
        if self._is_stopping:
            self._has_exited.set()
        else:
            _log.warning("the keeper of this node has ended (status %d) and is started again", status)
            delay = _SHORTEST_LIFE if self._loop.time() - self._started_at < _SHORTEST_LIFE else 0
            self._loop.call_later(delay, self._restart, context=self._contextvars)
        return 0

    def _restart(self) -> None:
        if not self._is_stopping and not self._pid:
            self._start()
