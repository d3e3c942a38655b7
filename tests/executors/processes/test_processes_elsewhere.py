"""On systems that have less: no epoll, no pidfd, no waitid, no /proc. macOS, as far as Linux can play it."""

from __future__ import annotations

import asyncio
import os
import select
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.executors.processes.process_bench import ProcessBench, alive_with, shell_bench
from tests.executors.python.test_python_pool import Project
from tests.executors.recorder import failure_of, value_of

from holdfast.core.values import Cancelled
from holdfast.executors.processes import keeper


@pytest.fixture(autouse=True)
def _as_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(select, "epoll")
    monkeypatch.delattr(os, "pidfd_open")
    monkeypatch.delattr(os, "waitid")
    monkeypatch.setattr(keeper, "PROCESSES", "/nowhere")


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[ProcessBench]:
    bench = shell_bench(tmp_path, kill_after=0.5)
    yield bench
    await bench.executor.stop()
    assert bench.spoken_after_the_report == []


@pytest.fixture
def mark() -> str:
    return str(uuid.uuid4())


async def test_commands_run_and_are_heard(shell: ProcessBench) -> None:
    attempts = [shell.start(f"echo said; sleep 0.0{n % 10}; echo HOLDFAST_OUTPUT:{n}") for n in range(30)]

    outcomes = await asyncio.gather(*map(shell.outcome_of, attempts))

    assert [value_of(outcome) for outcome in outcomes] == list(range(30))
    assert all(shell.texts_of(attempt) == ["said"] for attempt in attempts)


async def test_failures_have_their_exit_code(shell: ProcessBench) -> None:
    outcomes = [await shell.run("exit 3"), await shell.run("kill -9 $$")]

    assert [failure_of(it).message for it in outcomes] == [
        "exited with code 3",
        "was ended by signal SIGKILL",
    ]


async def test_a_child_in_the_background_ends_with_its_task(shell: ProcessBench, mark: str) -> None:
    outcome = await shell.run("sleep 60 & echo HOLDFAST_OUTPUT:1", env={"MARK": mark})

    assert value_of(outcome) == 1
    assert alive_with(mark) == []


async def test_a_group_that_was_asked_to_end_has_its_time_as_long_as_its_pipes_are_open(
    shell: ProcessBench, mark: str
) -> None:
    child = "trap 'sleep 0.1; echo cleaned up; exit' TERM; echo ready; while :; do sleep 0.01; done"
    attempt = shell.start(f"({child}) & wait", env={"MARK": mark})
    await shell.wait_for_line(attempt, "ready")

    shell.executor.cancel(attempt)

    assert await shell.outcome_of(attempt) == Cancelled()
    assert "cleaned up" in shell.texts_of(attempt)
    assert alive_with(mark) == []


async def test_one_that_does_not_listen_is_killed(shell: ProcessBench, mark: str) -> None:
    attempt = shell.start("trap '' TERM; echo ready; while :; do sleep 0.01; done", env={"MARK": mark})
    await shell.wait_for_line(attempt, "ready")

    shell.executor.cancel(attempt)

    assert await shell.outcome_of(attempt) == Cancelled()
    assert alive_with(mark) == []


async def test_functions_run_and_are_cancelled(tmp_path: Path, mark: str) -> None:
    project = Project(tmp_path, kill_after=0.5)
    project.write(
        "tasks.py",
        "import time\ndef add(a, b): return a + b\ndef wait():\n    print('in')\n    time.sleep(60)",
    )

    value = value_of(await project.run("add", {"a": 1, "b": 2}))
    attempt = project.start("wait", env={"MARK": mark})
    await project.bench.wait_for_line(attempt, "in")
    project.bench.executor.cancel(attempt)

    assert value == 3
    assert await project.bench.outcome_of(attempt) == Cancelled()
    await project.bench.executor.stop()
    assert alive_with(mark) == []
