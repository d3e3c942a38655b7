"""Real time, counted only while the event loop moves: a busy machine does not use up patience."""

from __future__ import annotations

import asyncio
import time

try:
    import resource
except ImportError:  # Windows
    resource = None

_MOVED_CPU = 0.005
"""Seconds of CPU time. Other threads that have used less have perhaps only handled a notification."""


class RealTime:
    """A pause that takes longer than twice what was asked for counts as twice that: the process was not given
    the CPU, or code held up the event loop. Nothing else could happen in that time either."""

    def __init__(self) -> None:
        self.now = 0.0
        """Seconds that were counted so far."""
        self.threads_moved_at = 0.0
        """When a thread other than the event loop's was last seen to do something."""
        self._cpu = _cpu_of_other_threads()
        self._switches = _switches_of_other_threads()

    async def wait(self, seconds: float, event: asyncio.Event) -> None:
        """Wait so long, or until the event is set."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            pass
        self.now += min(time.monotonic() - began, 2 * seconds)
        cpu, switches = _cpu_of_other_threads(), _switches_of_other_threads()
        if switches != self._switches or cpu - self._cpu > _MOVED_CPU:
            self.threads_moved_at = self.now
            self._cpu, self._switches = cpu, switches


def _cpu_of_other_threads() -> float:
    return time.process_time() - time.thread_time()


def _switches_of_other_threads() -> int:
    """How often other threads began to wait, or lost the CPU. A thread that is blocked does neither. Always 0
    on systems that do not tell."""
    if resource is None or not hasattr(resource, "RUSAGE_THREAD"):
        return 0
    whole = resource.getrusage(resource.RUSAGE_SELF)
    own = resource.getrusage(resource.RUSAGE_THREAD)
    return whole.ru_nvcsw + whole.ru_nivcsw - own.ru_nvcsw - own.ru_nivcsw
