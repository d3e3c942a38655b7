"""The store as a node uses it: commits, leases, and the next work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from holdfast.core.values import Instant, NodeId, RunKey
from holdfast.ports.commits import Commit, Receipt
from holdfast.ports.definitions import DefinitionStore
from holdfast.ports.runs import HistoryStore
from holdfast.ports.schedules import DueScheduleStore
from holdfast.ports.store_life import StoreLife


class NextWork(NamedTuple):
    """When a node has something to claim or to collect. One cheap read answers it."""

    wake_at: Instant | None
    """The earliest due time of a run that this node could claim."""
    expires_at: Instant | None
    """When the first lease ends among the other nodes that own runs."""
    has_mail: bool
    schedule_at: Instant | None = None
    """When the next schedule of this node's workflows is due."""


class NodeStore(Protocol):
    """Here the store decides what needs a transaction: whether a node still owns a run, whose lease has run
    out, whether an id is taken, and which due runs a node gets."""

    async def commit(self, commit: Commit) -> Receipt:
        """Write all rows, except those of runs that are lost and of new runs whose id is taken.

        Raises StoreFull if nothing was written, and StoreUnavailable if that is unknown: then call
        `recover_commit`.
        """
        ...

    async def recover_commit(self, commit: Commit) -> Receipt | None:
        """Find out whether a commit was written although its answer was lost. None if it was not written.

        The receipt lists every run that the node owns as claimed, and all unread messages of these runs.
        """
        ...

    async def next_work(
        self, namespace: str, node: NodeId, claims: Sequence[str], workflows: Sequence[str] = ()
    ) -> NextWork:
        """`claims` are the claims that the node can serve. It can fire the schedules of `workflows`."""
        ...

    async def next_due_time(self, namespace: str, runs: Sequence[RunKey]) -> Instant | None:
        """When the first of these runs is due. Runs that have an owner do not count."""
        ...

    async def remove_node(self, namespace: str, node: NodeId) -> None:
        """End the node's lease. The runs that it still owns are due for any other node at once."""
        ...

    async def list_nodes(self, namespace: str) -> list[str]:
        """All nodes that have a row, also those whose lease has run out."""
        ...

    async def expire_nodes(self, namespace: str, nodes: Sequence[str]) -> None:
        """Treat these nodes as if their leases had run out: free their runs, with a setback for each run."""
        ...


class EngineStore(StoreLife, NodeStore, HistoryStore, DefinitionStore, DueScheduleStore, Protocol):
    """All that an engine uses."""
