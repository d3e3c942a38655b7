"""An event loop on a thread of its own. Other threads hand it calls and wait for them.

Every call ends: with its result or its error, with KeyboardInterrupt, or with NotOpen once the loop stops.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import CancelledError
from typing import TypeVar

from holdfast.authoring.code.context import current_program
from holdfast.errors import ForbiddenInWorkflow, InEventLoop, InFork, NotOpen

T = TypeVar("T")


class LoopThread:
    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_stopping: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._process = 0
        self._lock = threading.Lock()
        """Held while a call is handed over, so that none is handed to a loop that has stopped."""
        self._takes_calls = False

    def start(self) -> None:
        """Raises InEventLoop."""
        _check_thread()
        self._process = os.getpid()
        is_running = threading.Event()
        # A daemon, so that a program that forgets to close can still exit.
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._main(is_running)), name="holdfast-sync", daemon=True
        )
        self._thread.start()
        is_running.wait()

    async def _main(self, is_running: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._is_stopping = asyncio.Event()
        self._takes_calls = True
        is_running.set()
        await self._is_stopping.wait()
        # asyncio.run cancels what is still under way, and the threads that wait for it get NotOpen.

    @property
    def is_in_fork(self) -> bool:
        """Whether this process is a fork of the one that started the thread. It does not have the thread."""
        return self._process not in (0, os.getpid())

    def call(self, make: Callable[[], Awaitable[T]]) -> T:
        """Have `make()` awaited on the loop, and wait for it. Raises NotOpen, InEventLoop, InFork."""
        if self.is_in_fork:
            raise InFork(self._process, os.getpid())
        _check_thread()

        async def call() -> T:
            return await make()

        with self._lock:
            if self._loop is None or not self._takes_calls:
                raise NotOpen
            future = asyncio.run_coroutine_threadsafe(call(), self._loop)
        try:
            return future.result()
        except CancelledError:
            if self._takes_calls:
                raise
            raise NotOpen from None
        finally:
            future.cancel()  # if this thread no longer waits for it, as after Ctrl-C

    def iterate(self, make: Callable[[], AsyncIterator[T]]) -> Iterator[T]:
        """The items of an async iterator, each fetched by a call."""
        items = make()

        async def next_item() -> tuple[T] | None:
            try:
                return (await anext(items),)
            except StopAsyncIteration:
                return None

        while (item := self.call(next_item)) is not None:
            yield item[0]

    def refuse_calls(self) -> bool:
        """Take no more calls. False if it was told so before."""
        with self._lock:
            took, self._takes_calls = self._takes_calls, False
            return took

    def stop(self, last: Callable[[], Awaitable[None]]) -> None:
        """Do one last thing on the loop, stop it, and wait until the thread has ended. Both go on if this
        thread is interrupted. Calls that are still under way then raise NotOpen."""
        self.refuse_calls()

        async def finish() -> None:
            assert self._is_stopping is not None
            try:
                await last()
            finally:
                self._is_stopping.set()

        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(finish(), self._loop).result()
        self.join()

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join()


def _check_thread() -> None:
    """Raises InEventLoop if waiting here would stop an event loop."""
    if current_program() is not None:
        raise ForbiddenInWorkflow(
            "calling holdfast itself (use context().start_child to start a run, and signal_run to signal one)"
        )
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise InEventLoop
