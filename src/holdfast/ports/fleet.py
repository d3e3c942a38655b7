"""Nodes, and what waits for workers or is with them: the rows that operators look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from holdfast.core.situations import BusyTask, ServingNode
from holdfast.core.values import Instant, NodeId, RunKey


class WaitingAttempt(NamedTuple):
    """A task that waits for a slot on its node."""

    run: RunKey
    seq: int


class QueueReport(msgspec.Struct, frozen=True):
    """The slots of a queue on one node."""

    name: str
    limit: int
    running: int
    waiting: int
    first: list[WaitingAttempt]
    """Some of those that wait, in the order in which they will get a slot."""


class NodeReport(msgspec.Struct, frozen=True):
    """What a node says of itself. It writes this a moment after something has changed."""

    version: str
    """Of holdfast."""
    is_stopping: bool
    queues: list[QueueReport]
    """Those that have had a task on this node."""


class NodeRow(NamedTuple):
    serving: ServingNode
    started_at: Instant
    runs: int
    """How many runs it has, up to a bound."""
    report: NodeReport | None
    """None: it has written none yet."""
    drain_asked_by: str | None = None
    """Who has asked it to end in order. None: nobody."""


class WaitingRow(NamedTuple):
    run: RunKey
    run_id: str | None
    seq: int
    name: str
    created_at: Instant


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

    async def find_waiting_tasks(
        self, namespace: str, tasks: Sequence[tuple[RunKey, int]]
    ) -> list[WaitingRow]:
        """Those of these tasks, named by run and number, that have not begun."""
        ...

    async def write_node_report(self, node: NodeId, report: NodeReport) -> None:
        """Nothing is written if the node has no row."""
        ...

    async def ask_drain(self, namespace: str, node: str, now: Instant, by: str) -> str | None:
        """Ask the node to end in order. It reads that with `next_work`, and is told to look. Returns who has
        asked first, or None if the node has no row. A row that the node writes after it has lost its lease
        says nothing of this."""
        ...
