"""Python functions, in worker processes that are used again.

A worker serves one folder of one project, so that it imports only the modules of that user. It is replaced
when a source file that it has imported was changed, when a call has left something behind in it, after a
cancel or a crash, and after a thousand calls.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Unpack, cast

import msgspec

from holdfast.core.failures import capture
from holdfast.core.values import NULL, Cancelled, Failed, Outcome
from holdfast.errors import PayloadTooLarge, WrongType
from holdfast.executors.processes.children import Child
from holdfast.executors.processes.contract import variables_of
from holdfast.executors.processes.limits import LARGEST_OUTPUT
from holdfast.executors.processes.process_executor import (
    LoopResources,
    ProcessAttempt,
    ProcessExecutor,
    ProcessOptions,
)
from holdfast.executors.processes.spawning import SpawnRequest
from holdfast.executors.python.function_worker import LENGTH, FunctionAnswer, FunctionCall
from holdfast.executors.python.functions import Stamp, stamp_of
from holdfast.ports.executor import Attempt, Beat, Log, ProcessBody, PythonFunction, Report

CALLS_PER_WORKER = 1000
KEPT_IDLE = 2
"""How many idle workers are kept without a time limit."""
IDLE_SECONDS = 60.0
"""How long the other idle workers are kept."""

_SCRIPT = str(Path(__file__).resolve().with_name("worker_script.py"))
_CHUNK = 256 * 1024
_SPARE = 1024 * 1024
"""Bytes of an answer besides the output."""
_LARGEST_CALL = 250_000
"""In bytes. The socket to a worker can buffer this much, so the node never waits for a worker to read."""


class _WorkerKey(NamedTuple):
    """What a worker was started for: where its modules are found, and its environment."""

    project: str
    folder: str
    """Of the file; empty for a module."""
    variables: frozenset[tuple[str, str]]


class _DeferredOutcome(NamedTuple):
    process_attempt: ProcessAttempt
    outcome: Outcome


class _WorkerProcess:
    """One worker process. It is the listener of that process."""

    __slots__ = (
        "_executor",
        "_unread",
        "calls",
        "channel",
        "child",
        "deferred",
        "idle_since",
        "is_disconnected",
        "is_garbled",
        "key",
        "process_attempt",
        "sources",
    )

    child: Child

    def __init__(self, executor: PythonExecutor, key: _WorkerKey, channel: socket.socket) -> None:
        self._executor = executor
        self.key = key
        self.channel = channel
        self.process_attempt: ProcessAttempt | None = None
        """The attempt that it works on now."""
        self.deferred: _DeferredOutcome | None = None
        """An outcome that is reported only when the worker is gone."""
        self.calls = 0
        self.sources: dict[str, Stamp] = {}
        self.idle_since = 0.0
        self.is_disconnected = False
        self.is_garbled = False
        """What it sent is no answer: the function has written to the channel itself."""
        self._unread = bytearray()

    def on_output(self, stream: str, data: bytes) -> None:
        # Output between two calls comes from something that a call left running, and is dropped.
        if self.process_attempt is not None:
            self.process_attempt.on_output(stream, data)

    def on_exit(self, ending: int | Exception) -> None:
        self._executor.on_worker_exit(self, ending)

    def receive(self) -> tuple[int, FunctionAnswer | None]:
        """Returns how many bytes were read, and the answer, if it is complete now."""
        try:
            data = self.channel.recv(_CHUNK)
        except BlockingIOError:
            return 0, None
        except OSError:
            data = b""  # it has died with something unread, or the channel was closed by us
        self.is_disconnected = not data
        unread = self._unread
        unread += data
        size = int.from_bytes(unread[:LENGTH], "big")
        if len(unread) < LENGTH or LENGTH + size > len(unread):
            self.is_garbled |= size > LARGEST_OUTPUT + _SPARE
            return len(data), None
        self._unread = bytearray()
        try:
            return len(data), msgspec.msgpack.decode(
                memoryview(unread)[LENGTH : LENGTH + size], type=FunctionAnswer
            )
        except msgspec.DecodeError:
            self.is_garbled = True
            return len(data), None

    def sources_are_unchanged(self) -> bool:
        return all(stamp_of(file) == stamp for file, stamp in self.sources.items())


class PythonExecutor(ProcessExecutor):
    """`capacity` is the largest number of worker processes."""

    descriptors = 4

    def __init__(
        self,
        bodies: Callable[[Attempt], ProcessBody],
        report: Report,
        beat: Beat,
        log: Log,
        **options: Unpack[ProcessOptions],
    ) -> None:
        super().__init__(bodies, report, beat, log, **options)
        self._idle: list[_WorkerProcess] = []
        """The worker that was used last is at the end."""
        self._busy: dict[ProcessAttempt, _WorkerProcess] = {}
        self._waiting: deque[ProcessAttempt] = deque()
        """Attempts that wait for a free worker."""
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, process_attempt: ProcessAttempt, resources: LoopResources) -> None:
        if not isinstance(process_attempt.body.work, PythonFunction):
            raise WrongType(
                f"task {process_attempt.attempt.name!r}",
                "it is no function, and this executor calls only those",
            )
        if len(self._busy) < self.capacity:
            self._assign(process_attempt, resources)
        else:
            self._waiting.append(process_attempt)

    def end(self, process_attempt: ProcessAttempt, resources: LoopResources) -> None:
        worker = self._busy.get(process_attempt)
        if worker is not None:
            resources.processes.end(worker.child)
        elif process_attempt in self._waiting:
            self._waiting.remove(process_attempt)
            resources.loop.call_soon(self.settle, process_attempt, Cancelled(), context=resources.contextvars)

    async def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._waiting.clear()
        await super().stop()
        if self._resources is not None:
            for worker in [*self._busy.values(), *self._idle]:  # those that did not end in time
                worker.channel.close()

    # --- workers

    def _assign(self, process_attempt: ProcessAttempt, resources: LoopResources) -> None:
        """Send the call to a worker. Raises PayloadTooLarge, and OSError if no worker can be started."""
        key, message = _key_for(process_attempt.body), _message_for(process_attempt, self._in_span)
        worker = self._take_idle(key, resources)
        while worker is not None:
            try:
                worker.channel.sendall(message)
                break
            except OSError:
                self._retire(worker, resources)  # it has died while it was idle
                worker = self._take_idle(key, resources)
        if worker is None:
            worker = self._start_worker(key, resources)
            try:
                worker.channel.sendall(message)
            except OSError:
                self._retire(worker, resources)
                raise
        worker.process_attempt = process_attempt
        self._busy[process_attempt] = worker

    def _take_idle(self, key: _WorkerKey, resources: LoopResources) -> _WorkerProcess | None:
        """The worker that was used last. Workers whose sources have changed are retired."""
        for worker in reversed(self._idle):
            if worker.key == key:
                self._idle.remove(worker)
                if worker.sources_are_unchanged():
                    return worker
                self._retire(worker, resources)
        return None

    def _start_worker(self, key: _WorkerKey, resources: LoopResources) -> _WorkerProcess:
        if not sys.executable:
            raise FileNotFoundError("this program does not know its Python: sys.executable is empty")
        if self._idle and len(self._idle) + len(self._busy) >= self.capacity:
            self._retire(self._idle.pop(0), resources)
        variables = {os.fsencode(name): os.fsencode(value) for name, value in key.variables}
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * _LARGEST_CALL)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2 * _LARGEST_CALL)
        ours.setblocking(False)
        worker = _WorkerProcess(self, key, ours)
        # -P: modules must not be imported from the folder of the script.
        arguments = (sys.executable, "-P", "-X", "faulthandler", _SCRIPT, key.project)
        request = SpawnRequest(sys.executable, arguments, self._environment, variables, theirs.detach())
        worker.child = resources.processes.spawn(request, worker)
        resources.processes.descriptor_watcher.add(ours.fileno(), self._on_readable, worker)
        return worker

    def _retire(self, worker: _WorkerProcess, resources: LoopResources) -> None:
        """The worker exits by itself when it sees that its channel is closed."""
        self._close_channel(worker, resources)
        resources.processes.end(worker.child, politely=False)

    def _close_channel(self, worker: _WorkerProcess, resources: LoopResources) -> None:
        if worker.channel.fileno() >= 0:
            resources.processes.descriptor_watcher.remove(worker.channel.fileno())
            worker.channel.close()

    # --- answers

    def _on_readable(self, worker: _WorkerProcess, _descriptor: int) -> int:
        read, answer = worker.receive()
        if self._resources is not None:
            if answer is not None:
                self._handle_answer(worker, answer, self._resources)
            elif worker.is_disconnected:
                self._close_channel(worker, self._resources)  # `on_worker_exit` follows
            elif worker.is_garbled:
                self._close_channel(worker, self._resources)
                self._resources.processes.kill(worker.child)
        return read

    def _handle_answer(
        self, worker: _WorkerProcess, answer: FunctionAnswer, resources: LoopResources
    ) -> None:
        process_attempt = worker.process_attempt
        if process_attempt is None:
            return
        # The output of the function was written before the answer, but to other pipes.
        resources.processes.read_now(worker.child)
        process_attempt.flush_lines()
        outcome = _outcome_of(process_attempt, answer)
        worker.process_attempt = None
        worker.calls += 1
        worker.sources |= answer.sources
        if answer.is_spent or worker.child.end_requested:
            # What the call left running is part of the attempt, and the attempt ends only when all of it has
            # ended.
            worker.deferred = _DeferredOutcome(process_attempt, outcome)
            resources.processes.kill(worker.child)
            return
        del self._busy[process_attempt]
        if worker.calls >= CALLS_PER_WORKER:
            self._retire(worker, resources)
        else:
            self._add_idle(worker, resources)
        self.settle(process_attempt, outcome)
        self._assign_waiting(resources)

    def _add_idle(self, worker: _WorkerProcess, resources: LoopResources) -> None:
        worker.idle_since = resources.loop.time()
        self._idle.append(worker)
        if len(self._idle) > KEPT_IDLE and self._timer is None:
            self._timer = resources.loop.call_later(
                IDLE_SECONDS, self._retire_idle, resources, context=resources.contextvars
            )

    def _retire_idle(self, resources: LoopResources) -> None:
        """Retire workers that have been idle for long, but keep a few."""
        self._timer = None
        now = resources.loop.time()
        while len(self._idle) > KEPT_IDLE and now - self._idle[0].idle_since >= IDLE_SECONDS:
            self._retire(self._idle.pop(0), resources)
        if len(self._idle) > KEPT_IDLE:
            at = self._idle[0].idle_since + IDLE_SECONDS
            self._timer = resources.loop.call_at(
                at, self._retire_idle, resources, context=resources.contextvars
            )

    def on_worker_exit(self, worker: _WorkerProcess, ending: int | Exception) -> None:
        """A worker is gone, and everything that it started with it."""
        resources = self._resources
        if resources is None:
            return
        if worker in self._idle:
            self._idle.remove(worker)
        process_attempt, deferred = worker.process_attempt, worker.deferred
        if process_attempt is not None and self.must_start_again(process_attempt, worker.child):
            del self._busy[process_attempt]
            self._close_channel(worker, resources)
            self._waiting.appendleft(process_attempt)
            self._assign_waiting(resources)
            return
        if process_attempt is not None:
            outcome = _final_outcome(worker, process_attempt, ending)
            deferred = _DeferredOutcome(process_attempt, outcome)
        self._close_channel(worker, resources)
        if deferred is not None:
            del self._busy[deferred.process_attempt]
            self.settle(deferred.process_attempt, deferred.outcome)
            self._assign_waiting(resources)

    def _assign_waiting(self, resources: LoopResources) -> None:
        """As many waiting attempts as there is capacity for."""
        while self._waiting and len(self._busy) < self.capacity:
            process_attempt = self._waiting.popleft()
            try:
                self._assign(process_attempt, resources)
            except Exception as error:
                self.settle(process_attempt, Failed(capture(error.with_traceback(None))))


def _key_for(body: ProcessBody) -> _WorkerKey:
    work = cast("PythonFunction", body.work)
    folder = "" if work.file is None else os.path.dirname(os.path.join(body.project, work.file))
    return _WorkerKey(body.project, folder, frozenset(body.env.items()))


def _message_for(process_attempt: ProcessAttempt, in_span: str) -> bytes:
    """Raises PayloadTooLarge."""
    body, files = process_attempt.body, process_attempt.files
    work = cast("PythonFunction", body.work)
    variables = variables_of(process_attempt.attempt, files)
    variables.pop(b"HOLDFAST_INPUT", None)  # the worker reads the input from its file, whatever its size
    call = FunctionCall(
        function=work.function,
        file=work.file,
        module=work.module,
        project=body.project,
        workdir=body.workdir,
        env={os.fsdecode(name): os.fsdecode(value) for name, value in variables.items()},
        input_file=os.fsdecode(files.input),
        in_span="" if process_attempt.attempt.span is None else in_span,
    )
    message = msgspec.msgpack.encode(call)
    if len(message) > _LARGEST_CALL:
        raise PayloadTooLarge("what the function is told of its attempt", len(message), _LARGEST_CALL)
    return len(message).to_bytes(LENGTH, "big") + message


def _outcome_of(process_attempt: ProcessAttempt, answer: FunctionAnswer) -> Outcome:
    if answer.failure is not None:
        return Failed(answer.failure)
    return process_attempt.store(answer.payload or NULL)


def _final_outcome(
    worker: _WorkerProcess, process_attempt: ProcessAttempt, ending: int | Exception
) -> Outcome:
    """Of a worker that has exited. It may have sent its answer just before that."""
    read = 1
    while read:
        read, answer = worker.receive()
        if answer is not None:
            process_attempt.flush_lines()
            return _outcome_of(process_attempt, answer)
    process_attempt.flush_lines()
    failed = process_attempt.failed(ending)
    if isinstance(ending, Exception):
        return failed
    failure = failed.failure
    return Failed(
        msgspec.structs.replace(failure, message=f"{failure.message} before the function had returned")
    )
