"""The interface between the engine and an executor, and between an executor and a task.

The engine passes an attempt to an executor after the commit that records it. The executor may run the attempt
at any time, on any thread. It reports exactly one result for each attempt, on the event loop's thread.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import msgspec

from holdfast.core.log_lines import OutputLine
from holdfast.core.masking import AttemptSecrets
from holdfast.core.policies import TaskOptions
from holdfast.core.shared_inputs import SharedInput, whole_input
from holdfast.core.stream_items import UnwrittenItems
from holdfast.core.values import Failure, Outcome, Payload, RunKey, key_text
from holdfast.ports.tracing import AttemptSpan


class Attempt(msgspec.Struct, eq=False):
    """One try at a task that is under way. Attempts are compared by identity."""

    run: RunKey
    id: str | None
    """The user's name for the run, if it has one."""
    namespace: str
    workflow: str
    version: str
    seq: int
    name: str
    own_input: Payload
    """The input, without what the task shares with others."""
    options: TaskOptions
    number: int
    """Counts from 1. Lost attempts count too."""
    heartbeat_details: Payload | None = None
    """The payload of the last heartbeat of the previous attempt."""
    context: Any = None
    """For the executor's own use while the attempt runs."""
    worker: str = ""
    """The id of the worker that made the attempt, if it was not this node. The executor sets it before it
    reports."""
    worker_url: str = ""
    """Where that worker was called; empty if it took the task from the queue."""
    shared: SharedInput | None = None
    secrets: AttemptSecrets | None = None
    """The secrets that its options name. Set before an executor gets it."""
    body: TaskBody | None = None
    """What to call, if the attempt is at a step of workflow code. Else a task is registered under `name`."""
    error: BaseException | None = None
    """What its code has raised in this process, for the log of the program. None if a secret may be in it."""
    span: AttemptSpan | None = None
    """In which its code runs. None: nobody traces it. Set before an executor gets it."""

    @property
    def input(self) -> Payload:
        """Put together at each call, so that attempts that wait share it in memory too."""
        return self.own_input if self.shared is None else whole_input(self.shared, self.own_input)

    @property
    def run_id(self) -> str:
        return self.id or key_text(self.run)


Report = Callable[[Attempt, Outcome], None]
Beat = Callable[[Attempt, Payload | None], None]
Log = Callable[[Attempt, Sequence[OutputLine]], None]
Publish = Callable[[Attempt, UnwrittenItems], None]
"""Says that the attempt has published items; the engine takes them with its next commit.

All four are called on the event loop's thread. After the report of an attempt, none is called for it."""


class LineSink(Protocol):
    """What is written by a task, or by the code of a workflow, goes to its log. May be called from any
    thread."""

    @property
    def origin(self) -> dict[str, str | int]:
        """What handlers of `logging` may say about a record: its `run`, and for a task `task`, `task_id` and
        `attempt`; and `trace_id` and `span_id`, if it is traced."""
        ...

    @property
    def secrets(self) -> AttemptSecrets | None:
        """What must not be shown of the text."""
        ...

    def add_lines(self, lines: Sequence[OutputLine]) -> None: ...

    def print(self, stream: str, text: str) -> None:
        """A piece of text. Pieces are joined to lines."""
        ...


FindSink = Callable[[], LineSink | None]
"""Finds the log that belongs to the code that is running now, if any."""


class TaskBody(Protocol):
    """A registered task or a step of workflow code, ready to be called. Input and result are converted by
    their type hints."""

    @property
    def is_async(self) -> bool: ...

    def call(self, input: Payload) -> Any:
        """Returns a coroutine if `is_async`, else the function's result, which is awaited if it is an
        awaitable. Raises WrongType on bad input."""
        ...

    def store(self, result: Any) -> Payload:
        """Raises CannotStore, PayloadTooLarge, WrongType."""
        ...

    def explain(self, error: BaseException) -> Failure: ...


class ShellCommand(msgspec.Struct, frozen=True, tag="shell"):
    command: str | tuple[str, ...]
    """A string is run by the shell. A tuple of arguments is run directly."""


class PythonFunction(msgspec.Struct, frozen=True, tag="python"):
    """A plain function, which needs no decorator. Parameters are bound by name and type hint."""

    function: str
    file: str | None = None
    """Relative to the project's folder."""
    module: str | None = None
    """Either `file` or `module` is set."""


ProcessWork: TypeAlias = ShellCommand | PythonFunction


class ProcessBody(NamedTuple):
    """A task that runs in its own process, ready to be started."""

    work: ProcessWork
    project: str
    """The absolute path of the folder in which files and modules are found."""
    workdir: str
    """The absolute path of the folder in which the process runs."""
    env: Mapping[str, str]
    """Variables added to the node's own environment."""
    store: Callable[[bytes], Payload]
    """Checks the output, which should be JSON. Raises WrongType, PayloadTooLarge."""


class ServiceCall(NamedTuple):
    """A task that a push worker executes, ready to be sent to the worker."""

    service: str
    body: bytes
    """JSON: `{"input": …, "params": {…}}`."""
    max_attempts: int = 0
    """How many workers are called within one attempt. 0: every worker that is online, once."""
    attempt_delay: dt.timedelta = dt.timedelta(0)
    """The pause before the next worker is called."""
    weighted_by_load: bool = False
    """Call the worker with the least load first; else the workers take turns."""


class Executor(Protocol):
    @property
    def capacity(self) -> int:
        """How many attempts it can run at once."""
        ...

    @property
    def ends_surely(self) -> bool:
        """Whether a cancelled attempt ends within seconds, whatever its code does. Then the next attempt at
        the task waits until it has ended. Else it does not wait, because the cancelled one may never end."""
        ...

    @property
    def unbegun(self) -> int:
        """How many of the attempts that were started have done nothing yet, and wait for somebody who can do
        them. A node that stops hands them back without waiting for them."""
        ...

    def start(self, attempt: Attempt) -> None:
        """Start the attempt. Exactly one report follows, unless the executor is stopped."""
        ...

    def cancel(self, attempt: Attempt) -> None:
        """End the attempt now. Its report still follows, and frees its slot."""
        ...

    async def stop(self) -> None:
        """End every attempt, and report nothing more."""
        ...
