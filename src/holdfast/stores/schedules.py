"""Transaction scripts for schedules."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from holdfast.core.records import MessageKind, ScheduleRecord
from holdfast.core.values import Instant, Payload, RunKey, RunStatus
from holdfast.ports.commits import NewMessage
from holdfast.ports.schedules import ScheduledRun, ScheduleFiring
from holdfast.ports.store_life import DUE
from holdfast.stores import records
from holdfast.stores.commit_script import create_runs
from holdfast.stores.database import Transaction
from holdfast.stores.delivery import post_messages
from holdfast.stores.sql_role import RowChanged, SqlRole


class SqlScheduleStore(SqlRole):
    async def due_schedules(
        self, namespace: str, workflows: Sequence[str], now: Instant, limit: int
    ) -> list[ScheduleRecord]:
        rows = await self._driver.fetch("due_schedules", namespace, now, list(workflows), limit)
        return records.readable("schedule", rows, records.schedule_record)

    async def fire_schedule(self, namespace: str, firing: ScheduleFiring) -> bool:
        schedule, decided_on, runs, cancel, now = firing

        def script(tx: Transaction) -> bool:
            existing = create_runs(tx, namespace, runs)
            active = schedule.active
            if active is not None and active in existing:
                active = existing[active]
            row = records.schedule_row(msgspec.structs.replace(schedule, active=active))
            if not tx.rows("update_schedule", namespace, *row, decided_on):
                raise RowChanged
            if cancel is not None:
                message = NewMessage(cancel, MessageKind.CANCEL, "", Payload(b'"the next one is due"'))
                post_messages(tx, namespace, [message], now)
            tx.announce(DUE)
            return True

        try:
            return await self._driver.write_and_tell(script)
        except RowChanged:
            return False

    async def list_schedules(self, namespace: str, name: str | None = None) -> list[ScheduleRecord]:
        rows = await self._driver.fetch("list_schedules", namespace, name)
        if name is not None:
            return [records.schedule_record(row) for row in rows]
        return records.readable("schedule", rows, records.schedule_record)

    async def write_schedule(self, namespace: str, schedule: ScheduleRecord, decided_on: int | None) -> bool:
        row = records.schedule_row(schedule)

        def script(tx: Transaction) -> bool:
            tx.announce(DUE)
            if decided_on is None:
                return bool(tx.rows("insert_schedule", namespace, *row))
            return bool(tx.rows("update_schedule", namespace, *row, decided_on))

        return await self._driver.write_and_tell(script)

    async def delete_schedule(self, namespace: str, name: str) -> bool:
        return await self._driver.write(lambda tx: bool(tx.rows("delete_schedule", namespace, name)))

    async def list_scheduled_runs(
        self, namespace: str, schedules: Sequence[str], since: RunKey, before: RunKey | None, limit: int
    ) -> list[ScheduledRun]:
        names = [(name,) for name in dict.fromkeys(schedules)]

        def script(tx: Transaction) -> list[ScheduledRun]:
            rows = tx.many_returning("runs_of_schedules", names, namespace, since, before, limit)
            rows.sort(key=lambda row: (row[0], row[1]), reverse=True)
            return [ScheduledRun(*row)._replace(status=RunStatus(row[3])) for row in rows]

        return await self._driver.read(script, may_be_long=True)
