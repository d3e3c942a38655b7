"""Ctrl-C in a script that calls `hf.serve()`: the node stops in order, and a second one ends it at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import pytest
from tests.patience import PATIENCE

SCRIPT = """
import asyncio, signal, sys, time
from datetime import timedelta
from holdfast import Holdfast, task, workflow

@task
async def work(seconds: float) -> str:
    print("working", flush=True)
    await asyncio.sleep(seconds)
    print("worked", flush=True)
    return "done"

@workflow
async def main_flow(seconds: float) -> str:
    return await work(seconds)

async def main() -> None:
    async with Holdfast("sqlite:///test.db", drain_seconds=60) as hf:
        await hf.start(main_flow, float(sys.argv[1]), id="one")
        asyncio.get_running_loop().call_soon(lambda: print("serving", flush=True))
        await hf.serve()
        print("served", flush=True)
    print("closed", signal.getsignal(signal.SIGINT) is not before, flush=True)

before = signal.getsignal(signal.SIGINT)
RUN
print("ended", signal.getsignal(signal.SIGINT) is before, flush=True)
"""

RUNNERS = {
    "asyncio.run": "asyncio.run(main())",
    "uvloop": "import uvloop; uvloop.run(main())",
    "run_until_complete": "asyncio.new_event_loop().run_until_complete(main())",
}


@contextmanager
def script(
    folder: Path, seconds: float, run: str = RUNNERS["asyncio.run"]
) -> Iterator[subprocess.Popen[str]]:
    (folder / "serve.py").write_text(dedent(SCRIPT).replace("RUN", run))
    process = subprocess.Popen(
        [sys.executable, "serve.py", str(seconds)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert {process.stdout.readline() for _ in range(2)} == {"working\n", "serving\n"}
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("runner", RUNNERS)
def test_the_node_stops_in_order_without_a_traceback(tmp_path: Path, runner: str) -> None:
    with script(tmp_path, 0.5, RUNNERS[runner]) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)

    lines = out.splitlines()
    assert lines[:2] == ["served", "worked"]
    assert lines[2].startswith("closed")
    assert lines[3] == "ended True"
    assert err == ""
    assert process.returncode == 0


def test_a_second_ctrl_c_ends_the_process_at_once(tmp_path: Path) -> None:
    with script(tmp_path, 3600) as process:
        assert process.stdout is not None
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "served\n"
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)

    assert (out, err) == ("", "")
    assert process.returncode == 128 + signal.SIGINT
    assert time.monotonic() - began < 10


def test_a_handler_of_the_users_own_stays(tmp_path: Path) -> None:
    run = "signal.signal(signal.SIGINT, lambda *_: print('mine', flush=True)); asyncio.run(main())"
    with script(tmp_path, 0.1, run) as process:
        assert process.stdout is not None
        process.send_signal(signal.SIGINT)
        heard = [process.stdout.readline() for _ in range(2)]
        os.kill(process.pid, signal.SIGTERM)
        process.communicate(timeout=PATIENCE)

    assert sorted(heard) == ["mine\n", "worked\n"]
    assert process.returncode == 0
