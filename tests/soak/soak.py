"""A soak: find the peak, hold half of it for a long time, and watch whether anything grows.

Runs are pruned soon after their end, so that the database stops growing long before the soak is over.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from tests.soak.judge import Verdict
from tests.soak.report import shown
from tests.soak.samples import Sampler, sizes_of
from tests.soak.workload import Load, catalog

from holdfast import Holdfast

_TOGETHER_AT_PEAK: Final = 200
_MOST_TOGETHER: Final = 2000
_WARM_UP_SHARE: Final = 0.3
"""Of the time: SQLite's page cache alone takes minutes to fill."""


class Plan(NamedTuple):
    seconds: float
    peak_seconds: float = 20
    every: float = 10
    """Seconds between samples."""
    share: float = 0.5
    """Of the peak."""
    kept_share: float = 0.05
    """Runs are kept for this share of the time after their end."""

    @property
    def retention(self) -> dict[str, str]:
        age = f"{max(1, round(self.kept_share * self.seconds))}s"
        return {"success": age, "failed": age, "cancelled": age}


class Soaked(NamedTuple):
    sampler: Sampler
    verdicts: dict[str, Verdict]
    peak: float
    """Runs a second at full speed."""
    runs: int
    late: int
    stranded: int

    @property
    def is_sound(self) -> bool:
        return not self.stranded and not any(verdict.grows for verdict in self.verdicts.values())


async def soak(url: str, plan: Plan, say: Callable[[str], None]) -> Soaked:
    async with Holdfast(url, catalog=catalog, retention=plan.retention) as hf:
        load = Load(hf)
        say(f"peak: at full speed for {plan.peak_seconds:g} s")
        peak = await load.at_full_speed(plan.peak_seconds, _TOGETHER_AT_PEAK)
        say(f"peak: {peak:,.0f} runs/s; holding {plan.share * peak:,.0f} for {plan.seconds / 60:.1f} minutes")
        sampler = Sampler(load, sizes_of(url))
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(_watch(sampler, plan, say))
            await load.at_rate(plan.share * peak, plan.seconds, _MOST_TOGETHER)
            watching.cancel()
        stranded = await hf.doctor()
    verdicts = sampler.verdicts(_WARM_UP_SHARE * plan.seconds)
    return Soaked(sampler, verdicts, peak, load.runs, load.late, len(stranded))


async def _watch(sampler: Sampler, plan: Plan, say: Callable[[str], None]) -> None:
    began = time.monotonic()
    while True:
        await asyncio.sleep(plan.every)
        values = sampler.sample()
        passed = time.monotonic() - began
        names = (
            "runs/s",
            "p50 ms",
            "p99 ms",
            "memory",
            "log bytes",
            "database bytes",
            "open files",
            "threads",
        )
        say(f"{passed:6.0f} s  " + "  ".join(f"{name} {shown(name, values[name])}" for name in names))
