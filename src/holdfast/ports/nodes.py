"""What a node asks of the store: commits, leases, and what to do next."""

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
    """Whether there is something to claim or collect, asked with one cheap read."""

    wake_at: Instant | None
    """The earliest due time of a run that this node could claim."""
    expires_at: Instant | None
    """The earliest end of the lease of another node that has runs."""
    has_mail: bool
    schedule_at: Instant | None = None
    """When the next of the schedules is due whose workflow this node has."""


class NodeStore(Protocol):
    """The store decides here what only a transaction can decide: whether a node still owns a run, whose lease
    has run out, whether an id is taken, and which due runs a node gets."""

    async def commit(self, commit: Commit) -> Receipt:
        """Write all rows, except those of runs that are lost or that exist already.

        Raises StoreFull (nothing was written), or StoreUnavailable (it is not known: call `recover`).
        """
        ...

    async def recover(self, commit: Commit) -> Receipt | None:
        """Find out whether a commit was written whose answer was lost: None if it was not, else a receipt.

        The receipt has all runs that the node owns as claimed, with all their unread messages.
        """
        ...

    async def next_work(
        self, namespace: str, node: NodeId, claims: Sequence[str], workflows: Sequence[str] = ()
    ) -> NextWork:
        """`claims` are those that the node can serve, `workflows` those whose schedules it can fire."""
        ...

    async def next_due(self, namespace: str, runs: Sequence[RunKey]) -> Instant | None:
        """When the first of these runs is due, of those without an owner."""
        ...

    async def leave(self, namespace: str, node: NodeId) -> None:
        """End the node's lease. The runs that it still owns are due for any other node at once."""
        ...

    async def nodes(self, namespace: str) -> list[str]:
        """All that have a lease, also those whose lease has run out."""
        ...

    async def expire_nodes(self, namespace: str, nodes: Sequence[str]) -> None:
        """These nodes have died: do at once what the end of their leases would lead to."""
        ...


class EngineStore(StoreLife, NodeStore, HistoryStore, DefinitionStore, DueScheduleStore, Protocol):
    """All that an engine uses."""
