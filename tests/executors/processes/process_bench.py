"""What the tests of executors of processes run attempts with, and how they look for what was left behind."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from tests.executors.recorder import RUN
from tests.patience import PATIENCE

from holdfast.core.codec import Codec
from holdfast.core.log_lines import OutputLine
from holdfast.core.policies import DEFAULT_OPTIONS, TaskOptions
from holdfast.core.values import Instant, Outcome, Payload
from holdfast.errors import WrongType
from holdfast.executors.processes.children import Child
from holdfast.executors.processes.process_executor import ProcessExecutor
from holdfast.executors.processes.shell import ShellExecutor
from holdfast.executors.python.pool import PythonExecutor
from holdfast.ports.executor import Attempt, ProcessBody, ProcessWork, PythonFunction, ShellCommand

_numbers = count(1)


async def until_begun(child: Child) -> None:
    deadline = time.monotonic() + PATIENCE
    while not child.has_started:
        assert time.monotonic() < deadline
        await asyncio.sleep(0)


def store_json(output: bytes) -> Payload:
    """As the engine does it: JSON, and not too much of it."""
    try:
        value = msgspec.json.decode(output)
    except msgspec.DecodeError as error:
        raise WrongType("the output", f"this is not JSON: {error}") from error
    return Codec().encode(value, "the output")


class ProcessBench:
    """Starts attempts and keeps what is said and reported of them."""

    def __init__(
        self,
        kind: type[ProcessExecutor],
        folder: Path,
        *,
        capacity: int = 50,
        kill_after: float = 5,
        environment: Mapping[str, str] | None = None,
        has_pidfd: bool | None = None,
    ) -> None:
        self.folder = folder
        self.reports: list[tuple[Attempt, Outcome]] = []
        self.lines: dict[Attempt, list[OutputLine]] = {}
        self.beats: dict[Attempt, list[Any]] = {}
        self.spoken_after_the_report: list[object] = []
        self.changed = asyncio.Event()
        self.on_report: Callable[[Attempt, Outcome], None] = lambda attempt, outcome: None
        self._bodies: dict[Attempt, ProcessBody] = {}
        self.executor = kind(
            self._bodies.__getitem__,
            self._report,
            self._beat,
            self._log,
            capacity=capacity,
            kill_after=dt.timedelta(seconds=kill_after),
            environment=os.environ if environment is None else environment,
            now=lambda: Instant(time.time_ns() // 1000),
            has_pidfd=has_pidfd,
        )

    def start(
        self,
        work: ProcessWork | str | Sequence[str],
        input: object = None,
        *,
        workdir: Path | str | None = None,
        env: Mapping[str, str] | None = None,
        store: Callable[[bytes], Payload] = store_json,
        options: TaskOptions | None = None,
        details: object = None,
        number: int = 1,
        name: str = "try",
    ) -> Attempt:
        if isinstance(work, str):
            work = ShellCommand(work)
        elif not isinstance(work, ShellCommand | PythonFunction):
            work = ShellCommand(tuple(work))
        attempt = Attempt(
            run=RUN,
            id="order-1",
            namespace="shop",
            workflow="checkout",
            version="1",
            seq=next(_numbers),
            name=name,
            own_input=Payload(msgspec.json.encode({} if input is None else input)),
            options=options or DEFAULT_OPTIONS,
            number=number,
            heartbeat_details=None if details is None else Payload(msgspec.json.encode(details)),
        )
        self._bodies[attempt] = ProcessBody(
            work, str(self.folder), str(workdir or self.folder), env or {}, store
        )
        self.executor.start(attempt)
        return attempt

    async def run(self, work: ProcessWork | str | Sequence[str], *given: Any, **options: Any) -> Outcome:
        return await self.outcome_of(self.start(work, *given, **options))

    async def outcome_of(self, attempt: Attempt) -> Outcome:
        async with asyncio.timeout(PATIENCE):
            while not (found := [outcome for one, outcome in self.reports if one is attempt]):
                await self.wait_for_change()
        assert len(found) == 1
        return found[0]

    async def wait_for_reports(self, many: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.reports) < many:
                await self.wait_for_change()

    async def wait_for_line(self, attempt: Attempt, text: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while text not in self.texts_of(attempt):
                await self.wait_for_change()

    async def wait_for_change(self) -> None:
        self.changed.clear()
        await self.changed.wait()

    def texts_of(self, attempt: Attempt, stream: str | None = None) -> list[str]:
        lines = self.lines.get(attempt, [])
        return [line.text for line in lines if stream in (None, line.stream)]

    def _report(self, attempt: Attempt, outcome: Outcome) -> None:
        assert asyncio.get_running_loop()
        self.reports.append((attempt, outcome))
        self.on_report(attempt, outcome)
        self.changed.set()

    def _beat(self, attempt: Attempt, details: Payload | None) -> None:
        self._note_late(attempt, details)
        self.beats.setdefault(attempt, []).append(None if details is None else msgspec.json.decode(details))
        self.changed.set()

    def _log(self, attempt: Attempt, lines: Sequence[OutputLine]) -> None:
        self._note_late(attempt, lines)
        self.lines.setdefault(attempt, []).extend(lines)
        self.changed.set()

    def _note_late(self, attempt: Attempt, what: object) -> None:
        if any(one is attempt for one, _ in self.reports):
            self.spoken_after_the_report.append(what)


def shell_bench(folder: Path, **options: Any) -> ProcessBench:
    return ProcessBench(ShellExecutor, folder, **options)


def python_bench(folder: Path, **options: Any) -> ProcessBench:
    return ProcessBench(PythonExecutor, folder, **options)


# --- what was left behind


def alive_with(mark: str) -> list[int]:
    """Processes with this text in their environment or arguments that have not ended."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        try:
            state = (entry / "stat").read_bytes().rpartition(b")")[2].split()[0]
            text = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if state != b"Z" and mark.encode() in text:
            found.append(int(entry.name))
    return found


async def none_alive_with(mark: str, within: float = PATIENCE / 3) -> bool:
    """Shorter than the minute that the processes of the tests would live by themselves."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if not alive_with(mark):
            return True
        await asyncio.sleep(0.02)
    return not alive_with(mark)
