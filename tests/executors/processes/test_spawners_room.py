"""Processes that there is no room for yet, or that hang: what becomes of them and of the others."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.executors.processes.process_bench import ProcessBench, shell_bench
from tests.executors.processes.slow_disk import Disk
from tests.executors.recorder import failure_of, value_of

from holdfast.core.values import Cancelled
from holdfast.executors.processes import spawners
from holdfast.executors.processes.spawning import Start, prepare


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[ProcessBench]:
    bench = shell_bench(tmp_path, kill_after=0.5)
    await bench.run("true")
    yield bench
    await bench.executor.stop()


@pytest.mark.parametrize("shortages", [1, 30])
async def test_a_process_that_there_is_no_room_for_is_started_when_there_is(
    shell: ProcessBench, monkeypatch: pytest.MonkeyPatch, shortages: int
) -> None:
    left = iter(range(shortages))
    monkeypatch.setattr(spawners, "_RETRY_AFTER", 0.01)
    monkeypatch.setattr(spawners, "prepare", lambda *given: short_of_room(prepare(*given), left))
    before = len(os.listdir("/proc/self/fd"))

    attempts = [shell.start("echo HOLDFAST_OUTPUT:1") for _ in range(20)]

    assert [value_of(await shell.outcome_of(each)) for each in attempts] == [1] * 20
    await shell.run("true")
    assert len(os.listdir("/proc/self/fd")) == before


async def test_a_process_that_there_never_is_room_for_fails_in_the_end(
    shell: ProcessBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spawners, "_RETRY_AFTER", 0.01)
    monkeypatch.setattr(spawners, "_GIVE_UP_AFTER", 0.1)
    monkeypatch.setattr(spawners, "prepare", lambda *given: short_of_room(prepare(*given), count()))

    assert failure_of(await shell.run("true")).type == "builtins:BlockingIOError"


async def test_one_that_waits_for_room_can_be_cancelled(
    shell: ProcessBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spawners, "prepare", lambda *given: short_of_room(prepare(*given), count()))
    attempt = shell.start("true")
    await asyncio.sleep(0.05)

    shell.executor.cancel(attempt)

    assert await shell.outcome_of(attempt) == Cancelled()


def short_of_room(start: Start, times: Iterator[int]) -> Start:
    def start_if_there_is_room() -> int | OSError:
        if next(times, None) is None:
            return start()
        return BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    return start_if_there_is_room


async def test_programs_that_hang_do_not_keep_others_from_starting(shell: ProcessBench, disk: Disk) -> None:
    disk.be_slow()
    slow = [shell.start("echo HOLDFAST_OUTPUT:1") for _ in range(6)]
    await disk.until_somebody_waits()
    disk.be_well()

    await asyncio.gather(*(shell.run("true") for _ in range(10)))

    assert [attempt for attempt, _ in shell.reports if attempt in slow] == []
    disk.answer()
    assert [value_of(await shell.outcome_of(each)) for each in slow] == [1] * 6
