"""W7: what it costs to claim runs when a million are waiting, compared with a thousand.

The commits are those of an engine, with nothing in them but a claim. Both databases are measured in turns,
claim by claim, so that other load on the machine disturbs both alike. Claimed runs are put back behind the
others, so the length of the backlog does not change.
"""

from __future__ import annotations

import statistics
from time import perf_counter

from bench.databases import CLAIM, NAMESPACE, insert_backlog
from bench.trial import Figures, Trial
from holdfast.core.values import Instant, NodeId, RunStatus
from holdfast.ports.commits import Claimed, ClaimRequest, Commit, Held, ReleasedRun
from holdfast.stores import SqlStore, store_for

_SMALL = 1_000
_BATCH = 100
_SECOND = 1_000_000
# A node claims runs of every workflow it has. Only the first of these has runs.
_CLAIMS = [CLAIM, "ship_parcel@1", "write_invoice"]


async def measure_backlog(trial: Trial) -> Figures:
    large = trial.size(1_000_000, 50_000)
    rounds = trial.size(100, 20)
    few, many = [Claimant(store_for(url)) for url in trial.urls]
    for claimant, url, size in ((few, trial.urls[0], _SMALL), (many, trial.urls[1], large)):
        await claimant.store.open()
        claimant.now = insert_backlog(url, size)
    try:
        # The large one first, so that it bears the costs of the first claim in a process.
        first_many, first_few = await many.claim_and_put_back(), await few.claim_and_put_back()
        took_few: list[float] = []
        took_many: list[float] = []
        for _ in range(rounds):
            took_few.append(await few.claim_and_put_back())
            took_many.append(await many.claim_and_put_back())
        looked_few = [await few.look() for _ in range(rounds)]
        looked_many = [await many.look() for _ in range(rounds)]
    finally:
        await few.store.close()
        await many.store.close()
    small_ms, large_ms = statistics.median(took_few), statistics.median(took_many)
    return {
        "backlog": large,
        "small_backlog": _SMALL,
        "claims": rounds,
        "claimed_at_once": _BATCH,
        "claim_ms": large_ms,
        "claim_small_ms": small_ms,
        "claim_ratio": large_ms / small_ms,
        "first_claim_ms": first_many,
        "first_claim_small_ms": first_few,
        "peek_ms": statistics.median(looked_many),
        "peek_small_ms": statistics.median(looked_few),
    }


class Claimant:
    """A node that does nothing but claim."""

    def __init__(self, store: SqlStore) -> None:
        self.store = store
        self.now = Instant(0)
        """Later than every run in the backlog. Advances with every commit."""
        self._node = NodeId("bench")
        self._tick = 0

    async def claim_and_put_back(self) -> float:
        """Returns the milliseconds of the claim alone."""
        commit = self._commit()
        commit.claim = ClaimRequest(_CLAIMS, _BATCH)
        began = perf_counter()
        receipt = await self.store.commit(commit)
        milliseconds = (perf_counter() - began) * 1e3
        if len(receipt.claimed) != _BATCH:
            raise AssertionError(f"claimed {len(receipt.claimed)} runs, not {_BATCH}")
        await self._put_back(receipt.claimed)
        return milliseconds

    async def look(self) -> float:
        """Returns the milliseconds of the query that a node sends before it claims."""
        began = perf_counter()
        peek = await self.store.next_work(NAMESPACE, self._node, _CLAIMS)
        milliseconds = (perf_counter() - began) * 1e3
        if peek.wake_at is None:
            raise AssertionError("the backlog is not seen")
        return milliseconds

    async def _put_back(self, claimed: list[Claimed]) -> None:
        commit = self._commit()
        for run, _ in claimed:
            commit.held.append(Held(run.key, run.epoch))
            commit.released.append(ReleasedRun(run.key, RunStatus.PENDING, None, commit.now, None))
        receipt = await self.store.commit(commit)
        if receipt.lost:
            raise AssertionError(f"{len(receipt.lost)} claimed runs were lost again")

    def _commit(self) -> Commit:
        self._tick += 1
        self.now = Instant(self.now + _SECOND)
        return Commit(NAMESPACE, self._node, self._tick, self.now, Instant(self.now + 15 * _SECOND))
