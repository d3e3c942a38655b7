"""The store as a client uses it, and as a client waits for runs."""

from __future__ import annotations

from typing import Protocol

from holdfast.ports.flows import FlowStore
from holdfast.ports.runs import HistoryStore, RunStore
from holdfast.ports.schedules import ScheduleStore
from holdfast.ports.store_life import StoreLife
from holdfast.ports.workers import WorkerStore


class WatchedRunStore(StoreLife, HistoryStore, Protocol):
    """The methods that are needed to wait for the ends of runs."""


class ClientStore(RunStore, ScheduleStore, FlowStore, WorkerStore, Protocol):
    """All that a client uses. Opening and closing the store is not its job."""
