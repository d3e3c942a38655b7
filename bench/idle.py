"""W8: how many statements an idle node sends to its database."""

from __future__ import annotations

import asyncio
from time import perf_counter

from bench.throughput import warm_up
from bench.trial import Figures, Trial
from holdfast import Holdfast
from holdfast.stores import SqlStore

_SETTLE_SECONDS = 6
"""After the last run, until the node has polled once more and has no runs left in memory."""


async def measure_idle(trial: Trial) -> Figures:
    """Counts all statements, with those that begin and end transactions, over a real minute."""
    watched = trial.size(60, 22)  # an idle node polls every 20 s
    async with Holdfast(trial.url) as holdfast:
        store = holdfast._store
        assert isinstance(store, SqlStore)
        await warm_up(holdfast)
        await asyncio.sleep(_SETTLE_SECONDS)
        began, before = perf_counter(), store.statements
        await asyncio.sleep(watched)
        seconds, sent = perf_counter() - began, store.statements - before
    return {"seconds": seconds, "statements": sent, "statements_per_minute": sent * 60 / seconds}
