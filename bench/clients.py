"""W14: whether clients hold up the engine of their own process.

Runs of one task are made one at a time, for two seconds alone and for two seconds beside clients, in turns.
The clients send a thousand signals a second, to runs that read them, and ask for three listings a second.
That makes ten thousand signals and thirty listings. In the end ten thousand signals are sent at once. One
process does all of it, as `holdfast serve` does with its HTTP API.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Awaitable
from time import perf_counter
from typing import Any

from bench.databases import insert_backlog
from bench.samples import hear_signals, one_task
from bench.throughput import Stopwatch, expect, warm_up
from bench.trial import Figures, Trial
from holdfast import Holdfast

_SIGNALS_PER_S = 1_000
_LISTINGS_PER_S = 3
_LISTED = 1_000
_HEARERS = 100
_SECONDS = 2
_STEP = 0.01
"""Seconds from one handful of signals to the next."""


async def measure_clients(trial: Trial) -> Figures:
    alone: list[float] = []
    beside: list[float] = []
    async with Holdfast(trial.url) as holdfast:
        insert_backlog(trial.url, trial.size(200_000, 2_000))
        await warm_up(holdfast)
        for _ in range(trial.size(5, 1)):
            alone += await _time_runs_during(holdfast, asyncio.sleep(_SECONDS))
            beside += await _time_runs_beside_clients(holdfast)
        burst = await _send_at_once(holdfast, trial.size(10_000, 1_000))
    alone.sort()
    beside.sort()
    return {
        "runs": len(beside),
        "alone_p50_ms": statistics.median(alone) * 1e3,
        "beside_p50_ms": statistics.median(beside) * 1e3,
        "alone_p99_ms": _p99(alone) * 1e3,
        "beside_p99_ms": _p99(beside) * 1e3,
        "delay_ratio": _p99(beside) / _p99(alone),
        "signals_per_s": burst,
    }


async def _time_runs_beside_clients(holdfast: Holdfast) -> list[float]:
    heard = [_SIGNALS_PER_S * _SECONDS // _HEARERS] * _HEARERS
    hearers = await holdfast.start_many(hear_signals, heard)
    taken = await _time_runs_during(holdfast, _be_clients(holdfast, hearers))
    expect(await asyncio.gather(*(run.result() for run in hearers)), heard)
    return taken


async def _time_runs_during(holdfast: Holdfast, other: Awaitable[Any]) -> list[float]:
    """How long each run took, one after the other, until `other` has ended."""
    taken: list[float] = []
    going_on = asyncio.ensure_future(other)
    while not going_on.done():
        began = perf_counter()
        result = await holdfast.run(one_task, 1)
        taken.append(perf_counter() - began)
        expect(result, 1)
    await going_on
    return taken


async def _be_clients(holdfast: Holdfast, hearers: list[Any]) -> None:
    signals = [hearers[number % _HEARERS].signal for number in range(_SIGNALS_PER_S * _SECONDS)]
    handful = int(_SIGNALS_PER_S * _STEP)
    calls = [signals[first : first + handful] for first in range(0, len(signals), handful)]
    between_listings = len(calls) // (_LISTINGS_PER_S * _SECONDS)
    began = perf_counter()
    async with asyncio.TaskGroup() as clients:
        for number, some in enumerate(calls):
            for signal in some:
                clients.create_task(signal("word", number))
            if number % between_listings == 0:
                clients.create_task(_list(holdfast))
            await asyncio.sleep(max(0.0, began + (number + 1) * _STEP - perf_counter()))


async def _list(holdfast: Holdfast) -> None:
    expect(len(await holdfast.list(workflow="settle_order", limit=_LISTED)), _LISTED)


async def _send_at_once(holdfast: Holdfast, count: int) -> float:
    """Signals per second, from the first call to the last answer."""
    hearers = await holdfast.start_many(hear_signals, [count // _HEARERS] * _HEARERS)
    watch = Stopwatch()
    await asyncio.gather(*(hearers[number % _HEARERS].signal("word", number) for number in range(count)))
    seconds = watch.stop().seconds
    expect(await asyncio.gather(*(run.result() for run in hearers)), [count // _HEARERS] * _HEARERS)
    return count / seconds


def _p99(taken: list[float]) -> float:
    return taken[int(len(taken) * 0.99)]
