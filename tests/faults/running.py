"""Runs a check, and tells a test that saw a broken promise from a test that could not run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from typing import NamedTuple

from tests.faults.fault import Check
from tests.faults.planting import Ground

_GRACE_SECONDS = 15
"""A command that hangs gets this time to stop its databases before it is killed."""

_NOT_EVIDENCE = ("ImportError", "ModuleNotFoundError", "SyntaxError", "IndentationError", "NameError")
"""A test that fails with one of these was broken by the edit itself, not by a broken promise."""

_FAILED = re.compile(r"^FAILED (?P<test>.+?)(?: - (?P<why>.*))?$", re.MULTILINE)
_TIMED_OUT = "Failed: Timeout"
_DURATION = re.compile(r"^ *(?P<seconds>[\d.]+)s (?:setup|call|teardown) +(?P<test>[^\[\n]+)", re.MULTILINE)

LONGEST_TEST = 30.0
"""Seconds after which a test counts as hanging, if it is not known how long it takes."""


class Verdict(NamedTuple):
    is_caught: bool
    by: str
    """The test, or the command."""
    why: str
    """Its message, in one line."""
    seconds: float
    output: str = ""


class CannotJudge(Exception):
    """A check neither passed nor failed: there is no such test, or an import failed, or pytest did."""


def run(check: Check, ground: Ground, longest: float = LONGEST_TEST) -> Verdict:
    """A test that takes longer than `longest` seconds counts as hanging. Raises CannotJudge."""
    began = time.monotonic()
    code, output = _execute(check, ground, longest)
    seconds = time.monotonic() - began
    if code is None:
        return Verdict(True, str(check), f"hangs: it was ended after {check.seconds:.0f} s", seconds, output)
    if code == 0:
        return Verdict(False, "", "passed", seconds, output)
    if code != 1:
        raise CannotJudge(f"{check} ended with {code}, which is neither passed nor failed:\n{output[-3000:]}")
    by, why = _read_pytest(check, output) if check.is_pytest else _read_finder(check, output)
    return Verdict(True, by, why, seconds, output)


def seconds_of_tests(output: str) -> dict[str, float]:
    """How long each test took, by its name without parameters: the slowest case of it, with its fixtures."""
    seconds: dict[str, float] = {}
    for found in _DURATION.finditer(output):
        test = found["test"].strip()
        seconds[test] = max(seconds.get(test, 0.0), float(found["seconds"]))
    return seconds


def _execute(check: Check, ground: Ground, longest: float) -> tuple[int | None, str]:
    """The exit code (None if the command hung), and everything that it printed."""
    command = [sys.executable, "-m", check.module]
    if check.is_pytest:
        # Without the cache: otherwise the next `pytest --lf` would run what failed here.
        command += ["-x", "-q", "-rf", "--tb=short", "-p", "no:cacheprovider", f"--timeout={longest}"]
        command += ["--durations=0", "--durations-min=0.5"]
    process = subprocess.Popen(
        [*command, *check.arguments],
        env=ground.environment,
        cwd=ground.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=check.seconds)
    except subprocess.TimeoutExpired:
        return None, _end(process)
    return process.returncode, output


def _end(process: subprocess.Popen[str]) -> str:
    """Interrupts pytest, so that it stops its servers; then kills the process group."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        output, _ = process.communicate(timeout=_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    return output


def _read_pytest(check: Check, output: str) -> tuple[str, str]:
    found = _FAILED.search(output)
    if found is None:
        raise CannotJudge(f"{check} failed, but no test of it did:\n{output[-3000:]}")
    test, why = found["test"], found["why"] or ""
    if why.startswith(_NOT_EVIDENCE):
        raise CannotJudge(f"{test} fails with {why}: the edit is at fault, and no promise is seen broken")
    if why.startswith(_TIMED_OUT):
        why = "hangs: " + why
    return test, why


_VIOLATION = re.compile(r"^  (?P<seed>\d+): (?P<why>.*)$", re.MULTILINE)


def _read_finder(check: Check, output: str) -> tuple[str, str]:
    """The first line in a report of simulations that names a seed and what went wrong."""
    found = _VIOLATION.search(output, max(output.find("\nviolations "), 0))
    if found is None:
        raise CannotJudge(f"{check} failed, but found nothing:\n{output[-3000:]}")
    return f"simulation, seed {found['seed']}", found["why"]
