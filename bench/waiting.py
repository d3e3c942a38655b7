"""W10 and W11: flows. What ten thousand open approvals cost, and how fast a flow is.

Whether waiting runs delay others is measured in turns, run by run, on a database with waiting runs and on an
empty one, so that other load on the machine disturbs both alike.
"""

from __future__ import annotations

import asyncio
import statistics
from pathlib import Path
from time import monotonic, perf_counter

from bench.databases import count_owned
from bench.memory import resident_mb
from bench.samples import one_task
from bench.throughput import Stopwatch, expect, warm_up
from bench.trial import Figures, Trial
from holdfast import Holdfast, load_flow

_FLOWS = Path(__file__).parent / "flows"
_COLD_WITHIN_SECONDS = 120
_AT_ONCE = 1000


async def measure_waiting(trial: Trial) -> Figures:
    """The memory with many open approvals, and how long another run takes beside them."""
    count, rounds = trial.size(10_000, 500), trial.size(400, 50)
    approval = load_flow(_FLOWS / "approval.json")
    async with Holdfast(trial.urls[0]) as empty, Holdfast(trial.urls[1]) as full:
        await warm_up(empty)
        await warm_up(full)
        before = resident_mb()
        for first in range(0, count, _AT_ONCE):
            ids = range(first, min(first + _AT_ONCE, count))
            await asyncio.gather(*(full.start(approval, id=f"order-{each}") for each in ids))
        await _until_cold(trial.urls[1])
        growth = resident_mb() - before
        alone, beside = await _compare(empty, full, rounds)
        approved = await _approve_some(full, min(count, _AT_ONCE))
    return {
        "runs": count,
        "growth_mb": growth,
        "alone_ms": alone * 1e3,
        "beside_ms": beside * 1e3,
        "delay_ratio": beside / alone,
        "approvals_per_s": approved,
    }


async def _until_cold(url: str) -> None:
    deadline = monotonic() + _COLD_WITHIN_SECONDS
    while owned := count_owned(url):
        if monotonic() > deadline:
            raise AssertionError(f"{owned} runs that only wait are still in memory")
        await asyncio.sleep(0.25)


async def _compare(empty: Holdfast, full: Holdfast, rounds: int) -> tuple[float, float]:
    taken: dict[Holdfast, list[float]] = {empty: [], full: []}
    for number in range(rounds):
        for holdfast, times in taken.items():
            began = perf_counter()
            result = await holdfast.run(one_task, number)
            times.append(perf_counter() - began)
            expect(result, number)
    return statistics.median(taken[empty]), statistics.median(taken[full])


async def _approve_some(holdfast: Holdfast, count: int) -> float:
    """Approvals per second, from the first approval to the last end, all concurrent."""
    runs = [await holdfast.get(f"order-{number}") for number in range(count)]
    watch = Stopwatch()
    await asyncio.gather(*(holdfast.approve(run, "confirm") for run in runs))
    results = await asyncio.gather(*(run.result() for run in runs))
    seconds = watch.stop().seconds
    expect(results, [{"confirm": True, "answer": True}] * count)
    return count / seconds


async def measure_flows(trial: Trial) -> Figures:
    """W2b as a flow. Cursor and shared state are written with every step."""
    count = trial.size(2_000, 200)
    flow = load_flow(_FLOWS / "ten_nodes.json")
    async with Holdfast(trial.url) as holdfast:
        await warm_up(holdfast)
        watch = Stopwatch()
        runs = await asyncio.gather(*(holdfast.start(flow, number=number) for number in range(count)))
        results = await asyncio.gather(*(run.result() for run in runs))
        taken = watch.stop()
        expect(results, [{"number": number} for number in range(count)])
    return {
        "tasks": count * 10,
        "seconds": taken.seconds,
        "cpu_seconds": taken.cpu_seconds,
        "tasks_per_s": count * 10 / taken.seconds,
    }
