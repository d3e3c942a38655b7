"""The store as a node uses it: commits, leases, and the next work."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from holdfast.core.values import Instant, NodeId, RunKey
from holdfast.ports.commits import Commit, Receipt
from holdfast.ports.definitions import DefinitionStore
from holdfast.ports.runs import HistoryStore
from holdfast.ports.schedules import DueScheduleStore
from holdfast.ports.store_life import StoreLife

_EPOCH = Instant(0)


class NextWork(NamedTuple):
    """When a node has something to claim or to collect. One cheap read answers it."""

    wake_at: Instant | None
    """The earliest due time of a run that this node could claim."""
    expires_at: Instant | None
    """When the first lease ends among the other nodes that own runs."""
    has_mail: bool
    schedule_at: Instant | None = None
    """When the next schedule of this node's workflows is due."""
    peers: int | None = None
    """How many nodes serve the same workflows, with this one. 0 if the others do not know of this node until
    it commits; None if they need not."""
    has_lost_runs: bool = False
    """Runs of this node were replaced by new ones. `collect_lost_runs` names them."""
    drain_asked_by: str | None = None
    """Who has asked this node to end in order; empty if they did not say. None: nobody."""


class Stall(NamedTuple):
    """A run that held up the event loop of its node, and did not stop."""

    run: RunKey
    task: str | None
    """The async task that did it; None for the code of the workflow."""
    stack: str
    """Of the event loop's thread."""


class StallRecord(NamedTuple):
    run: RunKey
    node: str
    at: Instant
    task: str | None
    stack: str


class LeaseRenewal(Protocol):
    """Renews the lease of one node on a connection of its own, so that it waits for nothing else that the
    node does. The methods block, and one thread at a time may call them. They raise StoreUnavailable and
    StoreFull."""

    def renew(self, node: NodeId, since: Instant, until: Instant) -> bool:
        """Renew the lease that the node has had since then. False if it has lost it: another node may own its
        runs."""
        ...

    def end(self, namespace: str, node: NodeId, stall: Stall | None, now: Instant) -> None:
        """Record the stall, if the node owns the run, and end the lease. The node's runs are due at once for
        any other node. A stall counts as a setback of its run."""
        ...

    def close(self) -> None: ...


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
        self,
        namespace: str,
        node: NodeId,
        claims: Sequence[str],
        workflows: Sequence[str] = (),
        serves: str | None = None,
        now: Instant = _EPOCH,
    ) -> NextWork:
        """`claims` are the claims that the node would take now. It can fire the schedules of `workflows`.
        `serves` is what it writes with its commits. Where there may be a fleet, this tells the others that
        the node is there, for a minute."""
        ...

    async def collect_lost_runs(self, node: NodeId) -> list[RunKey]:
        """Runs that were taken from the node because others have replaced them. Each is returned once."""
        ...

    async def drop_old_items(self, now: Instant, rows: int) -> int:
        """Drop items of streams that are due for it, in all namespaces: so many rows at most. Returns their
        number. The last row of each stream stays, without items, so that the stream goes on counting."""
        ...

    async def next_due_time(self, namespace: str, runs: Sequence[RunKey]) -> Instant | None:
        """When the first of these runs is due. Runs that have an owner do not count."""
        ...

    async def tell_other_nodes(self) -> None:
        """Notify all other nodes that something is due."""
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

    def open_renewal(self, patience: dt.timedelta) -> LeaseRenewal | None:
        """None if this store does everything in the calls themselves. Then commits renew the lease.

        A renewal that takes longer than `patience` fails.
        """
        ...

    async def find_stalls(self, runs: Sequence[RunKey]) -> list[StallRecord]:
        """The stalls of these runs since they were last resumed, in no order."""
        ...


class EngineStore(StoreLife, NodeStore, HistoryStore, DefinitionStore, DueScheduleStore, Protocol):
    """All that an engine uses."""
