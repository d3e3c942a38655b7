"""`make simulate`: thousands of simulations, and a page about what they found.

python -m tests.simulation --seeds 10000
python -m tests.simulation --seed 4711           one history again, told in full
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.simulation.tally import Tally, Task, report, run_batch
from tests.simulation.workloads import MIX, WORKLOADS

from holdfast.testing.simulation.faults import Fault
from holdfast.testing.simulation.shrinking import shrink
from holdfast.testing.simulation.simulation import Simulation
from holdfast.testing.simulation.world import Violation

_BATCH = 20
# --- many


def run_many(tasks: Sequence[Task], seconds: float, jobs: int) -> tuple[Tally, float]:
    """Run until all are done, the time is over, or ten have failed."""
    total, began = Tally(), time.monotonic()
    seeds = sum(len(task.seeds) for task in tasks)
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for tally in pool.imap_unordered(run_batch, tasks):
            total.add(tally)
            for seed, what in tally.failures:
                print(f"{seed} failed: {what}", flush=True)
            took = time.monotonic() - began
            _show_progress(total, seeds, took)
            if took > seconds or len(total.failures) >= 10:
                pool.terminate()
                break
    return total, time.monotonic() - began


def _show_progress(total: Tally, seeds: int, took: float) -> None:
    line = f"{total.seeds:>7,} of {seeds:,} seeds, {len(total.failures)} failed, {took:4.0f} s"
    if sys.stdout.isatty():
        print(f"\r{line}", end="", flush=True)
    elif total.seeds % 1000 < _BATCH:
        print(line, flush=True)


# --- one


def tell(workload: str, seed: int) -> bool:
    """Print one history in full; if it fails, shrunk to few faults. Returns whether it went well."""
    simulation = _try(workload, seed, None)
    if isinstance(simulation, Simulation):
        print("\n".join(simulation.world.trace))
        what = f"seed {seed} of {workload}"
        print(f"\n{what}: nothing is wrong. Fingerprint of this history: {simulation.world.digest}")
        return True
    plan = shrink(simulation.simulation.plan, lambda plan: isinstance(_try(workload, seed, plan), Violation))
    violation = _try(workload, seed, plan)
    assert isinstance(violation, Violation)
    print("\n".join(violation.simulation.world.trace))
    print(f"\nseed {seed} of {workload}: {violation}\nit takes these faults and no others:")
    print("\n".join(f"  {fault}" for fault in plan) or "  none: it happens without any")
    return False


def _try(workload: str, seed: int, plan: Sequence[Fault] | None) -> Simulation | Violation:
    simulation = Simulation(seed, WORKLOADS[workload](seed), plan=plan, is_traced=True)
    try:
        simulation.run()
    except Violation as violation:
        return violation
    return simulation


def _batches(workload: str | None, first: int, seeds: int) -> Iterator[Task]:
    for start in range(first - first % _BATCH, first + seeds, _BATCH):
        part = range(max(first, start), min(start + _BATCH, first + seeds))
        yield Task(workload or workload_of(start), part)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10_000, help="how many (default 10,000)")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="tell this one history in full")
    parser.add_argument("--workload", choices=sorted(WORKLOADS), help="only this one")
    parser.add_argument("--minutes", type=float, default=60, help="stop after this long (default 60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--report", type=Path, help="write the report here as well")
    options: Any = parser.parse_args()
    if options.seeds < 1:
        parser.error("--seeds is 1 or more: none would find nothing")
    if options.seed is not None:
        return 0 if tell(options.workload or workload_of(options.seed), options.seed) else 1
    jobs: int = options.jobs
    tasks = list(_batches(options.workload, options.first, options.seeds))
    total, took = run_many(tasks, 60 * options.minutes, jobs)
    page = report(total, sorted({task.workload for task in tasks}), took, jobs)
    print(f"\n{page}")
    if options.report:
        options.report.write_text(page + "\n", encoding="utf-8")
    for seed, _ in total.failures[:1]:
        print(f"\nto see the first of them: make simulate SEED={seed}")
    return 1 if total.failures or total.seeds < options.seeds else 0


def workload_of(seed: int) -> str:
    """Which workload a seed belongs to when all of them are run."""
    return MIX[(seed // _BATCH) % len(MIX)]


if __name__ == "__main__":
    sys.exit(main())
