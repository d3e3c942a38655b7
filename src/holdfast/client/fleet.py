"""Who does the work, and what waits: nodes with their runs and slots, and the queues of services."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Final, Protocol

import msgspec

from holdfast.client.operators import checked_sender
from holdfast.core.names import OWN_NAMES
from holdfast.core.open_requests import OpenRequests
from holdfast.core.situations import BusyTask
from holdfast.core.values import Instant, RunKey, key_text, moment
from holdfast.errors import NodeNotFound
from holdfast.ports.fleet import FleetStore, HeldRow, NodeRow, WaitingRow
from holdfast.ports.situations import SituationStore

COUNTED_TO: Final = 10_000
"""Runs of a node and items of a service are counted so far."""
_MOST_NODES: Final = 1_000
_MOST_SERVICES: Final = 1_000
_MOST_HELD: Final = 1_000
_MOST_SLOTS: Final = 1_000
_SLOTS_OF_A_NODE: Final = 100
_MOST_WAITING: Final = 1_000
_STEPS_OF_A_RUN: Final = 100


class NodeInfo(msgspec.Struct, frozen=True):
    """A process that runs workflows."""

    id: str
    host: str
    process: int | None
    """The process id. None: the node has an id that says neither."""
    started_at: dt.datetime
    """Since when it has had its lease."""
    seen_at: dt.datetime | None
    """When it last looked for work. None: it does not say, as on SQLite."""
    lease_until: dt.datetime
    """A node that has runs renews its lease. An idle one need not."""
    serves: list[str] | None
    """Workflows, as `name` or `name@version`. None: it does not say, because it works on its own runs only or
    serves very many."""
    runs: int
    """How many runs it has in memory: 10,000 stands for 10,000 or more."""
    is_alive: bool
    """Whether it is there, as far as the database or this machine can tell."""
    version: str | None = None
    """Of holdfast. None: it has not said so yet, or is older than 0.5."""
    is_stopping: bool = False
    """It takes no more runs, and ends when its tasks have ended."""
    drain_asked_by: str | None = None
    """Who has asked it to end, with `drain_node`; empty if they did not say. None: nobody."""


class NodeDrain(msgspec.Struct, frozen=True):
    """A node was asked to end in order."""

    node: str
    by: str
    """Who has asked first."""
    runs: int
    """How many runs it has in memory. Other nodes take them once its tasks under way have ended."""
    others: int
    """How many other nodes are there that were not asked to end. 0: its runs wait until there is one."""


class TakenItem(msgspec.Struct, frozen=True):
    """A task that a worker has taken from the queue."""

    worker: str
    run: str
    """The id of the run."""
    key: str
    seq: int
    """The number of the task in its run."""
    service: str
    attempt: int
    taken_at: dt.datetime | None
    lease_until: dt.datetime
    """If the worker does not renew its lease until then, another worker may take the task."""


class ServiceQueue(msgspec.Struct, frozen=True):
    """The tasks of a service that wait for a worker, or that a worker has."""

    service: str
    depth: int
    """All of them, also those that wait for a retry."""
    due: int
    """Those that a worker may take now."""
    is_exact: bool
    """False: there are more than the 10,000 that were counted."""
    oldest_due_at: dt.datetime | None
    """Since when the longest due task has been due. None: none is."""
    held: list[TakenItem]
    """Those that workers have: with those of all services no more than 1,000."""


class Slot(msgspec.Struct, frozen=True):
    """A task that a node runs itself."""

    node: str
    queue: str | None
    """The local queue, whose limit is in the settings of the node. None: it is not known, because the run
    asked for the task too long ago."""
    run: str
    key: str
    seq: int
    task: str
    since: dt.datetime | None


class WaitingTask(msgspec.Struct, frozen=True):
    """A task that waits for a slot on its node."""

    run: str
    key: str
    seq: int
    task: str
    since: dt.datetime
    """When its run asked for it."""


class NodeQueue(msgspec.Struct, frozen=True):
    """A queue of tasks on one node, as the node has told some seconds ago."""

    node: str
    queue: str
    limit: int
    """How many of its tasks run at once: what the settings of the node say, or its executors."""
    running: int
    waiting: int
    first: list[WaitingTask]
    """The first of those that wait, in their order: 10 at most."""


class Queues(msgspec.Struct, frozen=True):
    services: list[ServiceQueue]
    slots: list[Slot]
    """Of each node 100 at most, and of all 1,000."""
    queues: list[NodeQueue] = []
    """Of the nodes that are there."""


class _Store(FleetStore, SituationStore, Protocol):
    pass


class Fleet:
    def __init__(
        self,
        store: _Store,
        *,
        namespace: str,
        now: Callable[[], Instant],
        is_alive: Callable[[str], bool | None],
    ) -> None:
        """`is_alive` says whether a node is there; None: it cannot know."""
        self._store = store
        self._namespace = namespace
        self._now = now
        self._is_alive = is_alive

    async def nodes(self) -> list[NodeInfo]:
        now = self._now()
        rows = await self._store.list_node_rows(self._namespace, COUNTED_TO, _MOST_NODES)
        return [self._node_info(row, now) for row in rows]

    async def drain(self, id: str, by: str) -> NodeDrain:
        """Raises BadOption, NodeNotFound."""
        by = checked_sender(by)
        there = {node.id: node for node in await self.nodes() if node.is_alive}
        asked_by = None
        if id in there:
            asked_by = await self._store.ask_drain(self._namespace, id, self._now(), by)
        if asked_by is None:
            raise NodeNotFound(id, self._namespace)
        node = there.pop(id)
        others = [it for it in there.values() if not it.is_stopping and it.drain_asked_by is None]
        return NodeDrain(id, asked_by, node.runs, len(others))

    async def queues(self) -> Queues:
        rows = await self._store.list_service_rows(self._namespace, self._now(), COUNTED_TO, _MOST_SERVICES)
        held = await self.held_items()
        services = [
            ServiceQueue(
                row.service,
                row.items,
                row.due,
                row.items < COUNTED_TO,
                None if row.oldest_due_at is None else moment(row.oldest_due_at),
                [item for item in held if item.service == row.service],
            )
            for row in rows
        ]
        return Queues(services, await self._slots(), await self.node_queues())

    async def held_items(self) -> list[TakenItem]:
        """What workers have: 1,000 items at most."""
        return [_held(row) for row in await self._store.list_held_rows(self._namespace, _MOST_HELD)]

    async def _slots(self) -> list[Slot]:
        slots: list[Slot] = []
        for node in await self._store.list_node_rows(self._namespace, 1, _MOST_NODES):
            room = min(_SLOTS_OF_A_NODE, _MOST_SLOTS - len(slots))
            if not node.runs or room <= 0:
                continue
            id = node.serving.id
            busy = await self._store.list_busy_tasks(id, room)
            known = await self._requests_of({task.run for task in busy})
            slots += [_slot(id, task, known.get(task.run)) for task in sorted(busy, key=_place)]
        return slots

    async def node_queues(self) -> list[NodeQueue]:
        """The queues of the nodes that are there, with the first tasks that wait in each."""
        now = self._now()
        rows = await self._store.list_node_rows(self._namespace, 1, _MOST_NODES)
        told = [
            (row.serving.id, queue)
            for row in rows
            if row.report is not None and row.runs and self._is_there(row, now)
            for queue in row.report.queues
        ]
        named = [each for _, queue in told for each in queue.first][:_MOST_WAITING]
        found = {(it.run, it.seq): it for it in await self._store.find_waiting_tasks(self._namespace, named)}
        return [
            NodeQueue(
                node,
                queue.name,
                queue.limit,
                queue.running,
                queue.waiting,
                [_waiting(found[each]) for each in queue.first if each in found],
            )
            for node, queue in told
        ]

    def _is_there(self, row: NodeRow, now: Instant) -> bool:
        is_alive = self._is_alive(row.serving.id)
        return row.serving.may_live(now) if is_alive is None else is_alive

    async def _requests_of(self, runs: set[RunKey]) -> dict[RunKey, OpenRequests]:
        """The name of a local queue is in the journals only."""
        known: dict[RunKey, OpenRequests] = {}
        for run, steps in (await self._store.last_steps(sorted(runs), _STEPS_OF_A_RUN)).items():
            known[run] = OpenRequests()
            known[run].add(steps)
        return known

    def _node_info(self, row: NodeRow, now: Instant) -> NodeInfo:
        node = row.serving
        parts = node.id.rsplit(":", 3)
        is_ours = len(parts) == 4 and parts[1].isdecimal()
        return NodeInfo(
            node.id,
            parts[0] if is_ours else "",
            int(parts[1]) if is_ours else None,
            moment(row.started_at),
            None if node.seen_at is None else moment(node.seen_at),
            moment(node.lease_until),
            None if node.claims is None else sorted(it for it in node.claims if not it.startswith(OWN_NAMES)),
            row.runs,
            self._is_there(row, now),
            None if row.report is None else row.report.version,
            row.report is not None and row.report.is_stopping,
            row.drain_asked_by,
        )


def _place(task: BusyTask) -> tuple[RunKey, int]:
    return task.run, task.seq


def _held(row: HeldRow) -> TakenItem:
    key = key_text(row.run)
    return TakenItem(
        row.worker,
        row.run_id or key,
        key,
        row.seq,
        row.service,
        row.attempt,
        None if row.taken_at is None else moment(row.taken_at),
        moment(row.lease_until),
    )


def _waiting(row: WaitingRow) -> WaitingTask:
    key = key_text(row.run)
    return WaitingTask(row.run_id or key, key, row.seq, row.name, moment(row.created_at))


def _slot(node: str, task: BusyTask, requests: OpenRequests | None) -> Slot:
    options = None if requests is None else requests.options_of(task.seq)
    key = key_text(task.run)
    return Slot(
        node,
        None if options is None else options.queue,
        task.run_id or key,
        key,
        task.seq,
        task.name,
        None if task.started_at is None else moment(task.started_at),
    )
