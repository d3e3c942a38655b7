"""How much an executor adds to what starting a process costs anyway.

    python tests/executors/spawn_rate.py [rounds]

Each round starts 500 processes, 50 at a time, once in a bare loop of posix_spawn and wait and once through
the executor. Rounds alternate, since the machine's own mood changes by more than what is measured; the
medians are compared. One line of JSON for each kind of command and event loop.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.executors.processes.process_bench import ProcessBench, shell_bench

from holdfast.core.values import Outcome, Succeeded
from holdfast.ports.executor import Attempt

PROCESSES = 500
AT_ONCE = 50


class Case(NamedTuple):
    name: str
    command: str | tuple[str, ...]
    """For the executor."""
    program: str
    arguments: list[str]
    """What the bare loop starts: the same as the executor should."""


CASES = [
    Case("list", ("true",), "/bin/true", ["true"]),
    Case("text", "true", "/bin/sh", ["/bin/sh", "-c", "true"]),
]


class Cost(NamedTuple):
    rate: float
    """Processes a second."""
    own: float
    """Microseconds of processor time for each, in this process."""


class Watch:
    def __init__(self) -> None:
        self._cpu, self._began = time.process_time(), time.perf_counter()

    def read(self) -> Cost:
        took, cpu = time.perf_counter() - self._began, time.process_time() - self._cpu
        return Cost(PROCESSES / took, cpu / PROCESSES * 1e6)


def spawn_bare(case: Case) -> Cost:
    environment = dict(os.environ)
    started = ended = 0
    watch = Watch()
    while ended < PROCESSES:
        while started < PROCESSES and started - ended < AT_ONCE:
            os.posix_spawn(case.program, case.arguments, environment, setpgroup=0)
            started += 1
        os.waitpid(-1, 0)
        ended += 1
    return watch.read()


async def spawn_by_executor(case: Case, bench: ProcessBench) -> Cost:
    bench.reports.clear()
    left = PROCESSES - AT_ONCE
    over = asyncio.Event()

    def go_on(attempt: Attempt, outcome: Outcome) -> None:
        nonlocal left
        assert isinstance(outcome, Succeeded), outcome
        if left:
            left -= 1
            bench.start(case.command)
        elif len(bench.reports) == PROCESSES:
            over.set()

    bench.on_report = go_on
    watch = Watch()
    for _ in range(AT_ONCE):
        bench.start(case.command)
    await over.wait()
    return watch.read()


async def alternate(case: Case, rounds: int) -> tuple[list[Cost], list[Cost]]:
    # The node's own folder, so that no shell is needed to change it.
    bench = shell_bench(Path.cwd(), capacity=AT_ONCE)
    await spawn_by_executor(case, bench)  # the first ones start the keeper, and make files
    bare: list[Cost] = []
    ours: list[Cost] = []
    for _ in range(rounds):
        bare.append(spawn_bare(case))
        ours.append(await spawn_by_executor(case, bench))
    await bench.executor.stop()
    return bare, ours


Run = Callable[[Coroutine[Any, Any, Any]], Any]


def loops() -> dict[str, Run]:
    found: dict[str, Run] = {"asyncio": asyncio.run}
    try:
        import uvloop
    except ImportError:
        return found
    return {**found, "uvloop": uvloop.run}


def compare(case: Case, name: str, rounds: int) -> dict[str, Any]:
    bare, ours = loops()[name](alternate(case, rounds))
    raw, rate = statistics.median(c.rate for c in bare), statistics.median(c.rate for c in ours)
    return {
        "command": case.name,
        "loop": name,
        "processes": PROCESSES,
        "at_once": AT_ONCE,
        "rounds": rounds,
        "bare_per_second": round(raw),
        "executor_per_second": round(rate),
        "ratio": round(rate / raw, 3),
        "best_ratio": round(max(c.rate for c in ours) / max(c.rate for c in bare), 3),
        "bare_own_us": round(statistics.median(c.own for c in bare)),
        "executor_own_us": round(statistics.median(c.own for c in ours)),
    }


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in CASES:
            for name in loops():
                print(json.dumps(compare(case, name, rounds)), flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
