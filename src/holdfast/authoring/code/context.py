"""What workflow code can ask its run: `Context`.

Every answer is the same on replay. Workflow code gets the context from `context()`, or as the first parameter
of a workflow if that is annotated `Context`.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import random
import uuid
from collections.abc import Callable, MutableMapping
from typing import Any, TypeVar, overload

from holdfast.authoring.code.handles import ChildHandle, TaskHandle
from holdfast.authoring.code.loop import WorkflowLoop, get_running_loop
from holdfast.authoring.code.places import caller
from holdfast.authoring.code.program import CodeProgram
from holdfast.core.codec import digest_of
from holdfast.core.failures import revive
from holdfast.core.names import checked_name, checked_span
from holdfast.core.run_options import WithOptions, target_and_options
from holdfast.core.values import Cancelled, Failed, Outcome, Succeeded
from holdfast.core.waiting import WaitKind
from holdfast.errors import OutsideContext, TaskError

T = TypeVar("T")

_loggers = logging.getLogger("holdfast.workflow")


def current_program() -> CodeProgram | None:
    """The program whose code is running now, if any."""
    loop = get_running_loop()
    return loop.host if type(loop) is WorkflowLoop else None  # pyright: ignore[reportReturnType]


def context() -> Context:
    program = current_program()
    if program is None:
        raise OutsideContext("context() works only inside a workflow; in a task, use task_context()")
    return Context(program)


class Context:
    """A view of the run. It is cheap: the program has all the state."""

    __slots__ = ("_program",)

    def __init__(self, program: CodeProgram) -> None:
        self._program = program

    # --- the run

    @property
    def run_id(self) -> str:
        return self._program.run_id

    @property
    def namespace(self) -> str:
        return self._program.run.namespace

    @property
    def workflow(self) -> str:
        return self._program.run.workflow

    @property
    def version(self) -> str:
        return self._program.run.version

    @property
    def input(self) -> Any:
        """The arguments of the run by name, as plain JSON values."""
        return self._program.codec.decode(self._program.run.input, Any, "the input of the run")

    @property
    def cancel_requested(self) -> bool:
        return self._program.cancel_requested

    # --- time and random numbers

    def now(self) -> dt.datetime:
        """The instant of this step of the run, in UTC."""
        return self._program.now()

    @property
    def random(self) -> random.Random:
        """A random generator that gives the same numbers in every replay of this run."""
        return self._program.random

    def uuid4(self) -> uuid.UUID:
        return self._program.uuid4()

    # --- state and side effects

    @property
    def state(self) -> State:
        return State(self._program)

    async def run(self, name: str, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Call a plain function here, once. Its result is recorded, and replay returns the recorded result.

        Use it for quick local calls that may differ next time, such as reading an environment variable. Work
        that can fail or takes time belongs in a task.
        """
        name = checked_name("the name of a side effect", name)
        outcome = self._program.record(name, lambda: function(*args, **kwargs))
        return _value(outcome, self._program, Any, f"the result of {name!r}")

    # --- messages

    @overload
    def promise(self, name: str, /, *, timeout: dt.timedelta | None = None) -> asyncio.Task[Any]: ...
    @overload
    def promise(
        self, name: str, type: type[T], /, *, timeout: dt.timedelta | None = None
    ) -> asyncio.Task[T]: ...
    def promise(
        self, name: str, type: Any = Any, /, *, timeout: dt.timedelta | None = None
    ) -> asyncio.Task[Any]:
        """A value that is given from outside, once, with `hf.resolve(run, name, value)`.

        Raises TimeoutError after `timeout`, and the error given to `hf.reject` if it is rejected. Asking
        twice for a name gives the same value. The promise may be resolved before the code asks for it.
        """
        name = checked_name("the name of a promise", name)
        self._program.expect_message(WaitKind.PROMISE, name)
        return self._program.spawn(self._promise(name, type, timeout), f"promise {name!r}")

    async def _promise(self, name: str, type: Any, timeout: dt.timedelta | None) -> Any:
        async with asyncio.timeout(_seconds(timeout)):
            outcome = await self._program.inbox.outcome_of(name)
        return _value(outcome, self._program, type, f"promise {name!r}")

    @overload
    def signal(self, name: str, /, *, timeout: dt.timedelta | None = None) -> asyncio.Task[Any]: ...
    @overload
    def signal(
        self, name: str, type: type[T], /, *, timeout: dt.timedelta | None = None
    ) -> asyncio.Task[T]: ...
    def signal(
        self, name: str, type: Any = Any, /, *, timeout: dt.timedelta | None = None
    ) -> asyncio.Task[Any]:
        """The next message sent with `hf.signal(run, name, value)`: first in, first out, each once.

        Raises TimeoutError after `timeout`. No message is lost by a timeout.
        """
        name = checked_name("the name of a signal", name)
        self._program.expect_message(WaitKind.SIGNAL, name)
        return self._program.spawn(self._signal(name, type, timeout), f"signal {name!r}")

    async def _signal(self, name: str, type: Any, timeout: dt.timedelta | None) -> Any:
        async with asyncio.timeout(_seconds(timeout)):
            payload = await self._program.inbox.next_signal(name)
        return self._program.codec.decode(payload, type, f"signal {name!r}")

    def has_signal(self, name: str) -> bool:
        return self._program.inbox.has_signal(checked_name("the name of a signal", name))

    def drain_signals(self, name: str, type: Any = Any) -> list[Any]:
        """All messages of that name that have arrived, without waiting."""
        name = checked_name("the name of a signal", name)
        self._program.expect_message(WaitKind.SIGNAL, name)
        payloads = self._program.inbox.drain_signals(name)
        return [self._program.codec.decode(payload, type, f"signal {name!r}") for payload in payloads]

    # --- tasks and children

    def schedule(self, task: Any, /, *args: Any, **kwargs: Any) -> TaskHandle[Any]:
        """Ask for a task, given by itself or by name. By name, arguments are passed by keyword."""
        handle = self._program.resolver.schedule(self._program, task, args, kwargs)
        handle.place = caller()
        return handle

    def start_child(
        self,
        workflow: Any,
        /,
        *args: Any,
        id: str | None = None,
        version: str | None = None,
        detached: bool = False,
        **kwargs: Any,
    ) -> ChildHandle[Any]:
        """Start a workflow of any kind as a child, given by itself or by name, or with `with_options`."""
        detached = detached or (isinstance(workflow, WithOptions) and workflow.is_detached)
        workflow, options = target_and_options(workflow, id, version)
        handle = self._program.resolver.start_child(
            self._program, workflow, args, kwargs, options=options, detached=detached
        )
        handle.place = caller()
        return handle

    # --- changed code

    def patched(self, change_id: str) -> bool:
        """Whether this run takes the changed path.

        True if the run reaches this line for the first time, False if it passed here before the change was
        made. A run always gets the same answer. So old and new runs can go on with the same code.
        """
        return self._program.patched(checked_name("change_id", change_id))

    @property
    def logger(self) -> logging.LoggerAdapter[logging.Logger]:
        """A logger that writes nothing during replay, so that every line is written once."""
        return _ReplayAwareLogger(self._program)


class State:
    """The durable key-value state of the run. Clients can read it, and replay rebuilds it."""

    __slots__ = ("_program",)

    def __init__(self, program: CodeProgram) -> None:
        self._program = program

    def get(self, key: str, type: Any = Any, default: Any = None) -> Any:
        key = checked_name("a key of the state", key)
        payload = self._program.state.get(key) if self._program.state else None
        return default if payload is None else self._program.codec.decode(payload, type, f"state {key!r}")

    def set(self, key: str, value: Any) -> None:
        key = checked_name("a key of the state", key)
        payload = self._program.codec.encode(value, f"state {key!r}")
        self._program.set_state(key, payload, digest_of(value))

    def delete(self, key: str) -> None:
        key = checked_name("a key of the state", key)
        if self._program.state and key in self._program.state:
            self._program.set_state(key, None, None)

    def keys(self) -> list[str]:
        return list(self._program.state or ())


class _ReplayAwareLogger(logging.LoggerAdapter[logging.Logger]):
    def __init__(self, program: CodeProgram) -> None:
        super().__init__(_loggers.getChild(program.run.workflow), {"run_id": program.run_id})
        self._program = program

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802  # logging's name
        return self._program.is_live and super().isEnabledFor(level)

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        return f"[{self._program.run_id}] {msg}", {**kwargs, "extra": self.extra}


def _value(outcome: Outcome, program: CodeProgram, type: Any, what: str) -> Any:
    match outcome:
        case Succeeded():
            return program.codec.decode(outcome.payload, type, what)
        case Failed():
            raise revive(outcome.failure, TaskError)
        case Cancelled():
            raise asyncio.CancelledError(f"{what} was cancelled")


def _seconds(timeout: dt.timedelta | None) -> float | None:
    return None if timeout is None else checked_span("timeout", timeout).total_seconds()
