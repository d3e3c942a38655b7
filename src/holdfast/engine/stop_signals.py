"""SIGTERM and SIGINT (Ctrl-C) in a process that serves: the first one stops the node in order.

A second Ctrl-C ends the process at once, also while the node closes. What is recorded is not lost by that.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import signal
import sys
from collections.abc import Callable, Generator
from types import FrameType
from typing import Any


class StopSignals:
    def __init__(self) -> None:
        self._replaced: dict[int, Any] = {}
        """The handlers that were there before."""
        self._was_interrupted = False

    @contextlib.contextmanager
    def heard(self, stop: Callable[[], None], expect_stop: Callable[[int], None]) -> Generator[None]:
        """Call `stop` on the event loop when a signal comes, and `expect_stop` at once, also if the loop
        stands still, with the exit code of a process that the signal ends.

        Does nothing outside the main thread, where Python allows no handlers. A handler for SIGINT that
        somebody has set stays: only those of Python and of `asyncio.run` are replaced. These would end the
        script with a traceback.
        """
        loop = asyncio.get_running_loop()

        def hear(number: int, frame: FrameType | None) -> None:
            if number == signal.SIGINT:
                if self._was_interrupted:
                    _end_process(128 + number)
                self._was_interrupted = True
            loop.call_soon_threadsafe(stop)
            expect_stop(128 + number)

        # Not with the loop's own method: that waits for the loop, which may stand still.
        with contextlib.suppress(ValueError):  # outside the main thread
            self._replaced[signal.SIGTERM] = signal.signal(signal.SIGTERM, hear)
            if _is_of_python(signal.getsignal(signal.SIGINT)):
                self._replaced[signal.SIGINT] = signal.signal(signal.SIGINT, hear)
        try:
            yield
        finally:
            self._put_back(signal.SIGTERM)
            if not self._was_interrupted:
                self._put_back(signal.SIGINT)

    def put_back(self) -> None:
        """The node is closed: Ctrl-C means again what it meant before."""
        self._put_back(signal.SIGINT)

    def _put_back(self, number: int) -> None:
        if number in self._replaced:
            with contextlib.suppress(ValueError):  # closed in another thread
                signal.signal(number, self._replaced.pop(number))


def _is_of_python(handler: Any) -> bool:
    if isinstance(handler, functools.partial):  # asyncio.run has set its own
        owner: object = getattr(handler.func, "__self__", None)  # pyright: ignore[reportUnknownMemberType]
        return isinstance(owner, asyncio.Runner)
    return handler is signal.default_int_handler


def _end_process(code: int) -> None:
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
