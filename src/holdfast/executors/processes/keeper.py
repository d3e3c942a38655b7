"""The keeper: a small process that outlives its node for a moment and ends what the node left behind.

A node that is killed cannot clean up after itself. So it starts a keeper first, which holds the read
end of a pipe. When the node is gone, however that came about, the pipe is at its end, and the keeper
kills the process groups it was told of and every process that carries the node's mark in its environment:
also one that left its group, and one that was started a moment before and that nobody told of.

It is run by path, as a script of its own (`python -I -S keeper.py`), so it imports nothing of holdfast.
The functions that look into /proc are shared with the node.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

NODE_MARK = "HOLDFAST_NODE_TOKEN"
"""In the environment of every process that a node starts, and so of all that those start."""

PROCESSES = "/proc"

_PATIENCE = 2.0
"""Seconds after the node's death for which processes are looked for that appear only now."""

_PAUSE = 0.05
_ASK_AGAIN = 10_000
"""Milliseconds. For where nothing wakes us when the node ends."""
_FORKED_ONLY = 0x40
"""PF_FORKNOEXEC, in the kernel's flags of a process."""


# --- looking into /proc


def process_ids() -> list[int]:
    """Of all processes; empty where there is no /proc to say."""
    try:
        return [int(name) for name in os.listdir(PROCESSES) if name.isdecimal()]
    except FileNotFoundError:
        return []


def mark_of(pid: int, mark: bytes) -> bytes | None:
    """The value that a process got in its environment under this name, if it got one that we may read."""
    try:
        descriptor = os.open(f"{PROCESSES}/{pid}/environ", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None  # it has ended, or is somebody else's
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
    """The process group of a process; None if it has ended, even if nobody has asked for its end yet."""
    fields = _state_of(pid)
    return None if len(fields) < 3 or fields[0] in (b"Z", b"X", b"x") else int(fields[2])


def is_unborn(pid: int) -> bool:
    """Whether a process that nobody has reaped yet never came to load its program."""
    fields = _state_of(pid)
    return len(fields) > 6 and bool(int(fields[6]) & _FORKED_ONLY)


def _state_of(pid: int) -> list[bytes]:
    """The state, the parent, the group, and so on; empty if it is gone."""
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
    # The name of the program stands in brackets before the rest, and may have any byte in it.
    return text.rpartition(b")")[2].split(maxsplit=7)


def kill_marked(pid: int, mark: bytes, value: bytes) -> bool:
    """Kill a process that was seen to carry this mark, and no other that has got its number since."""
    if not hasattr(os, "pidfd_open"):
        return _kill(pid)
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    except OSError:
        return _kill(pid)  # a kernel without it, or no descriptor left
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
        return False  # it has ended by itself, or has become another user's
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
        self._has_farewell = False
        """The node has ended in order: what it started is gone, as far as it knows."""
        self._node = node
        self._command = _command_of(node)

    def wait(self) -> None:
        """Until the node is gone. The end of the pipe says so, but not while a process that the node has
        forked holds it open: so the node itself is watched as well."""
        poll = select.poll()
        poll.register(0, select.POLLIN)
        watch = _watch(self._node)
        if watch is not None:
            poll.register(watch, select.POLLIN)
        while True:
            # Asked before each wait: it may have been gone before it could be watched.
            is_orphan = os.getppid() != self._node
            ready = poll.poll(0 if is_orphan else _ASK_AGAIN)
            if any(descriptor == 0 for descriptor, _ in ready):
                if not self._listen():
                    return
            elif is_orphan:
                return

    def _listen(self) -> bool:
        """Groups that began (`+123`) and ended (`-123`), a line each. False at the end of the pipe."""
        data = os.read(0, 1 << 16)
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            if line == b"end":
                self._has_farewell = True
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
        # A process that is just being started gets its mark only when its program is loaded, and
        # one that is being killed may have started another: so this looks until there is none, and on.
        deadline = time.monotonic() + _PATIENCE
        quiet = 0
        while quiet < (1 if self._has_farewell else 4) and time.monotonic() < deadline:
            quiet = 0 if self._kill_all_marked() else quiet + 1
            if not self._has_farewell:
                time.sleep(_PAUSE)
        self._remove_scratch()

    def _kill_all_marked(self) -> bool:
        mark = NODE_MARK.encode()
        found = False
        for pid in process_ids():
            if mark_of(pid, mark) == self._token:
                found = kill_marked(pid, mark, self._token) or found
            elif self._is_unborn_child(pid):
                found = _kill(pid) or found
        return found

    def _is_unborn_child(self, pid: int) -> bool:
        """Whether the node was about to start it: it leads its group, is still a copy of the node, and was
        adopted by whoever has adopted us."""
        fields = _state_of(pid)
        if len(fields) <= 6 or not int(fields[6]) & _FORKED_ONLY or self._has_farewell:
            return False
        parent, group = int(fields[1]), int(fields[2])
        return group == pid and parent == os.getppid() and _command_of(pid) == self._command

    def _remove_scratch(self) -> None:
        import shutil  # which takes its time, and is needed only now

        shutil.rmtree(self._scratch, ignore_errors=True)  # if the node has not done it


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


def _watch(node: int) -> int | None:
    """Something that wakes us when the node has ended, where the kernel has that."""
    try:
        return os.pidfd_open(node)
    except (AttributeError, OSError):
        return None  # it has ended already, or has to be asked for now and then


def main() -> None:
    # Signals to the node's group, as Ctrl-C sends them, are not meant for whoever cleans up after it. They
    # are blocked from the first moment on, and from here on do not come any more.
    os.setsid()
    os.chdir("/")
    node, token, scratch = sys.argv[1:]
    keeper = Keeper(int(node), token, scratch)
    keeper.wait()
    keeper.clean_up()


if __name__ == "__main__":
    main()
