"""Schedules."""

from __future__ import annotations

import contextlib
import datetime as dt
from typing import Annotated, Any

import msgspec
from litestar import delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from holdfast.client.client import Client
from holdfast.client.schedule_ticks import BackfillPreview, PlanPreview, ScheduleTicks
from holdfast.client.schedules import CatchUpPreview, ScheduleInfo, UpcomingRun
from holdfast.core.timetable import Catchup, CatchupMode, Cron, Overlap, Plan
from holdfast.core.values import moment
from holdfast.errors import ScheduleNotFound
from holdfast.server.access.recording import Record
from holdfast.server.api.v1.bodies import Body
from holdfast.server.api.v1.conditions import IfMatch, IfNoneMatch, replaced
from holdfast.server.api.v1.paging import Limit, Page
from holdfast.server.api.v1.runs import StartedRun, span, started
from holdfast.server.problems import may_answer


class SchedulePlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a schedule starts runs."""

    cron: str | None = None
    every: float | None = None
    """In seconds. One of the two."""
    timezone: str = "UTC"
    jitter: float = 0
    """In seconds."""
    start: dt.datetime | None = None
    end: dt.datetime | None = None
    overlap: Overlap = Overlap.SKIP
    """What to do when a tick comes and the run before has not ended."""
    catchup: CatchupMode = CatchupMode.LAST
    """Which ticks that no node was up to see still start a run."""
    catchup_most: int = 100
    """With `all`, how many of the newest ones."""


class NewSchedule(SchedulePlan, frozen=True, kw_only=True, forbid_unknown_fields=True):
    workflow: str
    version: str | int | None = None
    """Without it, the newest one at each tick."""
    input: dict[str, Any] = {}
    """In texts, `{tick}` and `{date}` stand for the tick."""
    origin: str = ""
    """The file that it comes from, if it comes from one."""


class ScheduleAnswer(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    workflow: str
    input: Any
    plan: SchedulePlan
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
    words: str
    """The plan in English."""
    hash: str
    """Of what it starts, with what, and when. In quotes it is the ETag for If-Match."""


@get("/schedules", name="schedules.list", responses=may_answer())
async def list_schedules(client: NamedDependency[Client]) -> Page[ScheduleAnswer]:
    """All schedules, by name."""
    return Page([schedule_answer(each) for each in await client.schedules.list()])


@get("/schedule-ticks", name="schedules.ticks", responses=may_answer(404))
async def list_ticks(
    client: NamedDependency[Client],
    begin: Annotated[
        dt.datetime | None, QueryParameter(description="Without it, twelve hours before now.")
    ] = None,
    end: Annotated[
        dt.datetime | None, QueryParameter(description="Without it, twelve hours from now.")
    ] = None,
    name: Annotated[str | None, QueryParameter(description="Only this schedule.")] = None,
) -> ScheduleTicks:
    """What became of each tick in this time, and which come. Of each schedule 200 past ticks at most, the
    newest, and the next 200; of 200 schedules at most."""
    return await client.schedules.ticks(begin, end, name)


@get("/schedules/{name:str}", name="schedules.get", responses=may_answer(404))
async def get_schedule(client: NamedDependency[Client], name: FromPath[str]) -> ScheduleAnswer:
    """One schedule."""
    return schedule_answer(await client.schedules.get(name))


@put(
    "/schedules/{name:str}",
    name="schedules.put",
    dto=Body[NewSchedule],
    return_dto=None,
    responses=may_answer(404, 409, 412, 413),
)
async def put_schedule(
    name: FromPath[str],
    data: JSONBody[NewSchedule],
    client: NamedDependency[Client],
    record: NamedDependency[Record],
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> ScheduleAnswer:
    """Add a schedule, or change the one with that name. It fires for ticks from now on.

    With If-Match, it is changed only if it has that hash, or with * if it is there; with If-None-Match: *, it
    is added only if there is none.
    """
    before = None
    with contextlib.suppress(ScheduleNotFound):
        record.before = before = schedule_answer(await client.schedules.get(name))
    info = await client.schedules.put_plan(
        name,
        data.workflow,
        _plan(data),
        data.input,
        version=data.version,
        origin=data.origin,
        replaces=replaced("" if before is None else before.hash, if_match, if_none_match),
    )
    record.after = schedule_answer(info)
    return record.after


class PlanToPreview(SchedulePlan, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str = ""
    """That of the schedule. It decides by how much jitter delays a tick."""
    count: Annotated[int, msgspec.Meta(ge=1, le=200)] = 10


@post(
    "/schedule-preview",
    name="schedules.preview",
    status_code=200,
    dto=Body[PlanToPreview],
    return_dto=None,
    responses=may_answer(413),
)
async def preview_plan(data: JSONBody[PlanToPreview], client: NamedDependency[Client]) -> PlanPreview:
    """When a schedule with this plan would fire next. Nothing is stored."""
    return await client.schedules.preview_plan(_plan(data), name=data.name, count=data.count)


@delete("/schedules/{name:str}", name="schedules.delete", status_code=204, responses=may_answer(404))
async def delete_schedule(
    client: NamedDependency[Client], record: NamedDependency[Record], name: FromPath[str]
) -> None:
    """Delete a schedule. Runs that it has started go on."""
    record.before = schedule_answer(await client.schedules.get(name))
    await client.schedules.delete(name)


@post("/schedules/{name:str}/pause", name="schedules.pause", status_code=200, responses=may_answer(404))
async def pause_schedule(client: NamedDependency[Client], name: FromPath[str]) -> ScheduleAnswer:
    """Start no runs until it is resumed. Ticks during a pause are not caught up."""
    return schedule_answer(await client.schedules.pause(name))


@post("/schedules/{name:str}/resume", name="schedules.resume", status_code=200, responses=may_answer(404))
async def resume_schedule(client: NamedDependency[Client], name: FromPath[str]) -> ScheduleAnswer:
    """Let a paused schedule go on."""
    return schedule_answer(await client.schedules.resume(name))


@post("/schedules/{name:str}/trigger", name="schedules.trigger", responses=may_answer(404))
async def trigger_schedule(client: NamedDependency[Client], name: FromPath[str]) -> StartedRun:
    """Start a run now, besides the plan."""
    return started(await client.schedules.trigger(name))


class Span(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    begin: FromQuery[dt.datetime]
    end: dt.datetime
    limit: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 1_000
    dry_run: bool = False


@post(
    "/schedules/{name:str}/backfill",
    name="schedules.backfill",
    dto=Body[Span],
    return_dto=None,
    responses=may_answer(404),
)
async def backfill_schedule(
    name: FromPath[str],
    data: JSONBody[Span],
    client: NamedDependency[Client],
    record: NamedDependency[Record],
) -> list[StartedRun] | BackfillPreview:
    """A run for every tick from `begin` on and before `end`. A tick that has one already gets no other. A dry
    run only says what would be started and what is there already."""
    if data.dry_run:
        preview = await client.schedules.preview_backfill(name, data.begin, data.end, limit=data.limit)
        record.after = {"dry_run": True, "ticks": preview.ticks, "new": preview.new}
        return preview
    runs = await client.schedules.backfill(name, data.begin, data.end, limit=data.limit)
    return [started(run) for run in runs]


@get("/schedules/{name:str}/upcoming", name="schedules.upcoming", responses=may_answer(404))
async def upcoming_runs(
    client: NamedDependency[Client], name: FromPath[str], limit: Limit = 10
) -> Page[UpcomingRun]:
    """The next runs that it will start, if it is not paused."""
    return Page(await client.schedules.preview(name, limit))


@get("/schedules/{name:str}/outage", name="schedules.outage", responses=may_answer(404))
async def preview_outage(
    client: NamedDependency[Client],
    name: FromPath[str],
    begin: FromQuery[dt.datetime],
    end: Annotated[dt.datetime, QueryParameter(description="No node was up from `begin` until then.")],
) -> CatchUpPreview:
    """What the schedule would do after an outage of all nodes."""
    return await client.schedules.preview_outage(name, begin, end)


ROUTES = [
    list_schedules,
    list_ticks,
    get_schedule,
    put_schedule,
    preview_plan,
    delete_schedule,
    pause_schedule,
    resume_schedule,
    trigger_schedule,
    backfill_schedule,
    upcoming_runs,
    preview_outage,
]


def _plan(data: SchedulePlan) -> Plan:
    return Plan.of(
        cron=data.cron,
        every=span("every", data.every),
        timezone=data.timezone,
        jitter=span("jitter", data.jitter),
        start=data.start,
        end=data.end,
        overlap=data.overlap,
        catchup=Catchup(data.catchup, data.catchup_most),
    )


def schedule_answer(info: ScheduleInfo) -> ScheduleAnswer:
    plan, table = info.plan, info.plan.timetable
    is_cron = isinstance(table, Cron)
    return ScheduleAnswer(
        name=info.name,
        workflow=info.workflow,
        input=info.input,
        plan=SchedulePlan(
            cron=table.expression if is_cron else None,
            timezone=table.timezone if is_cron else "UTC",
            every=None if is_cron else table.interval.total_seconds(),
            jitter=plan.jitter.total_seconds(),
            start=None if plan.start is None else moment(plan.start),
            end=None if plan.end is None else moment(plan.end),
            overlap=plan.overlap,
            catchup=plan.catchup.mode,
            catchup_most=plan.catchup.most,
        ),
        is_paused=info.is_paused,
        next_at=info.next_at,
        last_run=info.last_run,
        is_active=info.is_active,
        queued=info.queued,
        skipped=info.skipped,
        skip_note=info.skip_note,
        origin=info.origin,
        created_at=info.created_at,
        problem=info.problem,
        words=info.words,
        hash=info.hash,
    )
