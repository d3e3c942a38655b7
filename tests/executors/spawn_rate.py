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

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.executors.process_bench import shell_bench

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


def measure(work: Callable[[], None]) -> Cost:
    cpu, began = time.process_time(), time.perf_counter()
    work()
    took = time.perf_counter() - began
    return Cost(PROCESSES / took, (time.process_time() - cpu) / PROCESSES * 1e6)


def spawn_bare(case: Case) -> None:
    started = ended = 0
    environment = dict(os.environ)
    while ended < PROCESSES:
        while started < PROCESSES and started - ended < AT_ONCE:
            os.posix_spawn(case.program, case.arguments, environment, setpgroup=0)
            started += 1
        os.waitpid(-1, 0)
        ended += 1


async def spawn_by_executor(case: Case, folder: Path) -> Cost:
    bench = shell_bench(folder, capacity=AT_ONCE)
    left = PROCESSES - AT_ONCE
    over = asyncio.Event()

    def go_on(attempt: Attempt, outcome: Outcome) -> None:
        nonlocal left
        assert isinstance(outcome, Succeeded), outcome
        if left:
            left -= 1
            bench.start(case.command)
        elif len(bench.reports) == PROCESSES + 1:
            over.set()

    await bench.run(case.command)  # the keeper is started with the first
    await asyncio.sleep(0.05)
    bench.on_report = go_on
    cpu, began = time.process_time(), time.perf_counter()
    for _ in range(AT_ONCE):
        bench.start(case.command)
    await over.wait()
    took = time.perf_counter() - began
    cost = Cost(PROCESSES / took, (time.process_time() - cpu) / PROCESSES * 1e6)
    await bench.executor.stop()
    return cost


Run = Callable[[Coroutine[Any, Any, Cost]], Cost]


def loops() -> dict[str, Run]:
    found: dict[str, Run] = {"asyncio": asyncio.run}
    try:
        import uvloop
    except ImportError:
        return found
    return {**found, "uvloop": uvloop.run}


def compare(case: Case, name: str, run: Run, rounds: int) -> dict[str, Any]:
    bare: list[Cost] = []
    ours: list[Cost] = []
    # The node's own folder, so that no shell is needed to change it.
    folder = Path.cwd()
    for _ in range(rounds):
        bare.append(measure(lambda: spawn_bare(case)))
        ours.append(run(spawn_by_executor(case, folder)))
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
            for name, run in loops().items():
                print(json.dumps(compare(case, name, run, rounds)), flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
