"""How a process is started: in both ways, beside the loop, and what becomes of one nobody wants by then."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.executors.processes.process_bench import (
    ProcessBench,
    alive_with,
    none_alive_with,
    python_bench,
    shell_bench,
)
from tests.executors.processes.slow_disk import Disk, loading
from tests.executors.recorder import failure_of, value_of
from tests.patience import PATIENCE

from holdfast.core.values import Cancelled
from holdfast.executors.processes import spawners, spawning
from holdfast.executors.processes.children import Processes
from holdfast.executors.processes.spawning import EnvironmentBlock, Prepare, SpawnRequest
from holdfast.ports.executor import PythonFunction

COMMON = EnvironmentBlock({b"A": b"not this", b"C": b"common"})
NOTHING = EnvironmentBlock({})


@pytest.fixture(params=["libc", "python"])
def prepare(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Prepare:
    assert spawning._libc is not None
    way = spawning._libc.prepare if request.param == "libc" else spawning._prepare_by_python
    monkeypatch.setattr(spawning, "_prepare", way)
    return spawning.prepare


def run(prepare: Prepare, *arguments: str, **variables: str) -> str:
    """What it says on both streams."""
    out, end = os.pipe()
    own = {name.encode(): value.encode() for name, value in variables.items()}
    pid = prepare(SpawnRequest(arguments[0], arguments, COMMON, own), end, end)()
    os.close(end)
    assert isinstance(pid, int)
    with open(out, encoding="utf-8") as said:
        text = said.read()
    os.waitpid(pid, 0)
    return text


def test_it_gets_its_arguments_and_its_environment_and_nothing_else(prepare: Prepare) -> None:
    said = run(prepare, "/bin/sh", "-c", 'env; echo "$0|$1|$A"', "größe", "two words", A="an = ü", B="")

    assert set(said.splitlines()) - {"_=/usr/bin/env", f"PWD={os.getcwd()}"} == {
        "A=an = ü",
        "B=",
        "C=common",
        "größe|two words|an = ü",
    }


def test_it_leads_a_group_of_its_own_and_reads_nothing(prepare: Prepare) -> None:
    said = run(prepare, sys.executable, "-c", "import os; print(os.getpgid(0) == os.getpid(), os.read(0, 9))")

    assert said == "True b''\n"


def test_it_ignores_no_signal_and_blocks_only_those_that_would_stop_it(prepare: Prepare) -> None:
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        said = run(
            prepare,
            sys.executable,
            "-I",
            "-c",
            "import signal as s; print(s.getsignal(s.SIGUSR1), sorted(s.pthread_sigmask(s.SIG_BLOCK, ())))",
        )
    finally:
        signal.signal(signal.SIGUSR1, before)

    blocked = sorted([signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU])
    assert said == f"{signal.SIG_DFL} {blocked}\n"


def test_a_channel_is_its_standard_input(prepare: Prepare) -> None:
    channel, end = os.pipe()
    os.write(end, b"told")
    os.close(end)
    out, out_end = os.pipe()

    pid = prepare(SpawnRequest("/bin/cat", ("cat",), NOTHING, {}, channel), out_end, out_end)()

    assert isinstance(pid, int)
    os.waitpid(pid, 0)
    assert os.read(out, 9) == b"told"
    for descriptor in (channel, out, out_end):
        os.close(descriptor)


def test_a_script_that_does_not_say_what_runs_it_is_run_by_the_shell(
    prepare: Prepare, tmp_path: Path
) -> None:
    script = tmp_path / "script"
    script.write_text('echo "$1 in a shell"\n')
    script.chmod(0o755)

    assert run(prepare, str(script), "here") == "here in a shell\n"


def test_what_is_no_program_is_told_of_with_its_name(prepare: Prepare, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")

    error = prepare(SpawnRequest(missing, ("missing",), NOTHING, {}), 1, 2)()

    assert isinstance(error, FileNotFoundError)
    assert error.filename == missing


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            SpawnRequest("/bin/tr\0ue", ("true",), NOTHING, {}),
            "cannot be part of a command: '/bin/tr\\x00ue'",
        ),
        (
            SpawnRequest("/bin/true", ("true", "\0"), NOTHING, {}),
            "a NUL character cannot be part of a command",
        ),
        (
            SpawnRequest("/bin/true", ("true",), NOTHING, {b"A=B": b""}),
            "'A=B' cannot be the name of a variable",
        ),
        (SpawnRequest("/bin/true", ("true",), NOTHING, {b"": b"1"}), "'' cannot be the name of a variable"),
        (
            SpawnRequest("/bin/true", ("true",), NOTHING, {b"A": b"\0"}),
            "the variable 'A' has a NUL character",
        ),
        (
            SpawnRequest("/bin/true", ("true",), NOTHING, {b"A\0": b""}),
            "has a NUL character, which none can have",
        ),
    ],
)
def test_what_no_process_can_be_told_is_refused(prepare: Prepare, wrong: SpawnRequest, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        prepare(wrong, 1, 2)


def test_a_descriptor_that_cannot_be_handed_on_is_an_error_and_not_left_out(prepare: Prepare) -> None:
    beyond_all, _ = resource.getrlimit(resource.RLIMIT_NOFILE)

    with pytest.raises(OSError, match="Bad file descriptor"):
        _raise_error(prepare(SpawnRequest("/bin/true", ("true",), NOTHING, {}), beyond_all, beyond_all)())


def _raise_error(begun: int | OSError) -> None:
    if isinstance(begun, OSError):
        raise begun


def test_where_libc_has_no_posix_spawn_processes_are_started_all_the_same() -> None:
    code = (
        "import ctypes; ctypes.CDLL = lambda name: object(); "
        "from holdfast.executors.processes import spawning as s; "
        "assert s._prepare is s._prepare_by_python"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- beside the loop


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[ProcessBench]:
    bench = shell_bench(tmp_path, kill_after=0.5)
    yield bench
    await bench.executor.stop()
    assert bench.spoken_after_the_report == []


@pytest.fixture
def mark() -> str:
    return f"MARK={uuid.uuid4()}"


async def test_while_a_program_is_loaded_the_loop_goes_on_and_others_start(
    shell: ProcessBench, disk: Disk
) -> None:
    disk.be_slow()
    slow = shell.start("echo HOLDFAST_OUTPUT:1")
    await disk.until_somebody_waits()
    disk.be_well()

    assert value_of(await shell.run("echo HOLDFAST_OUTPUT:2")) == 2

    assert [attempt for attempt, _ in shell.reports if attempt is slow] == []
    disk.answer()
    assert value_of(await shell.outcome_of(slow)) == 1


async def test_one_that_is_cancelled_while_its_program_is_loaded_ends_as_soon_as_it_begins(
    shell: ProcessBench, disk: Disk, mark: str
) -> None:
    name, _, value = mark.partition("=")
    disk.be_slow()
    attempt = shell.start("sleep 60", env={name: value})
    await disk.until_somebody_waits()

    shell.executor.cancel(attempt)
    await asyncio.sleep(0.05)
    assert shell.reports == []
    disk.answer()

    assert await shell.outcome_of(attempt) == Cancelled()
    assert alive_with(mark) == []


async def test_the_loop_waits_for_no_longer_than_it_takes(
    shell: ProcessBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spawners, "_LONGEST_WAIT", 10 * PATIENCE)

    began = time.monotonic()
    await asyncio.gather(*(shell.run("true") for _ in range(40)))

    assert time.monotonic() - began < PATIENCE


async def test_the_loop_waits_only_for_a_moment_if_many_are_slow(shell: ProcessBench, disk: Disk) -> None:
    await shell.run("true")
    disk.be_slow()
    began = time.monotonic()
    slow = [shell.start("echo HOLDFAST_OUTPUT:1") for _ in range(40)]

    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert time.monotonic() - began < PATIENCE
    disk.answer()
    assert [value_of(await shell.outcome_of(each)) for each in slow] == [1] * 40


class Ear:
    """Hears how a process has ended."""

    def __init__(self) -> None:
        self.ending: asyncio.Future[int | Exception] = asyncio.get_running_loop().create_future()

    def on_output(self, stream: str, data: bytes) -> None: ...

    def on_exit(self, ending: int | Exception) -> None:
        self.ending.set_result(ending)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_one_that_begins_after_it_was_ended_gets_the_signal_that_was_meant_for_it(
    tmp_path: Path, disk: Disk, number: signal.Signals
) -> None:
    processes = Processes(NOTHING, str(tmp_path / "scratch"), dt.timedelta(seconds=60))
    ear = Ear()
    disk.be_slow()
    child = processes.spawn(SpawnRequest("/bin/sleep", ("sleep", "50"), NOTHING, {}), ear)
    await disk.until_somebody_waits()

    (processes.kill if number == signal.SIGKILL else processes.end)(child)
    disk.answer()

    async with asyncio.timeout(PATIENCE):
        assert await ear.ending == -number
    await processes.stop()


async def test_what_was_cancelled_before_its_turn_is_never_started(
    shell: ProcessBench, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spawners, "_MOST_STARTING", 1)
    disk.be_slow()
    first = shell.start("true")
    await disk.until_somebody_waits()
    second = shell.start(f"touch {shell.folder}/begun")

    shell.executor.cancel(second)

    assert await shell.outcome_of(second) == Cancelled()
    disk.answer()
    assert value_of(await shell.outcome_of(first)) is None
    assert not (shell.folder / "begun").exists()


@pytest.mark.parametrize("is_begun", [False, True])
async def test_a_function_whose_worker_is_slow_to_start_can_be_cancelled_and_no_descriptor_is_lost(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch, is_begun: bool
) -> None:
    (tmp_path / "tasks.py").write_text("def answer():\n    return 42\n")
    before = len(os.listdir("/proc/self/fd"))
    bench = python_bench(tmp_path, kill_after=0.5)
    with monkeypatch.context() as patch:
        patch.setattr(spawners, "_MOST_STARTING", int(is_begun))
        attempt = bench.start(PythonFunction("answer", file="tasks.py"))
        await asyncio.sleep(0.01)

    bench.executor.cancel(attempt)

    assert await bench.outcome_of(attempt) == Cancelled()
    assert value_of(await bench.run(PythonFunction("answer", file="tasks.py"))) == 42
    await bench.executor.stop()
    assert len(os.listdir("/proc/self/fd")) == before


async def test_a_node_that_stops_does_not_wait_without_end_and_what_begins_then_is_killed(
    tmp_path: Path, disk: Disk, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.executors.processes.children._STOP_TIMEOUT", 0.1)
    bench = shell_bench(tmp_path, kill_after=0.1)
    name, _, value = mark.partition("=")
    disk.be_slow()
    bench.start("sleep 60", env={name: value})
    await disk.until_somebody_waits()

    async with asyncio.timeout(PATIENCE):
        await bench.executor.stop()
    disk.answer()

    threads = [each for each in threading.enumerate() if each.name.startswith("holdfast-spawn")]
    for thread in threads:
        await asyncio.to_thread(thread.join, PATIENCE)
        assert not thread.is_alive()
    assert await none_alive_with(mark)  # what it has started itself is killed, but not waited for
    assert loading() == []


async def test_no_descriptor_is_lost_by_what_cannot_be_started(shell: ProcessBench, tmp_path: Path) -> None:
    await shell.run("true")
    (tmp_path / "nothing").write_text("#!/no/such/interpreter\n")
    (tmp_path / "nothing").chmod(0o755)
    before = len(os.listdir("/proc/self/fd"))

    for command in (["./nothing"], ["true", "\0"]):
        failure_of(await shell.run(command))
    cancelled = shell.start("true")
    shell.executor.cancel(cancelled)
    await shell.outcome_of(cancelled)

    assert len(os.listdir("/proc/self/fd")) == before


async def test_attempts_end_even_if_somebody_in_the_node_reaps_whatever_ends(shell: ProcessBench) -> None:
    is_over = threading.Event()

    def reap() -> None:
        while not is_over.is_set():
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                pass
            time.sleep(0.0001)

    reaper = threading.Thread(target=reap)
    reaper.start()
    try:
        attempts = [shell.start(f"echo {number}") for number in range(100)]
        await shell.wait_for_reports(100)
    finally:
        is_over.set()
        reaper.join()

    assert [shell.texts_of(attempt) for attempt in attempts] == [[str(number)] for number in range(100)]
