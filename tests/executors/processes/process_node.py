"""A node in a process of its own, for tests that kill it.

    python process_node.py MARK SECONDS SCRIPT...

Runs each script as an attempt, says `started` and the id of its keeper, and waits.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.executors.processes.process_bench import python_bench, shell_bench

from holdfast.executors.processes.process_executor import ProcessExecutor
from holdfast.ports.executor import PythonFunction


def keeper_of(executor: ProcessExecutor) -> int:
    assert executor._resources is not None
    return executor._resources.processes.keeper.pid


def hold() -> None:
    time.sleep(20)
    os._exit(0)


async def main(mark: str, seconds: float, *scripts: str) -> None:
    folder = Path.cwd()
    shell = shell_bench(folder, kill_after=1)
    python = python_bench(folder, kill_after=1)
    for script in scripts:
        if script.startswith("fork"):
            # A child that knows nothing of any of this, and holds whatever its parent had open.
            if os.fork() == 0:
                hold()
        elif script.startswith("python "):
            attempt = python.start(PythonFunction(script.split()[1], file="tasks.py"), env={"MARK": mark})
            await python.wait_for_line(attempt, "ready")
        else:
            attempt = shell.start(script, env={"MARK": mark})
            await shell.wait_for_line(attempt, "ready")
    executor = shell.executor if shell.executor._resources else python.executor
    print("started", keeper_of(executor), executor._scratch.folder, flush=True)
    await asyncio.sleep(seconds)
    await shell.executor.stop()
    await python.executor.stop()
    print("stopped", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2]), *sys.argv[3:]))
