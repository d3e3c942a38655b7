"""The keeper: a small process that outlives its node for a moment and kills what the node has left behind.

A node that is killed cannot clean up. So it starts a keeper first, which holds the read end of a pipe. When
the node is gone, for whatever reason, the pipe is at its end. The keeper then kills the process groups that
it was told of, and every process that carries the node's mark in its environment. So it also finds a process
that has left its group, and one that was started a moment before and that it was not told of.

The node runs this file as a script (`python -I -S keeper.py`), so it imports nothing of holdfast. The
functions that read /proc are shared with the node.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

NODE_MARK = "HOLDFAST_NODE_TOKEN"
"""An environment variable of every process that a node starts. What those processes start inherits it."""

PROCESSES = "/proc"

_SEARCH_FOR = 2.0
"""Seconds after the node's death for which the keeper looks for processes that appear only then."""

_PAUSE = 0.05
_CHECK_EVERY = 10_000
"""Milliseconds. For systems on which nothing wakes the keeper when the node ends."""
_PF_FORKNOEXEC = 0x40
"""A flag of the kernel: the process was forked and has not executed a program since."""


# --- reading /proc


def process_ids() -> list[int]:
    """Of all processes; empty where there is no /proc."""
    try:
        return [int(name) for name in os.listdir(PROCESSES) if name.isdecimal()]
    except FileNotFoundError:
        return []


def mark_of(pid: int, mark: bytes) -> bytes | None:
    """The value of this environment variable of a process. None if it has none, or if we may not read it."""
    try:
        descriptor = os.open(f"{PROCESSES}/{pid}/environ", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None  # the process has ended, or belongs to another user
    try:
        environment = _read_all(descriptor)
    except OSError:
        return None  # it has ended since
    finally:
        os.close(descriptor)
    prefix = mark + b"="
    if environment.startswith(prefix):
        start = len(prefix)
    else:
        at = environment.find(b"\0" + prefix)
        if at < 0:
            return None
        start = at + 1 + len(prefix)
    end = environment.find(b"\0", start)
    return environment[start:] if end < 0 else environment[start:end]


def group_of(pid: int) -> int | None:
    """The process group of a process; None if the process has exited, even if it is still a zombie."""
    fields = _stat_fields(pid)
    return None if len(fields) < 3 or fields[0] in (b"Z", b"X", b"x") else int(fields[2])


def never_loaded_program(pid: int) -> bool:
    """Whether a process that has exited and is not reaped yet had not loaded its program."""
    fields = _stat_fields(pid)
    return len(fields) > 6 and bool(int(fields[6]) & _PF_FORKNOEXEC)


def _stat_fields(pid: int) -> list[bytes]:
    """The state, the parent, the group, and so on; empty if the process is gone."""
    try:
        descriptor = os.open(f"{PROCESSES}/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        text = os.read(descriptor, 4096)
    except OSError:
        return []
    finally:
        os.close(descriptor)
    # The name of the program comes first, in brackets. It may contain any byte, also brackets and spaces.
    return text.rpartition(b")")[2].split(maxsplit=7)


def kill_marked(pid: int, mark: bytes, value: bytes) -> bool:
    """Kill a process that was seen to carry this mark, but not another one that has got its pid since."""
    if not hasattr(os, "pidfd_open"):
        return _kill(pid)
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    except OSError:
        return _kill(pid)  # the kernel has no pidfds, or there is no descriptor left
    try:
        if mark_of(pid, mark) != value:
            return False
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        return True
    except (ProcessLookupError, PermissionError):
        return False  # as in `_kill`
    finally:
        os.close(descriptor)


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False  # it has ended by itself, or now runs as another user
    return True


def _read_all(descriptor: int) -> bytes:
    pieces: list[bytes] = []
    while piece := os.read(descriptor, 1 << 17):
        pieces.append(piece)
    return b"".join(pieces)


# --- the keeper itself


class Keeper:
    def __init__(self, node: int, token: str, scratch: str) -> None:
        self._token = token.encode()
        self._scratch = scratch
        self._groups: set[int] = set()
        self._unread = b""
        self._node_stopped = False
        """The node has stopped in order. As far as it knows, everything that it started is gone."""
        self._node = node
        self._command = _command_of(node)

    def wait(self) -> None:
        """Until the node is gone. Usually the end of the pipe shows that. But a process that the node has
        forked may hold the pipe open, so the node itself is watched as well."""
        poll = select.poll()
        poll.register(0, select.POLLIN)
        pidfd = _pidfd_of(self._node)
        if pidfd is not None:
            poll.register(pidfd, select.POLLIN)
        while True:
            # Checked before each wait: the node may have been gone before it could be watched.
            is_orphan = os.getppid() != self._node
            ready = poll.poll(0 if is_orphan else _CHECK_EVERY)
            if any(descriptor == 0 for descriptor, _ in ready):
                if not self._read_groups():
                    return
            elif is_orphan:
                return

    def _read_groups(self) -> bool:
        """One line for each group that started (`+123`) or ended (`-123`). False at the end of the pipe."""
        data = os.read(0, 1 << 16)
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            if line == b"end":
                self._node_stopped = True
            elif line.startswith(b"+"):
                self._groups.add(int(line[1:]))
            elif line.startswith(b"-"):
                self._groups.discard(int(line[1:]))
        return bool(data)

    def clean_up(self) -> None:
        for group in self._groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass  # it has ended by itself
        # A process that is being started gets its mark only when it loads its program, and a process that is
        # being killed may have started another one. So this repeats the search until it finds nothing several
        # times.
        deadline = time.monotonic() + _SEARCH_FOR
        empty_searches = 0
        while empty_searches < (1 if self._node_stopped else 4) and time.monotonic() < deadline:
            empty_searches = 0 if self._kill_all_marked() else empty_searches + 1
            if not self._node_stopped:
                time.sleep(_PAUSE)
        self._remove_scratch()

    def _kill_all_marked(self) -> bool:
        mark = NODE_MARK.encode()
        found = False
        for pid in process_ids():
            if mark_of(pid, mark) == self._token:
                found = kill_marked(pid, mark, self._token) or found
            elif self._is_child_without_program(pid):
                found = _kill(pid) or found
        return found

    def _is_child_without_program(self, pid: int) -> bool:
        """Whether the node was just starting this process: it leads its own group, is still a copy of the
        node, and has the same parent now as the keeper."""
        fields = _stat_fields(pid)
        if len(fields) <= 6 or not int(fields[6]) & _PF_FORKNOEXEC or self._node_stopped:
            return False
        parent, group = int(fields[1]), int(fields[2])
        return group == pid and parent == os.getppid() and _command_of(pid) == self._command

    def _remove_scratch(self) -> None:
        import shutil  # slow to import, and needed only now

        shutil.rmtree(self._scratch, ignore_errors=True)  # if the node has not done so


def _command_of(pid: int) -> bytes:
    try:
        descriptor = os.open(f"{PROCESSES}/{pid}/cmdline", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return _read_all(descriptor)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _pidfd_of(node: int) -> int | None:
    """A descriptor that becomes readable when the node ends; None where the kernel has no such thing."""
    try:
        return os.pidfd_open(node)
    except (AttributeError, OSError):
        return None  # `wait` checks the parent now and then; the node may also have ended already


def main() -> None:
    # Signals to the node's group, such as Ctrl-C sends, are not meant for the keeper. The node has blocked
    # them in the keeper from the start, and in a new session they do not reach it any more.
    os.setsid()
    os.chdir("/")
    node, token, scratch = sys.argv[1:]
    keeper = Keeper(int(node), token, scratch)
    keeper.wait()
    keeper.clean_up()


if __name__ == "__main__":
    main()
