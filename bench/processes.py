"""W6 and W9: tasks of a DAG that run in processes."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, chdir, contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from bench.memory import resident_mb
from bench.throughput import Stopwatch, expect
from bench.trial import Figures, Trial
from holdfast import Catalog, Holdfast
from holdfast.authoring.dag.workflow import DagWorkflow, load_dag

_AT_ONCE = 50
_OFFERED_PER_S = 155

_TRUE = """
name: many_true
input: {count: int}
tasks:
  work: {command: "true", parallel: input.count}
"""
_SLEEP = """
name: many_sleeps
input: {count: int}
tasks:
  work: {command: [sleep, "2"], parallel: input.count}
"""
_ONE = """
name: one_true
tasks:
  work: {command: "true"}
"""
_NO_OP = """
name: many_functions
input: {count: int}
tasks:
  work: {file: nothing.py, function: nothing, parallel: input.count, concurrency: 100, inputs: {}}
"""


async def measure_spawning(trial: Trial) -> Figures:
    """Tasks `true`, compared with the rate at which this machine spawns `true` without holdfast.

    The two are measured in turns. Each run is divided by the mean of the bare rates right before and after
    it, and the median of these shares counts. On a shared machine the bare rate changes within seconds, by
    more than the difference that is measured.
    """
    count = trial.size(500, 50)
    bare = [_spawn_bare(count)]
    ours: list[float] = []
    async with _with_dag(trial, _TRUE, processes=_AT_ONCE) as (holdfast, dag):
        await holdfast.run(dag, count=_AT_ONCE)
        for _ in range(trial.size(15, 1)):
            watch = Stopwatch()
            expect(len((await holdfast.run(dag, count=count))["work"]), count)
            ours.append(count / watch.stop().seconds)
            bare.append(_spawn_bare(count))
    around = [(before + after) / 2 for before, after in pairwise(bare)]
    return {
        "tasks": count,
        "tasks_per_s": median(ours),
        "bare_per_s": median(bare),
        "share_of_bare": median(rate / other for rate, other in zip(ours, around, strict=True)),
    }


def _spawn_bare(count: int) -> float:
    """Only spawn and reap, with as many processes at once as holdfast may have."""
    began = perf_counter()
    alive = started = 0
    while started < count or alive:
        while started < count and alive < _AT_ONCE:
            os.posix_spawn("/bin/sh", ["sh", "-c", "true"], os.environ)
            started += 1
            alive += 1
        os.wait()
        alive -= 1
    return count / (perf_counter() - began)


async def measure_many_at_once(trial: Trial) -> Figures:
    """All commands run at the same time, for two seconds each."""
    count = trial.size(500, 50)
    async with _with_dag(trial, _SLEEP, processes=count) as (holdfast, dag):
        await holdfast.run(dag, count=2)
        before = resident_mb()
        watch = Stopwatch()
        running = asyncio.create_task(holdfast.run(dag, count=count))
        await asyncio.sleep(1.5)
        during = resident_mb()
        await running
        seconds = watch.stop().seconds
    return {"tasks": count, "seconds": seconds, "before_mb": before, "growth_mb": during - before}


async def measure_offered(trial: Trial) -> Figures:
    """Starts runs of one command at a fixed rate, without waiting for earlier ones."""
    seconds = trial.size(60, 2)
    count = _OFFERED_PER_S * seconds
    taken: list[float] = []
    async with _with_dag(trial, _ONE) as (holdfast, dag):

        async def one() -> None:
            began = perf_counter()
            await holdfast.run(dag)
            taken.append(perf_counter() - began)

        await one()
        taken.clear()
        began = perf_counter()
        started: list[asyncio.Task[None]] = []
        for number in range(count):
            wait = began + number / _OFFERED_PER_S - perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            started.append(asyncio.create_task(one()))
        await asyncio.gather(*started)
        total = perf_counter() - began
    taken.sort()
    return {
        "tasks": count,
        "tasks_per_s": count / total,
        "p50_ms": taken[count // 2] * 1e3,
        "p99_ms": taken[int(count * 0.99)] * 1e3,
    }


async def measure_wide_dag(trial: Trial) -> Figures:
    """One run, 100,000 functions that do nothing, 100 at a time."""
    count = trial.size(100_000, 1_000)
    async with _with_dag(trial, _NO_OP) as (holdfast, dag):
        await holdfast.run(dag, count=100)
        before = resident_mb()
        watch = Stopwatch()
        expect(len((await holdfast.run(dag, count=count))["work"]), count)
        taken = watch.stop()
        after = resident_mb()
    return {
        "tasks": count,
        "seconds": taken.seconds,
        "cpu_seconds": taken.cpu_seconds,
        "tasks_per_s": count / taken.seconds,
        "growth_mb": after - before,
    }


@asynccontextmanager
async def _with_dag(trial: Trial, text: str, **settings: Any) -> AsyncIterator[tuple[Holdfast, DagWorkflow]]:
    catalog = Catalog()
    with _project(text) as file:
        dag = load_dag(file, catalog=catalog)
        async with Holdfast(trial.url, catalog=catalog, **settings) as holdfast:
            yield holdfast, dag


@contextmanager
def _project(text: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        file = Path(folder) / "bench.yaml"
        file.write_text(text)
        (file.parent / "nothing.py").write_text("def nothing():\n    pass\n")
        # Users type `holdfast run` in this folder too. From another one, each shell would start with `cd`.
        with chdir(folder):
            yield file
