"""Threads that start processes: when these hang or cannot be started, and when nobody wants them any more."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import copy_context
from pathlib import Path

import pytest
from tests.executors.processes.process_bench import (
    ProcessBench,
    alive_with,
    none_alive_with,
    python_bench,
    shell_bench,
)
from tests.executors.processes.slow_disk import Disk, Gate
from tests.executors.recorder import failure_of, value_of
from tests.patience import PATIENCE

from holdfast.executors.processes.spawners import Spawners, StartedProcess
from holdfast.executors.processes.spawning import EnvironmentBlock, SpawnRequest
from holdfast.ports.executor import ProcessWork, PythonFunction, ShellCommand

AT_ONCE = 16
THREADS = 2
NOTHING = EnvironmentBlock({})


class Asker:
    """Asks for processes, and keeps what it is told of them."""

    def __init__(self) -> None:
        self.spawners = Spawners(asyncio.get_running_loop(), copy_context(), self.take)
        self.told: dict[str, StartedProcess | Exception] = {}

    def ask(self, name: str, *command: str, **variables: str) -> None:
        own = {key.encode(): value.encode() for key, value in variables.items()}
        self.spawners.submit(name, SpawnRequest(command[0], command, NOTHING, own))

    def take(self, name: str, begun: StartedProcess | Exception) -> None:
        assert name not in self.told
        self.told[name] = begun

    async def until_told(self, *names: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self.told.keys() >= set(names):
            assert time.monotonic() < deadline, self.told.keys()
            await asyncio.sleep(0.001)

    async def until_so_many_are_told_of(self, many: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while len(self.told) < many:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.001)

    def close(self) -> None:
        """Also what begun processes hold: they are all short."""
        self.spawners.close()
        for begun in self.told.values():
            if isinstance(begun, StartedProcess):
                os.waitpid(begun.pid, 0)
                os.close(begun.stdout)
                os.close(begun.stderr)


@pytest.fixture
async def asker() -> AsyncIterator[Asker]:
    asker = Asker()
    yield asker
    asker.close()


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[ProcessBench]:
    bench = shell_bench(tmp_path, kill_after=0.5)
    yield bench
    await bench.executor.stop()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate(monkeypatch)
    yield gate
    gate.let_go(1000)


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


async def until_threads_end() -> None:
    for thread in threading.enumerate():
        if thread.name.startswith("holdfast-spawn"):
            await asyncio.to_thread(thread.join, PATIENCE)
            assert not thread.is_alive()


# --- while some hang


async def test_the_loop_sleeps_while_as_many_hang_as_may_be_started_at_once(asker: Asker, disk: Disk) -> None:
    disk.be_slow()
    names = [str(number) for number in range(AT_ONCE + 4)]
    for name in names:
        asker.ask(name, "/bin/true")
    await disk.until_somebody_waits(THREADS)

    before = time.thread_time()
    await asyncio.sleep(0.5)
    worked = time.thread_time() - before
    disk.answer()

    assert worked < 0.1
    await asker.until_told(*names)


async def test_what_has_begun_is_told_of_though_what_was_asked_for_next_hangs(
    asker: Asker, disk: Disk, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        asker.ask(name, "/bin/true")
    await gate.until_waiting(THREADS)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    disk.be_slow()
    for name in ("third", "fourth"):
        asker.ask(name, "/bin/true")
    await asyncio.sleep(0)  # they are behind the others, so no thread ever finds that there is nothing to do

    gate.let_go(4)

    await asker.until_told("first", "second")
    assert asker.told.keys() == {"first", "second"}
    disk.answer()
    await asker.until_told("third", "fourth")


async def test_a_program_that_is_well_begins_though_others_hang(asker: Asker, disk: Disk) -> None:
    hanging = [str(number) for number in range(AT_ONCE - 1)]
    disk.be_slow()
    for name in hanging:
        asker.ask(name, "/bin/true")
    await disk.until_somebody_waits(THREADS)
    disk.be_well()

    asker.ask("well", "/bin/true")

    await asker.until_told("well")
    assert asker.told.keys() == {"well"}
    disk.answer()
    await asker.until_told(*hanging)


async def test_what_no_thread_has_begun_with_can_be_withdrawn(
    asker: Asker, disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.be_slow()
    for name in ("first", "second"):
        asker.ask(name, "/bin/true")
    await disk.until_somebody_waits(THREADS)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    disk.be_well()
    before = open_descriptors()
    asker.ask("third", "/usr/bin/touch", str(tmp_path / "begun"))
    await asyncio.sleep(0)
    assert open_descriptors() > before  # its pipes: it was handed over

    assert asker.spawners.withdraw("third")

    assert open_descriptors() == before
    assert not asker.spawners.withdraw("first")
    disk.answer()
    asker.ask("fourth", "/bin/true")
    await asker.until_told("first", "second", "fourth")
    assert "third" not in asker.told
    assert not (tmp_path / "begun").exists()


class CountedWaits(threading.Event):
    """How often somebody has waited for it."""

    waits = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.waits += 1
        return super().wait(timeout)


async def test_the_loop_waits_once_for_programs_that_are_slow_and_again_when_all_have_begun(
    asker: Asker, gate: Gate
) -> None:
    asker.spawners._enough_started = waited_for = CountedWaits()
    names = [str(number) for number in range(3 * AT_ONCE)]
    for name in names:
        asker.ask(name, "/bin/true")

    for number in range(0, len(names), THREADS):
        gate.let_go(THREADS)
        await asker.until_so_many_are_told_of(number)
    await asker.until_told(*names)

    assert waited_for.waits == 1
    for number in range(AT_ONCE):
        asker.ask(f"later {number}", "/bin/true")
    await gate.until_waiting(THREADS)
    assert waited_for.waits == 2
    gate.let_go(AT_ONCE)
    await asker.until_told(*(f"later {number}" for number in range(AT_ONCE)))


# --- what cannot be started or taken in


async def test_an_attempt_fails_if_there_is_no_room_for_a_thread_and_a_later_one_begins(
    shell: ProcessBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("holdfast.executors.processes.spawners._GIVE_UP_AFTER", 0.05)
        patch.setattr(threading.Thread, "start", refuse)
        failure = failure_of(await shell.run("true"))

    assert (failure.type, failure.message) == (
        "builtins:BlockingIOError",
        "[Errno 11] can't start new thread",
    )
    assert value_of(await shell.run("echo HOLDFAST_OUTPUT:1")) == 1


async def test_an_attempt_begins_as_soon_as_there_is_room_for_a_thread(
    shell: ProcessBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start
    refused: list[threading.Thread] = []

    def refuse_once(thread: threading.Thread) -> None:
        if not refused:
            refused.append(thread)
            refuse(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse_once)

    assert value_of(await shell.run("echo HOLDFAST_OUTPUT:1")) == 1

    assert len(refused) == 1


def refuse(thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


async def test_with_room_for_one_thread_all_is_started_by_it(
    shell: ProcessBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start

    def start_first(thread: threading.Thread) -> None:
        (start if thread.name == "holdfast-spawn-0" else refuse)(thread)

    monkeypatch.setattr(threading.Thread, "start", start_first)

    async with asyncio.timeout(PATIENCE):
        outcomes = await asyncio.gather(*(shell.run("echo HOLDFAST_OUTPUT:1") for _ in range(40)))

    assert [value_of(outcome) for outcome in outcomes] == [1] * 40


async def test_errors_while_some_are_taken_in_keep_nobody_from_being_told_of_the_others(
    asker: Asker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def take_and_fail(name: str, begun: StartedProcess | Exception) -> None:
        asker.take(name, begun)
        if int(name) < AT_ONCE:
            raise RuntimeError("no")

    monkeypatch.setattr(asker.spawners, "_on_started", take_and_fail)
    names = [str(number) for number in range(3 * AT_ONCE)]

    for name in names:
        asker.ask(name, "/bin/true")

    await asker.until_told(*names)
    said = [record.message for record in caplog.records if record.name == "holdfast.executors"]
    assert said == ["a process was started, but the executor failed to take it"] * AT_ONCE


async def test_attempts_fail_if_there_is_no_descriptor_for_a_process_that_somebody_has_reaped(
    shell: ProcessBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    value_of(await shell.run("true"))

    def reap_and_refuse(pid: int, flags: int = 0) -> int:
        os.waitpid(pid, 0)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr(os, "pidfd_open", reap_and_refuse)
        async with asyncio.timeout(PATIENCE):
            outcomes = await asyncio.gather(*(shell.run("true") for _ in range(AT_ONCE + 4)))

    assert {failure_of(outcome).message for outcome in outcomes} == {"[Errno 24] Too many open files"}
    assert value_of(await shell.run("echo HOLDFAST_OUTPUT:1")) == 1


# --- what nobody wants any more


def test_all_that_begins_after_its_loop_was_closed_is_killed(gate: Gate) -> None:
    mark = str(uuid.uuid4())
    loop = asyncio.new_event_loop()

    async def ask_for_two() -> Asker:
        asker = Asker()
        for name in ("first", "second"):
            asker.ask(name, "/bin/sleep", "60", MARK=mark)
        await gate.until_waiting(THREADS)
        return asker

    asker = loop.run_until_complete(ask_for_two())
    loop.close()
    try:
        for number in (1, 2):
            gate.let_go(1)
            asyncio.run(gate.until_begun(number))

            assert asyncio.run(none_alive_with(mark, PATIENCE / 2))
    finally:
        for pid in alive_with(mark):
            os.killpg(pid, signal.SIGKILL)
        asker.close()
        asyncio.run(until_threads_end())


@pytest.mark.parametrize(
    ("bench", "work"),
    [(shell_bench, ShellCommand("sleep 60")), (python_bench, PythonFunction("main", file="tasks.py"))],
    ids=["shell", "python"],
)
async def test_what_begins_after_a_stop_leaves_no_descriptor(
    tmp_path: Path,
    gate: Gate,
    monkeypatch: pytest.MonkeyPatch,
    bench: Callable[..., ProcessBench],
    work: ProcessWork,
) -> None:
    monkeypatch.setattr("holdfast.executors.processes.children._STOP_TIMEOUT", 0.1)
    before = open_descriptors()
    stopping = bench(tmp_path, kill_after=0.1)
    stopping.start(work)
    await gate.until_waiting(1)

    await stopping.executor.stop()
    gate.let_go(1)

    await until_threads_end()
    assert len(gate.begun) == 1
    assert open_descriptors() == before


async def test_what_begins_after_it_was_closed_may_be_reaped_by_somebody_else(
    asker: Asker, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: raised.append(args.exc_value))
    gate.after = lambda pid: os.waitpid(pid, 0)
    before = open_descriptors()
    for name in ("first", "second"):
        asker.ask(name, "/bin/true")
    await gate.until_waiting(THREADS)

    asker.spawners.close()
    gate.let_go(2)

    await until_threads_end()
    assert raised == []
    assert open_descriptors() == before
