"""What the engine needs of an executor, and what an executor needs of a task.

An executor is handed an attempt after the commit that records it. It may run it at any time, on
any thread, and reports exactly one result for each, on the event loop's thread.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import msgspec

from holdfast.core.policies import TaskOptions
from holdfast.core.values import Failure, Instant, Outcome, Payload, RunKey, key_text


class Attempt(msgspec.Struct, eq=False):
    """One try at a task, under way. Compared by identity: the engine finds its own again."""

    run: RunKey
    id: str | None
    """The user's name for the run, if it has one."""
    namespace: str
    workflow: str
    version: str
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
    worker: str = ""
    """The id of the worker that made the attempt, if it was not this node. The executor sets it before it
    reports."""
    worker_url: str = ""
    """Where that worker was called; empty for one that took the task from the queue."""

    @property
    def run_id(self) -> str:
        return self.id or key_text(self.run)


OURS = "holdfast"
"""The stream of what we say ourselves in the log of an attempt."""


class OutputLine(NamedTuple):
    """A line that a task has said, without its end."""

    at: Instant
    stream: str
    """`stdout` or `stderr`; for a logging call its level, as in `INFO`; `holdfast` for what we say of it."""
    text: str


Report = Callable[[Attempt, Outcome], None]
Beat = Callable[[Attempt, Payload | None], None]
Log = Callable[[Attempt, Sequence[OutputLine]], None]
"""All three are called on the event loop's thread, and nothing is said of an attempt after its report."""


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


class ShellCommand(msgspec.Struct, frozen=True, tag="shell"):
    command: str | tuple[str, ...]
    """Text goes through the shell; a list of arguments does not."""


class PythonFunction(msgspec.Struct, frozen=True, tag="python"):
    """A plain function that need not know of holdfast: every parameter is bound by its name and hint."""

    function: str
    file: str | None = None
    """Relative to the project's folder."""
    module: str | None = None
    """One of the two."""


ProcessWork: TypeAlias = ShellCommand | PythonFunction


class ProcessBody(NamedTuple):
    """A task that runs in a process of its own, ready to be started."""

    work: ProcessWork
    project: str
    """The absolute path of the folder that files and modules are found in."""
    workdir: str
    """The absolute path of the folder that it runs in."""
    env: Mapping[str, str]
    """On top of the node's own environment."""
    store: Callable[[bytes], Payload]
    """Checks the output, which should be JSON. Raises WrongType, PayloadTooLarge."""


class ServiceCall(NamedTuple):
    """A task that a worker does when it is called, ready to be sent."""

    service: str
    body: bytes
    """JSON: `{"input": …, "params": {…}}`."""
    max_attempts: int = 0
    """How many workers are asked within one attempt; 0: each that is there, once."""
    attempt_delay: dt.timedelta = dt.timedelta(0)
    """Between one worker and the next."""
    weighted_by_load: bool = False
    """The one with the least to do is asked first; else they take turns."""


class Executor(Protocol):
    @property
    def capacity(self) -> int:
        """How many attempts it can run at once."""
        ...

    @property
    def ends_surely(self) -> bool:
        """Whether an attempt that is cancelled ends within seconds, whatever it does. Then the next attempt
        at its task waits for that; else it does not, for it might wait for ever."""
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
