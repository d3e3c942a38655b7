"""What a terminal sends to the node (Ctrl-C, Ctrl-Z) is the node's, and never ends or stops a task."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.executors.processes.process_bench import ProcessBench, python_bench, shell_bench, until_begun
from tests.executors.recorder import failure_of, value_of
from tests.patience import PATIENCE

from holdfast.core.values import Cancelled
from holdfast.executors.processes import children
from holdfast.ports.executor import PythonFunction, ShellCommand

TASKS = 250
NODE = f"""
import asyncio, signal, sys
from pathlib import Path
from tests.executors.processes.process_bench import shell_bench

async def main():
    bench = shell_bench(Path.cwd())
    print("ready", flush=True)
    for _ in range({TASKS}):
        bench.start("echo HOLDFAST_OUTPUT:1")
    await bench.wait_for_reports({TASKS})
    await bench.executor.stop()
    print(*sorted({{str(outcome) for _, outcome in bench.reports}}), sep="\\n")

for name in sys.argv[1:]:
    signal.signal(signal.Signals[name], signal.SIG_IGN)
asyncio.run(main())
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGQUIT", "SIGTSTP"])
def test_a_key_pressed_while_tasks_are_being_started_ends_and_stops_none_of_them(
    tmp_path: Path, name: str
) -> None:
    root = Path(__file__).parents[3]
    node = subprocess.Popen(
        [sys.executable, "-c", NODE, name],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert node.stdout is not None
    assert node.stdout.readline() == "ready\n"

    deadline = time.monotonic() + PATIENCE
    while node.poll() is None and time.monotonic() < deadline:
        os.killpg(node.pid, signal.Signals[name])
        time.sleep(0.0002)  # as a very nervous user would: one in five hits a child that is just being made

    has_hung = node.poll() is None
    _kill_session(node.pid)
    out = node.communicate()[0]
    assert not has_hung
    assert out == "Succeeded(payload=b'1')\n"


def _kill_session(leader: int) -> None:
    """A child that was stopped holds its node in the kernel, where not even SIGKILL reaches it."""
    for name in os.listdir("/proc"):
        try:
            if name.isdecimal() and os.getsid(int(name)) == leader:
                os.kill(int(name), signal.SIGKILL)
        except ProcessLookupError:
            continue


@pytest.fixture(params=[shell_bench, python_bench], ids=["shell", "python"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path):
    (tmp_path / "tasks.py").write_text("import time\n\ndef nap():\n    time.sleep(0.3)\n    return 42\n")
    bench: ProcessBench = request.param(tmp_path, kill_after=1)
    yield bench
    await bench.executor.stop()
    assert bench.spoken_after_the_report == []


NAPS = {
    shell_bench: ShellCommand("sleep 0.3; echo HOLDFAST_OUTPUT:42"),
    python_bench: PythonFunction("nap", file="tasks.py"),
}


def start_and_interrupt(bench: ProcessBench, request: pytest.FixtureRequest):
    attempt = bench.start(NAPS[request.node.callspec.params["bench"]])

    async def interrupt() -> None:
        assert bench.executor._resources is not None
        (child,) = bench.executor._resources.processes._children
        await until_begun(child)
        os.killpg(child.group, signal.SIGHUP)  # Python makes something else of SIGINT

    return attempt, interrupt


async def test_a_process_that_was_ended_before_its_program_was_loaded_is_started_once_more(
    bench: ProcessBench, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "never_loaded_program", lambda _pid: True)
    attempt, interrupt = start_and_interrupt(bench, request)

    await interrupt()

    assert value_of(await bench.outcome_of(attempt)) == 42


async def test_a_process_that_was_cancelled_as_well_is_not_started_once_more(
    bench: ProcessBench, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "never_loaded_program", lambda _pid: True)
    attempt, interrupt = start_and_interrupt(bench, request)

    await interrupt()
    bench.executor.cancel(attempt)

    assert await bench.outcome_of(attempt) == Cancelled()


async def test_a_task_that_interrupts_itself_has_failed(tmp_path: Path) -> None:
    bench = shell_bench(tmp_path)

    outcome = await bench.run("kill -INT $$")

    assert failure_of(outcome).message == "was ended by signal SIGINT"
    await bench.executor.stop()
