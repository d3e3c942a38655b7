"""Schedules of the model: which are due, and what a firing does."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from tests.differential.tables import Tables

from holdfast.core.records import MessageKind, ScheduleRecord
from holdfast.core.values import Instant, Payload, RunKey
from holdfast.ports.commits import NewMessage
from holdfast.ports.schedules import ScheduledRun, ScheduleFiring


def listed(tables: Tables, namespace: str, name: str | None = None) -> list[ScheduleRecord]:
    """Schedules in the order of their names. `is_active` says whether the run started last still goes on."""
    found = [
        replace(schedule, is_active=_is_active(tables, namespace, schedule))
        for (space, _), schedule in tables.schedules.items()
        if space == namespace and name in (None, schedule.name)
    ]
    return sorted(found, key=lambda schedule: schedule.name.encode())


def _is_active(tables: Tables, namespace: str, schedule: ScheduleRecord) -> bool:
    run = tables.run(namespace, schedule.active)
    return run is not None and not run.status.is_final


def _due_at(schedule: ScheduleRecord) -> Instant | None:
    """A queued tick waits for a run. Once that run has ended, the tick is due at once."""
    return schedule.cursor if schedule.queued and not schedule.is_active else schedule.next_at


def _heeded(tables: Tables, namespace: str, workflows: Sequence[str]) -> list[ScheduleRecord]:
    known = listed(tables, namespace)
    return [
        schedule
        for schedule in known
        if (schedule.workflow in workflows or schedule.starts_published) and not schedule.is_paused
    ]


def schedule_at(tables: Tables, namespace: str, workflows: Sequence[str]) -> Instant | None:
    times = [_due_at(schedule) for schedule in _heeded(tables, namespace, workflows)]
    return min((at for at in times if at is not None), default=None)


def due(tables: Tables, namespace: str, workflows: Sequence[str], now: Instant) -> list[ScheduleRecord]:
    """Due schedules, the longest due first."""
    times = [(_due_at(schedule), schedule) for schedule in _heeded(tables, namespace, workflows)]
    found = [(at, schedule.name.encode(), schedule) for at, schedule in times if at is not None and at <= now]
    return [schedule for _, _, schedule in sorted(found, key=lambda each: each[:2])]


def started_runs(
    tables: Tables, namespace: str, names: Sequence[str], since: RunKey, before: RunKey | None, limit: int
) -> list[ScheduledRun]:
    """The newest runs of each schedule, the last schedule by name first."""
    found: list[ScheduledRun] = []
    for name in sorted(set(names), reverse=True):
        runs = [
            ScheduledRun(name, it.key, it.id, it.status, it.created_at, it.started_at, it.finished_at)
            for it in tables.runs.values()
            if it.namespace == namespace and it.schedule == name and it.key >= since
        ]
        runs = [run for run in runs if before is None or run.key < before]
        found += sorted(runs, key=lambda run: run.key, reverse=True)[:limit]
    return found


def write(tables: Tables, namespace: str, schedule: ScheduleRecord, decided_on: int | None) -> bool:
    known = tables.schedules.get((namespace, schedule.name))
    if (None if known is None else known.revision) != decided_on:
        return False
    tables.schedules[namespace, schedule.name] = replace(schedule, is_active=False)
    return True


def fire(tables: Tables, namespace: str, firing: ScheduleFiring) -> bool:
    schedule, decided_on, runs, cancel, now = firing
    if not write(tables, namespace, schedule, decided_on):
        return False
    existing = tables.add_runs(namespace, runs)
    if schedule.active in existing:
        tables.schedules[namespace, schedule.name] = replace(
            schedule, active=existing[schedule.active], is_active=False
        )
    if cancel is not None:
        reason = Payload(b'"the next one is due"')
        tables.deliver(namespace, [NewMessage(cancel, MessageKind.CANCEL, "", reason)], now)
    return True
