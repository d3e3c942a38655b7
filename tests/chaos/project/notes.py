"""What tasks in processes of their own write down of themselves: lines as in `tests.chaos.notebook`.

Functions and commands share it. It imports little, as every command starts a Python to say that it begins.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

_NOTES = "CHAOS_NOTES"
"""The variable that names the file. Whoever has it in its environment belongs to that world."""


def began(label: str, after: list[str], at: float | None = None) -> None:
    """This task begins, or began then, and its input was made of the outcomes of those others."""
    shell, node = _parents()
    _write(
        {
            "what": "began",
            "at": time.monotonic() if at is None else at,
            "process": os.getpid(),
            "shell": shell,
            "node": node,
            "run": os.environ["HOLDFAST_RUN_ID"],
            "task": os.environ["HOLDFAST_TASK_ID"],
            "key": os.environ["HOLDFAST_IDEMPOTENCY_KEY"],
            "attempt": int(os.environ["HOLDFAST_ATTEMPT"]),
            "label": label,
            "after": after,
        }
    )


def _parents() -> tuple[int, int]:
    """The shell that runs this process, or 0, and the node."""
    parent = os.getppid()
    with open(f"/proc/{parent}/stat") as file:
        name, _, fields = file.read().partition("(")[2].rpartition(")")
    return (parent, int(fields.split()[1])) if name in ("sh", "dash", "bash") else (0, parent)


def since_when() -> float:
    """When this process was started: it says so only once it has a Python, which is some time later."""
    with open("/proc/self/stat") as file:
        ticks = int(file.read().rpartition(")")[2].split()[19])
    # The kernel counts from the start of the machine, whether or not that has slept since, and rounds down.
    # Here it is rounded up: that is still before anything that came of it.
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - (ticks + 1) / os.sysconf("SC_CLK_TCK")
    return time.monotonic() - max(0.0, age)


def finished() -> None:
    """It has done its work, and says how that went next."""
    task = os.environ["HOLDFAST_TASK_ID"]
    _write({"what": "finished", "at": time.monotonic(), "process": os.getpid(), "task": task})


def _write(line: dict[str, Any]) -> None:
    if _NOTES not in os.environ:
        return
    descriptor = os.open(os.environ[_NOTES], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    # One call: lines of several writers never mix, and one that is written stays when its process is killed.
    os.write(descriptor, json.dumps(line).encode() + b"\n")
    os.close(descriptor)
