"""What the tests of threads hold a task with."""

from __future__ import annotations

import asyncio
import threading
import time

from tests.patience import PATIENCE


class Gate:
    """Tells the test that a task is there, and holds the task until it is let go.

    The waiting is done in small steps of Python code, so an interrupt gets in between.
    """

    def __init__(self) -> None:
        self.is_open = False
        self.arrived = threading.Event()

    def wait(self) -> None:
        self.arrived.set()
        deadline = time.monotonic() + PATIENCE
        while not self.is_open and time.monotonic() < deadline:
            time.sleep(0.001)

    async def wait_for_arrival(self) -> None:
        assert await asyncio.to_thread(self.arrived.wait, PATIENCE)


def thread_name() -> str:
    return threading.current_thread().name
