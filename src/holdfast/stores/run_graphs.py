"""Reads what views of a run show, summed up in SQL."""

from __future__ import annotations

from holdfast.core.journal_graphs import HeardMessage
from holdfast.core.run_graphs import TaskTally
from holdfast.core.values import Instant, RunKey
from holdfast.stores import records
from holdfast.stores.database import Row
from holdfast.stores.sql_role import SqlRole


class SqlRunGraphStore(SqlRole):
    async def tally_tasks(
        self, namespace: str, run: RunKey, at: Instant | None, most: int
    ) -> list[TaskTally]:
        rows = await self._driver.fetch("tally_tasks", namespace, run, at, most, may_be_long=True)
        return records.readable("task", rows, _tally)

    async def list_heard_messages(self, namespace: str, run: RunKey, limit: int) -> list[HeardMessage]:
        rows = await self._driver.fetch("list_heard_messages", namespace, run, limit, may_be_long=True)
        return [
            HeardMessage(id, records.message_kind(kind), name, question) for id, kind, name, question in rows
        ]


def _tally(row: Row) -> TaskTally:
    """Raises JournalCorrupt."""
    return TaskTally(row[0], records.task_status(row[1]), *row[2:])
