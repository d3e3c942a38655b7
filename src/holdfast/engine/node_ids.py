"""Ids of nodes, and whether the process of another node on this machine has ended.

The lease of a node that was killed goes on for a while. A process that is started again on the same machine
need not wait for that, since it can look up the process id of the dead node.
"""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path
from random import Random

from holdfast.core.values import NodeId


def new_node_id(dice: Random) -> NodeId:
    """The machine, the process, the scope in which process ids are unique, and a number for the engine."""
    return NodeId(f"{socket.gethostname()}:{os.getpid()}:{_pid_scope()}:{dice.getrandbits(32):08x}")


def is_surely_dead(node: str) -> bool:
    """Whether the process of that node has ended. False also if this process cannot know."""
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
    """Whether the process has ended, and keeps its id only until its parent has waited for it."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] == "Z"


def _pid_scope() -> str:
    """A hash of the boot and the pid namespace: two process ids can be compared only if it is the same.
    Empty if the platform does not tell."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        processes = os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
    return hashlib.sha256(f"{boot} {processes}".encode()).hexdigest()[:8]
