"""W1 to W4: how many runs and tasks a second, and how long one run takes."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from time import perf_counter, process_time
from typing import Any, NamedTuple

from bench.samples import fan_out, no_op, one_task, ten_tasks
from bench.trial import Figures, Trial
from holdfast import Holdfast

TASKS_IN_SEQUENCE = 10


class Taken(NamedTuple):
    seconds: float
    cpu_seconds: float
    """CPU time of all threads of this process, without the database server. On a busy machine it varies much
    less than `seconds`."""


class Stopwatch:
    def __init__(self) -> None:
        self._cpu_began = process_time()
        self._began = perf_counter()

    def stop(self) -> Taken:
        return Taken(perf_counter() - self._began, process_time() - self._cpu_began)


async def measure_one_task_runs(trial: Trial) -> Figures:
    return await _measure_runs(trial, one_task)


async def measure_lone_tasks(trial: Trial) -> Figures:
    return await _measure_runs(trial, no_op)


async def _measure_runs(trial: Trial, workflow: Any) -> Figures:
    """From the first start call to the last durable result."""
    count = trial.size(10_000, 1_000)
    async with Holdfast(trial.url) as holdfast:
        await warm_up(holdfast)
        await time_runs(holdfast, workflow, range(200))
        seconds, cpu_seconds = await time_runs(holdfast, workflow, range(count))
    return {
        "runs": count,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "runs_per_s": count / seconds,
    }


async def measure_few_sequences(trial: Trial) -> Figures:
    return await _measure_sequences(trial, trial.size(200, 50), rounds=3)


async def measure_many_sequences(trial: Trial) -> Figures:
    return await _measure_sequences(trial, trial.size(2_000, 200), rounds=1)


async def _measure_sequences(trial: Trial, runs: int, rounds: int) -> Figures:
    async with Holdfast(trial.url) as holdfast:
        await warm_up(holdfast)
        taken = [await time_runs(holdfast, ten_tasks, range(runs)) for _ in range(rounds)]
    return _rate(runs * TASKS_IN_SEQUENCE, taken)


async def measure_fan_out(trial: Trial) -> Figures:
    # One round takes some hundredths of a second, so a single measurement says little.
    return await _measure_fan_out(trial, 1_000, rounds=5)


async def measure_wide_fan_out(trial: Trial) -> Figures:
    return await _measure_fan_out(trial, trial.size(100_000, 5_000), rounds=1)


async def _measure_fan_out(trial: Trial, width: int, rounds: int) -> Figures:
    async with Holdfast(trial.url) as holdfast:
        await warm_up(holdfast)
        taken: list[Taken] = []
        for _ in range(rounds):
            watch = Stopwatch()
            joined = await holdfast.run(fan_out, width)
            taken.append(watch.stop())
            expect(joined, width)
    return _rate(width, taken)


async def measure_latency(trial: Trial) -> Figures:
    async with Holdfast(trial.url) as holdfast:
        await warm_up(holdfast)
        return await measure_latency_of(holdfast, trial.size(200, 50))


async def measure_latency_of(holdfast: Holdfast, count: int) -> Figures:
    """One run at a time, from the start call to the durable result."""
    taken: list[float] = []
    for number in range(count):
        began = perf_counter()
        result = await holdfast.run(one_task, number)
        taken.append(perf_counter() - began)
        expect(result, number)
    taken.sort()
    return {
        "runs": count,
        "p50_ms": taken[count // 2] * 1e3,
        "p99_ms": taken[int(count * 0.99)] * 1e3,
    }


async def warm_up(holdfast: Holdfast) -> None:
    """A process serves for weeks, so imports, connecting and preparing statements are not measured."""
    await time_runs(holdfast, one_task, range(200))
    expect(await holdfast.run(fan_out, 200), 200)


async def time_runs(holdfast: Holdfast, workflow: Any, inputs: Sequence[int]) -> Taken:
    """Time a run for each input. Each run must return its input."""
    watch = Stopwatch()
    runs = await holdfast.start_many(workflow, inputs)
    results = await asyncio.gather(*[run.result() for run in runs])
    taken = watch.stop()
    expect(results, list(inputs))
    return taken


def expect(found: object, wanted: object) -> None:
    """Raises AssertionError for a wrong result, which makes the figures worthless."""
    if found != wanted:
        raise AssertionError(f"a workload answered {str(found)[:100]}, not {str(wanted)[:100]}")


def _rate(tasks: int, taken: list[Taken]) -> Figures:
    seconds = statistics.median(each.seconds for each in taken)
    return {
        "tasks": tasks,
        "rounds": len(taken),
        "seconds": seconds,
        "cpu_seconds": statistics.median(each.cpu_seconds for each in taken),
        "tasks_per_s": tasks / seconds,
    }
