"""How many runs there are, by state or by workflow, in a limited time."""

from __future__ import annotations

from collections import Counter
from typing import Final

import msgspec

from holdfast.core.values import RunStatus
from holdfast.errors import BadOption
from holdfast.ports.runs import RunFilter, RunStore

_MOST = 100_000
_MOST_LOOKED_AT: Final = 10_000
"""Of runs that are chosen by conditions that no index answers: to look at each of them takes longer."""
_AT_ONCE: Final = 10_000


class RunCount(msgspec.Struct, frozen=True):
    name: str
    """The state or the workflow."""
    count: int
    is_exact: bool
    """False: there are at least so many."""


async def count_runs(store: RunStore, namespace: str, which: RunFilter, by: str) -> list[RunCount]:
    """Raises BadOption."""
    if by not in ("status", "workflow"):
        raise BadOption("by", by, "status or workflow")
    if by == "status" and which.is_of_ranges:
        return await count_states(store, namespace, which, _MOST)
    counts, is_exact = await _count_pages(store, namespace, which, by)
    if by == "status":
        counts.update({status.value: 0 for status in which.statuses or RunStatus})
        order = [status.value for status in RunStatus]
        return [RunCount(name, counts[name], is_exact) for name in order if name in counts]
    return [RunCount(name, count, is_exact) for name, count in sorted(counts.items())]


async def count_states(store: RunStore, namespace: str, which: RunFilter, most: int) -> list[RunCount]:
    """Of a filter that `is_of_ranges`."""
    found: list[RunCount] = []
    for status in which.statuses or RunStatus:
        count = await store.count_listed(namespace, which._replace(statuses=(status,)), most + 1)
        found.append(RunCount(status.value, min(count, most), count <= most))
    return found


async def _count_pages(
    store: RunStore, namespace: str, which: RunFilter, by: str
) -> tuple[Counter[str], bool]:
    """The newest runs."""
    counts: Counter[str] = Counter()
    which = which._replace(limit=_AT_ONCE)
    for _ in range(-(-(_MOST if which.is_of_ranges else _MOST_LOOKED_AT) // _AT_ONCE)):
        page = await store.group_listed(namespace, which)
        for (status, workflow), count in page.counts.items():
            counts[status.value if by == "status" else workflow] += count
        if page.next is None:
            return counts, True
        which = which._replace(before=page.next)
    return counts, False
