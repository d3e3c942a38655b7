"""What a workload is: a name, and a function from a fresh database to figures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

Figures: TypeAlias = dict[str, float]
"""By name, with the unit in it: `runs_per_s`, `p50_ms`, `idle_mb`."""


class Trial(NamedTuple):
    urls: list[str]
    """Empty databases, as many as the workload asked for."""
    is_quick: bool
    """Small sizes: to see that it works, not how fast."""

    @property
    def url(self) -> str:
        return self.urls[0]

    def size(self, full: int, quick: int) -> int:
        return quick if self.is_quick else full


class Workload(NamedTuple):
    name: str
    title: str
    measure: Callable[[Trial], Awaitable[Figures]]
    databases: int = 1
