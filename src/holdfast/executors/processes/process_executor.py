"""What the executors of processes have in common: an attempt from its start to its report."""

from __future__ import annotations

import asyncio
import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextvars import Context, copy_context
from typing import NamedTuple, Required, TypedDict, Unpack

from holdfast.core.failures import capture
from holdfast.core.log_lines import OURS, OutputLine
from holdfast.core.values import Cancelled, Failed, Instant, Outcome, Succeeded
from holdfast.errors import NotOpen, PayloadTooLarge
from holdfast.executors.file_descriptors import descriptor_capacity
from holdfast.executors.processes.children import Child, Processes
from holdfast.executors.processes.contract import failed_command, inherited_environment
from holdfast.executors.processes.heartbeat_files import HeartbeatFiles
from holdfast.executors.processes.limits import LARGEST_OUTPUT
from holdfast.executors.processes.line_reader import LineReader
from holdfast.executors.processes.scratch import AttemptFiles, ScratchFolder
from holdfast.executors.processes.spawning import EnvironmentBlock
from holdfast.ports.executor import Attempt, Beat, Log, ProcessBody, Report

KILL_AFTER = dt.timedelta(seconds=5)

_STDERR_TAIL = 20
"""How many of the last lines of standard error a failure contains."""


class ProcessAttempt:
    """An attempt that runs in a process. It is the listener of that process, or gets the output of a
    worker."""

    __slots__ = (
        "_log",
        "_now",
        "_readers",
        "_stderr_tail",
        "attempt",
        "body",
        "files",
        "is_cancelled",
        "marker",
        "when_exited",
    )

    def __init__(
        self,
        attempt: Attempt,
        body: ProcessBody,
        files: AttemptFiles,
        log: Log,
        now: Callable[[], Instant],
    ) -> None:
        self.attempt = attempt
        self.body = body
        self.files = files
        self.is_cancelled = False
        self.marker: bytes | None = None
        """A line of standard output that begins with this contains the task's output."""
        self.when_exited: Callable[[ProcessAttempt, int | Exception], None] | None = None
        """For an attempt with its own process: called with the exit code, or the reason why it was not
        started."""
        self._log = log
        self._now = now
        self._readers: dict[str, LineReader] = {}
        """By stream, for streams with any output."""
        self._stderr_tail: list[str] = []

    def on_output(self, stream: str, data: bytes) -> None:
        reader = self._readers.get(stream)
        if reader is None:
            reader = self._readers[stream] = LineReader(self.marker if stream == "stdout" else None)
        self._log_lines(stream, reader.feed(data))

    def flush_lines(self) -> None:
        """Log last lines that have no newline."""
        for stream, reader in self._readers.items():
            self._log_lines(stream, reader.close())
        if self.attempt.secrets is not None:
            self._add_to_log(self.attempt.secrets.lines.close())

    def on_exit(self, ending: int | Exception) -> None:
        self.flush_lines()
        if self.when_exited is not None:
            self.when_exited(self, ending)

    def marked_output(self) -> bytes | None:
        """The output on the last line of standard output. If a line has the marker but is not the output, the
        log says why.

        Raises PayloadTooLarge.
        """
        reader = self._readers.get("stdout")
        if reader is None:
            return None
        if reader.excess:
            raise PayloadTooLarge("the output", LARGEST_OUTPUT + reader.excess, LARGEST_OUTPUT)
        reason = reader.why_no_output()
        if reason is not None:
            self._log_lines(OURS, [reason])
        return reader.marked_output()

    def failed(self, ending: int | Exception) -> Failed:
        if isinstance(ending, Exception):
            return Failed(capture(ending.with_traceback(None)))
        return failed_command(ending, "\n".join(self._stderr_tail))

    def store(self, output: bytes) -> Outcome:
        try:
            return Succeeded(self.body.store(output))
        except Exception as error:  # the output does not fit the task's declaration, so the task has failed
            return Failed(capture(error.with_traceback(None)))

    def _log_lines(self, stream: str, texts: list[str]) -> None:
        if texts:
            at = self._now()
            lines = [OutputLine(at, stream, text) for text in texts]
            secrets = self.attempt.secrets
            self._add_to_log(lines if secrets is None else secrets.lines.feed(lines))

    def _add_to_log(self, lines: list[OutputLine]) -> None:
        if not lines:
            return
        errors = [line.text for line in lines if line.stream == "stderr"]
        if errors:
            self._stderr_tail = (self._stderr_tail + errors)[-_STDERR_TAIL:]
        self._log(self.attempt, lines)


class LoopResources(NamedTuple):
    """What an executor has from its first attempt on. It belongs to one event loop."""

    loop: asyncio.AbstractEventLoop
    contextvars: Context
    processes: Processes
    heartbeats: HeartbeatFiles


class ProcessOptions(TypedDict, total=False):
    capacity: Required[int]
    """How many processes run at once; fewer, if there are not enough descriptors."""
    kill_after: dt.timedelta
    """How long a process has to end after SIGTERM."""
    environment: Required[Mapping[str, str]]
    """The node's own."""
    now: Required[Callable[[], Instant]]
    has_pidfd: bool | None
    """None to find out."""
    in_span: str
    """`module:function`. A Python worker calls it with TRACEPARENT and TRACESTATE, for the context manager in
    which an attempt with a span runs."""


class ProcessExecutor(ABC):
    """Every method is called on the event loop's thread. The first `start` decides which loop that is."""

    descriptors = 3
    """How many descriptors the node needs for each process."""

    def __init__(
        self,
        bodies: Callable[[Attempt], ProcessBody],
        report: Report,
        beat: Beat,
        log: Log,
        **options: Unpack[ProcessOptions],
    ) -> None:
        self._bodies = bodies
        self._report = report
        self._beat = beat
        self._log = log
        self._capacity = descriptor_capacity(options["capacity"], self.descriptors)
        self._kill_after = options.get("kill_after", KILL_AFTER)
        self._environment = EnvironmentBlock(inherited_environment(options["environment"]))
        self._now = options["now"]
        self._has_pidfd = options.get("has_pidfd")
        self._in_span = options.get("in_span", "")
        self._scratch = ScratchFolder()
        self._unreported: dict[Attempt, ProcessAttempt] = {}
        """Every attempt that was started and has not been reported."""
        self._resources: LoopResources | None = None
        self._is_stopped = False

    ends_surely = True
    unbegun = 0

    @property
    def capacity(self) -> int:
        return self._capacity

    def start(self, attempt: Attempt) -> None:
        if self._is_stopped:
            raise NotOpen
        try:
            resources = self._resources or self._open_resources()
            body = self._bodies(attempt)
            files = self._scratch.acquire(attempt.input)
        except Exception as error:  # whatever it is, only this attempt fails
            contextvars = copy_context() if self._resources is None else self._resources.contextvars
            loop = asyncio.get_running_loop()
            loop.call_soon(self._report_outcome, attempt, Failed(capture(error)), context=contextvars)
            return
        process_attempt = ProcessAttempt(attempt, body, files, self._log, self._now)
        self._unreported[attempt] = process_attempt
        try:
            self.begin(process_attempt, resources)
        except Exception as error:
            # Reported later: a report never comes before `start` returns. The traceback says nothing to
            # users.
            outcome = Failed(capture(error.with_traceback(None)))
            resources.loop.call_soon(self.settle, process_attempt, outcome, context=resources.contextvars)
        else:
            if attempt.options.heartbeat is not None:
                resources.heartbeats.watch(attempt, files.heartbeat)

    def cancel(self, attempt: Attempt) -> None:
        """End all processes of the attempt. A second cancel does not interrupt its clean-up."""
        process_attempt = self._unreported.get(attempt)
        if process_attempt is not None and self._resources is not None and not process_attempt.is_cancelled:
            process_attempt.is_cancelled = True
            self.end(process_attempt, self._resources)

    async def stop(self) -> None:
        """End every attempt and wait until its processes are gone. Nothing more is reported."""
        if self._is_stopped:
            return
        self._is_stopped = True
        if self._resources is not None:
            self._resources.heartbeats.close()
            await self._resources.processes.stop()
        self._scratch.close()

    @abstractmethod
    def begin(self, process_attempt: ProcessAttempt, resources: LoopResources) -> None:
        """Start its process. If this raises, the attempt has failed."""

    @abstractmethod
    def end(self, process_attempt: ProcessAttempt, resources: LoopResources) -> None:
        """Begin to end its process. `settle` is called when it has ended."""

    def must_start_again(self, process_attempt: ProcessAttempt, child: Child) -> bool:
        """Whether to start the process once more, because it ended before its program was loaded."""
        return child.never_loaded_program and not (process_attempt.is_cancelled or self._is_stopped)

    def settle(self, process_attempt: ProcessAttempt, outcome: Outcome, *, has_files: bool = True) -> None:
        """The attempt has ended, and its processes are gone. `has_files` is False if it surely left no
        files."""
        del self._unreported[process_attempt.attempt]
        if self._resources is not None:
            self._resources.heartbeats.finish(process_attempt.attempt)
        self._scratch.release(process_attempt.files, has_files=has_files)
        self._report_outcome(
            process_attempt.attempt, Cancelled() if process_attempt.is_cancelled else outcome
        )

    def _report_outcome(self, attempt: Attempt, outcome: Outcome) -> None:
        if not self._is_stopped:
            self._report(attempt, outcome)

    def _open_resources(self) -> LoopResources:
        loop, contextvars = asyncio.get_running_loop(), copy_context()
        processes = Processes(
            self._environment, self._scratch.open(), self._kill_after, has_pidfd=self._has_pidfd
        )
        heartbeats = HeartbeatFiles(loop, contextvars, self._beat)
        self._resources = LoopResources(loop, contextvars, processes, heartbeats)
        return self._resources
