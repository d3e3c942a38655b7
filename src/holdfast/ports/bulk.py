"""What the code of a bulk job needs of a client."""

from __future__ import annotations

from typing import Protocol

from holdfast.core.bulk import BulkBeginning, BulkPage, BulkPlace, BulkPlan


class BulkWorker(Protocol):
    """Each call may be repeated after a crash. What it has done already is then not done again, or does no
    harm."""

    async def begin(self, job: str, plan: BulkPlan) -> BulkBeginning:
        """Count the runs. `job` is the id of the run that does the work."""
        ...

    async def do_page(self, job: str, plan: BulkPlan, place: BulkPlace) -> BulkPage:
        """Do it to the next runs from there, a few hundred at most."""
        ...
