"""Inside a worker process: one call of a user's function after the other, as the node asks for them.

The worker's standard input is the channel to its node; the user's code gets an empty one. What a call
changes in the process is put back after it; if that cannot be done, the answer says so, and the worker
is not used again. What modules set up while they are loaded stays: they are loaded once, for all calls.
"""

from __future__ import annotations

import contextlib
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
from holdfast.executors.python.functions import Library, LoadedFunction, Stamp
from holdfast.executors.python.process_globals import ProcessGlobals
from holdfast.executors.python.surroundings import Surroundings

LENGTH = 4
"""Bytes in front of a message: its size, big-endian."""

_MACHINERY = frozenset({"holdfast", "importlib", "asyncio"})


class FunctionCall(msgspec.Struct, frozen=True):
    """What the node asks for."""

    function: str
    file: str | None
    module: str | None
    project: str
    workdir: str
    env: dict[str, str]
    input_file: str


class FunctionAnswer(msgspec.Struct, frozen=True):
    """Either of the first two."""

    payload: bytes | None
    failure: Failure | None
    is_spent: bool
    """The worker cannot be used again: something of this call is left in it."""
    sources: dict[str, Stamp]
    """Files of the project that were imported since the last answer."""


class _Interrupted(SystemExit):
    """Raised in the function when its attempt is cancelled, so that its `finally` runs. A SystemExit, as that
    is what programs make of SIGTERM, and what libraries let pass."""


class FunctionWorker:
    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._codec = Codec(LARGEST_OUTPUT)
        self._library = Library()
        self._surroundings = Surroundings(os.getcwd())
        self._settings = ProcessGlobals()
        self._is_calling = False
        self._fork_guard = ForkGuard()
        """A process that a function forks must not come back from it as a second worker."""

    def work(self) -> None:
        signal.signal(signal.SIGTERM, self._interrupt)
        while (message := self._receive()) is not None:
            answer = self._perform(msgspec.msgpack.decode(message, type=FunctionCall))
            encoded = msgspec.msgpack.encode(answer)
            self._channel.sendall(len(encoded).to_bytes(LENGTH, "big") + encoded)

    def _receive(self) -> bytes | None:
        """None when the node wants no more, or is no more."""
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
        except BaseException as error:  # whatever it is, the node must hear of it
            self._fork_guard.exit_if_forked(error)
            failure = capture(error.with_traceback(_users_frames(error.__traceback__)))
            _say(failure.whole_traceback)
        finally:
            self._is_calling = False
        is_clean = self._surroundings.put_back() and self._settings.put_back()
        signal.signal(signal.SIGTERM, self._interrupt)
        sources, is_stale = self._library.news(call.project)
        return FunctionAnswer(payload, failure, is_stale or not is_clean, sources)

    def _call(self, call: FunctionCall) -> Payload:
        with open(call.input_file, "rb") as file:
            input = Payload(file.read())
        self._surroundings.prepare(call.env | _input_variable(input), call.workdir)
        if self._library.load(call.project, call.file, call.module):
            self._surroundings.note()
            self._settings.note()
        function = self._library.find(call.file, call.module, call.function)
        # In variables of its own: what it sets in a ContextVar is not for the next one to find.
        return copy_context().run(self._run, function, input)

    def _run(self, function: LoadedFunction, input: Payload) -> Payload:
        args, kwargs = function.bind(input)
        result = function.call(*args, **kwargs)
        if inspect.isawaitable(result):
            result = _wait_for(result)
        return function.store(result, self._codec)


def _input_variable(input: Payload) -> dict[str, str]:
    return {"HOLDFAST_INPUT": input.decode()} if len(input) <= LARGEST_VARIABLE else {}


def _wait_for(result: Any) -> Any:
    import asyncio  # which takes its time, and most functions need none of it

    async def wait() -> Any:
        return await result

    return asyncio.run(wait())


def _failure_of_exit(error: SystemExit) -> Failure | None:
    """None if the function has ended its program with success."""
    code = error.code
    # As a process would end: nothing is success, text is a complaint, and of a number eight bits count.
    if isinstance(code, int) or code is None:
        status, words = (code or 0) & 0xFF, ""
    else:
        status, words = 1, str(code)
    if status == 0:
        return None
    _say(words)
    return msgspec.structs.replace(capture(CommandFailed(status)), traceback=words, arguments=None)


def _say(text: str) -> None:
    """To the log of the attempt, where people look for it. The function may have closed the stream."""
    if text.strip():
        with contextlib.suppress(Exception):
            sys.stderr.write(text.rstrip() + "\n")


def _users_frames(frames: TracebackType | None) -> TracebackType | None:
    """From the first frame on that is not ours or of what stands between us and the user's code."""
    while frames is not None:
        if str(frames.tb_frame.f_globals.get("__name__")).partition(".")[0] not in _MACHINERY:
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
