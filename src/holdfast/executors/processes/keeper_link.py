"""The node's side of the keeper: started with the first process, told of groups, started again if it dies."""

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
from holdfast.executors.processes.readiness import Exits

_log = logging.getLogger("holdfast.executors")

_TELL_AFTER = 0.1
"""Seconds. Most groups have come and gone by then; until they are told of, their mark is enough."""
_TOO_SOON = 1.0
"""Seconds. One that does not even live for so long is not started again at once."""
_AFTER_FAILURE = 10.0
_PATIENCE = 3.0

_OF_A_TERMINAL = (
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
        variables: Context,
        exits: Exits,
        environment: Mapping[bytes, bytes],
        token: str,
        scratch: str,
    ) -> None:
        self._loop = loop
        self._variables = variables
        self._exits = exits
        self._environment = environment
        self._arguments = [str(os.getpid()), token, scratch]
        self._pid = 0
        self._pipe = -1
        self._started_at = 0.0
        self._groups: set[int] = set()
        self._told: set[int] = set()
        self._unsent = b""
        self._timer: asyncio.TimerHandle | None = None
        self._is_stopping = False
        self._has_ended = asyncio.Event()

    @property
    def pid(self) -> int:
        """0 while there is none."""
        return self._pid

    def ensure(self) -> None:
        """Start it, unless it runs or has just failed to."""
        if not self._pid and not self._started_at:
            self._start()

    def began(self, group: int) -> None:
        self._groups.add(group)
        if self._timer is None:
            self._timer = self._loop.call_later(_TELL_AFTER, self._tell, context=self._variables)

    def ended(self, group: int) -> None:
        self._groups.discard(group)
        if self._timer is None and group in self._told:
            self._timer = self._loop.call_later(_TELL_AFTER, self._tell, context=self._variables)

    async def stop(self) -> None:
        """All groups are gone. Wait until the keeper is, too."""
        self._is_stopping = True
        if self._timer is not None:
            self._timer.cancel()
        if not self._pid:
            return
        self._unsent += b"end\n"
        self._send()
        self._hang_up()
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._has_ended.wait()
        except TimeoutError:
            os.kill(self._pid, signal.SIGKILL)  # it was stopped, or looks through a very long list
            await self._has_ended.wait()

    def _start(self) -> None:
        self._started_at = self._loop.time()
        try:
            self._spawn()
        except OSError as error:
            _log.warning("no keeper can be started, so what this node starts may outlive it: %s", error)
            self._loop.call_later(_AFTER_FAILURE, self._start_again, context=self._variables)
        else:
            self._told.clear()
            self._unsent = b""
            self._tell()

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
                setsigmask=_OF_A_TERMINAL,
                setsigdef=_OF_A_TERMINAL,
            )
            self._exits.add(pid, self._look_for_end, None)
        except BaseException:
            os.close(write_end)
            raise
        finally:
            os.close(read_end)
        os.set_blocking(write_end, False)
        self._pid, self._pipe = pid, write_end

    def _tell(self) -> None:
        """What has changed since it was told last. The mark finds what it has not heard of yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        begun, over = self._groups - self._told, self._told - self._groups
        self._told = set(self._groups)
        self._unsent += b"".join([b"+%d\n" % group for group in begun] + [b"-%d\n" % group for group in over])
        self._send()
        if self._unsent:
            self._timer = self._loop.call_later(_TELL_AFTER, self._tell, context=self._variables)

    def _send(self) -> None:
        if not self._unsent or self._pipe < 0:
            return
        try:
            self._unsent = self._unsent[os.write(self._pipe, self._unsent) :]
        except BlockingIOError:
            pass  # it is busy or was stopped; there is a next time
        except BrokenPipeError:
            self._unsent = b""  # it has died: the next one is told everything

    def _hang_up(self) -> None:
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1

    def _look_for_end(self, _subject: None, _descriptor: int) -> int:
        try:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
        except ChildProcessError:
            pid, status = self._pid, 0
        if not pid:
            return 0
        self._exits.drop(self._pid)
        self._pid = 0
        self._hang_up()
        if self._is_stopping:
            self._has_ended.set()
        else:
            _log.warning("the keeper of this node has ended (status %d) and is started again", status)
            delay = _TOO_SOON if self._loop.time() - self._started_at < _TOO_SOON else 0
            self._loop.call_later(delay, self._start_again, context=self._variables)
        return 0

    def _start_again(self) -> None:
        if not self._is_stopping and not self._pid:
            self._start()
