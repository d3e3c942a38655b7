"""What calling a task or a child workflow inside a workflow gives back: an asyncio future with an id.

A real `asyncio.Future`, so `gather`, `wait`, `wait_for`, `shield` and `TaskGroup` take it as it is.
Cancelling it, by hand or because what awaited it was cancelled, cancels the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from holdfast.core.values import Cancelled, Failed, Outcome, Succeeded

R = TypeVar("R")


class Asker(Protocol):
    """The program that a handle belongs to."""

    def task_id(self, seq: int) -> str: ...
    def cancel_task(self, seq: int) -> None: ...
    def cancel_child(self, seq: int) -> None: ...


class Handle(asyncio.Future[R], Generic[R]):
    __slots__ = ("decode", "program", "seq")
    seq: int
    decode: Callable[[Any], R]
    program: Asker

    def give_up(self) -> None:
        """Be cancelled without asking for anything."""
        asyncio.Future.cancel(self)  # pyright: ignore[reportUnknownMemberType]

    def __hash__(self) -> int:
        """By number and not by address: `asyncio.wait` gives sets, and replay must walk them as before."""
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
    """Give a handle its outcome. `error` makes the exception for one that failed; None: cancelled."""
    if handle.done():
        return
    if not isinstance(outcome, Succeeded):
        problem = error(handle, outcome)
        if problem is None:
            handle.give_up()  # it has ended already: there is no work left to cancel
        else:
            handle.set_exception(problem)
            handle.exception()  # a failed task that nobody awaits is no mistake: the journal has it
        return
    try:
        value = handle.decode(outcome.payload)
    except Exception as problem:
        handle.set_exception(problem)
    else:
        handle.set_result(value)
