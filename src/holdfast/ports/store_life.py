"""How a store is opened and closed, its clock, and its notifications of changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from holdfast.core.values import Instant, NodeId, RunKey

DUE: Final = "due"
"""Something is due for any node: a run that nobody owns, a schedule, the runs of a dead node."""
COLD: Final = "cold"
"""A run that nobody owns is due, and one node was told so. The others look later, in case it is gone."""
ENDED: Final = "ended"
"""A run has ended."""


def of_node(node: NodeId | str) -> str:
    """The topic of what is meant for one node: messages for its runs, and runs that it owned last."""
    return f"@{node}"


ANSWERED: Final = "answered"
"""An update was answered."""
STREAMS: Final = "streams"
"""Many runs have published something."""


def of_stream(run: RunKey) -> str:
    """The topic of what one run publishes."""
    return f"~{run.hex()}"


CHANGES: Final = "changes"
"""Something that watchers want to know. Commits announce it only while somebody watches."""
WATCHED: Final = "watched"
"""Somebody watches."""


class StoreLife(Protocol):
    async def open(self) -> None:
        """Connect and bring the schema up to date. Raises StoreUnavailable, SchemaTooNew, BadUrl."""
        ...

    async def close(self) -> None:
        """Finish queued transactions, then close every connection and thread. May be called twice."""
        ...

    async def now(self) -> Instant:
        """The time of the database's clock. All nodes use it for leases."""
        ...

    def listen(self, on_change: Callable[[], None], *topics: str) -> Callable[[], None]:
        """Call `on_change` on the event loop's thread when something may have changed that one of these
        topics is about, or anything if there are none: through another process, or through a method of this
        object other than `commit`. Returns a function that stops it.

        Calls may come too often, and up to one poll interval late. They do not say what changed.
        """
        ...
