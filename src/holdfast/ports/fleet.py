"""Nodes, and what waits for workers or is with them: the rows that operators look at."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from holdfast.core.situations import BusyTask, ServingNode
from holdfast.core.values import Instant, RunKey


class NodeRow(NamedTuple):
    serving: ServingNode
    started_at: Instant
    runs: int
    """How many runs it has, up to a bound."""


class ServiceRow(NamedTuple):
    """The queue of a service. Both numbers are counted up to a bound."""

    service: str
    items: int
    """All: those that are due, those that workers have, and those that wait for a retry."""
    due: int
    """Those that a worker may take now."""
    oldest_due_at: Instant | None
    """Since when the longest due item is due."""


class HeldRow(NamedTuple):
    """An item of the queue that a worker has."""

    worker: str
    run: RunKey
    run_id: str | None
    seq: int
    service: str
    attempt: int
    taken_at: Instant | None
    lease_until: Instant


class FleetStore(Protocol):
    async def ask_database(self) -> str:
        """Ask the database something small. Returns which one it is: SQLite or PostgreSQL."""
        ...

    async def list_node_rows(self, namespace: str, count_to: int, limit: int) -> list[NodeRow]:
        """The nodes that have a row, by id, also those whose lease has run out. Runs are counted up to
        `count_to`."""
        ...

    async def list_service_rows(
        self, namespace: str, now: Instant, count_to: int, limit: int
    ) -> list[ServiceRow]:
        """The services that have items in the queue, by name. Items are counted up to `count_to`."""
        ...

    async def list_held_rows(self, namespace: str, limit: int) -> list[HeldRow]:
        """The items that workers have, by worker."""
        ...

    async def list_busy_tasks(self, node: str, limit: int) -> list[BusyTask]:
        """The tasks that a node has in its slots."""
        ...
