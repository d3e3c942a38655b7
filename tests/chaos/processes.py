"""Processes that a test starts, stops, freezes and kills. Every wait here has a timeout."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.patience import PATIENCE

_ROOT = Path(__file__).parents[2]


class Process:
    """A Python program. Its output goes to a file, so that it never blocks on a full pipe."""

    def __init__(
        self, arguments: Sequence[str], output: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        self._output = output
        # The child imports from the same folders as this process.
        paths = os.pathsep.join([str(_ROOT), *filter(None, sys.path)])
        with output.open("wb") as file:
            self._process = subprocess.Popen(
                [sys.executable, *arguments],
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=_ROOT,
                env={**os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": "1", **(environment or {})},
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def output(self) -> str:
        return self._output.read_text()

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def stands_still(self) -> bool:
        """Whether SIGSTOP has reached every thread: until then one of them may still take a lock."""
        states = [stat.read_text().rpartition(")")[2].split()[0] for stat in self._threads()]
        return set(states) <= {"T"}  # without /proc there are no states, and this is True

    def _threads(self) -> Iterable[Path]:
        return Path(f"/proc/{self.pid}/task").glob("*/stat")

    def kill(self) -> None:
        """End the process at once. When this returns, the process does nothing more."""
        self._process.kill()
        self._process.wait(10)

    def wait(self, seconds: float = PATIENCE) -> int:
        """Wait for the process to end, and return its exit code."""
        return self._process.wait(seconds)

    def ends_within(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def wait_for_output(self, text: str, seconds: float = PATIENCE) -> None:
        def has_said_it() -> bool:
            if not self.is_running and text not in self.output:
                raise AssertionError(f"the process ended without saying {text!r}:\n{self.output}")
            return text in self.output

        wait_until(has_said_it, f"{text!r} in the output", seconds)


@contextmanager
def running(
    arguments: Sequence[str], output: Path, environment: Mapping[str, str] | None = None
) -> Generator[Process]:
    """A process that is killed at the end, however the test went."""
    process = Process(arguments, output, environment)
    try:
        yield process
    finally:
        if process.is_running:
            process.kill()


def node_arguments(url: str, log: Path, **options: float) -> list[str]:
    """The command line of a node. The options are those of `tests.chaos.node`."""
    named = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    return ["-m", "tests.chaos.node", url, str(log), *named]


def wait_until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Raises AssertionError if the condition does not come true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain for {what}"
        time.sleep(0.01)
