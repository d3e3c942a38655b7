"""W16: how soon a reader in another process has an item that a task publishes, at 5,000 items a second."""

from __future__ import annotations

import statistics
import time
from contextlib import AsyncExitStack

from bench.fleet import NodeProcess
from bench.samples import publish_items
from bench.throughput import expect
from bench.trial import Figures, Trial
from holdfast import Holdfast

_ITEMS_PER_S = 5_000


async def measure_streams(trial: Trial) -> Figures:
    """Both processes are on one machine, so that they have the same clock."""
    seconds = trial.size(10, 1)
    async with AsyncExitStack() as stack:
        await NodeProcess.start(trial.url, stack)
        client = await stack.enter_async_context(Holdfast(trial.url, engine=False))
        await _read(client, 1)
        began = time.perf_counter()
        delays = await _read(client, seconds)
        taken = time.perf_counter() - began
    return {
        "items_per_s": len(delays) / taken,
        "p50_ms": statistics.median(delays) * 1e3,
        "p99_ms": delays[len(delays) * 99 // 100] * 1e3,
    }


async def _read(client: Holdfast, seconds: int) -> list[float]:
    """How long each item was under way, in order."""
    count = seconds * _ITEMS_PER_S
    run = await client.start(publish_items, count, _ITEMS_PER_S)
    delays: list[float] = []
    async for item in run.stream("items"):
        delays.append(time.time() - item.value)
    expect(len(delays), count)
    return sorted(delays)
