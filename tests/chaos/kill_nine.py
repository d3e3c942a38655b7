"""`kill -9` at random moments: what was recorded stays recorded, and everything ends right.

    python -m tests.chaos.kill_nine --store postgres --kills 200 --runs 500

One node works on a pile of runs. Again and again it is killed, and the next one is started at once.
Right after each kill the database is asked which tasks are recorded; should one of them ever be
executed again, the log of executions shows it.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.evidence import Executions, read_tasks, repeated
from tests.chaos.node import STEPS, catalog, result_of, ten_steps
from tests.chaos.own_postgres import own_server
from tests.chaos.processes import node_arguments, running, wait_until

from holdfast import Holdfast

# Few tasks run at a time, so that there are enough runs for all the kills. Tasks are much shorter than most
# lives of a node, because a task whose node dies eleven times in a row rightly fails as lost.
_LONGEST_TASK = 0.06
_LONGEST_LIFE = 0.3
_NODE = {"lease": 0.4, "concurrency": 3, "threads": 2}


@dataclass
class Report:
    store: str
    seed: int
    runs: int
    kills: int = 0
    early_kills: int = 0
    """Kills while the node was starting, loading, claiming, or waiting for its predecessor's lease to end."""
    in_flight: list[int] = field(default_factory=list[int])
    """At each kill: how many tasks had been started but were not recorded."""
    most_lost: int = 0
    """How often the task that was lost most often was lost."""
    executions: int = 0
    done_again: int = 0
    """Tasks that were executed more than once because their outcome was not recorded. That is allowed."""
    violations: list[str] = field(default_factory=list[str])
    """Tasks that were executed again although they were recorded. There must be none."""
    wrong: list[str] = field(default_factory=list[str])
    """Runs that did not end with the right result."""
    stranded: list[str] = field(default_factory=list[str])
    seconds: float = 0

    @property
    def is_good(self) -> bool:
        return not (self.violations or self.wrong or self.stranded)

    def __str__(self) -> str:
        in_flight = sorted(self.in_flight) or [0]
        median, most = in_flight[len(in_flight) // 2], in_flight[-1]
        return "\n".join(
            [
                f"{self.store}, seed {self.seed}: {self.kills} kills, {self.runs} runs of {STEPS} tasks, "
                f"{self.seconds:.0f} s",
                f"  kills while starting or claiming     {self.early_kills}",
                f"  tasks under way at a kill            {median} (median), {most} (most)",
                f"  executions                           {self.executions}",
                f"  tasks done again, not recorded       {self.done_again}",
                f"  times the unluckiest task was lost   {self.most_lost}",
                f"  recorded tasks done again            {len(self.violations)}",
                f"  runs that did not end right          {len(self.wrong)}",
                f"  stranded runs                        {len(self.stranded)}",
            ]
        )


def kill_nine(store: str, url: str, folder: Path, *, kills: int, runs: int, seed: int) -> Report:
    report = Report(store, seed, runs)
    began = time.monotonic()
    executions = Executions(folder / "executions")
    # Only starts the runs and closes the database. During the kills nothing else has it open, so the next
    # node finds it as the dead node left it.
    asyncio.run(_start_runs(url, runs))
    recorded: set[str] = set()
    dice = random.Random(seed)
    for _ in range(kills):
        if len(recorded) == runs * STEPS:
            break  # every run has ended
        _live_and_die(url, executions, folder, dice, report)
        executed = executions.news()
        report.violations += [task for task in executed if task in recorded]
        recorded |= {task.id for task in read_tasks(url) if task.is_final}
        report.in_flight.append(len(set(executed) - recorded))
    with running(node_arguments(url, executions.path), folder / "last_node"):
        asyncio.run(_judge(url, runs, report))
    report.violations += [task for task in executions.news() if task in recorded]
    counts = executions.counts()
    report.executions, report.done_again = counts.total(), len(repeated(counts))
    report.most_lost = max(task.lost for task in read_tasks(url))
    report.seconds = time.monotonic() - began
    return report


async def _start_runs(url: str, runs: int) -> None:
    async with Holdfast(url, engine=False, catalog=catalog) as hf:
        inputs = [(run, _LONGEST_TASK) for run in range(runs)]
        await hf.start_many(ten_steps, inputs, ids=[f"run-{run}" for run in range(runs)])


def _live_and_die(
    url: str, executions: Executions, folder: Path, dice: random.Random, report: Report
) -> None:
    size = executions.size
    with running(node_arguments(url, executions.path, **_NODE), folder / "node") as node:
        if dice.random() < 0.15:
            time.sleep(dice.uniform(0, 0.8))
        else:
            wait_until(lambda: executions.size > size, "a task that is executed")
            time.sleep(dice.uniform(0, _LONGEST_LIFE))
        assert node.is_running, f"the node ended by itself:\n{node.output}"
        node.kill()
    report.kills += 1
    report.early_kills += executions.size == size


async def _judge(url: str, runs: int, report: Report) -> None:
    async with Holdfast(url, engine=False, catalog=catalog) as hf:
        for run in range(runs):
            try:
                handle = await hf.get(f"run-{run}")
                result = await handle.result(timeout=dt.timedelta(seconds=60))
            except Exception as error:
                report.wrong.append(f"run-{run}: {error!r}")
            else:
                if result != result_of(run):
                    report.wrong.append(f"run-{run}: {result}")
        report.stranded += [str(each) for each in await hf.doctor()]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    limits = {"kills": asked.kills, "runs": asked.runs, "seed": asked.seed}
    with tempfile.TemporaryDirectory(prefix="kill_nine_") as name:
        folder = Path(name)
        if asked.store == "sqlite":
            report = kill_nine("sqlite", f"sqlite:///{folder}/holdfast.db", folder, **limits)
        else:
            with own_server() as server:
                report = kill_nine("postgres", server.url, folder, **limits)
    print(report)
    for what in (*report.violations, *report.wrong, *report.stranded):
        print("  !", what)
    return 0 if report.is_good and report.kills == asked.kills else 1


if __name__ == "__main__":
    sys.exit(main())
