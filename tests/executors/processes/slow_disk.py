"""What makes it slow to start a process: a disk that does not answer, or a gate before the call itself.

A process whose standard input is a pipe without a writer hangs before its program is loaded, as one does
whose program is on a disk that does not answer.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE

from holdfast.executors.processes import spawning


class Disk:
    """While it is slow, a process that is started waits for it. `answer` lets all of them go on."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._path = path
        self._monkeypatch = monkeypatch
        self._ends: list[int] = []
        os.mkfifo(path)

    def be_slow(self) -> None:
        self._monkeypatch.setattr(spawning, "_NULL_DEVICE", os.fsencode(self._path))

    def be_well(self) -> None:
        self._monkeypatch.setattr(spawning, "_NULL_DEVICE", os.fsencode(os.devnull))

    async def until_somebody_waits(self, many: int = 1) -> None:
        """For it to read, that is: to open it for writing fails until then."""
        deadline = time.monotonic() + PATIENCE
        while len(loading()) < many:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.001)

    def answer(self) -> None:
        self._ends.append(os.open(self._path, os.O_RDWR))

    def close(self) -> None:
        self.answer()
        self._path.unlink()  # who comes later finds nothing to wait for
        for end in self._ends:
            os.close(end)


def loading() -> list[int]:
    """Processes that were started here, and have not loaded their program yet."""
    return [pid for pid in _children() if _is_loading(pid)]


def _children() -> list[int]:
    found: list[int] = []
    for thread in os.listdir("/proc/self/task"):
        try:
            found += map(int, Path(f"/proc/self/task/{thread}/children").read_text().split())
        except FileNotFoundError:
            continue
    return found


def _is_loading(pid: int) -> bool:
    """It has its own group, as it opens its input only then, and still our memory, with our arguments. The
    keeper, which is a Python as well, has its own."""
    try:
        return os.getpgid(pid) == pid and _arguments(str(pid)) == _arguments("self")
    except (FileNotFoundError, ProcessLookupError):
        return False


def _arguments(process: str) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


class Gate:
    """Before the call that starts a process, whatever its input is. Each ticket lets one through."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._tickets = threading.Semaphore(0)
        self._arrived: list[threading.Thread] = []
        self._passed: list[threading.Thread] = []
        assert spawning._libc is not None
        self._spawn: Any = spawning._libc.posix_spawn
        self.begun: list[int] = []
        """Their numbers."""
        self.after: Callable[[int], object] = lambda pid: None
        """Done when one has begun, before whoever has started it hears of that."""
        monkeypatch.setattr(spawning._libc, "posix_spawn", self._go_through)

    def let_go(self, many: int) -> None:
        self._tickets.release(many)

    async def until_waiting(self, many: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while len(self._arrived) - len(self._passed) < many:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.001)

    async def until_begun(self, many: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while len(self.begun) < many:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.001)

    def _go_through(self, pid: Any, *given: Any) -> int:
        self._arrived.append(threading.current_thread())
        assert self._tickets.acquire(timeout=PATIENCE)
        self._passed.append(threading.current_thread())
        code: int = self._spawn(pid, *given)
        self.begun.append(pid._obj.value)
        self.after(pid._obj.value)
        return code
