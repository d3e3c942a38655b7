"""The event loop that workflow code runs on: asyncio's own tasks and futures, but no clock and no I/O.

Time stands still while the loop drains and is the instant of the step. `call_later` and `call_at`
(so `asyncio.sleep`, `timeout`, `wait_for`) become durable timers. Nothing is ever polled: a drain
runs every callback that is ready and returns. Everything else a loop can do is refused by name.

One loop per run, driven from inside the process's real loop, so it sets and restores the running
loop around a drain.
"""

from __future__ import annotations

import asyncio
import functools
import math
import sys
from asyncio import events
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Sequence
from contextvars import Context, copy_context
from typing import Any, Protocol, TypeVar, cast

import msgspec

from holdfast.core.values import Instant, RunKey
from holdfast.errors import ForbiddenInWorkflow

T = TypeVar("T")

CALLBACKS_ALLOWED = 2_000_000
"""In one drain. More is a workflow that spins without ever waiting for something durable."""


_LAST_SECOND = 253_402_300_799.0
"""Of the year 9999, the last that a datetime can name."""


class Host(Protocol):
    """What a loop needs of the program it belongs to."""

    at: Instant

    def start_timer(self, due: Instant) -> int: ...
    def cancel_timer(self, seq: int) -> None: ...
    def report_unhandled(self, context: dict[str, Any]) -> None: ...


class WorkflowTimer(asyncio.TimerHandle):
    __slots__ = ("seq",)
    seq: int | None
    """None: it was due at once and never was a durable timer."""


class WorkflowTask(asyncio.Task[Any]):
    """A task that is hashed by its run and its number and not by its address.

    asyncio keeps tasks in sets (`wait`, `TaskGroup`). Replay must walk them in the same order, or what
    their code asks for next would take other numbers. The run is part of it because asyncio also keeps
    all tasks of the process in one set, where the first tasks of ten thousand runs must not collide.
    """

    __slots__ = ("number",)

    def __init__(self, number: int, coro: Coroutine[Any, Any, Any], **options: Any) -> None:
        self.number = number
        super().__init__(coro, **options)

    def __hash__(self) -> int:
        return self.number


class WorkflowFuture(asyncio.Future[Any]):
    """What `shield`, `Queue`, `Lock` and `Event` wait with: hashed as tasks are, and for the same reason."""

    __slots__ = ("number",)
    number: int

    def __hash__(self) -> int:
        return self.number


class Soon(msgspec.Struct, eq=False):
    """A callback that is ready. What `asyncio.Handle` is, at a fraction of its cost: there are three for
    every task of every run."""

    callback: Callable[..., object]
    args: tuple[Any, ...]
    context: Context
    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True

    def cancelled(self) -> bool:
        return self.is_cancelled


class WorkflowLoop(asyncio.AbstractEventLoop):
    def __init__(self, host: Host, run: RunKey) -> None:
        self.host = host
        self._run = run
        self._next_number = 0
        self._ready: list[Soon] = []
        self._timers: dict[int, WorkflowTimer] | None = None
        self._tasks: set[asyncio.Task[Any]] | None = None
        """Every task that is not done, but the main one, which the program has."""
        self._is_disposed = False

    # --- what asyncio's own code calls

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        soon: Any = Soon(callback, args, copy_context() if context is None else context)
        self._ready.append(soon)
        return soon

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        if math.isnan(when):
            raise ValueError("a timer cannot be set for NaN, which is not a time")
        timer = WorkflowTimer(when, callback, args, self, context)
        # Bounded, so that one may sleep for ever and be cancelled.
        due = Instant(round(min(when, _LAST_SECOND) * 1_000_000))
        if due <= self.host.at:
            timer.seq = None
            self.call_soon(_ring, timer)
        else:
            timer.seq = self.host.start_timer(due)
            if self._timers is None:
                self._timers = {}
            self._timers[timer.seq] = timer
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        # asyncio.sleep cancels its handle also after it has fired; only an open timer is news.
        seq = handle.seq if isinstance(handle, WorkflowTimer) else None
        if seq is not None and self._timers and self._timers.pop(seq, None):
            self.host.cancel_timer(seq)

    def time(self) -> float:
        return self.host.at / 1_000_000

    def create_future(self) -> asyncio.Future[Any]:
        future = WorkflowFuture(loop=self)
        future.number = self.take_number()
        return future

    def create_task(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        coro: Coroutine[Any, Any, Any],
        *,
        name: str | None = None,
        context: Context | None = None,
        **_: Any,  # eager_start and whatever later versions add: a drain starts tasks soon enough
    ) -> asyncio.Task[Any]:
        if asyncio.isfuture(coro):
            # `group.create_task(charge(order))` is what people write, and calling a task gives a future.
            coro = _awaiting(coro)
        task = WorkflowTask(self.take_number(), coro, loop=self, name=name, context=context)
        if self._is_disposed:
            # Of a `finally` block, and the run only leaves memory: it will never run, and nobody complains.
            task._log_destroy_pending = False  # pyright: ignore[reportAttributeAccessIssue]
            coro.close()
            return task
        if self._tasks is None:
            self._tasks = set()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def take_number(self) -> int:
        if not self._next_number:
            self._next_number = int.from_bytes(self._run[8:], "big") >> 4
        self._next_number += 1
        return self._next_number

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return self._is_disposed

    def get_task_factory(self) -> None:
        return None

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if not self._is_disposed:
            self.host.report_unhandled(context)

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        self.call_exception_handler(context)

    # --- what the program calls

    def fire(self, seq: int) -> None:
        timer = self._timers.pop(seq, None) if self._timers else None
        if timer is not None:
            self.call_soon(_ring, timer)

    def feed(self, facts: Sequence[T], hear: Callable[[T], None], queueing: type, allowed: int) -> None:
        """Have each fact heard, and run all that it makes ready before the next is; without any, just run.

        What came first has its whole effect first. A timer that fires while a signal is still on its
        way through two tasks would else win the race, and the signal would be lost. Facts of the type
        `queueing` do not race but queue, so those in a row are there together.
        """
        entered = _enter(self)
        last: type | None = None
        try:
            for fact in facts:
                kind = type(fact)
                if last is not None and not kind is last is queueing:
                    self._drain(allowed)
                hear(fact)
                last = kind
            self._drain(allowed)
        finally:
            self._ready.clear()
            _leave(entered)

    def _drain(self, allowed: int) -> None:
        """Run every callback that is ready, and those they make ready, until none is left."""
        ready = self._ready
        # Callbacks append to the list while it is walked.
        for done, soon in enumerate(ready):
            if not soon.is_cancelled:
                try:
                    soon.context.run(soon.callback, *soon.args)
                except SystemExit:
                    pass  # asyncio raises it here as well, but the task that raised it has it
                except Exception as error:
                    message = f"a callback failed: {soon.callback!r}"
                    self.call_exception_handler({"message": message, "exception": error})
            if done > allowed:
                raise ForbiddenInWorkflow(
                    f"spinning ({allowed:,} steps without waiting for a task, a timer or a message)"
                )
        ready.clear()

    def dispose(self, main: asyncio.Task[Any]) -> None:
        """Close every coroutine, so that nothing of the run is left to the garbage collector.

        Closing raises GeneratorExit at the await, and user code may have `finally` blocks. They run
        on this loop with the program disposed, so nothing they ask for goes anywhere; an `await` in
        one ends it. Code that catches GeneratorExit for ever is abandoned after a few tries.
        """
        self._is_disposed = True
        self._ready.clear()
        self._timers = None
        tasks, self._tasks = [*(self._tasks or ()), main], None
        if main.done() and len(tasks) == 1:
            return
        entered = _enter(self)
        try:
            for task in tasks:
                task._log_destroy_pending = False  # pyright: ignore[reportAttributeAccessIssue]
                close_coroutine(task.get_coro())
        finally:
            _leave(entered)
        self._ready.clear()


async def _awaiting(future: asyncio.Future[Any]) -> Any:
    return await future


def _ring(timer: asyncio.TimerHandle) -> None:
    if not timer.cancelled():
        timer._run()  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue, reportUnknownMemberType]


class LeftMemory(BaseException):
    """Raised where the code of a run awaits when the run leaves memory. Nothing handles it but `finally`."""


_TRIES = 100
"""How many awaits in `finally` blocks, one around the other, code may have before it is abandoned."""


def close_coroutine(coroutine: Any) -> None:
    """End it, whatever its code does about it.

    Not by close(): where an inner coroutine awaits in a `finally` block, close() raises RuntimeError through
    the outer ones and leaves the inner one suspended. Whenever that is collected, the rest of its code runs
    outside of any workflow, where calling a task really does it.
    """
    for _ in range(_TRIES):
        try:
            coroutine.throw(LeftMemory())
        except BaseException:
            return  # it has ended; what its own cleanup raised, there is nobody left to tell
    _UNCLOSABLE.append(coroutine)


_UNCLOSABLE: list[Any] = []
"""Coroutines that refuse to end. Kept, because collecting them would run their code once more."""


# --- entering and leaving a loop inside another one

get_running_loop = events._get_running_loop  # pyright: ignore[reportPrivateUsage]
_set_running_loop = events._set_running_loop  # pyright: ignore[reportPrivateUsage]
_Entered = tuple[asyncio.AbstractEventLoop | None, Any, Any]

if sys.version_info >= (3, 14):
    # From 3.14 on the current task is kept per thread, not per loop, and a task may not be stepped
    # inside another: set the outer one aside.
    _swap_current_task: Any = asyncio.tasks._swap_current_task  # pyright: ignore[reportAttributeAccessIssue]
else:
    _swap_current_task: Any = None


def _enter(loop: WorkflowLoop) -> _Entered:
    outer = get_running_loop()
    outer_task = _swap_current_task(outer, None) if _swap_current_task and outer else None
    hooks = sys.get_asyncgen_hooks()
    if hooks.firstiter is not _ignore_generator:
        sys.set_asyncgen_hooks(_ignore_generator, _ignore_generator)
    _set_running_loop(loop)
    return outer, outer_task, hooks


def _leave(entered: _Entered) -> None:
    outer, outer_task, hooks = entered
    _set_running_loop(outer)
    sys.set_asyncgen_hooks(*hooks)
    if _swap_current_task and outer:
        _swap_current_task(outer, outer_task)


def _ignore_generator(generator: AsyncGenerator[Any, Any]) -> None:
    """An async generator that is dropped half-way is left alone: when it is collected is not recorded."""


# --- the two things in asyncio that cannot be put right from inside a loop

_as_completed: Any = asyncio.as_completed


@functools.wraps(_as_completed)
def _as_completed_in_order(fs: Any, *args: Any, **kwargs: Any) -> Any:
    """asyncio's own puts coroutines into a set and starts them in the order of their addresses.

    After a crash they would start in another order and be given each other's results. So in a workflow
    they are started here, in the order they were passed; elsewhere nothing is changed.
    """
    is_one = asyncio.isfuture(fs) or asyncio.iscoroutine(fs)  # then asyncio says what is wrong with it
    if isinstance(get_running_loop(), WorkflowLoop) and not is_one:
        in_order: Iterable[Any] = dict.fromkeys(cast("Iterable[Any]", fs))
        fs = [asyncio.ensure_future(each) for each in in_order]
    return _as_completed(fs, *args, **kwargs)


_asyncio: Any = asyncio
_asyncio.as_completed = _asyncio.tasks.as_completed = _as_completed_in_order


def _hash_of_gathered(future: Any) -> int:
    """In a workflow, what `gather` gives is hashed by number as well: `wait` puts it into sets."""
    loop = future.get_loop()
    if not isinstance(loop, WorkflowLoop):
        return object.__hash__(future)
    if not hasattr(future, "number"):
        future.number = loop.take_number()
    return future.number


_gathered: Any = getattr(_asyncio.tasks, "_GatheringFuture", None)
if _gathered is not None:
    _gathered.__hash__ = _hash_of_gathered


# --- everything else is refused


def _refuse(name: str, what: str) -> Callable[..., Any]:
    def method(*_: Any, **__: Any) -> Any:
        raise ForbiddenInWorkflow(what)

    method.__name__ = name
    return method


_REFUSALS = {
    "run_in_executor": "running code on another thread (asyncio.to_thread, run_in_executor)",
    "call_soon_threadsafe": "being called from another thread (call_soon_threadsafe)",
    "subprocess_exec": "starting a process",
    "subprocess_shell": "starting a process",
    "run_forever": "running an event loop (asyncio.run, run_forever)",
    "run_until_complete": "running an event loop (asyncio.run, run_until_complete)",
    "add_signal_handler": "handling operating system signals",
    "getaddrinfo": "looking up a host name",
    "getnameinfo": "looking up a host name",
}

for _name in dir(asyncio.AbstractEventLoop):
    if not _name.startswith("_") and _name not in vars(WorkflowLoop):
        _what = _REFUSALS.get(_name, f"real I/O (loop.{_name})")
        setattr(WorkflowLoop, _name, _refuse(_name, _what))
