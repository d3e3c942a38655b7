"""The processes that nodes of a chaos run have started: tasks, workers that call functions, and keepers.

They are found in /proc, without holdfast, by an inherited environment variable. It names the file of this
world to which tasks write that they begin.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

NOTES = "CHAOS_NOTES"
_NODE_MARK = b"HOLDFAST_NODE_TOKEN="
_PAUSE = 0.05


class Started(NamedTuple):
    """A process that a node has started, directly or through another process."""

    pid: int
    born: int
    """When it started, by the kernel's clock. Tells it from a later process with the same pid."""
    parent: int
    kind: str
    """`task`, `worker` or `keeper`"""
    command: str

    def __str__(self) -> str:
        return f"{self.kind} {self.pid}, child of {self.parent}: {self.command}"


def started_by_nodes(notes: Path) -> list[Started]:
    """The processes that exist now in the world with this file, by pid."""
    mine = f"{NOTES}={notes}".encode()
    found: list[Started] = []
    for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdecimal()):
        folder = Path(f"/proc/{pid}")
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
            if mine not in environment:
                continue
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            parent, born = _parent_and_birth(pid)
        except OSError:
            continue  # the process has ended meanwhile
        has_mark = any(each.startswith(_NODE_MARK) for each in environment)
        if "keeper.py" in command:
            found.append(Started(pid, born, parent, "keeper", command))
        elif has_mark:
            kind = "worker" if "worker_script.py" in command else "task"
            found.append(Started(pid, born, parent, kind, command))
    return found


def of_node(notes: Path, node: int) -> list[Started]:
    """The children of this node."""
    return [each for each in started_by_nodes(notes) if each.parent == node]


def send(process: Started, number: signal.Signals) -> bool:
    """Send a signal. False if the process has ended, even if another process has its pid now."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return False
    try:
        if _parent_and_birth(process.pid)[1] != process.born:
            return False
        signal.pidfd_send_signal(descriptor, number)
    except OSError:
        return False  # the process has just ended
    finally:
        os.close(descriptor)
    return True


def left_of(notes: Path, processes: Collection[Started], seconds: float) -> list[Started]:
    """Wait up to `seconds` for these to end. Returns those that have not."""
    known = {(each.pid, each.born) for each in processes}
    deadline = time.monotonic() + seconds
    while left := [each for each in started_by_nodes(notes) if (each.pid, each.born) in known]:
        if time.monotonic() > deadline:
            return left
        time.sleep(_PAUSE)
    return []


def left_in_the_end(notes: Path, seconds: float) -> list[Started]:
    """Wait up to `seconds` for all of them to end. Returns those that have not."""
    deadline = time.monotonic() + seconds
    while left := started_by_nodes(notes):
        if time.monotonic() > deadline:
            return left
        time.sleep(_PAUSE)
    return []


def _parent_and_birth(pid: int) -> tuple[int, int]:
    # The name of the program comes first, in parentheses, and may contain any character.
    fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    return int(fields[1]), int(fields[19])
