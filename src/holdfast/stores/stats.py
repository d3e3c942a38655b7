"""How many runs were started and ended in each minute: counted by each transaction, and read in buckets."""

from __future__ import annotations

from holdfast.core.names import BURIED
from holdfast.ports.stats import KEPT_HOURS, KEPT_MINUTES, RunRates
from holdfast.stores.database import Row, Transaction
from holdfast.stores.sql_role import SqlRole


class SqlStatsStore(SqlRole):
    async def read_rates(self, namespace: str, since: int, until: int, step: int) -> list[RunRates]:
        since = max(since, until - KEPT_MINUTES)
        slots = _slots(since, until, 0, KEPT_MINUTES)
        if not (since % 60 or until % 60 or step % 60):
            since, until, step = since // 60, until // 60, step // 60
            slots = _slots(since, until, KEPT_MINUTES, KEPT_HOURS)

        def script(tx: Transaction) -> list[Row]:
            return [
                row
                for first, end in slots
                for row in tx.rows("read_minutes", namespace, first, end, since, until, step)
            ]

        found: dict[int, RunRates] = {}
        for row in map(RunRates._make, await self._driver.read(script, snapshot=True)):
            # A bucket may be at the end of the slots and at their beginning.
            known = found.get(row.bucket, RunRates(row.bucket, 0, 0, 0, 0))
            found[row.bucket] = RunRates(
                row.bucket, *(a + b for a, b in zip(known[1:], row[1:], strict=True))
            )
        return sorted(found.values())

    async def list_namespaces(self) -> list[str]:
        rows = await self._driver.fetch("run_namespaces", BURIED, may_be_long=True)
        return [namespace for (namespace,) in rows]


def _slots(since: int, until: int, base: int, kept: int) -> list[tuple[int, int]]:
    """The slots of the minutes or hours, as one range or two. There are `kept` of them, from `base` on."""
    if until <= since:
        return []
    first, end = base + since % kept, base + (until - 1) % kept + 1
    return [(first, end)] if first < end else [(first, base + kept), (base, end)]
