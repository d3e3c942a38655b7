"""Inside a worker process: calls users' functions, one after the other, as the node asks for them.

The worker's standard input is the channel to its node; the user's code gets an empty one. What a call changes
in the process is restored after it. If that is not possible, the answer says so, and the node replaces the
worker. What a module sets while it is loaded stays: it is loaded once, for all calls.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import signal
import socket
import sys
from contextvars import copy_context
from types import FrameType, TracebackType
from typing import Any

import msgspec

from holdfast.core.codec import Codec
from holdfast.core.failures import capture
from holdfast.core.values import NULL, Failure, Payload
from holdfast.errors import CommandFailed
from holdfast.executors.forks import ForkGuard
from holdfast.executors.processes.limits import LARGEST_OUTPUT, LARGEST_VARIABLE
from holdfast.executors.python.call_setup import CallSetup
from holdfast.executors.python.functions import FunctionLoader, LoadedFunction, Stamp
from holdfast.executors.python.process_globals import ProcessGlobals

LENGTH = 4
"""Each message begins with its size, in this many bytes, big-endian."""

_OUR_PACKAGES = frozenset({"holdfast", "importlib", "asyncio"})


class FunctionCall(msgspec.Struct, frozen=True):
    """The request of the node."""

    function: str
    file: str | None
    module: str | None
    project: str
    workdir: str
    env: dict[str, str]
    input_file: str
    in_span: str = ""
    """`module:function`: what makes the span that its environment names the current one. Empty: there is
    none."""


class FunctionAnswer(msgspec.Struct, frozen=True):
    """The answer of the worker: a payload or a failure."""

    payload: bytes | None
    failure: Failure | None
    is_spent: bool
    """The worker must be replaced: something of this call is left in it."""
    sources: dict[str, Stamp]
    """Files of the project that were imported since the last answer."""


class _Interrupted(SystemExit):
    """Raised in the function when its attempt is cancelled, so that its `finally` blocks run. A SystemExit,
    because programs turn SIGTERM into that, and libraries do not catch it."""


class FunctionWorker:
    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._codec = Codec(LARGEST_OUTPUT)
        self._loader = FunctionLoader()
        self._setup = CallSetup(os.getcwd())
        self._globals = ProcessGlobals()
        self._is_calling = False
        self._fork_guard = ForkGuard()
        """A process that a function forks must not return from it and become a second worker."""

    def work(self) -> None:
        signal.signal(signal.SIGTERM, self._interrupt)
        while (message := self._receive()) is not None:
            answer = self._perform(msgspec.msgpack.decode(message, type=FunctionCall))
            encoded = msgspec.msgpack.encode(answer)
            self._channel.sendall(len(encoded).to_bytes(LENGTH, "big") + encoded)

    def _receive(self) -> bytes | None:
        """None if the node has closed the channel or has died."""
        length = self._read(LENGTH)
        return None if length is None else self._read(int.from_bytes(length, "big"))

    def _read(self, size: int) -> bytes | None:
        pieces: list[bytes] = []
        while size > 0:
            piece = self._channel.recv(min(size, 1 << 20))
            if not piece:
                return None
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_calling:
            raise _Interrupted(128 + signal.SIGTERM)
        os._exit(128 + signal.SIGTERM)

    def _perform(self, call: FunctionCall) -> FunctionAnswer:
        payload: Payload | None = None
        failure: Failure | None = None
        try:
            self._is_calling = True
            payload = self._call(call)
            self._fork_guard.exit_if_forked(None)
        except SystemExit as error:
            self._fork_guard.exit_if_forked(error)
            failure = _failure_of_exit(error)
            if failure is None:
                payload = NULL
        except BaseException as error:  # whatever it is, the node must be told
            self._fork_guard.exit_if_forked(error)
            failure = capture(error.with_traceback(_users_frames(error.__traceback__)))
            _write_to_log(failure.whole_traceback)
        finally:
            self._is_calling = False
        is_clean = self._setup.restore() and self._globals.restore()
        signal.signal(signal.SIGTERM, self._interrupt)
        sources, is_stale = self._loader.new_sources(call.project)
        return FunctionAnswer(payload, failure, is_stale or not is_clean, sources)

    def _call(self, call: FunctionCall) -> Payload:
        with open(call.input_file, "rb") as file:
            input = Payload(file.read())
        self._setup.prepare(call.env | _input_variable(input), call.workdir)
        if self._loader.load(call.project, call.file, call.module):
            self._setup.save()
            self._globals.save()
        function = self._loader.find(call.file, call.module, call.function)
        # In a copy of the context variables: the next call must not see what this one sets in a ContextVar.
        return copy_context().run(self._run, call, function, input)

    def _run(self, call: FunctionCall, function: LoadedFunction, input: Payload) -> Payload:
        with _span_of(call):
            args, kwargs = function.bind(input)
            result = function.call(*args, **kwargs)
            if inspect.isawaitable(result):
                result = _wait_for(result)
        return function.store(result, self._codec)


def _span_of(call: FunctionCall) -> contextlib.AbstractContextManager[None]:
    if not call.in_span:
        return contextlib.nullcontext()
    module, _, name = call.in_span.partition(":")
    in_span = getattr(importlib.import_module(module), name)
    return in_span(call.env.get("TRACEPARENT", ""), call.env.get("TRACESTATE", ""))


def _input_variable(input: Payload) -> dict[str, str]:
    return {"HOLDFAST_INPUT": input.decode()} if len(input) <= LARGEST_VARIABLE else {}


def _wait_for(result: Any) -> Any:
    import asyncio  # slow to import, and most functions do not need it

    async def wait() -> Any:
        return await result

    return asyncio.run(wait())


def _failure_of_exit(error: SystemExit) -> Failure | None:
    """None if the function has exited with success."""
    code = error.code
    # As for a process: None is success, a text is an error message, and only eight bits of a number count.
    if isinstance(code, int) or code is None:
        status, message = (code or 0) & 0xFF, ""
    else:
        status, message = 1, str(code)
    if status == 0:
        return None
    _write_to_log(message)
    return msgspec.structs.replace(capture(CommandFailed(status)), traceback=message, arguments=None)


def _write_to_log(text: str) -> None:
    """Standard error is part of the log of the attempt. The function may have closed it."""
    if text.strip():
        with contextlib.suppress(Exception):
            sys.stderr.write(text.rstrip() + "\n")


def _users_frames(frames: TracebackType | None) -> TracebackType | None:
    """From the first frame of the user's own code on."""
    while frames is not None:
        if str(frames.tb_frame.f_globals.get("__name__")).partition(".")[0] not in _OUR_PACKAGES:
            return frames
        frames = frames.tb_next
    return None


def main() -> None:
    folder = sys.argv.pop()
    os.chdir(folder if os.path.isdir(folder) else os.sep)
    channel = socket.socket(fileno=os.dup(0))
    channel.set_inheritable(False)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    FunctionWorker(channel).work()
