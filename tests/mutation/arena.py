"""Where mutants are tried: one pytest process that has everything imported, and a fork of it for each mutant.

The fork gets the changed code put into the functions that are there, runs the tests that go through
the changed line, the quickest first, and ends at the first failure. So a mutant costs milliseconds,
where a process of its own would cost seconds. It needs a parent that has run no test yet: no
threads, no loops, no connections.
"""

from __future__ import annotations

import gc
import itertools
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import pytest
from tests.mutation.mutants import Mutant

KILLED, SURVIVED, HUNG, UNCOVERED = "killed", "survived", "hung", "uncovered"
HANGING_SECONDS = 20
"""A test that takes longer has failed."""
_BUDGET_SECONDS = 12.0
"""For the tests of one mutant, by what they took on the source as it is. The quickest go first, and a line
that hundreds of tests go through is left to those that fit."""
_FAILED_EXIT, _HARD_EXIT = 1, 2


class Coverage(NamedTuple):
    seconds: list[float]
    """Of each test, in the order of the items."""
    tests: dict[str, list[int]]
    """The tests that go through a line, which is written `file:line`."""
    failed: list[str]


class Arena:
    """A pytest plugin that takes over when all tests are collected."""

    def __init__(self, package: Path, folder: Path, play: Callable[[Arena], None]) -> None:
        self._package = package
        self._folder = folder
        self._play = play
        self.items: list[pytest.Item] = []
        self.coverage = Coverage([], {}, [])

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        import holdfast

        if Path(holdfast.__file__).parent != self._package:
            raise RuntimeError(f"the tests import {holdfast.__file__}, and not what is in {self._package}")
        self.items = session.items
        # Made here and once: a fork that made its own would clean up after the others.
        session.config._tmp_path_factory.getbasetemp()  # pyright: ignore[reportAttributeAccessIssue]
        self.coverage = self._measure()
        self._play(self)
        return True

    # --- which test goes through which line

    def _measure(self) -> Coverage:
        """In a fork as well, so that the parent stays clean."""
        target = self._folder / "coverage.json"
        pid = os.fork()
        if pid == 0:
            _exit_after(lambda: target.write_text(json.dumps(_trace(self.items, str(self._package)))))
        if os.waitpid(pid, 0)[1] != 0:
            raise RuntimeError("the tests could not be run once to see which lines they go through")
        return Coverage(*json.loads(target.read_text()))

    def _tests_through(self, mutant: Mutant) -> list[int]:
        """The quickest first. Python does not name every line of a long statement when it gets there."""
        for line in range(mutant.line, mutant.last_line + 1):
            chosen = self.coverage.tests.get(f"{mutant.file}:{line}", [])
            if chosen:
                return self._affordable(chosen)
        return []

    def _affordable(self, tests: list[int]) -> list[int]:
        quickest = sorted(tests, key=lambda number: self.coverage.seconds[number])
        spent = itertools.accumulate(self.coverage.seconds[number] for number in quickest)
        # The first may be as slow as it likes: a mutant that is not tried at all has not survived anything.
        return [
            test
            for place, (test, total) in enumerate(zip(quickest, spent, strict=True))
            if not place or total < _BUDGET_SECONDS
        ]

    # --- one mutant

    def begin(self, mutant: Mutant) -> Trial | None:
        """None if no test goes through its line."""
        chosen = self._tests_through(mutant)
        if not chosen:
            return None
        allowed = HANGING_SECONDS + 4 * sum(self.coverage.seconds[number] for number in chosen)
        pid = os.fork()
        if pid == 0:
            items = [self.items[number] for number in chosen]
            _exit_after(lambda: _try(items, mutant, self._package))
        return Trial(mutant, pid, time.monotonic() + allowed)

    def check_control(self, mutants: Sequence[Mutant]) -> None:
        """The source as it is must survive where a mutant is to be killed, or the deaths prove nothing."""
        for mutant in mutants:
            unchanged = (self._package / mutant.file).read_text(encoding="utf-8")
            trial = self.begin(mutant._replace(source=unchanged))
            while trial is not None and (verdict := trial.verdict()) != SURVIVED:
                if verdict is not None:
                    raise RuntimeError(f"{mutant.file} as it is was {verdict}: the tests are at fault")
                time.sleep(0.01)


class Trial(NamedTuple):
    mutant: Mutant
    pid: int
    deadline: float

    def verdict(self) -> str | None:
        """None while it goes on."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            if os.waitstatus_to_exitcode(status) == _HARD_EXIT:
                raise RuntimeError(
                    f"{self.mutant.file}:{self.mutant.line} could not be tried: it is not evidence"
                )
            return SURVIVED if status == 0 else KILLED
        if time.monotonic() < self.deadline:
            return None
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return HUNG


# --- in a fork


def _exit_after(job: Callable[[], object]) -> None:
    """Leave at once: what the parent would clean up at its end is not this process's to clean up."""
    code = _HARD_EXIT
    try:
        job()
        code = 0
    except _Failed:
        code = _FAILED_EXIT
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


class _Failed(Exception):
    """A test has failed."""


def _try(items: Sequence[pytest.Item], mutant: Mutant, package: Path) -> None:
    put_into_place(mutant, package)
    for item in items:
        if not _passes(item):
            raise _Failed


def put_into_place(mutant: Mutant, package: Path) -> None:
    """Give the functions that are in memory the changed code."""
    file = str(package / mutant.file)
    changed = {code.co_qualname: code for code in _codes(compile(mutant.source, file, "exec"))}
    functions = [
        it
        for it in gc.get_objects()
        # By type(): some tests have objects that raise when they are asked for their class.
        if type(it) is FunctionType
        and it.__code__.co_filename == file
        and it.__code__.co_qualname == mutant.function
    ]
    if not functions:
        raise LookupError(f"{mutant.function} of {mutant.file} is nowhere in memory")
    for function in functions:
        function.__code__ = changed[mutant.function]


def _codes(code: CodeType) -> list[CodeType]:
    inner = [it for it in code.co_consts if isinstance(it, CodeType)]
    return [code, *(each for it in inner for each in _codes(it))]


class _Ear:
    """Hears whether a test failed. Through the hooks, so that one that hangs is ended as ever."""

    def __init__(self) -> None:
        self.has_failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.has_failed = self.has_failed or report.failed


def _passes(item: pytest.Item) -> bool:
    ear = _Ear()
    item.config.pluginmanager.register(ear)
    item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
    item.config.pluginmanager.unregister(ear)
    return not ear.has_failed


def _trace(items: Sequence[pytest.Item], package: str) -> Coverage:
    tests: dict[str, list[int]] = {}
    seconds: list[float] = []
    failed: list[str] = []
    prefix = package + os.sep
    for number, item in enumerate(items):
        lines: set[tuple[str, int]] = set()
        began = time.perf_counter()
        tracer = _tracer(prefix, lines)
        sys.settrace(tracer)
        threading.settrace(tracer)
        is_passed = _passes(item)
        sys.settrace(None)
        threading.settrace(None)  # pyright: ignore[reportArgumentType]
        seconds.append(time.perf_counter() - began)
        if not is_passed:
            failed.append(item.nodeid)
            continue
        if number % 100 == 99:
            print(f"{number + 1} of {len(items)} tests run", flush=True)
        for file, line in lines:
            tests.setdefault(f"{file.removeprefix(prefix)}:{line}", []).append(number)
    return Coverage(seconds, tests, failed)


def _tracer(prefix: str, lines: set[tuple[str, int]]) -> Any:
    interesting = (f"{prefix}core{os.sep}", f"{prefix}engine{os.sep}tick.py")

    def on_line(frame: FrameType, event: str, _: object) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return on_line

    def on_call(frame: FrameType, event: str, _: object) -> Any:
        return on_line if frame.f_code.co_filename.startswith(interesting) else None

    return on_call
