"""`make coverage`: runs the tests, and shows which branches of core, engine and stores no test takes.

Fails if one of the three packages is below the limit: a well tested package does not make up for another.
[tool.coverage] in pyproject.toml says what is measured and what is excluded.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import coverage
import pytest

PACKAGES = ("core", "engine", "stores")
LIMIT = 95.0
"""Percent of the branches of a package."""

UNTRACEABLE = ("tests/executors/test_threads.py", "tests/executors/test_thread_interrupts.py")
"""Not run here. These tests cancel tasks on threads that stay in C code until the test goes on. In Python
3.11 a traced thread, such as the test's, stands still while an interrupt of another thread is pending. So
both would wait for ever. The tests are about executors, which are not measured."""


class Tally(NamedTuple):
    """The branches of a file or a package, and how many of them a test has taken."""

    there: int
    taken: int
    missing: list[str]
    """The branches that no test takes, as `line->line`; `exit` is the end of a function."""

    @property
    def percent(self) -> float:
        return 100.0 * self.taken / self.there if self.there else 100.0


def tally_files(report: Mapping[str, Any]) -> dict[str, Tally]:
    """What coverage.py's JSON says about each file, by its path below the package `holdfast`."""
    files: dict[str, Tally] = {}
    for path, facts in report["files"].items():
        summary = facts["summary"]
        missing = [f"{origin}->{_target(target)}" for origin, target in facts["missing_branches"]]
        name = Path(path).as_posix().partition("holdfast/")[2]
        files[name] = Tally(summary["num_branches"], summary["covered_branches"], missing)
    return files


def _target(line: int) -> str:
    return str(line) if line > 0 else "exit"


def tally_package(files: Mapping[str, Tally], package: str) -> Tally:
    inside = [tally for name, tally in files.items() if name.startswith(f"{package}/")]
    return Tally(sum(tally.there for tally in inside), sum(tally.taken for tally in inside), [])


def table(files: Mapping[str, Tally]) -> str:
    lines = [f"{'':40}{'branches':>9}{'taken':>7}{'':>9}  not taken"]
    for package in PACKAGES:
        for name, tally in sorted(files.items()):
            if name.startswith(f"{package}/") and tally.there:
                lines.append(_row(name, tally))
        lines.append(_row(f"{package} in all", tally_package(files, package)))
    return "\n".join(lines)


def _row(name: str, tally: Tally) -> str:
    row = f"{name:40}{tally.there:9}{tally.taken:7}{tally.percent:8.1f}%  {' '.join(tally.missing)}"
    return row.rstrip()


def too_low(files: Mapping[str, Tally], limit: float = LIMIT) -> list[str]:
    """A sentence for each package with too few branches taken. Without branches it was not measured."""
    sentences: list[str] = []
    for package in PACKAGES:
        tally = tally_package(files, package)
        if not tally.there:
            sentences.append(f"{package} was not measured")
        elif tally.percent < limit:
            sentences.append(
                f"{package} has {tally.percent:.1f} % of its branches taken and needs {limit:g} %"
            )
    return sentences


def spare_task_threads() -> None:
    """Do not trace threads that run tasks: an interrupt that cancels a task may hit the tracer.

    If it hits while the tracer holds coverage.py's own lock, the lock is never released and every thread
    stops for ever. Tasks on the event loop run the same code of the measured packages, so nothing is lost.
    """
    trace = threading.gettrace()
    assert trace is not None, "coverage.py has not begun to trace threads"

    def trace_others(frame: FrameType, event: Any, argument: Any) -> Any:
        if threading.current_thread().name.startswith("holdfast-task-"):
            sys.settrace(None)
            return None
        return trace(frame, event, argument)

    threading.settrace(trace_others)


def measure(arguments: list[str]) -> tuple[int, dict[str, Tally]]:
    """Run pytest. Returns its exit code and the tallies."""
    measuring = coverage.Coverage(data_file=None)
    measuring.start()
    spare_task_threads()
    try:
        code = int(pytest.main([*arguments, *(f"--ignore={file}" for file in UNTRACEABLE)]))
    finally:
        measuring.stop()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "branches.json"
        measuring.json_report(outfile=str(file))
        return code, tally_files(json.loads(file.read_text()))


def main(arguments: list[str]) -> int:
    code, files = measure(arguments)
    print(table(files))
    sentences = too_low(files)
    for sentence in sentences:
        print(sentence)
    return code or int(bool(sentences))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
