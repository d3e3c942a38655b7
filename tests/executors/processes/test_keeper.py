"""A node that dies takes its children with it, however it dies and whatever they are."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
from tests.executors.processes.process_bench import alive_with, none_alive_with, shell_bench
from tests.executors.processes.process_node import keeper_of
from tests.executors.recorder import value_of
from tests.patience import PATIENCE, until

from holdfast.executors.processes import keeper as keeper_script
from holdfast.executors.processes import keeper_link

SCRIPT = Path(__file__).parent / "process_node.py"

TASKS = """
import os, subprocess, time

def wait():
    print("ready", flush=True)
    time.sleep(60)

def spread():
    subprocess.Popen(["setsid", "sleep", "60"])
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    print("ready", flush=True)
    time.sleep(60)
"""


class Node(NamedTuple):
    process: subprocess.Popen[str]
    keeper: int
    scratch: Path


StartNode = Callable[..., Node]


@pytest.fixture
def mark() -> str:
    return str(uuid.uuid4())


@pytest.fixture
def start_node(tmp_path: Path, mark: str) -> Iterator[StartNode]:
    nodes: list[subprocess.Popen[str]] = []
    (tmp_path / "tasks.py").write_text(TASKS)

    def start(*scripts: str, seconds: float = 60) -> Node:
        process = subprocess.Popen(
            [sys.executable, str(SCRIPT), mark, str(seconds), *scripts],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        nodes.append(process)
        assert process.stdout is not None
        word, keeper, scratch = process.stdout.readline().split()
        assert word == "started"
        return Node(process, int(keeper), Path(scratch))

    yield start
    for process in nodes:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    for pid in alive_with(mark):
        os.kill(pid, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except FileNotFoundError:
        return False


async def has_ended(pid: int) -> bool:
    await until(lambda: not is_alive(pid))
    return True


def keepers_of(node: Node) -> set[int]:
    children = psutil.Process(node.process.pid).children()
    return {child.pid for child in children if keeper_script.__file__ in command_of(child)}


def command_of(process: psutil.Process) -> list[str]:
    """Empty once the process has ended, even if its parent has not noticed that yet."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


DAEMON = "setsid sh -c 'touch up; exec sleep 60' > /dev/null 2>&1"

KINDS = {
    "a plain child": "echo ready; sleep 60",
    "grandchildren": "sh -c 'sleep 60 & sleep 60' & echo ready; sleep 60",
    "one that does not listen": "trap '' TERM HUP INT; echo ready; while :; do sleep 0.01; done",
    "a daemon": "setsid sleep 60 > /dev/null 2>&1 & echo ready; sleep 60",
    "a daemon whose task is over": f"{DAEMON} & until [ -e up ]; do sleep 0.01; done; echo ready",
    "one that shed its mark": "echo ready; exec env -i MARKED_BY_ARGUMENT=1 sh -c 'sleep 60; : $0' {mark}",
    "a function": "python wait",
    "a function's own processes": "python spread",
}


@pytest.mark.parametrize("kind", KINDS)
async def test_a_killed_node_takes_its_children_along(start_node: StartNode, mark: str, kind: str) -> None:
    node = start_node(KINDS[kind].format(mark=mark))
    await until(lambda: set(alive_with(mark)) - {node.process.pid})
    await asyncio.sleep(0.2)  # until the keeper was told of those that shed their mark

    node.process.kill()
    node.process.wait()

    assert await none_alive_with(mark)
    assert await has_ended(node.keeper)
    assert not node.scratch.exists()


async def test_children_that_nobody_was_told_of_yet_are_found_by_their_mark(
    start_node: StartNode, mark: str
) -> None:
    node = start_node(*["echo ready; sleep 60"] * 20)

    node.process.kill()

    assert await none_alive_with(mark)


SLOW_NODE = """
import asyncio, os, sys
from pathlib import Path
from holdfast.executors.processes import spawning
from tests.executors.processes.process_bench import shell_bench

async def main():
    shell = shell_bench(Path.cwd())
    await shell.run("true")
    spawning._NULL_DEVICE = b"slow"
    shell.start("sleep 60", env={"MARK": sys.argv[1]})
    await asyncio.sleep(0.1)
    print("loading", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_a_child_whose_program_was_just_being_loaded_when_the_node_was_killed_never_begins(
    tmp_path: Path, mark: str
) -> None:
    os.mkfifo(tmp_path / "slow")  # to open it for reading takes until somebody writes to it
    node = subprocess.Popen(
        [sys.executable, "-c", SLOW_NODE, mark],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert node.stdout is not None
    assert node.stdout.readline() == b"loading\n"
    # The node, and the child that is still a copy of it. The keeper changes its folder first.
    await until(lambda: len(alive_in(tmp_path)) == 2)

    node.kill()
    node.wait()
    node.stdout.close()

    await until(lambda: alive_in(tmp_path) == [])


def alive_in(folder: Path) -> list[int]:
    """Processes whose current folder it is."""
    found: list[int] = []
    for name in os.listdir("/proc"):
        try:
            if name.isdecimal() and os.readlink(f"/proc/{name}/cwd") == str(folder):
                found.append(int(name))
        except OSError:
            continue
    return found


async def test_a_forked_child_of_the_node_that_holds_its_pipes_does_not_keep_the_keeper_from_it(
    start_node: StartNode, mark: str
) -> None:
    node = start_node("echo ready; sleep 60", "fork and hold")

    node.process.kill()
    node.process.wait()

    assert await none_alive_with(f"MARK={mark}")


async def test_the_keeper_survives_what_a_terminal_sends_to_the_group(
    start_node: StartNode, mark: str
) -> None:
    node = start_node("trap '' TERM HUP INT; echo ready; while :; do sleep 0.01; done")

    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        os.killpg(node.process.pid, number)
    node.process.wait(PATIENCE)

    assert await none_alive_with(mark)
    assert await has_ended(node.keeper)


async def test_a_keeper_from_its_first_moment_on_does_not_hear_signals(
    start_node: StartNode, mark: str
) -> None:
    node = start_node("echo ready; sleep 60")

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(node.keeper, number)
    await asyncio.sleep(0.1)

    assert is_alive(node.keeper)


async def test_a_node_that_ends_in_order_ends_its_keeper(start_node: StartNode, mark: str) -> None:
    node = start_node("echo ready; sleep 60", seconds=0.2)

    out, _ = node.process.communicate(timeout=PATIENCE)

    assert out == "stopped\n"
    assert not is_alive(node.keeper)
    assert not node.scratch.exists()
    assert await none_alive_with(mark)


async def test_a_keeper_that_is_killed_is_replaced_and_told_everything(
    start_node: StartNode, mark: str
) -> None:
    # One that shed its mark is found only by a keeper that was told of its group.
    node = start_node("echo ready; exec env -i sh -c 'sleep 60; : $0' " + mark)
    await asyncio.sleep(1.2)  # one that dies sooner is not replaced

    os.kill(node.keeper, signal.SIGKILL)
    await until(lambda: keepers_of(node) - {node.keeper})
    await asyncio.sleep(0.5)  # until it was told
    node.process.kill()

    assert await none_alive_with(mark)


async def test_a_keeper_that_dies_again_and_again_is_not_started_in_a_loop(tmp_path: Path) -> None:
    shell = shell_bench(tmp_path)
    await shell.run("true")
    first = keeper_of(shell.executor)

    os.kill(first, signal.SIGKILL)
    await until(lambda: keeper_of(shell.executor) != first)
    between = keeper_of(shell.executor)
    await shell.run("true")
    await until(lambda: keeper_of(shell.executor))

    assert between == 0
    assert is_alive(keeper_of(shell.executor))
    await shell.executor.stop()


async def test_a_keeper_that_was_stopped_does_not_hold_up_the_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper_link, "_STOP_TIMEOUT", 0.3)
    shell = shell_bench(tmp_path)
    await shell.run("true")
    os.kill(keeper_of(shell.executor), signal.SIGSTOP)

    outcomes = [await shell.run("echo HOLDFAST_OUTPUT:1") for _ in range(3)]
    await asyncio.sleep(0.2)
    began = time.monotonic()
    await shell.executor.stop()

    assert [value_of(outcome) for outcome in outcomes] == [1, 1, 1]
    assert time.monotonic() - began < PATIENCE


async def test_there_is_no_keeper_before_there_is_anything_to_keep(tmp_path: Path) -> None:
    shell = shell_bench(tmp_path)

    assert shell.executor._resources is None
    await shell.executor.stop()


async def test_a_process_of_another_node_is_left_alone(
    start_node: StartNode, mark: str, tmp_path: Path
) -> None:
    other = shell_bench(tmp_path)
    bystander = other.start("sleep 60", env={"BYSTANDER": mark})
    node = start_node("echo ready; sleep 60")

    node.process.kill()
    node.process.wait()

    assert await none_alive_with(f"\0MARK={mark}")
    assert await has_ended(node.keeper)
    assert len(alive_with(f"BYSTANDER={mark}")) >= 1
    other.executor.cancel(bystander)
    await other.executor.stop()


def test_the_keeper_needs_nothing_but_python_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", keeper_script.__file__, str(os.getpid()), "token", "/nonexistent"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={},
        timeout=PATIENCE,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")


def test_a_mark_is_found_wherever_it_stands_in_the_environment() -> None:
    name, value = b"HOLDFAST_NODE_TOKEN", b"abc"
    for environment in ({name: value}, {b"A": b"1", name: value}, {name: value, b"Z": b"1"}):
        pid = os.posix_spawn("/bin/sleep", ["sleep", "5"], environment)
        while not Path(f"/proc/{pid}/environ").read_bytes():
            time.sleep(0.001)  # its program is still being loaded

        found = keeper_script.mark_of(pid, name)
        others = keeper_script.mark_of(pid, b"NODE_TOKEN")

        assert (found, others) == (value, None)
        assert not keeper_script.kill_marked(pid, name, b"another")
        assert keeper_script.kill_marked(pid, name, value)
        os.waitpid(pid, 0)
        assert keeper_script.mark_of(pid, name) is None
        assert keeper_script.group_of(pid) is None
