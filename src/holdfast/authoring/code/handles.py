"""Handles: what a call of a task or a child workflow returns inside a workflow.

A handle is an `asyncio.Future` with an id, so `gather`, `wait`, `wait_for`, `shield` and `TaskGroup` accept
it. Cancelling the handle, directly or through the code that awaits it, cancels the task or child.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from holdfast.authoring.code.places import Place
from holdfast.authoring.code.steps import StepBody
from holdfast.core.values import Cancelled, Failed, Outcome, Succeeded

R = TypeVar("R")


class HandleOwner(Protocol):
    """What a handle needs from its program."""

    def task_id(self, seq: int) -> str: ...
    def cancel_task(self, seq: int) -> None: ...
    def cancel_child(self, seq: int) -> None: ...


class Handle(asyncio.Future[R], Generic[R]):
    __slots__ = ("decode", "may_be_left", "place", "program", "seq")
    seq: int
    place: Place
    """Where it was called."""
    may_be_left: bool
    """Set if nobody need await it: it is detached, or code has stopped waiting for it."""
    decode: Callable[[Any], R]
    program: HandleOwner

    def remove_done_callback(self, fn: Callable[..., object], /) -> int:
        """Called by `asyncio.wait` for what it leaves behind: the code has waited, and gone on without it."""
        self.may_be_left = True
        return super().remove_done_callback(fn)

    def mark_cancelled(self) -> None:
        """Cancel the future alone; its work has already ended."""
        asyncio.Future.cancel(self)  # pyright: ignore[reportUnknownMemberType]

    def __hash__(self) -> int:
        """By number, not by address: `asyncio.wait` returns sets, and replay must iterate in the same
        order."""
        return self.seq


class TaskHandle(Handle[R]):
    """A task or a step under way."""

    __slots__ = ("body",)
    body: StepBody
    """Set if it is a step."""

    @property
    def id(self) -> str:
        """The task's id, which is also its idempotency key."""
        return self.program.task_id(self.seq)

    def cancel(self, msg: Any | None = None) -> bool:
        if self.done():
            return False
        self.program.cancel_task(self.seq)
        return super().cancel(msg)


class ChildHandle(Handle[R]):
    """A child run under way."""

    __slots__ = ("run_id",)
    run_id: str

    @property
    def id(self) -> str:
        """The id of the child's run."""
        return self.run_id

    def cancel(self, msg: Any | None = None) -> bool:
        if self.done():
            return False
        self.program.cancel_child(self.seq)
        return super().cancel(msg)


H = TypeVar("H", bound=Handle[Any])


def settle(handle: H, outcome: Outcome, error: Callable[[H, Failed | Cancelled], Exception | None]) -> bool:
    """Give a handle its outcome. `error` makes the exception of an outcome that is not a success; None marks
    the handle as cancelled.

    Returns whether it has failed and nobody waits for it now. Code that looks at the error later clears
    `_log_traceback`."""
    if handle.done():
        return False
    if isinstance(outcome, Succeeded):
        try:
            handle.set_result(handle.decode(outcome.payload))
            return False
        except Exception as problem:
            return _fail(handle, problem)
    problem = error(handle, outcome)
    if problem is None:
        handle.mark_cancelled()
        return False
    return _fail(handle, problem)


def _fail(handle: Any, problem: Exception) -> bool:
    is_awaited = bool(handle._callbacks) or getattr(handle, "may_be_left", False)
    handle.set_exception(problem)
    if is_awaited:
        handle.exception()  # so that asyncio does not warn: whoever waits gets it, or has chosen not to
    return not is_awaited


def place_if_dropped(handles: Mapping[int, Handle[Any]], seq: int) -> Place | None:
    """Where the handle of that number was called, if `handles` has the only reference to it: then no code can
    await it."""
    handle: Any = handles.get(seq)
    # The others are the variable and the argument of this call. What waits for a future has callbacks in it.
    if handle is None or sys.getrefcount(handle) > 3 or handle._callbacks:
        return None
    return handle.place


def is_unheard(handle: Any) -> bool:
    """Whether it has failed, and no code has looked at its error."""
    return handle._log_traceback


def forget_error(handle: Any) -> None:
    """Keep asyncio from warning of an error that nobody has looked at."""
    handle._log_traceback = False
