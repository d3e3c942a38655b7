"""W5: how much memory holdfast needs, as the resident set size of the process."""

from __future__ import annotations

import asyncio
import gc
from time import monotonic

import psutil

from bench.databases import count_owned
from bench.samples import one_task, sleep_a_day
from bench.throughput import time_runs, warm_up
from bench.trial import Figures, Trial
from holdfast import Holdfast

_COLD_WITHIN_SECONDS = 120


async def measure_memory(trial: Trial) -> Figures:
    """Idle, then after W1, then with sleeping runs, all in one process."""
    count = trial.size(10_000, 1_000)
    async with Holdfast(trial.url) as holdfast:
        idle = resident_mb()
        await warm_up(holdfast)
        await time_runs(holdfast, one_task, range(count))
        after = resident_mb()
        sleeping = await _put_to_sleep(holdfast, trial, count)
    return {
        "runs": count,
        "idle_mb": idle,
        "after_w1_mb": after,
        "sleeping_mb": sleeping,
        "growth_mb": sleeping - after,
    }


async def measure_sleeping(trial: Trial) -> Figures:
    """In a fresh process. After W1, sleeping runs would use memory that W1 had freed, and not show."""
    count = trial.size(10_000, 1_000)
    async with Holdfast(trial.url) as holdfast:
        await warm_up(holdfast)
        before = resident_mb()
        sleeping = await _put_to_sleep(holdfast, trial, count)
    return {"runs": count, "before_mb": before, "sleeping_mb": sleeping, "growth_mb": sleeping - before}


async def _put_to_sleep(holdfast: Holdfast, trial: Trial, count: int) -> float:
    """The memory once no run is resident any more. The handles are dropped, so they do not count."""
    await holdfast.start_many(sleep_a_day, range(count))
    deadline = monotonic() + _COLD_WITHIN_SECONDS
    while owned := count_owned(trial.url):
        if monotonic() > deadline:
            raise AssertionError(f"{owned} runs that only sleep are still in memory")
        await asyncio.sleep(0.25)
    return resident_mb()


def resident_mb() -> float:
    gc.collect()
    return psutil.Process().memory_info().rss / 1e6
