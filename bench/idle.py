"""W8: what a node with nothing to do asks of its database."""

from __future__ import annotations

import asyncio
from time import perf_counter

from bench.throughput import warm_up
from bench.trial import Figures, Trial
from holdfast import Holdfast
from holdfast.stores import SqlStore

_SETTLE_SECONDS = 6
"""After the last run: until the node has looked around once more and has nothing left in memory."""


async def measure_idle(trial: Trial) -> Figures:
    """Over a real minute, transactions counted with all their statements."""
    watched = trial.size(60, 22)  # a node looks around every 20 s, whatever happens
    async with Holdfast(trial.url) as holdfast:
        store = holdfast._store
        assert isinstance(store, SqlStore)
        await warm_up(holdfast)
        await asyncio.sleep(_SETTLE_SECONDS)
        began, before = perf_counter(), store.statements
        await asyncio.sleep(watched)
        seconds, sent = perf_counter() - began, store.statements - before
    return {"seconds": seconds, "statements": sent, "statements_per_minute": sent * 60 / seconds}
