"""Many runs as points of a picture."""

from __future__ import annotations

from typing import Protocol

from holdfast.core.run_points import ListedColumns
from holdfast.ports.runs import RunFilter


class RunPointStore(Protocol):
    async def list_points(self, namespace: str, which: RunFilter, binned: int = 0) -> ListedColumns:
        """As `page_runs`, with the few facts that a picture shows.

        If there are more than the page has, the newest runs that match are counted in bins as well, as many
        as `binned`. If they are chosen by more than the time of their creation, these are 10,000 at most.
        """
        ...
