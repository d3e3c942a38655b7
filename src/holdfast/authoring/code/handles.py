"""Handles: what a call of a task or a child workflow returns inside a workflow.

A handle is an `asyncio.Future` with an id, so `gather`, `wait`, `wait_for`, `shield` and `TaskGroup` accept
it. Cancelling the handle, directly or through the code that awaits it, cancels the task or child.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from holdfast.core.values import Cancelled, Failed, Outcome, Succeeded

R = TypeVar("R")


class HandleOwner(Protocol):
    """What a handle needs from its program."""

    def task_id(self, seq: int) -> str: ...
    def cancel_task(self, seq: int) -> None: ...
    def cancel_child(self, seq: int) -> None: ...


class Handle(asyncio.Future[R], Generic[R]):
    __slots__ = ("decode", "program", "seq")
    seq: int
    decode: Callable[[Any], R]
    program: HandleOwner

    def mark_cancelled(self) -> None:
        """Cancel the future alone; its work has already ended."""
        asyncio.Future.cancel(self)  # pyright: ignore[reportUnknownMemberType]

    def __hash__(self) -> int:
        """By number, not by address: `asyncio.wait` returns sets, and replay must iterate in the same
        order."""
        return self.seq


class TaskHandle(Handle[R]):
    """A task under way."""

    __slots__ = ()

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


def settle(handle: H, outcome: Outcome, error: Callable[[H, Failed | Cancelled], Exception | None]) -> None:
    """Give a handle its outcome. `error` makes the exception of an outcome that is not a success; None marks
    the handle as cancelled."""
    if handle.done():
        return
    if not isinstance(outcome, Succeeded):
        problem = error(handle, outcome)
        if problem is None:
            handle.mark_cancelled()
        else:
            handle.set_exception(problem)
            # Marks the exception as retrieved. asyncio need not warn if nobody awaits the task: the journal
            # has the failure.
            handle.exception()
        return
    try:
        value = handle.decode(outcome.payload)
    except Exception as problem:
        handle.set_exception(problem)
    else:
        handle.set_result(value)
