"""Heartbeats by file: a task touches its heartbeat file, and what it writes there are the details.

Only attempts with a heartbeat timeout are watched. Their files are checked four times within that timeout.
One timer serves all of them.
"""

from __future__ import annotations

import asyncio
import os
from contextvars import Context

import msgspec

from holdfast.core.values import Payload
from holdfast.executors.processes.limits import LARGEST_DETAILS
from holdfast.ports.executor import Attempt, Beat

_SHORTEST_INTERVAL = 0.01


class _HeartbeatFile:
    __slots__ = ("check_at", "interval", "last_seen", "path")

    def __init__(self, path: bytes, interval: float, check_at: float) -> None:
        self.path = path
        self.interval = interval
        self.check_at = check_at
        self.last_seen: tuple[int, int] | None = None
        """Its time of change and its size."""


class HeartbeatFiles:
    def __init__(self, loop: asyncio.AbstractEventLoop, contextvars: Context, beat: Beat) -> None:
        self._loop = loop
        self._contextvars = contextvars
        self._beat = beat
        self._files: dict[Attempt, _HeartbeatFile] = {}
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, attempt: Attempt, path: bytes) -> None:
        """Does nothing for an attempt without a heartbeat timeout."""
        timeout = attempt.options.heartbeat
        if timeout is None:
            return
        interval = max(timeout.total_seconds() / 4, _SHORTEST_INTERVAL)
        file = self._files[attempt] = _HeartbeatFile(path, interval, self._loop.time() + interval)
        if self._timer is None or file.check_at < self._timer.when():
            self._set_timer(file.check_at)

    def finish(self, attempt: Attempt) -> None:
        """The attempt has ended: check its file for the last time."""
        file = self._files.pop(attempt, None)
        if file is not None:
            self._check(attempt, file)

    def close(self) -> None:
        self._files.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _set_timer(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(at, self._check_due, context=self._contextvars)

    def _check_due(self) -> None:
        self._timer = None
        now = self._loop.time()
        for attempt, file in list(self._files.items()):
            if file.check_at <= now:
                file.check_at = now + file.interval
                self._check(attempt, file)
        if self._files:
            self._set_timer(min(file.check_at for file in self._files.values()))

    def _check(self, attempt: Attempt, file: _HeartbeatFile) -> None:
        try:
            found = os.stat(file.path)
        except OSError:
            return  # the task has not made the file yet, or has replaced its folder by something else
        seen = (found.st_mtime_ns, found.st_size)
        if seen != file.last_seen:
            file.last_seen = seen
            self._beat(attempt, _details_in(file.path, found.st_size))


def _details_in(path: bytes, size: int) -> Payload | None:
    """None if there are no details, or if they are only half written. Then the earlier details stand."""
    if not 0 < size <= LARGEST_DETAILS:
        return None
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_DETAILS).strip()
        msgspec.json.decode(content)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return Payload(content)
