"""The store as watchers read it: what happened, in the order in which it was committed."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from holdfast.core.changes import Change, Place
from holdfast.core.values import Instant, RunKey, RunStatus


class ChangeFilter(NamedTuple):
    """All that are given must hold."""

    run: RunKey | None = None
    workflow: str | None = None
    tag: str | None = None
    status: RunStatus | None = None
    """Only changes that give a run this status."""
    since: RunKey | None = None
    before: RunKey | None = None
    """Only runs with keys from `since` on, and below `before`: keys are ordered by the time of creation."""
    statuses: frozenset[str] | None = None
    """Only changes that give a run one of these."""
    only_runs: bool = False
    """Only runs that are created, get another status, or are deleted."""
    most: int | None = None
    """A page has no more changes than that."""


class WatchedState(NamedTuple):
    status: RunStatus
    epoch: int
    """Increases when the run is opened again."""


class Horizon(NamedTuple):
    """All rows up to `row` are there, or will never be, once every transaction below `below` has ended."""

    row: int
    below: int


class ChangeBounds(NamedTuple):
    first: int
    """The oldest row that is kept. 0 if there are none."""
    last: int
    """The newest row that may be read: all rows before it are there, or will never be. 0 if that is not
    known, because transactions are under way that may add rows: ask again with the horizon."""
    newest: int
    """The newest row of all."""
    horizon: Horizon | None = None
    """What is to be waited for, if there is something."""


class ChangePage(NamedTuple):
    changes: list[Change]
    place: Place
    """How far the page goes, with the changes that the filter leaves out."""
    bounds: ChangeBounds
    """As they were when the changes were read. If the first row is behind the place from which was read,
    changes have been removed that were not read."""
    state: WatchedState | None = None
    """Of the one run of the filter, as it was before the changes were read; None if there is no such run."""


class Removal(NamedTuple):
    rows: int
    is_over: bool
    """Nothing else is too old."""


class ChangeStore(Protocol):
    async def change_bounds(self, horizon: Horizon | None = None) -> ChangeBounds:
        """`horizon` is that of the answer before, if it had one."""
        ...

    async def read_changes(
        self, namespace: str, after: Place, which: ChangeFilter, horizon: Horizon | None = None
    ) -> ChangePage:
        """The next changes after a place, some thousands at most. Each is returned once, and none is added
        later at a place that was read. `horizon` is that of the page before, if it had one.

        Changes of runs that were deleted since are left out, except the deletion itself."""
        ...

    async def remove_changes(self, before: Instant, bytes: int, rows: int) -> Removal:
        """Remove a bite of the oldest rows: those written before the instant, and those beyond so many bytes
        or rows. The last of those stays, so that there is always a row."""
        ...

    async def tell_watched(self) -> None:
        """Tell all nodes that somebody watches, so that they announce their commits for a while."""
        ...
