"""Many at once, and what that costs."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import psutil
import pytest
from tests.executors.processes import spawn_rate
from tests.executors.processes.process_bench import alive_with, shell_bench
from tests.executors.processes.spawn_rate import CASES, Case, compare
from tests.patience import PATIENCE

from holdfast.core.values import Succeeded


def private_memory() -> int:
    """What is its own: not the interpreter and libraries, which it shares with others."""
    return psutil.Process().memory_full_info().uss


async def test_five_hundred_run_at_once_in_little_time_and_memory(tmp_path: Path) -> None:
    shell = shell_bench(tmp_path, capacity=500)
    os.mkfifo(tmp_path / "gate")
    gate = os.open(tmp_path / "gate", os.O_RDWR)
    await shell.run("true")
    before = private_memory()
    began = time.monotonic()

    for _ in range(500):
        shell.start("echo ready; read line < gate", env={"MARK": "five-hundred-wait"})
    async with asyncio.timeout(PATIENCE):
        while len(shell.lines) < 500:
            await shell.wait_for_change()
    grown = private_memory() - before
    reported = len(shell.reports)
    os.write(gate, b"\n" * 500)
    await shell.wait_for_reports(501)
    took = time.monotonic() - began
    os.close(gate)

    assert all(isinstance(outcome, Succeeded) for _, outcome in shell.reports)
    assert reported == 1  # so all of them ran at the same time
    assert grown < 10_000_000
    assert took < PATIENCE  # a second or two where nobody else is at work
    assert alive_with("MARK=five-hundred-wait") == []
    await shell.executor.stop()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_executor_costs_little_more_than_starting_the_processes(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(spawn_rate, "PROCESSES", 200)

    figures = compare(case, "asyncio", rounds=3)

    # Loose, as the machine may have other things to do: nine tenths are what it is made for, and some hundred
    # microseconds more of our own.
    assert figures["best_ratio"] > 0.3, figures
    assert figures["executor_own_us"] - figures["bare_own_us"] < 500, figures


async def test_no_process_no_descriptor_and_no_file_is_left_of_hundreds(tmp_path: Path) -> None:
    shell = shell_bench(tmp_path, capacity=50)
    await shell.run("true")
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(8):
        attempts = [shell.start("true", env={"MARK": "hundreds"}) for _ in range(50)]
        await asyncio.gather(*map(shell.outcome_of, attempts))

    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert len(os.listdir(shell.executor._scratch.folder)) <= 50
    assert alive_with("MARK=hundreds") == []
    assert shell.executor._unreported == {}
    await shell.executor.stop()
