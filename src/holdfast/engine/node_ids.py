"""Other nodes on this machine: whether one is dead can be seen at once, and need not be waited for.

A process that was killed leaves a lease that runs for a while yet. Whoever starts it again on the same
machine would wait for that, watching nothing happen. But here its process id can be looked up.
"""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path
from random import Random

from holdfast.core.values import NodeId


def new_node_id(dice: Random) -> NodeId:
    """Names the machine, the process, the life of the machine in which the process has that number, and one
    engine of it."""
    return NodeId(f"{socket.gethostname()}:{os.getpid()}:{_pid_scope()}:{dice.getrandbits(32):08x}")


def is_surely_dead(node: str) -> bool:
    """Whether the process of that node has ended. False also where that cannot be known from here."""
    parts = node.rsplit(":", 3)
    if len(parts) != 4 or not parts[1].isdecimal() or not parts[2] or parts[2] != _pid_scope():
        return False
    try:
        os.kill(int(parts[1]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return _is_zombie(parts[1])


def _is_zombie(pid: str) -> bool:
    """Whether it has ended, and only keeps its number until its parent, or init, has waited for it."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] == "Z"


def _pid_scope() -> str:
    """Differs between machines, between two starts of one, and between containers on it: process ids mean the
    same only where this is the same. Empty where there is no telling."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        processes = os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
    return hashlib.sha256(f"{boot} {processes}".encode()).hexdigest()[:8]
