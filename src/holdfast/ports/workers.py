"""Workers, and the tasks that wait for one: a registry, and a queue with leases.

A push worker is called by nodes, and only registered here. A pull worker takes items from the queue. An item
is one task of one run that waits for a worker. The worker that takes it gets a lease, which its heartbeats
renew. When the lease runs out, another worker may take the item. Then the first worker's reports are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from holdfast.core.values import Instant, Outcome, Payload, RunKey


class WorkerRecord(NamedTuple):
    id: str
    url: str
    """Where nodes call the worker; `queue` for a pull worker."""
    services: tuple[str, ...]
    type: str
    """`http` for a push worker, `async` for a pull worker, or what the worker calls itself."""
    load: int
    heartbeat_at: Instant
    is_online: bool = True


class QueueItem(NamedTuple):
    """A task that a worker has taken."""

    run: RunKey
    run_id: str
    """The user's name for the run, or its key as text."""
    seq: int
    name: str
    service: str
    input: Payload
    attempt: int
    lease: int
    """A number that grows each time the item is taken. A worker with a lower number has lost the item."""
    worker: str
    created_at: Instant
    taken_at: Instant
    lease_until: Instant
    trace: str = ""
    """The span in which the run was started, as `RunOptions` has it. Empty: nobody traces it."""


class Completion(NamedTuple):
    """A worker's report on an item that it took."""

    run: RunKey
    seq: int
    lease: int
    outcome: Outcome
    """Succeeded or Failed."""


class CompletionResult(Enum):
    DONE = "done"
    LOST = "another worker has it"
    GONE = "it is no longer in the queue"


class WorkerStore(Protocol):
    async def register_worker(self, namespace: str, worker: WorkerRecord) -> None:
        """Add the worker or replace its row. The leases of items held under its id end at once, because a
        worker that has just started holds no items."""
        ...

    async def record_heartbeat(
        self, namespace: str, id: str, url: str, load: int, now: Instant, lease_until: Instant
    ) -> bool:
        """Record a heartbeat of the worker, and extend the leases of its items to `lease_until`. If no worker
        has the id, the worker is found by `url`, unless that is `queue`. False if there is no such worker."""
        ...

    async def list_workers(self, namespace: str, since: Instant) -> list[WorkerRecord]:
        """The workers whose last heartbeat was at `since` or later, ordered by id."""
        ...

    async def mark_workers_offline(self, namespace: str, before: Instant) -> int:
        """Mark workers without a heartbeat since `before` as offline. Returns how many are still online."""
        ...

    async def poll_queue(
        self, namespace: str, worker: str, services: Sequence[str], now: Instant, lease_until: Instant
    ) -> QueueItem | None:
        """Take the item of these services that has been due longest. No worker holds it, or its lease has run
        out; then the attempt of its last worker is recorded as lost. The task becomes `running`.

        An item that was lost more than `LOST_ATTEMPTS_ALLOWED` times is removed instead, and its run gets a
        message that the task failed with TaskLost.
        """
        ...

    async def complete_item(self, namespace: str, completion: Completion, now: Instant) -> CompletionResult:
        """Send the run a TASK message (see `core.remote`), wake it, and remove the item. A worker whose lease
        has run out still holds its item until another worker takes it."""
        ...

    async def renew_item(
        self, namespace: str, run: RunKey, seq: int, lease: int, lease_until: Instant
    ) -> bool:
        """Extend the lease. False if the item is no longer held under that lease."""
        ...
