"""The event loop that workflow code runs on. It runs asyncio's own tasks and futures, without a clock or I/O.

The loop's time is the instant of the step and does not change while callbacks run. `call_later` and `call_at`
(and so `asyncio.sleep`, `timeout` and `wait_for`) become durable timers. The loop never polls: it runs every
callback that is ready and returns. All other methods of a loop raise an error that names them.

Each run has its own loop. It is driven from inside the process's real loop, so it sets the running loop
before it runs callbacks and restores it afterwards.
"""

from __future__ import annotations

import asyncio
import functools
import math
import sys
from asyncio import events
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import Context, copy_context
from typing import Any, Protocol, TypeVar, cast

import msgspec

from holdfast.core.values import Instant, RunKey
from holdfast.errors import ForbiddenInWorkflow

T = TypeVar("T")

CALLBACKS_ALLOWED = 2_000_000
"""How many callbacks may run in a row. A workflow that needs more spins without waiting for anything
durable."""

_SPINNING = "spinning ({:,} steps without waiting for a task, a timer or a message)"

_LAST_SECOND = 253_402_300_799.0
"""The last second of the year 9999, and so the last that a datetime can hold."""


class LoopHost(Protocol):
    """What a loop needs from its program."""

    at: Instant

    def start_timer(self, due: Instant) -> int: ...
    def cancel_timer(self, seq: int) -> None: ...
    def report_unhandled(self, context: dict[str, Any]) -> None: ...


class WorkflowTimer(asyncio.TimerHandle):
    __slots__ = ("seq",)
    seq: int | None
    """None if it was due at once and never became a durable timer."""


class WorkflowTask(asyncio.Task[Any]):
    """A task whose hash depends on its run and number, not on its address.

    asyncio keeps tasks in sets (`wait`, `TaskGroup`). Replay must iterate over them in the same order,
    because otherwise their next requests would take other numbers. The hash includes the run because asyncio
    also keeps all tasks of the process in one set, and the first tasks of ten thousand runs must not collide.
    """

    __slots__ = ("number",)

    def __init__(self, number: int, coro: Coroutine[Any, Any, Any], **options: Any) -> None:
        self.number = number
        super().__init__(coro, **options)

    def __hash__(self) -> int:
        return self.number


WorkflowTaskType = TypeVar("WorkflowTaskType", bound=WorkflowTask)


class WorkflowFuture(asyncio.Future[Any]):
    """The future that `shield`, `Queue`, `Lock` and `Event` use. Hashed like tasks, for the same reason."""

    __slots__ = ("number",)
    number: int

    def __hash__(self) -> int:
        return self.number


class ReadyCallback(msgspec.Struct, eq=False):
    """Replaces `asyncio.Handle` at a fraction of its cost. Every task of every run needs three of them."""

    callback: Callable[..., object]
    args: tuple[Any, ...]
    context: Context
    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True

    def cancelled(self) -> bool:
        return self.is_cancelled


class WorkflowLoop(asyncio.AbstractEventLoop):
    def __init__(self, host: LoopHost, run: RunKey) -> None:
        self.host: LoopHost = host
        self._run = run
        self._next_number = 0
        self._ready: list[ReadyCallback] = []
        self._timers: dict[int, WorkflowTimer] | None = None
        self._tasks: set[asyncio.Task[Any]] | None = None
        """All tasks that are not done, except the main task, which the program holds."""
        self.on_idle: Callable[[], bool] | None = None
        """Called when no callback is ready. Returns whether it has made one ready."""
        self._is_disposed = False
        self._is_over = False

    # --- methods that asyncio calls

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        ready: Any = ReadyCallback(callback, args, copy_context() if context is None else context)
        self._ready.append(ready)
        return ready

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
        # Bounded, so that `asyncio.sleep(math.inf)` works.
        due = Instant(round(min(when, _LAST_SECOND) * 1_000_000))
        if due <= self.host.at:
            timer.seq = None
            self.call_soon(_run_timer, timer)
        else:
            timer.seq = self.host.start_timer(due)
            if self._timers is None:
                self._timers = {}
            self._timers[timer.seq] = timer
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        # asyncio.sleep cancels its handle even after the timer fired, so act on open timers only.
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
        **_: Any,  # eager_start, and options of later Python versions: tasks never start eagerly here
    ) -> asyncio.Task[Any]:
        return self.begin_task(WorkflowTask, coro, name, context)

    def begin_task(
        self,
        kind: type[WorkflowTaskType],
        coro: Coroutine[Any, Any, Any],
        name: str | None = None,
        context: Context | None = None,
    ) -> WorkflowTaskType:
        if asyncio.isfuture(coro):
            # Users write `group.create_task(charge(order))`, and a call of a task returns a future.
            coro = _await_future(coro)
        task = kind(self.take_number(), coro, loop=self, name=name, context=context)
        if self._is_disposed:
            # A `finally` block created it while the run leaves memory. It never runs, without a warning.
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

    get_debug: Any = bool  # returns False, and is called for every future: a Python function would be slower

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

    # --- methods that the program calls

    @property
    def ready_count(self) -> int:
        return len(self._ready)

    @contextmanager
    def hosted_by(self, host: Any) -> Generator[None]:
        """Have another object stand for the program."""
        usual, self.host = self.host, host
        try:
            yield
        finally:
            self.host = usual

    def fire(self, seq: int) -> bool:
        """Whether the timer was still open."""
        timer = self._timers.pop(seq, None) if self._timers else None
        if timer is None:
            return False
        self.call_soon(_run_timer, timer)
        return True

    def feed(self, events: Sequence[T], hear: Callable[[T], None], queueing: type, allowed: int) -> None:
        """Call `hear` for each event and run all callbacks that are ready then, before the next event.
        Without events, just run the callbacks.

        So an earlier event has its whole effect first. Otherwise a timer could fire while a signal is still
        passed on between two tasks, win the race, and the signal would be lost. Events of the type `queueing`
        do not race, so consecutive ones are heard together.
        """
        entered = _enter(self)
        try:
            if len(events) > 1:
                self.feed_inside(events, hear, queueing, allowed)
                return
            for event in events:  # one at most, as nearly always
                hear(event)
            self.drain(allowed)
        finally:
            self._ready.clear()
            _leave(entered)

    def feed_inside(
        self, events: Sequence[T], hear: Callable[[T], None], queueing: type, allowed: int
    ) -> None:
        """As `feed`, where this loop is the running one already (`running`)."""
        last: type | None = None
        try:
            if len(events) == 1:  # as nearly always
                hear(events[0])
                self.drain(allowed)
                return
            for event in events:
                kind = type(event)
                if last is not None and not kind is last is queueing:
                    self.drain(allowed)
                hear(event)
                last = kind
            self.drain(allowed)
        finally:
            self._ready.clear()

    @contextmanager
    def running(self) -> Generator[None]:
        """Makes this the running loop of the thread."""
        entered = _enter(self)
        try:
            yield
        finally:
            _leave(entered)

    def drain(self, allowed: int) -> None:
        """Run every ready callback, and those that they make ready, until none is left."""
        ready = self._ready
        if self._is_over:
            ready.clear()
            return
        # Callbacks append to the list while we iterate over it.
        for done, each in enumerate(ready):
            if not each.is_cancelled:
                try:
                    each.context.run(each.callback, *each.args)
                except SystemExit:
                    pass  # asyncio raises it here too, but the task that raised it already has it
                except Exception as error:
                    message = f"a callback failed: {each.callback!r}"
                    self.call_exception_handler({"message": message, "exception": error})
            if done > allowed:
                raise ForbiddenInWorkflow(_SPINNING.format(allowed))
        ready.clear()
        if self.on_idle is not None and not self._is_over:
            self._drain_idle(self.on_idle, allowed)

    def _drain_idle(self, on_idle: Callable[[], bool], allowed: int) -> None:
        """Run what `on_idle` makes ready, until it makes nothing ready."""
        self.on_idle = None
        try:
            for _ in range(allowed):
                if self._is_over or not on_idle():
                    return
                self.drain(allowed)
        finally:
            if not self._is_disposed:
                self.on_idle = on_idle
        raise ForbiddenInWorkflow(_SPINNING.format(allowed))

    def end_code(self) -> None:
        """Called by a callback: no other runs any more, whatever the rest of the step makes ready."""
        self._is_over = True
        self._ready.clear()

    def dispose(self, main: asyncio.Task[Any]) -> None:
        """Close every coroutine, so that the garbage collector need not do it.

        Closing raises `LeftMemory` at the await, and the user's `finally` blocks run. They run on this loop
        with the program disposed, so their requests have no effect. An `await` in one raises again. Code that
        catches the exception again and again is abandoned after a number of tries.
        """
        self._is_disposed = True
        self.on_idle = None
        self._ready.clear()
        self._timers = None
        tasks, self._tasks = [*(self._tasks or ()), main], None
        if main.done() and len(tasks) == 1:
            return
        entered = _enter(self)
        try:
            for task in tasks:
                task._log_destroy_pending = False  # pyright: ignore[reportAttributeAccessIssue]
                awaited: Any = getattr(task, "_fut_waiter", None)
                close_coroutine(task.get_coro())
                _forget_callbacks(awaited)
        finally:
            _leave(entered)
        self._ready.clear()


def _forget_callbacks(future: Any) -> None:
    """Break the cycle of a task and the future that it awaited. Otherwise the garbage collector would have to
    free each run that leaves memory while it waits."""
    for callback, _ in getattr(future, "_callbacks", None) or ():
        future.remove_done_callback(callback)


async def _await_future(future: asyncio.Future[Any]) -> Any:
    return await future


def _run_timer(timer: asyncio.TimerHandle) -> None:
    if not timer.cancelled():
        timer._run()  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue, reportUnknownMemberType]


class LeftMemory(BaseException):
    """Raised at the await of a run's code when the run leaves memory. Only `finally` blocks should see it."""


_TRIES = 100
"""How many nested awaits in `finally` blocks a coroutine may have before it is abandoned."""


def close_coroutine(coroutine: Any) -> None:
    """End the coroutine, whatever its code does.

    close() is not enough: if an inner coroutine awaits in a `finally` block, close() raises RuntimeError in
    the outer ones and leaves the inner one suspended. When that is garbage collected, the rest of its code
    runs outside any workflow, where a call of a task really runs it.
    """
    for _ in range(_TRIES):
        try:
            coroutine.throw(LeftMemory())
        except BaseException:
            return  # it has ended; errors of its clean-up do not matter any more
    _UNCLOSABLE.append(coroutine)


_UNCLOSABLE: list[Any] = []
"""Coroutines that do not end. They are kept, because garbage collection would run their code again."""


# --- running a loop inside another one

get_running_loop = events._get_running_loop  # pyright: ignore[reportPrivateUsage]
_set_running_loop = events._set_running_loop  # pyright: ignore[reportPrivateUsage]
_Entered = tuple[asyncio.AbstractEventLoop | None, Any, Any]

if sys.version_info >= (3, 14):
    # Since 3.14 the current task is kept per thread, not per loop, and no task may run inside another. So the
    # outer task is unset meanwhile.
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
    """Do nothing for an async generator that is dropped half-way. Garbage collection is not deterministic, so
    nothing in the run may depend on it."""


# --- two parts of asyncio that must be patched, because a loop cannot change them

_as_completed: Any = asyncio.as_completed


@functools.wraps(_as_completed)
def _as_completed_in_order(fs: Any, *args: Any, **kwargs: Any) -> Any:
    """asyncio's function puts coroutines into a set and starts them in the order of their addresses.

    After a crash they would start in another order and get each other's results. So inside a workflow this
    starts them in the order in which they were passed. Elsewhere it changes nothing.
    """
    is_one = asyncio.isfuture(fs) or asyncio.iscoroutine(fs)  # asyncio raises the error
    if isinstance(get_running_loop(), WorkflowLoop) and not is_one:
        in_order: Iterable[Any] = dict.fromkeys(cast("Iterable[Any]", fs))
        fs = [asyncio.ensure_future(each) for each in in_order]
    return _as_completed(fs, *args, **kwargs)


_asyncio: Any = asyncio
_asyncio.as_completed = _asyncio.tasks.as_completed = _as_completed_in_order


def _hash_of_gathered(future: Any) -> int:
    """In a workflow, the future of `gather` is hashed by number too, because `wait` puts it into sets."""
    loop = future.get_loop()
    if not isinstance(loop, WorkflowLoop):
        return object.__hash__(future)
    if not hasattr(future, "number"):
        future.number = loop.take_number()
    return future.number


_gathered: Any = getattr(_asyncio.tasks, "_GatheringFuture", None)
if _gathered is not None:
    _gathered.__hash__ = _hash_of_gathered


# --- all other methods raise


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
