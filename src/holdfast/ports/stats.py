"""How many runs were started and ended, minute by minute."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

MINUTE: Final = 60_000_000
"""Microseconds."""
KEPT_MINUTES: Final = 8 * 24 * 60
"""So many are known. It is the number of slots of a table, and stored in rows: it must never change."""
KEPT_HOURS: Final = 9 * 24
"""Hours have slots behind those of the minutes, so that a week is read from few rows. As above."""


class RunRates(NamedTuple):
    """What happened in some minutes that follow each other."""

    bucket: int
    """The number of the first minute, divided by the number of minutes in a bucket."""
    started: int
    succeeded: int
    failed: int
    cancelled: int


class StatsStore(Protocol):
    async def read_rates(self, namespace: str, since: int, until: int, step: int) -> list[RunRates]:
        """From minute `since` up to minute `until`, in buckets of `step` minutes; empty ones are left out.
        Minutes count since 1970, and only the last `KEPT_MINUTES` are known. A run that is retried and ends
        again has ended twice."""
        ...

    async def list_namespaces(self) -> list[str]:
        """Those that have runs, by name."""
        ...
