"""The machine and the commit that were measured. Without them, figures cannot be compared."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any

import apsw
import psutil

ROOT = Path(__file__).parent.parent


def describe_machine(folder: Path, postgres: str | None) -> dict[str, Any]:
    """`folder` is where the databases are; `postgres` is the version of the server, if there is one."""
    return {
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),  # well above 0: other processes disturbed the measurement
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "arch": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "postgres": postgres,
        "packages": {name: _version(name) for name in ("apsw", "msgspec", "psycopg", "uvloop")},
        "fsync_ms": round(_fsync_milliseconds(folder / "fsync.probe"), 3),
    }


def describe_commit() -> dict[str, Any]:
    """The commit of the checkout that contains this file. Both values are None without git."""
    revision = _git("rev-parse", "--short=12", "HEAD")
    changes = _git("status", "--porcelain")
    return {"revision": revision, "dirty": None if changes is None else bool(changes)}


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _fsync_milliseconds(path: Path) -> float:
    """The time of one small write with fsync. No commit can be faster, so compare this first when two
    machines differ. A value near 0 means that the disk does not really wait."""
    taken: list[float] = []
    with path.open("wb", buffering=0) as file:
        for _ in range(50):
            began = perf_counter()
            file.write(bytes(4096))
            os.fsync(file.fileno())
            taken.append((perf_counter() - began) * 1e3)
    path.unlink()
    return statistics.median(taken)
