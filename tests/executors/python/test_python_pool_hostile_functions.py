"""Functions that kill, fork, hang or change their worker. None may hang the node or affect the next call."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.executors.processes.process_bench import alive_with
from tests.executors.python.test_python_pool import Project
from tests.executors.recorder import failure_of, value_of
from tests.patience import PATIENCE

from holdfast.core.values import Cancelled
from holdfast.ports.executor import Attempt

KILL_AFTER = 0.5

TASKS = """
import ctypes, os, signal, subprocess, sys, threading, time

def ready():
    print("ready", flush=True)

def pid():
    return os.getpid()
"""


@pytest.fixture
async def project(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Project]:
    project = Project(tmp_path, kill_after=getattr(request, "param", KILL_AFTER))
    yield project
    await project.bench.executor.stop()
    assert project.bench.spoken_after_the_report == []


@pytest.fixture
def mark() -> str:
    return str(uuid.uuid4())


def define(project: Project, function: str) -> None:
    (project.folder / "tasks.py").write_text(TASKS + function)


def wait_for_end_of(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while os.path.exists(f"/proc/{pid}/cwd") and time.monotonic() < deadline:
        time.sleep(0.001)


async def assert_all_is_well(project: Project) -> int:
    """The next call gets a worker and its own output, and nothing else."""
    attempt = project.start("pid")
    worker = value_of(await project.bench.outcome_of(attempt))
    assert project.bench.texts_of(attempt) == []
    return worker


# --- crashes


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("os._exit(0)", "exited with code 0"),
        ("os._exit(5)", "exited with code 5"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal SIGKILL"),
        ("ctypes.string_at(0)", "was ended by signal SIGSEGV"),
        ("os.abort()", "was ended by signal SIGABRT"),
    ],
)
async def test_a_worker_that_dies_is_the_failure_of_its_call_and_of_no_other(
    project: Project, body: str, words: str
) -> None:
    define(project, f"def die():\n    print('last words', file=sys.stderr)\n    {body}\n")
    before = await assert_all_is_well(project)

    failure = failure_of(await project.run("die"))

    assert failure.type == "holdfast.errors:CommandFailed"
    assert failure.message == f"{words} before the function had returned"
    assert "last words" in failure.traceback
    assert await assert_all_is_well(project) != before


async def test_a_crash_in_c_shows_where_the_python_code_was(project: Project) -> None:
    define(project, "def crash():\n    ctypes.string_at(0)\n")

    failure = failure_of(await project.run("crash"))

    assert "in crash" in failure.traceback


async def test_an_idle_worker_that_is_killed_is_replaced(project: Project) -> None:
    define(project, "")
    first = await assert_all_is_well(project)

    os.kill(first, signal.SIGKILL)
    wait_for_end_of(first)  # without a turn of the loop: the executor has not heard of it

    assert await assert_all_is_well(project) != first


async def test_a_worker_that_cannot_even_start_is_a_failure_with_what_it_said(project: Project) -> None:
    define(project, "")

    failure = failure_of(await project.run("pid", env={"PYTHONHOME": "/nowhere"}))

    assert failure.message.endswith("before the function had returned")
    assert "encodings" in failure.traceback
    await assert_all_is_well(project)


# --- what is left behind


@pytest.mark.parametrize(
    "body",
    [
        "threading.Thread(target=chatter).start()",
        "threading.Thread(target=chatter, daemon=True).start()",
        "subprocess.Popen(['sh', '-c', 'while :; do echo chatter; sleep 0.01; done'])",
        "subprocess.Popen(['setsid', 'sh', '-c', 'while :; do echo chatter; sleep 0.01; done'])",
        "subprocess.run('(setsid sleep 60 > /dev/null 2>&1 &)', shell=True)",
        "os.fork() or chatter()",
        "os.fork() or (os.setsid(), os.fork(), chatter())",
    ],
    ids=["thread", "daemon thread", "child", "setsid child", "orphan", "fork", "double fork"],
)
async def test_what_a_function_leaves_running_ends_with_its_attempt(
    project: Project, body: str, mark: str
) -> None:
    define(
        project,
        f"""
def chatter():
    while True:
        print("chatter", flush=True)
        time.sleep(0.01)

def leave():
    {body}
    time.sleep(0.1)
    return os.getpid()
""",
    )
    attempt = project.start("leave", env={"MARK": mark})
    worker = value_of(await project.bench.outcome_of(attempt))

    assert alive_with(mark) == []
    assert await assert_all_is_well(project) != worker


async def test_a_process_that_was_waited_for_costs_the_worker_nothing(project: Project) -> None:
    define(project, "def call():\n    subprocess.run(['true'])\n    return os.getpid()\n")

    workers = [value_of(await project.run("call")) for _ in range(3)]

    assert len(set(workers)) == 1


async def test_a_forked_copy_of_a_worker_never_comes_back_as_a_second_one(project: Project) -> None:
    define(
        project,
        """
def fork():
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return -1
""",
    )

    assert [value_of(await project.run("fork")) for _ in range(3)] == [0, 0, 0]
    assert len(project.bench.reports) == 3


async def test_streams_that_a_function_closed_are_open_for_the_next(project: Project) -> None:
    define(
        project,
        """
def close_all():
    print("before", flush=True)
    sys.stdout.close()
    sys.stderr.close()
    for number in (0, 1, 2):
        os.close(number)

def talk():
    print("to stdout")
    print("to stderr", file=sys.stderr)
    subprocess.run(["echo", "by a child"])
    return sys.stdin.read()
""",
    )
    closed = project.start("close_all")
    assert value_of(await project.bench.outcome_of(closed)) is None
    attempt = project.start("talk")

    assert value_of(await project.bench.outcome_of(attempt)) == ""
    assert project.bench.texts_of(closed) == ["before"]
    assert sorted(project.bench.texts_of(attempt)) == ["by a child", "to stderr", "to stdout"]


async def test_a_function_that_reads_its_standard_input_finds_it_empty(project: Project) -> None:
    define(project, "def ask():\n    return input()\n")

    assert failure_of(await project.run("ask")).type == "builtins:EOFError"
    await assert_all_is_well(project)


async def test_descriptors_that_a_function_closes_may_be_any(project: Project) -> None:
    define(project, "def close():\n    os.closerange(3, 64)\n    return 1\n")

    # Its channel is among them, so the answer cannot come; but an end does.
    failure = failure_of(await project.run("close"))

    assert "before the function had returned" in failure.message
    await assert_all_is_well(project)


# --- cancelled


async def cancelled(project: Project, function: str, mark: str) -> tuple[Attempt, float]:
    attempt = project.start(function, env={"MARK": mark})
    await project.bench.wait_for_line(attempt, "ready")
    began = time.monotonic()
    project.bench.executor.cancel(attempt)
    assert await project.bench.outcome_of(attempt) == Cancelled()
    assert alive_with(mark) == []
    return attempt, time.monotonic() - began


@pytest.mark.parametrize("project", [10 * PATIENCE], indirect=True, ids=[""])
@pytest.mark.parametrize("kind", ["def", "async def"])
async def test_a_cancelled_function_may_clean_up(project: Project, kind: str, mark: str) -> None:
    sleep = "time.sleep(600)" if kind == "def" else "await asyncio.sleep(600)"
    define(
        project,
        f"""
import asyncio
{kind} wait():
    try:
        ready()
        {sleep}
    except Exception:
        print("swallowed")
    finally:
        print("cleaned up")
""",
    )

    attempt, _ = await cancelled(project, "wait", mark)

    assert project.bench.texts_of(attempt) == ["ready", "cleaned up"]
    await assert_all_is_well(project)


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n        try: time.sleep(600)\n        except BaseException: pass",
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM]); time.sleep(600)",
        "ctypes.PyDLL(None).sleep(600); time.sleep(600)",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
        "os.kill(os.getpid(), signal.SIGSTOP); signal.pause(); time.sleep(600)",
        "sum(range(10**12))",
    ],
    ids=[
        "catches everything",
        "blocks signals",
        "in c with the lock",
        "ignores",
        "stopped",
        "endless loop in c",
    ],
)
async def test_a_function_that_does_not_listen_is_killed_after_its_time(
    project: Project, body: str, mark: str
) -> None:
    define(project, f"def deaf():\n    ready()\n    {body}\n")

    _, took = await cancelled(project, "deaf", mark)

    assert took < PATIENCE
    await assert_all_is_well(project)


async def test_the_processes_of_a_cancelled_function_end_with_it(project: Project, mark: str) -> None:
    define(
        project,
        """
def spread():
    subprocess.Popen(["sh", "-c", "trap '' TERM; sleep 60"])
    subprocess.Popen(["setsid", "sleep", "60"])
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        os._exit(0)
    ready()
    time.sleep(600)
""",
    )

    await cancelled(project, "spread", mark)

    await assert_all_is_well(project)


async def test_a_worker_whose_call_was_cancelled_is_not_used_again(project: Project, mark: str) -> None:
    define(project, "def wait():\n    print(os.getpid(), flush=True)\n    ready()\n    time.sleep(600)\n")

    attempt, _ = await cancelled(project, "wait", mark)

    assert await assert_all_is_well(project) != int(project.bench.texts_of(attempt)[0])


async def test_a_cancel_at_any_moment_is_told_once_and_leaves_the_next_call_alone(project: Project) -> None:
    define(project, "def quick(n: int):\n    return n\n")

    for delay in (0, 0.001, 0.005, 0.02, 0.1):
        attempt = project.start("quick", {"n": 1})
        await asyncio.sleep(delay)
        project.bench.executor.cancel(attempt)
        await project.bench.outcome_of(attempt)
        await assert_all_is_well(project)

    await asyncio.sleep(0.1)
    assert len(project.bench.reports) == 10


async def test_output_without_end_does_not_hold_up_a_cancel(project: Project, mark: str) -> None:
    define(project, "def shout():\n    ready()\n    while True: print('x' * 100)\n")

    _, took = await cancelled(project, "shout", mark)

    assert took < PATIENCE


async def test_a_stop_ends_calls_and_idle_workers_alike(project: Project, mark: str) -> None:
    define(project, "def wait():\n    ready()\n    time.sleep(600)\n")
    attempt = project.start("wait", env={"MARK": mark})
    await project.bench.wait_for_line(attempt, "ready")
    await project.run("pid", env={"MARK": mark + "-idle"})

    await project.bench.executor.stop()

    assert alive_with(mark) == []
    assert len(project.bench.reports) == 1


@pytest.mark.parametrize(
    "noise", ["b'\\\\0\\\\0\\\\0\\\\4junk'", "b'\\\\xff' * 8"], ids=["a message", "no message"]
)
async def test_a_function_that_writes_to_the_workers_channel_fails_and_the_next_call_is_well(
    project: Project, noise: str
) -> None:
    define(
        project,
        f"""
import socket, stat
def meddle():
    for number in range(3, 20):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                os.write(number, {noise})
        except OSError:
            pass
    time.sleep(600)
""",
    )

    failure = failure_of(await project.run("meddle"))

    assert failure.message == "was ended by signal SIGKILL before the function had returned"
    await assert_all_is_well(project)


def test_a_worker_that_has_become_somebody_else_is_not_used_again() -> None:
    code = (
        "import os; from holdfast.executors.python.process_globals import ProcessGlobals; "
        "saved = ProcessGlobals(); "
        "print(saved.restore()); os.geteuid = lambda: 65534; print(saved.restore())"
    )

    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout

    assert said == "True\nFalse\n"
