"""What a store has about a run that is not over, as far as it says why the run does not go on.

Everything is bounded: counts, and the first few rows of each kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from holdfast.core.questions import QuestionRecord
from holdfast.core.records import MessageKind, RunRecord
from holdfast.core.values import Instant, Payload, RunKey, RunStatus, TaskStatus, key_text

_SEEN_FOR = 60_000_000
"""Microseconds. An idle node of a fleet says every half minute that it is there."""


class ServingNode(NamedTuple):
    """A row of `nodes`."""

    id: str
    lease_until: Instant
    seen_at: Instant | None
    """When the node last looked for work. None: it does not say, as on SQLite."""
    claims: frozenset[str] | None
    """The claims that it serves. None: it does not say, because it works on its own runs only, is of an older
    release, or serves too many."""

    def may_live(self, now: Instant) -> bool:
        """Whether the row is that of a node that may still be there. The row of an idle node on SQLite stays
        until the node is closed, or until another node claims work."""
        if self.lease_until > now:
            return True
        return self.claims is not None and (self.seen_at is None or self.seen_at > now - _SEEN_FOR)


class ClaimNodes(NamedTuple):
    """The nodes that could claim a run."""

    serving: tuple[str, ...]
    """Nodes that have its workflow, in its version."""
    is_certain: bool
    """Whether all other nodes have said that they do not have it."""
    others: tuple[str, ...]
    """Claims of other versions of its workflow that nodes have."""

    @property
    def is_unserved(self) -> bool:
        return self.is_certain and not self.serving


def nodes_for(claim: str, nodes: Sequence[ServingNode], now: Instant) -> ClaimNodes:
    living = [node for node in nodes if node.may_live(now)]
    known = [node.claims for node in living if node.claims is not None]
    name = claim.partition("@")[0]
    others = {it for claims in known for it in claims if it != claim and it.partition("@")[0] == name}
    return ClaimNodes(
        tuple(node.id for node in living if node.claims is not None and claim in node.claims),
        len(known) == len(living),
        tuple(sorted(others)),
    )


class OpenTaskRow(NamedTuple):
    seq: int
    name: str
    status: TaskStatus
    attempt: int
    lost: int
    forgiven: int
    due_at: Instant | None
    created_at: Instant
    started_at: Instant | None
    input: Payload | None
    """None if it is large."""


class QueueRow(NamedTuple):
    """A task in the queue of the workers."""

    seq: int
    service: str
    worker: str | None
    ready_at: Instant
    taken_at: Instant | None
    created_at: Instant


class OpenChildRow(NamedTuple):
    key: RunKey
    run_id: str | None
    workflow: str
    status: RunStatus
    created_at: Instant

    @property
    def id(self) -> str:
        return self.run_id or key_text(self.key)


class UnreadMessages(NamedTuple):
    """Messages of one kind and name that the run has not read."""

    kind: MessageKind
    name: str
    times: int
    posted_at: Instant | None


class BusyTask(NamedTuple):
    """A task that a node has in one of its slots."""

    run: RunKey
    run_id: str | None
    seq: int
    name: str
    started_at: Instant | None


class RunCounts(NamedTuple):
    """How much a run has of everything, up to a limit."""

    tasks: Mapping[TaskStatus, int]
    children: int
    steps: int
    asked_for: int
    """For how many microseconds its questions were open, all added up."""
    is_exact: bool
    parent: str | None
    """The id of its parent."""


class Situation(msgspec.Struct, frozen=True):
    """All of it is of one instant."""

    run: RunRecord
    first_wait: tuple[str, str] | None = None
    """Kind and name of what the run waited for first when it was last written down."""
    tasks: Sequence[OpenTaskRow] = ()
    """Some of its open tasks: those in backoff first, then those under way."""
    task_counts: Mapping[tuple[str, bool], int] = {}
    """How many tasks are open, by status and whether they wait for a time."""
    queue: Sequence[QueueRow] = ()
    children: Sequence[OpenChildRow] = ()
    child_count: int = 0
    unread: Sequence[UnreadMessages] = ()
    heard: Mapping[tuple[MessageKind, str], int] = {}
    """How many messages it has read, by kind and name, in `steps`."""
    cancelled_in: int | None = None
    """The position of the step in which it last read that it was cancelled."""
    updates: Sequence[UnreadMessages] = ()
    """Updates that it has taken and not answered yet."""
    questions: Sequence[QuestionRecord] = ()
    """Some of its open questions, the oldest first."""
    nodes: Sequence[ServingNode] = ()
    busy: Sequence[BusyTask] = ()
    """Tasks in the slots of its node, if one of its own tasks waits for a slot."""
    steps: Sequence[tuple[int, bytes]] = ()
    """Positions and steps of its journal, or of its last chapter, the newest first."""
    first_position: int = 0
    """Of the first step of its last chapter."""
