"""What the engine needs of an executor, and what an executor needs of a task.

An executor is handed an attempt after the commit that records it. It may run it at any time, on
any thread, and reports exactly one result for each, on the event loop's thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from holdfast.core.policies import TaskOptions
from holdfast.core.values import Failure, Outcome, Payload, RunKey, key_text


class Attempt(msgspec.Struct, eq=False):
    """One try at a task, under way. Compared by identity: the engine finds its own again."""

    run: RunKey
    id: str | None
    """The user's name for the run, if it has one."""
    namespace: str
    workflow: str
    seq: int
    name: str
    input: Payload
    options: TaskOptions
    number: int
    """From 1. Lost attempts count."""
    heartbeat_details: Payload | None = None
    """What the last attempt before this one said of itself last."""
    context: Any = None
    """The executor's own, while the attempt runs."""

    @property
    def run_id(self) -> str:
        return self.id or key_text(self.run)


Report = Callable[[Attempt, Outcome], None]
Beat = Callable[[Attempt, Payload | None], None]


class TaskBody(Protocol):
    """A registered task, ready to be called: types are applied on the way in and on the way out."""

    @property
    def is_async(self) -> bool: ...

    def call(self, input: Payload) -> Any:
        """Call the function: a coroutine if `is_async`, else the result. Raises WrongType on bad input."""
        ...

    def store(self, result: Any) -> Payload:
        """Raises CannotStore, PayloadTooLarge, WrongType."""
        ...

    def explain(self, error: BaseException) -> Failure: ...


class Executor(Protocol):
    @property
    def capacity(self) -> int:
        """How many attempts it can run at once."""
        ...

    def start(self, attempt: Attempt) -> None:
        """Begin. Exactly one report follows, unless the executor is stopped."""
        ...

    def cancel(self, attempt: Attempt) -> None:
        """End the attempt now. It still reports, and that is when its slot is free."""
        ...

    async def stop(self) -> None:
        """End every attempt; report nothing more."""
        ...
