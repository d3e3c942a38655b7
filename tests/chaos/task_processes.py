"""The processes that nodes of a chaos run have started: tasks, workers that call functions, and keepers.

They are found in /proc past holdfast, by what they have inherited: the variable that names the file of this
world, to which tasks write that they begin.
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
    """A process that a node has started, or that one of those has."""

    pid: int
    born: int
    """By the clock of the kernel: a number that is used again is another process."""
    parent: int
    kind: str
    """`task`, `worker` or `keeper`"""
    command: str

    def __str__(self) -> str:
        return f"{self.kind} {self.pid}, child of {self.parent}: {self.command}"


def started_by_nodes(notes: Path) -> list[Started]:
    """All that there are now in the world that writes to this file, those with the lowest numbers first."""
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
            continue  # it has ended meanwhile
        has_mark = any(each.startswith(_NODE_MARK) for each in environment)
        if "keeper.py" in command:
            found.append(Started(pid, born, parent, "keeper", command))
        elif has_mark:
            kind = "worker" if "worker_script.py" in command else "task"
            found.append(Started(pid, born, parent, kind, command))
    return found


def of_node(notes: Path, node: int) -> list[Started]:
    """Those that are its children."""
    return [each for each in started_by_nodes(notes) if each.parent == node]


def send(process: Started, number: signal.Signals) -> bool:
    """False if it has ended, whoever has its number by now."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return False
    try:
        if _parent_and_birth(process.pid)[1] != process.born:
            return False
        signal.pidfd_send_signal(descriptor, number)
    except OSError:
        return False  # it ends just now
    finally:
        os.close(descriptor)
    return True


def left_of(notes: Path, processes: Collection[Started], seconds: float) -> list[Started]:
    """Wait for all of these to end: those that have not, after so long."""
    known = {(each.pid, each.born) for each in processes}
    deadline = time.monotonic() + seconds
    while left := [each for each in started_by_nodes(notes) if (each.pid, each.born) in known]:
        if time.monotonic() > deadline:
            return left
        time.sleep(_PAUSE)
    return []


def left_in_the_end(notes: Path, seconds: float) -> list[Started]:
    """Wait for all that there are to end: those that have not, after so long."""
    deadline = time.monotonic() + seconds
    while left := started_by_nodes(notes):
        if time.monotonic() > deadline:
            return left
        time.sleep(_PAUSE)
    return []


def _parent_and_birth(pid: int) -> tuple[int, int]:
    # The name of the program stands in brackets before the rest, and may have any character in it.
    fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    return int(fields[1]), int(fields[19])
