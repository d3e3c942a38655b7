"""The store as a client uses it, and as a client waits for runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from holdfast.core.records import RunRecord
from holdfast.core.values import RunKey
from holdfast.ports.access import AccessStore
from holdfast.ports.alerts import AlertStore
from holdfast.ports.archives import ArchiveStore
from holdfast.ports.changes import ChangeStore
from holdfast.ports.fleet import FleetStore
from holdfast.ports.past_states import PastStateStore
from holdfast.ports.retention import RetentionStore
from holdfast.ports.run_graphs import RunGraphStore
from holdfast.ports.run_points import RunPointStore
from holdfast.ports.run_views import RunViewStore
from holdfast.ports.runs import HistoryStore, RunStore, UpdateAnswer
from holdfast.ports.schedules import ScheduleStore
from holdfast.ports.sessions import SessionStore
from holdfast.ports.situations import SituationStore
from holdfast.ports.stats import StatsStore
from holdfast.ports.store_life import StoreLife
from holdfast.ports.workers import WorkerStore
from holdfast.ports.workflow_store import WorkflowStore


class WatchedRunStore(StoreLife, HistoryStore, Protocol):
    """The methods that are needed to wait for the ends of runs."""

    async def find_runs(self, namespace: str, runs: Collection[RunKey]) -> list[RunRecord]:
        """As in `RunStore`."""
        ...

    async def find_answers(self, namespace: str, updates: Sequence[tuple[RunKey, str]]) -> list[UpdateAnswer]:
        """As in `RunStore`."""
        ...


class ClientStore(
    RunStore,
    RunViewStore,
    SituationStore,
    FleetStore,
    ScheduleStore,
    WorkflowStore,
    WorkerStore,
    RetentionStore,
    ChangeStore,
    ArchiveStore,
    AccessStore,
    SessionStore,
    StatsStore,
    AlertStore,
    RunPointStore,
    RunGraphStore,
    PastStateStore,
    Protocol,
):
    """All that a client uses. Opening and closing the store is not its job."""
