"""What the rest of the process waits for: the asyncio tasks of the event loop, its timers, and threads.

Python tells what a suspended task waits for: its coroutine awaits another one (`cr_await`), and so on, and
the last one is a function that is known, such as `asyncio.sleep`. What is not known might act at any moment.
"""

from __future__ import annotations

import asyncio
import asyncio.locks
import asyncio.queues
import asyncio.tasks
import os
import threading
from collections.abc import Iterable, Iterator
from contextvars import Context, ContextVar
from pathlib import Path
from types import CodeType
from typing import Any, cast

from holdfast.client.waiters import Ending
from holdfast.executors.context import attempt_in
from holdfast.executors.inline import attempt_of
from holdfast.ports.executor import Attempt

_PACKAGE = Path(__file__).parent.parent
_OURS = tuple(f"{_PACKAGE / name}{os.sep}" for name in ("stores", "client"))
_PRIMITIVES = (asyncio.locks.__file__, asyncio.queues.__file__)
"""Events, locks, conditions, semaphores, barriers and queues: only code of this process ends these waits."""
_SLEEP = asyncio.sleep.__code__
_WAITED_FOR = {
    asyncio.wait_for.__code__: "fut",
    getattr(asyncio.tasks, "_wait").__code__: "fs",  # noqa: B009  # what `asyncio.wait` and others are in
}
"""Functions of asyncio that wait by a future of their own, and their variable for what they wait for."""
_HARMLESS = {
    ("asyncio.futures", "_set_result_unless_cancelled"),
    ("asyncio.timeouts", "Timeout._on_timeout"),
    ("asyncio.tasks", "_release_waiter"),
}
"""Timers that end a sleep, which its task shows, or a wait that took too long."""

is_own = ContextVar("is_own", default=False)
"""Set where holdfast itself sets timers, so that they are not taken for those of the test."""


class LoopWaits:
    """The asyncio tasks of one event loop at one moment. `own` are names of tasks of the environment."""

    def __init__(self, own: Iterable[str]) -> None:
        self._loop = asyncio.get_running_loop()
        own = set(own)
        self.of_attempts: dict[Attempt, list[asyncio.Task[Any]]] = {}
        self.others: list[asyncio.Task[Any]] = []
        """The tasks of the test: neither ours nor an attempt's."""
        for task in asyncio.all_tasks(self._loop):
            attempt = attempt_of(task)
            if attempt is not None:
                self.of_attempts.setdefault(attempt, []).append(task)
            elif not (task is asyncio.current_task() or task.get_name() in own or _is_ours(task)):
                self.others.append(task)

    def moves(self) -> dict[asyncio.Task[Any], Any]:
        """What each task waits for. It differs from what it was before if a task has moved."""
        tasks = [task for each in self.of_attempts.values() for task in each]
        return {task: _awaited(task) for task in (*tasks, *filter(_may_act, self.others))}

    def sleepers(self) -> dict[asyncio.Task[Any], Any]:
        """Tasks of the test that sleep, each with its sleep."""
        return {task: _awaited(task) for task in self.others if _innermost(task) is _SLEEP}

    def only_sleeps(self, attempt: Attempt) -> bool:
        tasks = self.of_attempts.get(attempt, [])
        # Python 3.11 does not tell which attempt has started a task, so any might be one of its own.
        others = [] if hasattr(asyncio.Task, "get_context") else [it for it in self.others if _may_act(it)]
        return len(tasks) == 1 and _innermost(tasks[0]) is _SLEEP and not others

    def only_code_here_ends(self, attempt: Attempt) -> bool:
        """Whether the attempt waits for something that only code of this process can bring about."""
        return bool(tasks := self.of_attempts.get(attempt)) and all(_is_inert(task) for task in tasks)

    def nobody_may_act(self) -> bool:
        """Whether nothing is known that could send anything: all tasks of the test wait for results of runs,
        and there are no other threads, no child processes, and no timers."""
        timers = self._timers()
        return timers is not None and not (
            any(_may_act(task) for task in self.others)
            or any(_has_effect(timer) for timer in timers)
            or _has_other_threads()
            or _has_child_processes()
        )

    def timers_of_attempts(self) -> list[tuple[asyncio.TimerHandle, Attempt]] | None:
        """The timers that attempts have set: sleeps, timeouts. None if the event loop does not tell."""
        timers = self._timers()
        if timers is None:
            return None
        found = [(timer, attempt_in(_context(timer))) for timer in timers]
        return [(timer, attempt) for timer, attempt in found if attempt is not None]

    def remaining(self, timer: asyncio.TimerHandle) -> float:
        return timer.when() - self._loop.time()

    def _timers(self) -> list[asyncio.TimerHandle] | None:
        """uvloop keeps its timers to itself."""
        timers: list[asyncio.TimerHandle] | None = getattr(self._loop, "_scheduled", None)
        return None if timers is None else [timer for timer in timers if not timer.cancelled()]


def _chain(task: asyncio.Task[Any]) -> Iterator[Any]:
    """The coroutine of the task, the one that it awaits, and so on."""
    each: Any = task.get_coro()
    while hasattr(each, "cr_await"):
        yield each
        each = each.cr_await


def _innermost(task: asyncio.Task[Any]) -> CodeType | None:
    code = None
    for coroutine in _chain(task):
        code = coroutine.cr_code
    return code


def _is_ours(task: asyncio.Task[Any]) -> bool:
    code = getattr(task.get_coro(), "cr_code", None)
    return code is not None and code.co_filename.startswith(_OURS)


def _awaited(task: asyncio.Task[Any]) -> Any:
    """The future that the task waits for; None if it is about to go on."""
    return getattr(task, "_fut_waiter", None)


def _may_act(task: asyncio.Task[Any]) -> bool:
    """Whether a task of the test waits for anything but the result of a run or another task."""
    if isinstance(task.get_coro(), Ending):
        return False
    awaited = _awaited(task)
    *_, last = [None, *_chain(task)]
    if last is not None and last.cr_frame is not None and last.cr_code in _WAITED_FOR:
        awaited = last.cr_frame.f_locals.get(_WAITED_FOR[last.cr_code], awaited)
    # `wait` has a set of what it waits for, and the future of `gather` a list.
    found = cast("Iterable[object]", awaited if type(awaited) is set else _children(awaited))
    return not all(isinstance(each, Ending | asyncio.Task) for each in found)


def _children(awaited: object) -> Iterable[object]:
    return getattr(awaited, "_children", [awaited])


def _is_inert(task: asyncio.Task[Any]) -> bool:
    code = _innermost(task)
    return (code is not None and code.co_filename in _PRIMITIVES) or isinstance(_awaited(task), asyncio.Task)


def _context(timer: asyncio.TimerHandle) -> Context:
    return getattr(timer, "_context")  # noqa: B009  # private, and nothing public tells it


def _has_effect(timer: asyncio.TimerHandle) -> bool:
    callback: Any = getattr(timer, "_callback", None)
    module, name = getattr(callback, "__module__", None), getattr(callback, "__qualname__", None)
    is_ours = str(module).startswith("holdfast.") or _context(timer).get(is_own)
    return not (is_ours or (module, name) in _HARMLESS)


def _has_other_threads() -> bool:
    own = threading.current_thread()
    return any(it is not own and not it.name.startswith("holdfast") for it in threading.enumerate())


def _has_child_processes() -> bool:
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
