"""The store: all roles in one, for the root of the composition and for what implements it.

Everybody else is typed to the role that it uses, which are in `nodes`, `runs`, `schedules`, `definitions`,
`workers` and `store_life`.

Every method is one transaction: all of it happens or nothing does, also when the process dies in the middle.
What a run does next is not for a store to decide. A store decides what only a transaction can:

- whether a node still owns a run, by owner and epoch, and a worker its item, by the number of its lease;
- whether an id is taken, a promise settled, a run ended, a schedule or a draft changed since it was read;
- which due runs a node gets, and how few of them at once if they have had setbacks (`policies.at_once`);
- which item of the queue a worker gets, and when an item was lost too often;
- that a message wakes its run, unless the run is parked, paused or held back by its parent.
"""

from __future__ import annotations

from typing import Protocol

from holdfast.ports.definitions import FlowStore
from holdfast.ports.nodes import EngineStore
from holdfast.ports.runs import RunStore
from holdfast.ports.schedules import ScheduleStore
from holdfast.ports.workers import WorkerStore


class Store(EngineStore, RunStore, ScheduleStore, FlowStore, WorkerStore, Protocol):
    """The union of all roles."""
