"""What is due and nobody has taken: rows that the store has counted."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.core.values import Instant


class DueRuns(NamedTuple):
    """Runs that are due and that no node has."""

    claim: str
    workflow: str
    number: int
    oldest: Instant
    """When the first of them was due."""


class WaitingTasks(NamedTuple):
    """Tasks in the queue that a worker could take."""

    service: str
    number: int
    oldest: Instant
    """When the first of them could have been taken."""


class BacklogRows(NamedTuple):
    runs: list[DueRuns]
    tasks: list[WaitingTasks]
