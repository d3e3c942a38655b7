"""The event loop of one simulated process: asyncio's own tasks and futures on a simulated clock.

It never runs by itself. The world gives each loop one turn at a time, in an order that the seed decides.
A crashed process gets no more turns: as after `kill -9`, none of its code runs again.
"""

from __future__ import annotations

import asyncio
import heapq
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context
from itertools import count
from typing import Any

from holdfast.errors import ForbiddenInSimulation

_get_running_loop = events._get_running_loop  # pyright: ignore[reportPrivateUsage]
_set_running_loop = events._set_running_loop  # pyright: ignore[reportPrivateUsage]


class ProcessLoop(asyncio.AbstractEventLoop):
    def __init__(self, now: Callable[[], int], on_error: Callable[[dict[str, Any]], None]) -> None:
        """`now` is in microseconds. `on_error` is called for errors that nothing handled."""
        self._now = now
        self._on_error = on_error
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._order = count()
        self._is_running = self._is_gone = False

    # --- what the world calls

    def next_due(self) -> int | None:
        """When the next turn is due, in microseconds: 0 if the loop is ready, None if nothing is planned."""
        if self._is_gone:
            return None
        if self._ready:
            return 0
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        # Rounded up. Rounded down, the turn would come before the timer is due, and find nothing to do.
        return -int(-self._timers[0][0] * 1_000_000 // 1) if self._timers else None

    def turn(self) -> None:
        """Run the callbacks that are ready now. Those they add wait for the next turn, as in asyncio."""
        now = self.time()
        while self._timers and self._timers[0][0] <= now:
            _, _, timer = heapq.heappop(self._timers)
            self._ready.append(timer)
        outer = _get_running_loop()
        _set_running_loop(self)
        self._is_running = True
        try:
            for _ in range(len(self._ready)):
                if self._is_gone:
                    return
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()
        finally:
            self._is_running = False
            _set_running_loop(outer)

    def forget(self) -> None:
        """Run nothing more: the process is gone, perhaps in the middle of this turn. Ready callbacks stay,
        because collecting them would run some of their code."""
        self._is_gone = True

    # --- what asyncio's own code calls

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        if not self._is_gone:
            self._ready.append(handle)
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        if not self._is_gone:
            heapq.heappush(self._timers, (when, next(self._order), timer))
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass  # `next_due` and `turn` pass over cancelled timers

    def time(self) -> float:
        return self._now() / 1_000_000

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        coro: Coroutine[Any, Any, Any],
        *,
        name: str | None = None,
        context: Context | None = None,
        **_: Any,
    ) -> asyncio.Task[Any]:
        return asyncio.Task(coro, loop=self, name=name, context=context)

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return self._is_running

    def is_closed(self) -> bool:
        return False

    def get_task_factory(self) -> None:
        return None

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self._on_error(context)

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        self._on_error(context)


def _refuse(name: str) -> Callable[..., Any]:
    def method(*_: Any, **__: Any) -> Any:
        raise ForbiddenInSimulation(f"loop.{name}")

    method.__name__ = name
    return method


for _name in dir(asyncio.AbstractEventLoop):
    if not _name.startswith("_") and _name not in vars(ProcessLoop):
        setattr(ProcessLoop, _name, _refuse(_name))
