"""Heartbeats by file: a task touches its file, and what it writes there are the details.

Only attempts that have to give a sign of life are looked at, four times in the time they have for it.
One timer serves all of them.
"""

from __future__ import annotations

import asyncio
import os
from contextvars import Context

import msgspec

from holdfast.core.values import Payload
from holdfast.executors.processes.contract import LARGEST_DETAILS
from holdfast.ports.executor import Attempt, Beat

_SHORTEST_PAUSE = 0.01


class _Pulse:
    __slots__ = ("due", "path", "pause", "seen")

    def __init__(self, path: bytes, pause: float, due: float) -> None:
        self.path = path
        self.pause = pause
        self.due = due
        self.seen: tuple[int, int] | None = None


class Heartbeats:
    def __init__(self, loop: asyncio.AbstractEventLoop, variables: Context, beat: Beat) -> None:
        self._loop = loop
        self._variables = variables
        self._beat = beat
        self._pulses: dict[Attempt, _Pulse] = {}
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, attempt: Attempt, path: bytes) -> None:
        """For an attempt that has to say that it is alive."""
        span = attempt.options.heartbeat
        if span is None:
            return
        pause = max(span.total_seconds() / 4, _SHORTEST_PAUSE)
        pulse = self._pulses[attempt] = _Pulse(path, pause, self._loop.time() + pause)
        if self._timer is None or pulse.due < self._timer.when():
            self._set_timer(pulse.due)

    def last(self, attempt: Attempt) -> None:
        """The attempt has ended: what it said last is heard, and then no more is."""
        pulse = self._pulses.pop(attempt, None)
        if pulse is not None:
            self._feel(attempt, pulse)

    def close(self) -> None:
        self._pulses.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _set_timer(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._look, context=self._variables)

    def _look(self) -> None:
        self._timer = None
        now = self._loop.time()
        for attempt, pulse in list(self._pulses.items()):
            if pulse.due <= now:
                pulse.due = now + pulse.pause
                self._feel(attempt, pulse)
        if self._pulses:
            self._set_timer(min(pulse.due for pulse in self._pulses.values()))

    def _feel(self, attempt: Attempt, pulse: _Pulse) -> None:
        try:
            found = os.stat(pulse.path)
        except OSError:
            return  # not there yet; or the task has made something else of its folder, and says nothing
        seen = (found.st_mtime_ns, found.st_size)
        if seen != pulse.seen:
            pulse.seen = seen
            self._beat(attempt, _details_in(pulse.path, found.st_size))


def _details_in(path: bytes, size: int) -> Payload | None:
    """None if there are none, or if they are only half written: then those of before stand."""
    if not 0 < size <= LARGEST_DETAILS:
        return None
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_DETAILS).strip()
        msgspec.json.decode(content)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return Payload(content)
