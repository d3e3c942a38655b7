"""A workload: a name, and a function from an empty database to figures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

Figures: TypeAlias = dict[str, float]
"""By name. The name has the unit: `runs_per_s`, `p50_ms`, `idle_mb`."""


class Trial(NamedTuple):
    urls: list[str]
    """Empty databases, as many as the workload needs."""
    is_quick: bool
    """Small sizes, to see that everything works, not how fast it is."""
    rows: int | None = None
    """How many rows W13 has, if somebody said so."""

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
