"""The store: all roles in one class, on one driver. The roles are shared by all databases.

The roles are in `nodes`, `runs`, `run_views`, `run_graphs`, `past_states`, `histories`, `situations`,
`fleet`, `schedules`, `definitions`, `workflows`, `workers`, `retention`, `changes`, `archives`, `access`,
`sessions` and `store_life`, as they are in `holdfast.ports`.
"""

from __future__ import annotations

from typing import TypeVar

from holdfast.stores.access import SqlAccessStore
from holdfast.stores.alerts import SqlAlertStore
from holdfast.stores.archives import SqlArchiveStore
from holdfast.stores.changes import SqlChangeStore
from holdfast.stores.database import TransactionScript
from holdfast.stores.fleet import SqlFleetStore
from holdfast.stores.histories import SqlHistoryStore
from holdfast.stores.nodes import SqlNodeStore
from holdfast.stores.past_states import SqlPastStateStore
from holdfast.stores.retention import SqlRetentionStore
from holdfast.stores.run_graphs import SqlRunGraphStore
from holdfast.stores.run_points import SqlRunPointStore
from holdfast.stores.run_views import SqlRunViewStore
from holdfast.stores.runs import SqlRunStore
from holdfast.stores.schedules import SqlScheduleStore
from holdfast.stores.sessions import SqlSessionStore
from holdfast.stores.situations import SqlSituationStore
from holdfast.stores.stats import SqlStatsStore
from holdfast.stores.store_life import SqlStoreLife
from holdfast.stores.workers import SqlWorkerStore
from holdfast.stores.workflows import SqlWorkflowStore

T = TypeVar("T")


class SqlStore(
    SqlStoreLife,
    SqlNodeStore,
    SqlRunStore,
    SqlRunViewStore,
    SqlRunGraphStore,
    SqlPastStateStore,
    SqlHistoryStore,
    SqlSituationStore,
    SqlFleetStore,
    SqlScheduleStore,
    SqlWorkflowStore,
    SqlWorkerStore,
    SqlRetentionStore,
    SqlChangeStore,
    SqlArchiveStore,
    SqlAccessStore,
    SqlSessionStore,
    SqlStatsStore,
    SqlAlertStore,
    SqlRunPointStore,
):
    """The union of all roles. It uses the lanes of clients."""

    async def write_script(self, script: TransactionScript[T]) -> T:
        """For what belongs to no role: see `rewriting`."""
        return await self._driver.write(script)

    def for_engine(self) -> SqlStore:
        """The same store with the lanes of the engine. It is open whenever this one is."""
        return SqlStore(self._driver.for_engine())
