"""Many at once, and what that costs."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import psutil
import pytest
from tests.executors.process_bench import alive_with, shell_bench
from tests.executors.spawn_rate import CASES, Case, compare

from holdfast.core.values import Succeeded


def private_memory() -> int:
    """What is its own: not the interpreter and libraries, which it shares with others."""
    return psutil.Process().memory_full_info().uss


async def test_five_hundred_sleep_at_once_in_little_time_and_memory(tmp_path: Path) -> None:
    shell = shell_bench(tmp_path, capacity=500)
    await shell.run("sleep 0")
    before = private_memory()
    began = time.monotonic()

    for _ in range(500):
        shell.start("sleep 2", env={"MARK": "five-hundred-sleeps"})
    await asyncio.sleep(0.5)
    grown = private_memory() - before
    running = len(alive_with("MARK=five-hundred-sleeps"))
    await shell.wait_for_reports(501)
    took = time.monotonic() - began

    assert all(isinstance(outcome, Succeeded) for _, outcome in shell.reports)
    assert running > 250  # all of them, where the first did not end before the last began
    assert grown < 10_000_000
    assert took < 8  # under 4 s where nobody else is at work
    assert alive_with("MARK=five-hundred-sleeps") == []
    await shell.executor.stop()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_executor_costs_little_more_than_starting_the_processes(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    figures = compare(case, "asyncio", rounds=3)

    # Loose, as the machine may have other things to do: nine tenths are what it is made for, and some hundred
    # microseconds more of our own.
    assert figures["best_ratio"] > 0.3, figures
    assert figures["executor_own_us"] - figures["bare_own_us"] < 500, figures


async def test_no_process_no_descriptor_and_no_file_is_left_of_a_thousand(tmp_path: Path) -> None:
    shell = shell_bench(tmp_path, capacity=50)
    await shell.run("true")
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        attempts = [shell.start("true", env={"MARK": "a-thousand"}) for _ in range(50)]
        await asyncio.gather(*map(shell.outcome_of, attempts))

    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert len(os.listdir(shell.executor._scratch.folder)) <= 50
    assert alive_with("MARK=a-thousand") == []
    assert shell.executor._jobs == {}
    await shell.executor.stop()
