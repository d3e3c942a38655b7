"""Plain code that waits for simulated time in the middle of a call.

The call runs on a thread of its own, and that thread and the thread of the world take turns: never do both
run. So the order of everything is as certain as in one thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class _Abandoned(BaseException):
    """Ends a call that nobody will continue. Code that catches every Exception does not catch it."""


class InterruptibleCall(Generic[T]):
    result: T
    """Set once the call has ended."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._may_run = threading.Semaphore(0)
        self._has_stopped = threading.Semaphore(0)
        self._waits: int | None = None
        self._error: BaseException | None = None
        self._is_abandoned = False
        self._thread = threading.Thread(target=self._run, name="simulated thread", daemon=True)
        self._thread.start()

    def go_on(self) -> int | None:
        """Run the call until it waits or ends. Returns how many microseconds it waits; None: it has ended.
        Raises what the call raises."""
        self._waits = None
        self._may_run.release()
        self._has_stopped.acquire()
        if self._error is not None:
            raise self._error
        return self._waits

    def wait(self, delay: int) -> None:
        """Called by the code inside: stand still for so many microseconds."""
        self._waits = delay
        self._has_stopped.release()
        self._may_run.acquire()
        if self._is_abandoned:
            raise _Abandoned

    def abandon(self) -> None:
        """End a call that waits."""
        self._is_abandoned = True
        self._may_run.release()
        self._thread.join()

    def _run(self) -> None:
        self._may_run.acquire()
        try:
            if not self._is_abandoned:
                self.result = self._call()
        except _Abandoned:
            pass
        except BaseException as error:
            self._error = error
        finally:
            self._has_stopped.release()
