"""Python functions, in worker processes that are used again.

A worker serves one folder of one project, so that its modules are the user's and nobody else's. It is used
again for as long as it is as good as new: replaced when a source file that it has imported was changed,
when a call left something running in it, after a cancel, a crash, and after a thousand calls.
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
from holdfast.executors.processes.output import LARGEST_OUTPUT
from holdfast.executors.processes.process_executor import (
    LoopResources,
    ProcessAttempt,
    ProcessExecutor,
    ProcessOptions,
)
from holdfast.executors.processes.spawn_requests import SpawnRequest
from holdfast.executors.python.calls import LENGTH, FunctionAnswer, FunctionCall
from holdfast.executors.python.functions import Stamp, stamp_of
from holdfast.ports.executor import Attempt, Beat, Log, ProcessBody, PythonFunction, Report

CALLS_A_WORKER = 1000
KEPT_IDLE = 2
"""How many workers wait for more without end."""
IDLE_SECONDS = 60.0
"""How long the others do."""

_SCRIPT = str(Path(__file__).resolve().with_name("worker_script.py"))
_CHUNK = 256 * 1024
_SPARE = 1024 * 1024
"""In bytes, for what stands around the output in an answer."""
_LARGEST_CALL = 250_000
"""In bytes. The channel to a worker holds that much, so the node never waits for a worker to read it."""


class _Home(NamedTuple):
    """What a worker is made for: where its modules are found, and the environment it was started with."""

    project: str
    folder: str
    """Of the file; empty for a module."""
    variables: frozenset[tuple[str, str]]


class _Settled(NamedTuple):
    job: ProcessAttempt
    outcome: Outcome


class _WorkerProcess:
    """One worker process, as the listener of it."""

    __slots__ = (
        "_executor",
        "_unread",
        "calls",
        "channel",
        "child",
        "has_hung_up",
        "home",
        "idle_since",
        "is_confused",
        "job",
        "settled",
        "sources",
    )

    child: Child

    def __init__(self, executor: PythonExecutor, home: _Home, channel: socket.socket) -> None:
        self._executor = executor
        self.home = home
        self.channel = channel
        self.job: ProcessAttempt | None = None
        """The one it is doing now."""
        self.settled: _Settled | None = None
        """The one it has done, if that is to be told only once the worker is gone."""
        self.calls = 0
        self.sources: dict[str, Stamp] = {}
        self.idle_since = 0.0
        self.has_hung_up = False
        self.is_confused = False
        """What it said is no answer: the function has written to the channel itself."""
        self._unread = bytearray()

    def heard(self, stream: str, data: bytes) -> None:
        if self.job is not None:  # else it belongs to nobody: something was left behind, and will be ended
            self.job.heard(stream, data)

    def gone(self, ending: int | Exception) -> None:
        self._executor.lose(self, ending)

    def receive(self) -> tuple[int, FunctionAnswer | None]:
        """How many bytes were read now, and the answer, if that was the last of it."""
        try:
            data = self.channel.recv(_CHUNK)
        except BlockingIOError:
            return 0, None
        except OSError:
            data = b""  # it has died with something unread, or we have hung up
        self.has_hung_up = not data
        unread = self._unread
        unread += data
        size = int.from_bytes(unread[:LENGTH], "big")
        if len(unread) < LENGTH or LENGTH + size > len(unread):
            self.is_confused |= size > LARGEST_OUTPUT + _SPARE
            return len(data), None
        self._unread = bytearray()
        try:
            return len(data), msgspec.msgpack.decode(
                memoryview(unread)[LENGTH : LENGTH + size], type=FunctionAnswer
            )
        except msgspec.DecodeError:
            self.is_confused = True
            return len(data), None

    def is_as_good_as_new(self) -> bool:
        return all(stamp_of(file) == stamp for file, stamp in self.sources.items())


class PythonExecutor(ProcessExecutor):
    """`capacity` is how many worker processes there are at most."""

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
        """Those used last come last."""
        self._busy: dict[ProcessAttempt, _WorkerProcess] = {}
        self._waiting: deque[ProcessAttempt] = deque()
        """For a worker to be free."""
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, job: ProcessAttempt, desk: LoopResources) -> None:
        if not isinstance(job.body.work, PythonFunction):
            raise WrongType(
                f"task {job.attempt.name!r}", "it is no function, and this executor calls only those"
            )
        if len(self._busy) < self.capacity:
            self._place(job, desk)
        else:
            self._waiting.append(job)

    def end(self, job: ProcessAttempt, desk: LoopResources) -> None:
        worker = self._busy.get(job)
        if worker is not None:
            desk.processes.end(worker.child)
        elif job in self._waiting:
            self._waiting.remove(job)
            desk.loop.call_soon(self.settle, job, Cancelled(), context=desk.variables)

    async def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._waiting.clear()
        await super().stop()
        if self._desk is not None:
            for worker in [*self._busy.values(), *self._idle]:  # whose end was not waited for
                worker.channel.close()

    # --- workers

    def _place(self, job: ProcessAttempt, desk: LoopResources) -> None:
        """Have a worker do it. Raises OSError if none can be started, PayloadTooLarge."""
        home, message = _home_of(job.body), _message_for(job)
        worker = self._take_idle(home, desk)
        while worker is not None:
            try:
                worker.channel.sendall(message)
                break
            except OSError:
                self._retire(worker, desk)  # it has died while it had nothing to do
                worker = self._take_idle(home, desk)
        if worker is None:
            worker = self._start_worker(home, desk)
            try:
                worker.channel.sendall(message)
            except OSError:
                self._retire(worker, desk)
                raise
        worker.job = job
        self._busy[job] = worker

    def _take_idle(self, home: _Home, desk: LoopResources) -> _WorkerProcess | None:
        """The one that was used last, unless the source has changed."""
        for worker in reversed(self._idle):
            if worker.home == home:
                self._idle.remove(worker)
                if worker.is_as_good_as_new():
                    return worker
                self._retire(worker, desk)
        return None

    def _start_worker(self, home: _Home, desk: LoopResources) -> _WorkerProcess:
        if not sys.executable:
            raise FileNotFoundError("this program does not know its Python: sys.executable is empty")
        if self._idle and len(self._idle) + len(self._busy) >= self.capacity:
            self._retire(self._idle.pop(0), desk)
        variables = {os.fsencode(name): os.fsencode(value) for name, value in home.variables}
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * _LARGEST_CALL)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2 * _LARGEST_CALL)
        ours.setblocking(False)
        worker = _WorkerProcess(self, home, ours)
        # -P: the folder of the script is no place to import from.
        arguments = (sys.executable, "-P", "-X", "faulthandler", _SCRIPT, home.project)
        order = SpawnRequest(sys.executable, arguments, self._environment, variables, theirs.detach())
        worker.child = desk.processes.spawn(order, worker)
        desk.processes.readable.add(ours.fileno(), self._take, worker)
        return worker

    def _retire(self, worker: _WorkerProcess, desk: LoopResources) -> None:
        """It ends when it sees that nobody wants more of it, and so in its own way."""
        self._hang_up(worker, desk)
        desk.processes.end(worker.child, politely=False)

    def _hang_up(self, worker: _WorkerProcess, desk: LoopResources) -> None:
        if worker.channel.fileno() >= 0:
            desk.processes.readable.drop(worker.channel.fileno())
            worker.channel.close()

    # --- what they say

    def _take(self, worker: _WorkerProcess, _descriptor: int) -> int:
        read, answer = worker.receive()
        if self._desk is not None:
            if answer is not None:
                self._hear_answer(worker, answer, self._desk)
            elif worker.has_hung_up:
                self._hang_up(worker, self._desk)  # its end is told of by itself
            elif worker.is_confused:
                self._hang_up(worker, self._desk)
                self._desk.processes.kill(worker.child)
        return read

    def _hear_answer(self, worker: _WorkerProcess, answer: FunctionAnswer, desk: LoopResources) -> None:
        job = worker.job
        if job is None:
            return
        # What it said came before the answer, but through other pipes.
        desk.processes.read_now(worker.child)
        job.hear_the_rest()
        outcome = _outcome_of(job, answer)
        worker.job = None
        worker.calls += 1
        worker.sources |= answer.sources
        if answer.is_spent or worker.child.was_ended:
            # What it left running is part of the attempt, and that is over once all of it is.
            worker.settled = _Settled(job, outcome)
            desk.processes.kill(worker.child)
            return
        del self._busy[job]
        if worker.calls >= CALLS_A_WORKER:
            self._retire(worker, desk)
        else:
            self._rest(worker, desk)
        self.settle(job, outcome)
        self._go_on(desk)

    def _rest(self, worker: _WorkerProcess, desk: LoopResources) -> None:
        worker.idle_since = desk.loop.time()
        self._idle.append(worker)
        if len(self._idle) > KEPT_IDLE and self._timer is None:
            self._timer = desk.loop.call_later(IDLE_SECONDS, self._tidy, desk, context=desk.variables)

    def _tidy(self, desk: LoopResources) -> None:
        """End those that had nothing to do for long, but for a few."""
        self._timer = None
        now = desk.loop.time()
        while len(self._idle) > KEPT_IDLE and now - self._idle[0].idle_since >= IDLE_SECONDS:
            self._retire(self._idle.pop(0), desk)
        if len(self._idle) > KEPT_IDLE:
            due = self._idle[0].idle_since + IDLE_SECONDS
            self._timer = desk.loop.call_at(due, self._tidy, desk, context=desk.variables)

    def lose(self, worker: _WorkerProcess, ending: int | Exception) -> None:
        """A worker is gone, and all that it started with it."""
        desk = self._desk
        if desk is None:
            return
        if worker in self._idle:
            self._idle.remove(worker)
        job, settled = worker.job, worker.settled
        if job is not None and self.is_due_again(job, worker.child):
            del self._busy[job]
            self._hang_up(worker, desk)
            self._waiting.appendleft(job)
            self._go_on(desk)
            return
        if job is not None:
            settled = _Settled(job, _last_outcome(worker, job, ending))
        self._hang_up(worker, desk)
        if settled is not None:
            del self._busy[settled.job]
            self.settle(settled.job, settled.outcome)
            self._go_on(desk)

    def _go_on(self, desk: LoopResources) -> None:
        """With those that wait, as far as there is room."""
        while self._waiting and len(self._busy) < self.capacity:
            job = self._waiting.popleft()
            try:
                self._place(job, desk)
            except Exception as error:
                self.settle(job, Failed(capture(error.with_traceback(None))))


def _home_of(body: ProcessBody) -> _Home:
    work = cast("PythonFunction", body.work)
    folder = "" if work.file is None else os.path.dirname(os.path.join(body.project, work.file))
    return _Home(body.project, folder, frozenset(body.env.items()))


def _message_for(job: ProcessAttempt) -> bytes:
    """Raises PayloadTooLarge."""
    work = cast("PythonFunction", job.body.work)
    variables = variables_of(job.attempt, job.files)
    variables.pop(b"HOLDFAST_INPUT", None)  # the worker reads it from the file, as much as it is
    call = FunctionCall(
        function=work.function,
        file=work.file,
        module=work.module,
        project=job.body.project,
        workdir=job.body.workdir,
        env={os.fsdecode(name): os.fsdecode(value) for name, value in variables.items()},
        input_file=os.fsdecode(job.files.input),
    )
    message = msgspec.msgpack.encode(call)
    if len(message) > _LARGEST_CALL:
        raise PayloadTooLarge("what the function is told of its attempt", len(message), _LARGEST_CALL)
    return len(message).to_bytes(LENGTH, "big") + message


def _outcome_of(job: ProcessAttempt, answer: FunctionAnswer) -> Outcome:
    if answer.failure is not None:
        return Failed(answer.failure)
    return job.store(answer.payload or NULL)


def _last_outcome(worker: _WorkerProcess, job: ProcessAttempt, ending: int | Exception) -> Outcome:
    """Of a worker that has ended: the answer may have come with the end, or not at all."""
    read = 1
    while read:
        read, answer = worker.receive()
        if answer is not None:
            job.hear_the_rest()
            return _outcome_of(job, answer)
    job.hear_the_rest()
    failed = job.failed(ending)
    if isinstance(ending, Exception):
        return failed
    failure = failed.failure
    return Failed(
        msgspec.structs.replace(failure, message=f"{failure.message} before the function had returned")
    )
