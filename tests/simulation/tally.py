"""The totals of many simulations, and the page that shows them."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from tests.simulation.workloads import WORKLOADS

from holdfast.testing.simulation.simulation import Simulation
from holdfast.testing.simulation.world import SECOND, Violation

_PROMISES = """\
checked after every write, by reading all rows back and comparing them with those before it:
  promise 2  one owner, fenced: who may change what, epochs, leases
  promise 5  no run is parked, not even for a while, but those whose code ends its own process
  promise 6  terminal is final: ended runs, settled tasks and read messages do not change
  promise 7  nothing is stranded: the doctor's query finds nothing
  and the journal is append-only, without gaps
checked whenever an engine starts an attempt:
  promise 1  journal before effect: it is recorded, with that input
  promise 2  the node that starts it owns the run; promise 3: it is not settled; slots are not overbooked
checked whenever a caller is answered:
  promise 1  the run exists, or has ended, in the database
checked in the end:
  promise 4, 5  every run ended as the same program does without faults
  promise 7  every run has ended, no node keeps anything in memory, every node stops when it is asked to
  and every recorded success was really done, says a witness who does not ask the engine
checked in the workload life as well:
  no attempt starts while its run is paused or is being paused, before its start, or after its end
  a pause is read when the run is paused; one id has one run; a deadline ends a run by name, in its grace
  each accepted signal is heard once, in order; each reader of a stream gets each item once, in order
  lists by tag are right; a deleted run leaves no row; explain says only what is so, and what would help
  each update is handled and answered once; a question takes one answer, of its type and from whom it asks
  no signal is lost between chapters; a run that lost its id to another has ended and does not change
  an observer is told each status of each run once, in order, across its crashes"""


class Tally(msgspec.Struct):
    """The totals of a batch of simulations."""

    seeds: int = 0
    microseconds: int = 0
    operations: int = 0
    turns: int = 0
    writes: int = 0
    starts: int = 0
    answers: int = 0
    executions: int = 0
    repeated: int = 0
    runs: int = 0
    faults: dict[str, int] = {}
    failures: list[tuple[int, str]] = []

    def add(self, other: Tally) -> None:
        for name in self.__struct_fields__:
            mine, theirs = getattr(self, name), getattr(other, name)
            total = dict(Counter(mine) + Counter(theirs)) if isinstance(mine, dict) else mine + theirs
            setattr(self, name, total)


class Task(NamedTuple):
    workload: str
    seeds: range


def run_batch(task: Task) -> Tally:
    tally = Tally()
    for seed in task.seeds:
        simulation = Simulation(seed, WORKLOADS[task.workload](seed))
        try:
            simulation.run()
        except Violation as violation:
            tally.failures = [*tally.failures, (seed, str(violation))]
        tally.add(_count(simulation))
    return tally


def _count(simulation: Simulation) -> Tally:
    done = [(each.run, each.seq) for each in simulation.witness.executions if each.is_success]
    return Tally(
        seeds=1,
        microseconds=simulation.world.now - simulation.world.began,
        operations=simulation.database.operations,
        turns=simulation.world.steps,
        writes=simulation.safety.writes,
        starts=simulation.safety.starts,
        answers=simulation.safety.answers,
        executions=len(done),
        repeated=len(done) - len(set(done)),
        runs=len(simulation.safety.histories()),
        faults=dict(simulation.struck),
    )


def report(total: Tally, workloads: Sequence[str], took: float, jobs: int) -> str:
    hours = total.microseconds / (3600 * SECOND)
    lines = [
        "holdfast: simulations",
        "",
        f"workloads      {', '.join(workloads)}",
        f"seeds          {total.seeds:,} in {took:,.0f} s on {jobs} processes, "
        f"Python {platform.python_version()}",
        f"simulated      {hours:,.0f} hours, {total.turns:,} turns of processes, "
        f"{total.operations:,} operations on the store",
        f"runs           {total.runs:,}, with {total.executions:,} tasks done, "
        f"{total.repeated:,} of them again because a crash came before they were recorded",
        f"faults         {sum(total.faults.values()):,}",
        *(f"  {name:<14} {count:>9,}" for name, count in sorted(total.faults.items())),
        "",
        _PROMISES,
        f"checks         {total.writes:,} writes, {total.starts:,} starts, {total.answers:,} answers",
        "",
        f"violations     {len(total.failures)}",
        *(f"  {seed}: {problem}" for seed, problem in total.failures),
    ]
    return "\n".join(lines)
