"""Schedules over HTTP."""

from __future__ import annotations

import builtins
import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from holdfast.client.run import Run
from holdfast.client.schedule_ticks import BackfillPreview, PlanPreview, ScheduleTicks
from holdfast.client.schedules import CatchUpPreview, ScheduleInfo, Schedules, UpcomingRun
from holdfast.core.timetable import Catchup, CatchupMode, Cron, Plan
from holdfast.core.values import moment
from holdfast.remote.addressing import Page, seconds_of, time_text
from holdfast.remote.connection import Connection, conditions, path_of


class _Plan(msgspec.Struct, frozen=True):
    cron: str | None
    every: float | None
    timezone: str
    jitter: float
    start: dt.datetime | None
    end: dt.datetime | None
    overlap: str
    catchup: str
    catchup_most: int


class ScheduleRead(msgspec.Struct, frozen=True):
    name: str
    workflow: str
    input: Any
    plan: _Plan
    is_paused: bool
    next_at: dt.datetime | None
    last_run: str | None
    is_active: bool
    queued: list[dt.datetime]
    skipped: int
    skip_note: str | None
    origin: str
    created_at: dt.datetime
    problem: str | None
    hash: str = ""

    def info(self) -> ScheduleInfo:
        plan = self.plan
        read = Plan.of(
            cron=plan.cron,
            every=None if plan.every is None else dt.timedelta(seconds=plan.every),
            timezone=plan.timezone,
            jitter=dt.timedelta(seconds=plan.jitter),
            start=plan.start,
            end=plan.end,
            overlap=plan.overlap,
            catchup=Catchup(CatchupMode(plan.catchup), plan.catchup_most),
        )
        values = {name: getattr(self, name) for name in self.__struct_fields__ if name != "plan"}
        return ScheduleInfo(plan=read, **values)


class _Started(msgspec.Struct, frozen=True):
    id: str
    key: str


class RemoteSchedules(Schedules):
    def __init__(
        self,
        connection: Connection,
        target: Callable[[Any, str | int | None], tuple[str, str | int | None]],
        handle: Callable[[str, str], Run[Any]],
    ) -> None:
        """`target` is what a workflow is called, and `handle` makes a handle of an id and a key."""
        self._connection = connection
        self._target = target
        self._handle = handle

    async def put_plan(
        self,
        name: str,
        workflow: Any,
        plan: Plan,
        input: Mapping[str, Any],
        *,
        version: str | int | None = None,
        origin: str = "",
        replaces: str | None = None,
    ) -> ScheduleInfo:
        target, version = self._target(workflow, version)
        body = {"workflow": target, "version": version, "input": input, **_written(plan), "origin": origin}
        headers, path = conditions(replaces), path_of("schedules", name)
        return (await self._connection.ask("PUT", path, ScheduleRead, body=body, headers=headers)).info()

    async def get(self, name: str) -> ScheduleInfo:
        return (await self._connection.ask("GET", path_of("schedules", name), ScheduleRead)).info()

    async def list(self) -> builtins.list[ScheduleInfo]:
        found = await self._connection.ask("GET", "/schedules", Page[ScheduleRead])
        return [each.info() for each in found.items]

    async def delete(self, name: str) -> None:
        await self._connection.ask("DELETE", path_of("schedules", name))

    async def pause(self, name: str) -> ScheduleInfo:
        return (await self._connection.ask("POST", path_of("schedules", name, "pause"), ScheduleRead)).info()

    async def resume(self, name: str) -> ScheduleInfo:
        return (await self._connection.ask("POST", path_of("schedules", name, "resume"), ScheduleRead)).info()

    async def trigger(self, name: str) -> Run[Any]:
        begun = await self._connection.ask("POST", path_of("schedules", name, "trigger"), _Started)
        return self._handle(begun.id, begun.key)

    async def backfill(
        self, name: str, begin: dt.datetime, end: dt.datetime, *, limit: int = 1000
    ) -> builtins.list[Run[Any]]:
        body = {"begin": begin, "end": end, "limit": limit}
        path = path_of("schedules", name, "backfill")
        begun = await self._connection.ask("POST", path, list[_Started], body=body)
        return [self._handle(each.id, each.key) for each in begun]

    async def preview_backfill(
        self, name: str, begin: dt.datetime, end: dt.datetime, *, limit: int = 1000
    ) -> BackfillPreview:
        body = {"begin": begin, "end": end, "limit": limit, "dry_run": True}
        path = path_of("schedules", name, "backfill")
        return await self._connection.ask("POST", path, BackfillPreview, body=body)

    async def ticks(
        self, begin: dt.datetime | None = None, end: dt.datetime | None = None, name: str | None = None
    ) -> ScheduleTicks:
        query = {
            "begin": None if begin is None else time_text(begin),
            "end": None if end is None else time_text(end),
            "name": name,
        }
        return await self._connection.ask("GET", "/schedule-ticks", ScheduleTicks, query=query)

    async def preview(self, name: str, count: int = 10) -> builtins.list[UpcomingRun]:
        path = path_of("schedules", name, "upcoming")
        return (await self._connection.ask("GET", path, Page[UpcomingRun], query={"limit": count})).items

    async def preview_plan(self, plan: Plan, *, name: str = "", count: int = 10) -> PlanPreview:
        body = {**_written(plan), "name": name, "count": count}
        return await self._connection.ask("POST", "/schedule-preview", PlanPreview, body=body)

    async def preview_outage(self, name: str, begin: dt.datetime, end: dt.datetime) -> CatchUpPreview:
        query = {"begin": time_text(begin), "end": time_text(end)}
        path = path_of("schedules", name, "outage")
        return await self._connection.ask("GET", path, CatchUpPreview, query=query)


def _written(plan: Plan) -> dict[str, Any]:
    """As the API takes it."""
    table = plan.timetable
    times = (
        {"cron": table.expression, "timezone": table.timezone}
        if isinstance(table, Cron)
        else {"every": table.interval.total_seconds()}
    )
    return {
        **times,
        "jitter": seconds_of(plan.jitter),
        "start": None if plan.start is None else time_text(moment(plan.start)),
        "end": None if plan.end is None else time_text(moment(plan.end)),
        "overlap": plan.overlap,
        "catchup": plan.catchup.mode,
        "catchup_most": plan.catchup.most,
    }
