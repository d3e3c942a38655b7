"""Child processes: started cheaply, read from, and ended for certain.

A `Child` is a process that leads its own process group and carries two marks in its environment: the node's
mark, by which the keeper finds it when the node has died, and its own. Whatever it starts inherits both. So
`end` can end all of it: SIGTERM to the group; SIGKILL to the group after a grace period; SIGKILL to whatever
has left the group but still carries the mark.

The order in which a child ends makes this safe. The number of a group cannot be used again until its leader
is reaped. So the leader is reaped last, and signals to the group can hit nothing else.

For some microseconds a new process is still in the node's group, and a Ctrl-C in the node's terminal reaches
it as well. All its signals are blocked until it has left the group, so it dies just after that, before its
program is loaded. That cannot be prevented. It is noticed, and the process counts as not started
(`Child.never_loaded_program`).
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import fcntl
import logging
import os
import secrets
import signal
import sys
import termios
from contextvars import Context, copy_context
from itertools import count
from typing import Final, Protocol, cast

from holdfast.executors.processes.keeper import NODE_MARK, never_loaded_program
from holdfast.executors.processes.keeper_link import KeeperLink
from holdfast.executors.processes.readiness import DescriptorWatcher, ExitWatcher
from holdfast.executors.processes.reaping import ExitedProcess, Reaper
from holdfast.executors.processes.spawners import Spawners, StartedProcess
from holdfast.executors.processes.spawning import EnvironmentBlock, SpawnRequest

_log = logging.getLogger("holdfast.executors")

ATTEMPT_MARK: Final = "HOLDFAST_ATTEMPT_TOKEN"

_NODE_MARK = NODE_MARK.encode()
_ATTEMPT_MARK = ATTEMPT_MARK.encode()
_CHUNK = 16 * 1024
"""How many bytes are read at once. That may be eight thousand lines."""
_CHUNKS_AT_EXIT = 5
"""As much as a pipe usually holds. If there is more, it is read by the event loop like everything else."""
_WATCH_PIPES_AFTER = 0.025
"""Seconds, or up to twice as many. Output before that waits in the pipe, and is read then or when the process
exits."""
_TERMINAL_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
"""Signals that a terminal sends to the node's group and that end a process."""
_UNKNOWN_EXIT_CODE = 255
"""For a child that another part of this process has reaped, for example by waiting for any child."""
_STOP_TIMEOUT = 10.0
"""Seconds that `stop` waits for killed processes."""


class ChildListener(Protocol):
    def on_output(self, stream: str, data: bytes) -> None: ...

    def on_exit(self, ending: int | Exception) -> None:
        """Called once, when the process and its whole group have ended. `ending` is the exit code, negative
        for a signal, or the reason why the process was never started."""
        ...


class Child:
    """One process and its group. Made by `Processes.spawn`, and started soon after."""

    __slots__ = (
        "end_requested",
        "exit_code",
        "group",
        "has_started",
        "is_watched",
        "kill_requested",
        "kill_timer",
        "listener",
        "never_loaded_program",
        "pipes",
        "reaped_at",
        "token",
    )

    group: int
    """Its pid, which is also the number of its group. Not set before it has started: 0 would be our own
    group."""

    def __init__(self, token: bytes, listener: ChildListener) -> None:
        self.token = token
        self.listener = listener
        self.pipes: dict[int, str] = {}
        """The read ends that are still open, each with the name of its stream."""
        self.exit_code: int | None = None
        """Negative for a signal."""
        self.kill_timer: asyncio.TimerHandle | None = None
        self.reaped_at: float | None = None
        self.has_started = False
        self.end_requested = False
        self.kill_requested = False
        self.is_watched = False
        """The event loop reads its pipes."""
        self.never_loaded_program = False
        """A signal that the terminal sent to the node has ended it before its program was loaded."""

    def start(self, started: StartedProcess) -> None:
        self.group = started.pid
        self.has_started = True
        self.pipes = {started.stdout: "stdout", started.stderr: "stderr"}
        for pipe in self.pipes:
            os.set_blocking(pipe, False)

    def close_pipes(self) -> None:
        for pipe in self.pipes:
            os.close(pipe)
        self.pipes.clear()

    @property
    def pipes_closed(self) -> bool:
        return not self.pipes

    @property
    def group_exists(self) -> bool:
        try:
            os.killpg(self.group, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # it now runs as another user, but it exists
        return True


class Processes:
    """All children of one executor. Belongs to the event loop that it is created on."""

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
        self._contextvars: Context = copy_context()
        self._kill_after = kill_after.total_seconds()
        self._token = secrets.token_hex(12).encode()
        self._numbers = count(1)
        self._children: set[Child] = set()
        """Not a dict by pid: a new child may get the pid of a child that is not finished yet."""
        self.descriptor_watcher = DescriptorWatcher(loop, self._contextvars)
        self._exit_watcher = ExitWatcher(
            loop, self._contextvars, self.descriptor_watcher, has_pidfd=has_pidfd
        )
        self.keeper = KeeperLink(
            loop,
            self._contextvars,
            self._exit_watcher,
            environment.variables,
            self._token.decode(),
            scratch,
        )
        self._spawners = Spawners(loop, self._contextvars, self._on_started)
        self._newest: list[Child] = []
        """Started since the last `_watch_older`. Their pipes are not watched yet."""
        self._older: list[Child] = []
        """Started before that. The next `_watch_older` watches their pipes."""
        self._watch_is_scheduled = False
        self._reaper = Reaper(loop, self._contextvars, _ATTEMPT_MARK, self._reap, self._finish)
        self._all_ended = asyncio.Event()

    def spawn(self, request: SpawnRequest, listener: ChildListener) -> Child:
        """Start a process soon. The marks are added to the request's variables. If the process cannot be
        started, the listener is told."""
        self.keeper.ensure_started()
        child = Child(b"%s-%d" % (self._token, next(self._numbers)), listener)
        request.variables[_NODE_MARK] = self._token
        request.variables[_ATTEMPT_MARK] = child.token
        self._children.add(child)
        self._spawners.submit(child, request)
        return child

    def _on_started(self, child: Child, started: StartedProcess | Exception) -> None:
        if not isinstance(started, StartedProcess):
            self._remove(child, started)
            return
        child.start(started)
        try:
            self._exit_watcher.add(child.group, self._on_exit, child)
        except ProcessLookupError:
            # The child has exited, and another part of this process has reaped it.
            child.exit_code = _UNKNOWN_EXIT_CODE
            self._reap(child)
            return
        except OSError as error:
            _signal_group(child.group, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):  # another part of this process has reaped it
                os.waitpid(child.group, 0)
            child.close_pipes()
            self._remove(child, error)
            return
        self._newest.append(child)
        if not self._watch_is_scheduled:
            self._watch_older()
        self.keeper.add_group(child.group)
        if child.kill_requested:
            self.kill(child)
        elif child.end_requested:
            self._ask_to_end(child)

    def _watch_older(self) -> None:
        """Watch the pipes of the children that were new the last time. Most short processes have exited by
        then, and their output was read at their exit."""
        for child in self._older:
            self._watch_pipes(child)
        self._older, self._newest = self._newest, []
        self._watch_is_scheduled = bool(self._older)
        if self._watch_is_scheduled:
            self._loop.call_later(_WATCH_PIPES_AFTER, self._watch_older, context=self._contextvars)

    def _watch_pipes(self, child: Child) -> None:
        if not child.is_watched:
            child.is_watched = True
            for pipe in child.pipes:
                self.descriptor_watcher.add(pipe, self._read, child)

    def end(self, child: Child, *, politely: bool = True) -> None:
        """Send SIGTERM to its group, and SIGKILL after the grace period. If not `politely`, only the
        SIGKILL."""
        if child.end_requested or child.reaped_at is not None:
            return
        child.end_requested = True
        if child.has_started:
            self._ask_to_end(child, politely=politely)
        else:
            self._withdraw(child)

    def _ask_to_end(self, child: Child, *, politely: bool = True) -> None:
        child.kill_timer = self._loop.call_later(
            self._kill_after, self.kill, child, context=self._contextvars
        )
        if politely:
            _signal_group(child.group, signal.SIGTERM)
            _signal_group(child.group, signal.SIGCONT)  # a stopped process does not handle SIGTERM

    def kill(self, child: Child) -> None:
        """Send SIGKILL to its group, and then to what carries its mark."""
        if child.reaped_at is not None:
            return
        child.end_requested = child.kill_requested = True
        if not child.has_started:
            self._withdraw(child)
        elif child.exit_code is None:
            _signal_group(child.group, signal.SIGKILL)
        else:
            self._reap(child)

    async def stop(self) -> None:
        """End all children, wait until they are gone, and release everything.

        A process that not even SIGKILL ends, because it hangs in the kernel, is left to the keeper.
        """
        for child in list(self._children):
            self.end(child)
        if self._children:
            self._all_ended.clear()
            try:
                async with asyncio.timeout(self._kill_after + _STOP_TIMEOUT):
                    await self._all_ended.wait()
            except TimeoutError:
                _log.warning("%d processes do not end, even by SIGKILL", len(self._children))
        self._spawners.close()
        await self.keeper.stop()
        self._exit_watcher.close()
        self.descriptor_watcher.close()

    # --- output and exits

    def read_now(self, child: Child) -> None:
        """Read what is in the pipes of a child at this moment, and no more: the child may never stop
        writing."""
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
            child.listener.on_output(child.pipes[pipe], data)
        else:
            self._close_pipe(child, pipe)
        return len(data)

    def _close_pipe(self, child: Child, pipe: int) -> None:
        del child.pipes[pipe]
        if child.is_watched:
            self.descriptor_watcher.remove(pipe)
        os.close(pipe)

    def _on_exit(self, child: Child, _descriptor: int) -> int:
        """The child is not reaped here. As a zombie it keeps its pid, so signals to its group reach nothing
        else."""
        exit_code = _exit_code(child.group)
        if exit_code is None:
            return 0
        child.exit_code = exit_code
        if -exit_code in _TERMINAL_SIGNALS and not child.end_requested:
            child.never_loaded_program = never_loaded_program(child.group)
        self._exit_watcher.remove(child.group)
        if child.end_requested and not child.kill_requested:
            # The rest of its group was asked to end as well, and has the same time for it.
            self._reaper.add(child)
        else:
            self._reap(child)
        return 0

    def _reap(self, process: ExitedProcess) -> None:
        """Kill the rest of the group, and reap the child."""
        child = cast("Child", process)
        _signal_group(child.group, signal.SIGKILL)
        try:
            os.waitpid(child.group, 0)
        except ChildProcessError:
            pass  # another part of this process has reaped it
        child.reaped_at = self._loop.time()
        self.keeper.remove_group(child.group)
        if child.kill_timer is not None:
            child.kill_timer.cancel()
        for pipe in list(child.pipes):
            for _ in range(_CHUNKS_AT_EXIT):
                if not self._read(child, pipe):
                    break
        if child.pipes:
            self._watch_pipes(child)
        if child.end_requested or child.pipes or child.group_exists:
            self._reaper.add(child)
        else:
            self._finish(child)

    def _finish(self, process: ExitedProcess) -> None:
        child = cast("Child", process)
        if child.pipes:  # another process still holds them
            self.read_now(child)
        for pipe in list(child.pipes):
            self._close_pipe(child, pipe)
        self._remove(child, cast("int", child.exit_code))

    def _withdraw(self, child: Child) -> None:
        """Keep the child from starting. If it is too late for that, `_on_started` ends it."""
        if self._spawners.withdraw(child):
            self._loop.call_soon(self._remove, child, -signal.SIGTERM, context=self._contextvars)

    def _remove(self, child: Child, ending: int | Exception) -> None:
        if child.kill_timer is not None:
            child.kill_timer.cancel()
        self._children.remove(child)
        if not self._children:
            self._all_ended.set()
        child.listener.on_exit(ending)


def _occupy_standard_descriptors() -> None:
    """Open 0, 1 and 2 if they are closed. Otherwise a pipe could get one of these numbers in a node that was
    started without a standard input, and would be overwritten when a child is started."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def _signal_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass  # the group is empty, or its members now run as another user


def _exit_code(pid: int) -> int | None:
    """Does not reap the process, where the system allows that. None if the process has not exited."""
    try:
        if hasattr(os, "waitid"):
            info = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if info is None:
                return None
            return info.si_status if info.si_code == os.CLD_EXITED else -info.si_status
        reaped, status = os.waitpid(pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if reaped else None
    except ChildProcessError:
        return _UNKNOWN_EXIT_CODE


def _unread_bytes(pipe: int) -> int:
    buffer = bytearray(4)
    fcntl.ioctl(pipe, termios.FIONREAD, buffer)
    return int.from_bytes(buffer, sys.byteorder)
