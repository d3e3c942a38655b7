"""How a store is opened and closed, its clock, and its notifications of changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from holdfast.core.values import Instant


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

    def listen(self, on_change: Callable[[], None]) -> Callable[[], None]:
        """Call `on_change` on the event loop's thread when something may have changed: through another
        process, or through a method of this object other than `commit`. Returns a function that stops it.

        Calls may come too often, and up to one poll interval late. They do not say what changed.
        """
        ...
