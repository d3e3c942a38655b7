"""What is remembered of workers, and of the tasks that wait for one: a registry, and a queue with leases.

A worker that is called (push) is only registered. One that asks (pull) takes items from the queue. An item is
the wait of one task of one run; whoever takes it has a lease, which its heartbeat renews. If the lease runs
out, the next one takes the item, and nothing that the first one says of it counts any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from holdfast.core.values import Instant, Outcome, Payload, RunKey


class WorkerRecord(NamedTuple):
    id: str
    url: str
    """Where it is called; `queue` if it asks by itself."""
    services: tuple[str, ...]
    type: str
    """`http` for one that is called, `async` for one that asks; or whatever it calls itself."""
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
    """Counts those who have taken it. Whoever has an earlier number has lost it."""
    worker: str
    created_at: Instant
    taken_at: Instant
    lease_until: Instant


class Completion(NamedTuple):
    """What a worker says of an item that it has taken."""

    run: RunKey
    seq: int
    lease: int
    outcome: Outcome
    """Succeeded or Failed."""


class CompletionResult(Enum):
    DONE = "done"
    LOST = "another worker has it"
    GONE = "nobody waits for it any more"


class WorkerStore(Protocol):
    async def register_worker(self, namespace: str, worker: WorkerRecord) -> None:
        """Add it, or replace what is known of it. It holds nothing yet: items that are held under its id may
        be taken by others at once."""
        ...

    async def heartbeat(
        self, namespace: str, id: str, url: str, load: int, now: Instant, lease_until: Instant
    ) -> bool:
        """The worker of that id lives, and what it has taken is its own until `lease_until`. If none has that
        id: the worker with that url, unless that is `queue`. False if there is none."""
        ...

    async def list_workers(self, namespace: str, since: Instant) -> list[WorkerRecord]:
        """Those that were heard of at `since` or later, by id."""
        ...

    async def mark_offline(self, namespace: str, before: Instant) -> int:
        """Those not heard of since `before` are offline. Answers how many are still online."""
        ...

    async def poll_queue(
        self, namespace: str, worker: str, services: Sequence[str], now: Instant, lease_until: Instant
    ) -> QueueItem | None:
        """Take the item of these services that is due for longest: one that nobody has, or whose holder has
        let its lease run out. The attempt of that holder is recorded as lost, and its task shows `running`.

        An item that was lost more often than `LOST_ATTEMPTS_ALLOWED` is not given out again: its run is told
        that it failed, with TaskLost.
        """
        ...

    async def complete_item(self, namespace: str, completion: Completion, now: Instant) -> CompletionResult:
        """Tell the run with a TASK message (see `core.remote`), wake it, and remove the item. One whose lease
        has run out but that nobody else has taken counts as held."""
        ...

    async def renew_item(
        self, namespace: str, run: RunKey, seq: int, lease: int, lease_until: Instant
    ) -> bool:
        """False if it is not held with that lease any more."""
        ...
