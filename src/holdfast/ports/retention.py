"""Deleting ended runs: to find those that are old enough, to bury them, and to clear away what they leave.

A run that is buried does not exist for any other method. Its rows are deleted afterwards, in small parts. If
nobody does that, because the process died, the next caller of `clear_buried` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from holdfast.core.values import Instant, RunKey, RunStatus

FIRST_KEY = RunKey(bytes(16))


class EndedRange(NamedTuple):
    """Runs of one workflow that ended in one way, and before some instant."""

    workflow: str
    status: RunStatus
    before: Instant
    after: RunKey = FIRST_KEY
    """Only runs created after this one."""


class Family(NamedTuple):
    """A run that has ended and has no parent in the store, and all runs that are deleted with it: its
    children and theirs, without those that were started detached."""

    root: RunKey
    ended_at: Instant
    """When the root ended."""
    size: int
    """How many runs, with the root."""
    open: RunKey | None
    """One of them that has not ended, if there is any. Then none should be deleted."""


class PageOfFamilies(NamedTuple):
    found: list[Family]
    """Without those that have a run that has not ended."""
    rest: list[EndedRange]
    """The ranges that may have more, each from where it goes on."""
    looked_up_to: list[EndedRange]
    """All ranges, each with the last run that was looked at."""


class RootSeen(NamedTuple):
    run: RunKey
    ended_at: Instant
    """As the caller has read it. If it differs, the run was opened again since."""


class Burial(NamedTuple):
    buried: list[RunKey]
    left: list[RootSeen]
    """Not looked at, because the others have filled the transaction."""


class Clearance(NamedTuple):
    """What one transaction has deleted."""

    runs: int
    rows: int
    """With those of the runs."""
    is_over: bool
    """Nothing is left that was buried, or only what another process is deleting."""


class RetentionStore(Protocol):
    async def ended_workflows(self, namespace: str) -> list[str]:
        """The workflows that have ended runs."""
        ...

    async def find_ended_families(
        self, namespace: str, ranges: Sequence[EndedRange], limit: int
    ) -> PageOfFamilies:
        """Families that may be deleted and whose root is in one of the ranges. Looks at the oldest `limit`
        runs of each."""
        ...

    async def find_families(self, namespace: str, roots: Sequence[RunKey]) -> list[Family]:
        """Of those of these runs that have ended and have no parent in the store, the oldest first."""
        ...

    async def bury_runs(self, namespace: str, roots: Sequence[RootSeen]) -> Burial:
        """Bury those of these runs that still are as they were read and have no parent in the store. Their
        tags go at once. Their ended children are buried by `clear_buried`."""
        ...

    async def clear_buried(self, rows: int, bytes: int) -> Clearance:
        """Delete some of what was buried, in any namespace: about so many rows and bytes, but at least one.
        A buried run takes its ended children along, except those that were started detached."""
        ...
