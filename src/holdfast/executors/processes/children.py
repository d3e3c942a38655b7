"""Child processes: started cheaply, listened to, and ended for certain.

A `Child` is a process that leads a group of its own and carries two marks in its environment: the
node's, by which the keeper finds it when the node has died, and one of its own. Whatever it starts
inherits both. So `end` can end all of it: SIGTERM to the group; SIGKILL to the group once it has had
its time; SIGKILL to whatever left the group but still carries the mark.

The order on the way out is what makes this safe. A group keeps its number for as long as its leader
has not been reaped, so the leader is reaped last: signals to the group can hit nobody else.

For some microseconds a new process is still in the node's group, and Ctrl-C in the node's terminal is then
sent to it as well. It has all signals blocked until it leaves the group, and so dies just after, before its
program is loaded. Nothing can be told to it in time, so that is noticed, and it counts as not started.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import fcntl
import logging
import os
import resource
import secrets
import signal
import sys
import termios
from contextvars import Context, copy_context
from itertools import count
from typing import Final, Protocol, cast

from holdfast.executors.processes.keeper import NODE_MARK, is_unborn
from holdfast.executors.processes.keeper_link import KeeperLink
from holdfast.executors.processes.readiness import Exits, Readable
from holdfast.executors.processes.reaping import EndingProcess, Reaper
from holdfast.executors.processes.spawn_requests import EnvironmentBlock, SpawnRequest
from holdfast.executors.processes.spawners import Begun, Spawners

_log = logging.getLogger("holdfast.executors")

ATTEMPT_MARK: Final = "HOLDFAST_ATTEMPT_TOKEN"

_NODE_MARK = NODE_MARK.encode()
_ATTEMPT_MARK = ATTEMPT_MARK.encode()
_CHUNK = 16 * 1024
"""As much as is read at once. It may be eight thousand lines."""
_CHUNKS_A_PIPE = 5
_LISTEN_AFTER = 0.025
"""Seconds, or up to twice as many. What is said before waits in the pipe, and is heard then or at the end."""
_ENDING = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
"""What a terminal sends to the node's group."""
_TAKEN_AWAY = 255
"""The exit code of a child for which somebody else in this process has waited, as one who waits for any."""
_PATIENCE = 10.0
"""Seconds for which a process that was killed is waited for when everything stops."""
_SPARE_DESCRIPTORS = 128
_USUAL_DESCRIPTORS = 1024
"""What the rest of the application needs at least, and what it may count on: databases, connections, logs."""


class Listener(Protocol):
    """Whoever has started a process hears what it says, and once that it is gone."""

    def heard(self, stream: str, data: bytes) -> None: ...

    def gone(self, ending: int | Exception) -> None:
        """It and its whole group have ended: its exit code, negative for a signal. Or why it never began."""
        ...


class Child:
    """One process and its group. Made by `Processes.spawn`, and then soon begun."""

    __slots__ = (
        "group",
        "has_begun",
        "is_killed",
        "is_listened_to",
        "is_unborn",
        "listener",
        "pipes",
        "reaped_at",
        "status",
        "timer",
        "token",
        "was_ended",
    )

    group: int
    """Its number and that of its group, once it has begun. There is none before: 0 would be our own."""

    def __init__(self, token: bytes, listener: Listener) -> None:
        self.token = token
        self.listener = listener
        self.pipes: dict[int, str] = {}
        """Those still open, each with the name of its stream."""
        self.status: int | None = None
        """Its exit code, once it has ended; negative for a signal."""
        self.timer: asyncio.TimerHandle | None = None
        self.reaped_at: float | None = None
        self.has_begun = False
        self.was_ended = False
        self.is_killed = False
        self.is_listened_to = False
        self.is_unborn = False
        """It was ended by what the terminal sent to the node, before its program was loaded."""

    def begin(self, begun: Begun) -> None:
        self.group = begun.pid
        self.has_begun = True
        self.pipes = {begun.out: "stdout", begun.err: "stderr"}
        for pipe in self.pipes:
            os.set_blocking(pipe, False)

    def close(self) -> None:
        for pipe in self.pipes:
            os.close(pipe)
        self.pipes.clear()

    @property
    def is_silent(self) -> bool:
        return not self.pipes

    @property
    def has_group(self) -> bool:
        try:
            os.killpg(self.group, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # it has become another user's, but is there
        return True


class Processes:
    """All children of one executor. Belongs to the event loop that it is made on."""

    def __init__(
        self,
        environment: EnvironmentBlock,
        scratch: str,
        kill_after: dt.timedelta,
        *,
        has_pidfd: bool | None = None,
    ) -> None:
        _occupy_standard_descriptors()
        self._loop = loop = asyncio.get_running_loop()
        self._variables: Context = copy_context()
        self._kill_after = kill_after.total_seconds()
        self._token = secrets.token_hex(12).encode()
        self._numbers = count(1)
        self._children: set[Child] = set()
        """Not by number: that may be a new child's before all is over with the old one."""
        self.readable = Readable(loop, self._variables)
        self._exits = Exits(loop, self._variables, self.readable, has_pidfd=has_pidfd)
        self.keeper = KeeperLink(
            loop, self._variables, self._exits, environment.variables, self._token.decode(), scratch
        )
        self._spawners = Spawners(loop, self._variables, self._take_in)
        self._newcomers: list[Child] = []
        self._settlers: list[Child] = []
        """Those whose pipes are not listened to yet, and those that are the next to be."""
        self._is_expecting = False
        self._reaper = Reaper(loop, self._variables, _ATTEMPT_MARK, self._reap, self._let_go)
        self._all_gone = asyncio.Event()

    def spawn(self, order: SpawnRequest, listener: Listener) -> Child:
        """Start a process soon. It gets the marks as variables; its listener is told if it cannot be done."""
        self.keeper.ensure()
        child = Child(b"%s-%d" % (self._token, next(self._numbers)), listener)
        order.variables[_NODE_MARK] = self._token
        order.variables[_ATTEMPT_MARK] = child.token
        self._children.add(child)
        self._spawners.ask(child, order)
        return child

    def _take_in(self, child: Child, begun: Begun | Exception) -> None:
        if not isinstance(begun, Begun):
            self._forget(child, begun)
            return
        child.begin(begun)
        try:
            self._exits.add(child.group, self._look_for_end, child)
        except ProcessLookupError:
            # The other was quicker.
            child.status = _TAKEN_AWAY
            self._reap(child)
            return
        except OSError as error:
            _signal_group(child.group, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):  # somebody else in this process has waited for it
                os.waitpid(child.group, 0)
            child.close()
            self._forget(child, error)
            return
        self._newcomers.append(child)
        if not self._is_expecting:
            self._expect_newcomers()
        self.keeper.began(child.group)
        if child.is_killed:
            self.kill(child)
        elif child.was_ended:
            self._ask_to_end(child)

    def _expect_newcomers(self) -> None:
        """Listen to those that were new the last time. Most short processes have ended by then, and what they
        said was read at their end."""
        for child in self._settlers:
            self._listen_to(child)
        self._settlers, self._newcomers = self._newcomers, []
        self._is_expecting = bool(self._settlers)
        if self._is_expecting:
            self._loop.call_later(_LISTEN_AFTER, self._expect_newcomers, context=self._variables)

    def _listen_to(self, child: Child) -> None:
        if not child.is_listened_to:
            child.is_listened_to = True
            for pipe in child.pipes:
                self.readable.add(pipe, self._read, child)

    def end(self, child: Child, *, politely: bool = True) -> None:
        """SIGTERM to its group, SIGKILL after its time. If not `politely`, only the latter."""
        if child.was_ended or child.reaped_at is not None:
            return
        child.was_ended = True
        if child.has_begun:
            self._ask_to_end(child, politely=politely)
        else:
            self._withdraw(child)

    def _ask_to_end(self, child: Child, *, politely: bool = True) -> None:
        child.timer = self._loop.call_later(self._kill_after, self.kill, child, context=self._variables)
        if politely:
            _signal_group(child.group, signal.SIGTERM)
            _signal_group(child.group, signal.SIGCONT)  # what is stopped hears nothing else

    def kill(self, child: Child) -> None:
        """SIGKILL to its group, and then to what carries its mark."""
        if child.reaped_at is not None:
            return
        child.was_ended = child.is_killed = True
        if not child.has_begun:
            self._withdraw(child)
        elif child.status is None:
            _signal_group(child.group, signal.SIGKILL)
        else:
            self._reap(child)

    async def stop(self) -> None:
        """End all children, wait until they are gone, and give everything back.

        A process that not even SIGKILL ends, since it hangs in the kernel, is left to the keeper.
        """
        for child in list(self._children):
            self.end(child)
        if self._children:
            self._all_gone.clear()
            try:
                async with asyncio.timeout(self._kill_after + _PATIENCE):
                    await self._all_gone.wait()
            except TimeoutError:
                _log.warning("%d processes do not end, even by SIGKILL", len(self._children))
        self._spawners.close()
        await self.keeper.stop()
        self._exits.close()
        self.readable.close()

    # --- what is noticed

    def read_now(self, child: Child) -> None:
        """Take what is in the pipes of a child at this moment, and no more: it may never stop writing."""
        for pipe in list(child.pipes):
            left = _unread_bytes(pipe)
            while left > 0:
                read = self._read(child, pipe)
                left = left - read if read else 0

    def _read(self, child: Child, pipe: int) -> int:
        try:
            data = os.read(pipe, _CHUNK)
        except BlockingIOError:
            return 0
        if data:
            child.listener.heard(child.pipes[pipe], data)
        else:
            self._close_pipe(child, pipe)
        return len(data)

    def _close_pipe(self, child: Child, pipe: int) -> None:
        del child.pipes[pipe]
        if child.is_listened_to:
            self.readable.drop(pipe)
        os.close(pipe)

    def _look_for_end(self, child: Child, _descriptor: int) -> int:
        """Look only: as a zombie it keeps its number, and signals to its group still find the right one."""
        status = _exit_status(child.group)
        if status is None:
            return 0
        child.status = status
        if -status in _ENDING and not child.was_ended:
            child.is_unborn = is_unborn(child.group)
        self._exits.drop(child.group)
        if child.was_ended and not child.is_killed:
            # The rest of its group was asked to end as well, and has the same time for it.
            self._reaper.add(child)
        else:
            self._reap(child)
        return 0

    def _reap(self, leaver: EndingProcess) -> None:
        """Nothing of its group outlives it."""
        child = cast("Child", leaver)
        _signal_group(child.group, signal.SIGKILL)
        try:
            os.waitpid(child.group, 0)
        except ChildProcessError:
            pass  # somebody else in this process waits for any child it has
        child.reaped_at = self._loop.time()
        self.keeper.ended(child.group)
        if child.timer is not None:
            child.timer.cancel()
        for pipe in list(child.pipes):
            # As much as a pipe usually holds. If there is more, it is read in turns like all else.
            for _ in range(_CHUNKS_A_PIPE):
                if not self._read(child, pipe):
                    break
        if child.pipes:
            self._listen_to(child)
        if child.was_ended or child.pipes or child.has_group:
            self._reaper.add(child)
        else:
            self._let_go(child)

    def _let_go(self, leaver: EndingProcess) -> None:
        child = cast("Child", leaver)
        if child.pipes:  # somebody still holds them
            self.read_now(child)
        for pipe in list(child.pipes):
            self._close_pipe(child, pipe)
        self._forget(child, cast("int", child.status))

    def _withdraw(self, child: Child) -> None:
        """If there is still time to. Else it is ended as soon as it has begun."""
        if self._spawners.withdraw(child):
            self._loop.call_soon(self._forget, child, -signal.SIGTERM, context=self._variables)

    def _forget(self, child: Child, ending: int | Exception) -> None:
        if child.timer is not None:
            child.timer.cancel()
        self._children.remove(child)
        if not self._children:
            self._all_gone.set()
        child.listener.gone(ending)


def room_for(wanted: int, descriptors: int) -> int:
    """How many children with so many descriptors each there is room for, once the limit is raised."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    needed = _USUAL_DESCRIPTORS + wanted * descriptors
    if hard != resource.RLIM_INFINITY:
        needed = min(needed, hard)
    if needed > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
            soft = needed
        except (OSError, ValueError):
            pass  # some systems have a limit below the hard one, and say so only here
    return max(1, min(wanted, (soft - _SPARE_DESCRIPTORS) // descriptors))


def _occupy_standard_descriptors() -> None:
    """In a node that was started without a standard input, a pipe could get the number 0, 1 or 2, and be
    overwritten on the way into a child."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def _signal_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass  # nobody is left in it, or only what has become another user's


def _exit_status(pid: int) -> int | None:
    """How it ended, without reaping it; None if it has not."""
    try:
        if hasattr(os, "waitid"):
            info = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if info is None:
                return None
            return info.si_status if info.si_code == os.CLD_EXITED else -info.si_status
        reaped, status = os.waitpid(pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if reaped else None
    except ChildProcessError:
        return _TAKEN_AWAY


def _unread_bytes(pipe: int) -> int:
    buffer = bytearray(4)
    fcntl.ioctl(pipe, termios.FIONREAD, buffer)
    return int.from_bytes(buffer, sys.byteorder)
