"""Why a run does not go on: the rows that say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from holdfast.core.backlogs import BacklogRows
from holdfast.core.records import RunRecord
from holdfast.core.situations import RunCounts, ServingNode, Situation
from holdfast.core.values import Instant, RunKey
from holdfast.ports.runs import Stranded


class SituationStore(Protocol):
    async def read_situation(self, namespace: str, run: RunKey, rows: int, steps: int) -> Situation | None:
        """What is open in a run: no more than so many rows of each kind, and the last steps of its journal.
        None if there is no such run. Of a run that has ended, only its row is read."""
        ...

    async def count_parts(self, run: RunRecord, now: Instant, most: int) -> RunCounts:
        """How many tasks, children, steps and questions a run has, up to `most` of each kind but steps."""
        ...

    async def last_steps(self, runs: Sequence[RunKey], steps: int) -> dict[RunKey, list[tuple[int, bytes]]]:
        """The last steps of each run with their positions, the newest first."""
        ...

    async def read_steps(self, run: RunKey, since: int, rows: int, bytes: int) -> list[tuple[int, bytes]]:
        """The steps of a run from a position on, in order, of all its chapters: no more than so many rows and
        about so many bytes, but at least one."""
        ...

    async def list_serving_nodes(self, namespace: str) -> list[ServingNode]:
        """All nodes that have a row, also those whose lease has run out."""
        ...

    async def list_due_claims(self, namespace: str) -> list[str]:
        """The claims that have runs without an owner, which are due or will be."""
        ...

    async def list_due_runs(
        self, namespace: str, claim: str, now: Instant, problem: str, limit: int
    ) -> list[Stranded]:
        """The runs of a claim that are due and have no owner, the longest due first, with that problem."""
        ...

    async def read_backlog(self, namespace: str, now: Instant, most: int) -> BacklogRows:
        """Runs that are due and have no owner, and tasks in the queue that a worker could take. Of each claim
        and service, the first ones are counted, as many as `most`, and of the claims and services 1,000."""
        ...
