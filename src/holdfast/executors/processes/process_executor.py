"""What the executors of processes have in common: the life of an attempt around the process that runs it."""

from __future__ import annotations

import asyncio
import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextvars import Context, copy_context
from typing import NamedTuple, Required, TypedDict, Unpack

from holdfast.core.failures import capture
from holdfast.core.values import Cancelled, Failed, Instant, Outcome, Succeeded
from holdfast.errors import NotOpen, PayloadTooLarge
from holdfast.executors.processes.children import Child, Processes, room_for
from holdfast.executors.processes.contract import failed_command, inherited
from holdfast.executors.processes.heartbeats import Heartbeats
from holdfast.executors.processes.output import LARGEST_OUTPUT, LineReader
from holdfast.executors.processes.scratch import Files, Scratch
from holdfast.executors.processes.spawn_requests import EnvironmentBlock
from holdfast.ports.executor import OURS, Attempt, Beat, Log, OutputLine, ProcessBody, Report

KILL_AFTER = dt.timedelta(seconds=5)

_LAST_WORDS = 20
"""How many lines of standard error a failure is told with."""


class ProcessAttempt:
    """One attempt, while it runs in a process. It listens to that process, or to a worker that calls it."""

    __slots__ = (
        "_last_words",
        "_log",
        "_now",
        "_readers",
        "attempt",
        "body",
        "files",
        "is_cancelled",
        "marker",
        "when_gone",
    )

    def __init__(
        self,
        attempt: Attempt,
        body: ProcessBody,
        files: Files,
        log: Log,
        now: Callable[[], Instant],
    ) -> None:
        self.attempt = attempt
        self.body = body
        self.files = files
        self.is_cancelled = False
        self.marker: bytes | None = None
        """What a line of standard output begins with that is the output of the task."""
        self.when_gone: Callable[[ProcessAttempt, int | Exception], None] | None = None
        """For a job that has a process of its own: called with its exit code, or why it was never started."""
        self._log = log
        self._now = now
        self._readers: dict[str, LineReader] = {}
        """Of the streams on which something was said."""
        self._last_words: list[str] = []

    def heard(self, stream: str, data: bytes) -> None:
        reader = self._readers.get(stream)
        if reader is None:
            reader = self._readers[stream] = LineReader(self.marker if stream == "stdout" else None)
        self._say(stream, reader.feed(data))

    def hear_the_rest(self) -> None:
        """Lines that never got an end are lines, too."""
        for stream, reader in self._readers.items():
            self._say(stream, reader.close())

    def gone(self, ending: int | Exception) -> None:
        self.hear_the_rest()
        if self.when_gone is not None:
            self.when_gone(self, ending)

    def marked_output(self) -> bytes | None:
        """Of the last line of standard output. One that was meant so and is not is told of in the log.

        Raises PayloadTooLarge.
        """
        reader = self._readers.get("stdout")
        if reader is None:
            return None
        if reader.dropped:
            raise PayloadTooLarge("the output", LARGEST_OUTPUT + reader.dropped, LARGEST_OUTPUT)
        why_none = reader.why_no_output()
        if why_none is not None:
            self._say(OURS, [why_none])
        return reader.take_marked()

    def failed(self, ending: int | Exception) -> Failed:
        if isinstance(ending, Exception):
            return Failed(capture(ending.with_traceback(None)))
        return failed_command(ending, "\n".join(self._last_words))

    def store(self, output: bytes) -> Outcome:
        try:
            return Succeeded(self.body.store(output))
        except Exception as error:  # what the task has said does not fit, and that is how it failed
            return Failed(capture(error.with_traceback(None)))

    def _say(self, stream: str, texts: list[str]) -> None:
        if texts:
            if stream == "stderr":
                self._last_words = (self._last_words + texts)[-_LAST_WORDS:]
            at = self._now()
            self._log(self.attempt, [OutputLine(at, stream, text) for text in texts])


class LoopResources(NamedTuple):
    """What an executor has from its first attempt on. It belongs to one event loop."""

    loop: asyncio.AbstractEventLoop
    variables: Context
    processes: Processes
    heartbeats: Heartbeats


class ProcessOptions(TypedDict, total=False):
    capacity: Required[int]
    """How many processes at once; fewer, if there are not enough descriptors for so many."""
    kill_after: dt.timedelta
    """How long a process has to end after SIGTERM."""
    environment: Required[Mapping[str, str]]
    """The node's own."""
    now: Required[Callable[[], Instant]]
    has_pidfd: bool | None
    """Found out, unless given."""


class ProcessExecutor(ABC):
    """Every method is called on the loop's thread; the first `start` decides which loop that is."""

    descriptors = 3
    """How many a process needs on our side."""

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
        self._capacity = room_for(options["capacity"], self.descriptors)
        self._kill_after = options.get("kill_after", KILL_AFTER)
        self._environment = EnvironmentBlock(inherited(options["environment"]))
        self._now = options["now"]
        self._has_pidfd = options.get("has_pidfd")
        self._scratch = Scratch()
        self._jobs: dict[Attempt, ProcessAttempt] = {}
        """Started and not yet reported."""
        self._desk: LoopResources | None = None
        self._is_stopped = False

    ends_surely = True

    @property
    def capacity(self) -> int:
        return self._capacity

    def start(self, attempt: Attempt) -> None:
        if self._is_stopped:
            raise NotOpen
        try:
            desk = self._desk or self._open()
            body = self._bodies(attempt)
            files = self._scratch.take(attempt.input)
        except Exception as error:  # whatever it is, it is this attempt that cannot be started
            variables = copy_context() if self._desk is None else self._desk.variables
            loop = asyncio.get_running_loop()
            loop.call_soon(self._tell, attempt, Failed(capture(error)), context=variables)
            return
        job = self._jobs[attempt] = ProcessAttempt(attempt, body, files, self._log, self._now)
        try:
            self.begin(job, desk)
        except Exception as error:
            # Not now: a report never comes before `start` is over. Where it was raised is no news to users.
            outcome = Failed(capture(error.with_traceback(None)))
            desk.loop.call_soon(self.settle, job, outcome, context=desk.variables)
        else:
            if attempt.options.heartbeat is not None:
                desk.heartbeats.watch(attempt, files.heartbeat)

    def cancel(self, attempt: Attempt) -> None:
        """End the attempt's processes, all of them. A second cancel does not cut its clean-up short."""
        job = self._jobs.get(attempt)
        if job is not None and self._desk is not None and not job.is_cancelled:
            job.is_cancelled = True
            self.end(job, self._desk)

    async def stop(self) -> None:
        """End every attempt and wait until its processes are gone; report nothing more."""
        if self._is_stopped:
            return
        self._is_stopped = True
        if self._desk is not None:
            self._desk.heartbeats.close()
            await self._desk.processes.stop()
        self._scratch.close()

    @abstractmethod
    def begin(self, job: ProcessAttempt, desk: LoopResources) -> None:
        """Start its process. Whatever this raises is how the attempt has failed."""

    @abstractmethod
    def end(self, job: ProcessAttempt, desk: LoopResources) -> None:
        """Begin to end its process; `settle` follows."""

    def is_due_again(self, job: ProcessAttempt, child: Child) -> bool:
        """Whether the process that is gone is to be started once more, as it never began."""
        return child.is_unborn and not (job.is_cancelled or self._is_stopped)

    def settle(self, job: ProcessAttempt, outcome: Outcome, *, has_files: bool = True) -> None:
        """The end of an attempt, once its processes are gone; `has_files` if it may have left some."""
        del self._jobs[job.attempt]
        if self._desk is not None:
            self._desk.heartbeats.last(job.attempt)
        self._scratch.give_back(job.files, has_files=has_files)
        self._tell(job.attempt, Cancelled() if job.is_cancelled else outcome)

    def _tell(self, attempt: Attempt, outcome: Outcome) -> None:
        if not self._is_stopped:
            self._report(attempt, outcome)

    def _open(self) -> LoopResources:
        loop, variables = asyncio.get_running_loop(), copy_context()
        processes = Processes(
            self._environment, self._scratch.open(), self._kill_after, has_pidfd=self._has_pidfd
        )
        self._desk = LoopResources(loop, variables, processes, Heartbeats(loop, variables, self._beat))
        return self._desk
