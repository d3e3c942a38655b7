"""Ticks of schedules: what became of each, and which come."""

from __future__ import annotations

import asyncio
import datetime as dt
import statistics
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Final

import msgspec

from holdfast.core.cron import clock_changes
from holdfast.core.ids import first_key_of
from holdfast.core.plan_words import plan_words
from holdfast.core.records import ScheduleRecord
from holdfast.core.scheduling import cursor_at, preview, run_id, tick_of
from holdfast.core.timetable import Cron, Plan, fires_at
from holdfast.core.values import Instant, RunStatus, instant, key_text, later, moment
from holdfast.errors import BadOption
from holdfast.ports.schedules import ScheduledRun, ScheduleStore

MOST_SCHEDULES: Final = 200
MOST_TICKS: Final = 200
MOST_SHOWN: Final = 100
_LONGEST: Final = dt.timedelta(days=400)
_AROUND_NOW: Final = dt.timedelta(hours=12)
_SAMPLE: Final = 30
"""How many of the newest runs say how long one typically takes."""
_SECOND: Final = 1_000_000
_YEAR: Final = 366 * 24 * 60 * 60
_YEARS_OF_CLOCK_CHANGES: Final = 10
"""Each year takes 2 ms: zoneinfo does not tell its changes, so each day is looked at."""
_LONGEST_OUTAGE: Final = dt.timedelta(days=10 * 366)
_LONGEST_BACKFILL: Final = dt.timedelta(days=100 * 366)
"""To count the ticks of a hundred years takes 0.2 s."""


class PastTick(msgspec.Struct, frozen=True):
    tick: dt.datetime
    """Of a run that was started by hand: when it was started."""
    run: str | None
    """The id of its run; None if it has none."""
    status: str
    """That of the run; else `skipped`, `queued` (the run before has not ended) or `due` (not fired yet)."""
    started_at: dt.datetime | None = None
    finished_at: dt.datetime | None = None
    took: float | None = None
    """In seconds; None if the run has not ended."""
    note: str = ""


class ComingTick(msgspec.Struct, frozen=True):
    tick: dt.datetime
    at: dt.datetime
    """When it fires: the tick plus jitter."""


class ClockChangeInfo(msgspec.Struct, frozen=True):
    at: dt.datetime
    before: int
    """The UTC offset before the change, in seconds."""
    after: int


class TicksOfSchedule(msgspec.Struct, frozen=True):
    name: str
    words: str
    """The plan in English."""
    past: list[PastTick]
    """The newest 200, the oldest of them first."""
    coming: list[ComingTick]
    """The next 200. None of them come while the schedule is paused."""
    clock_changes: list[ClockChangeInfo]
    """When the clocks of its time zone are changed in this time; if they are not, the next change within a
    year."""
    typical_took: float | None
    """Half of its last successful runs took no longer, in seconds. None: there are none."""
    is_all: bool
    """False: there are more ticks in this time."""


class ScheduleTicks(msgspec.Struct, frozen=True):
    begin: dt.datetime
    end: dt.datetime
    schedules: list[TicksOfSchedule]
    """By name."""
    is_all: bool
    """False: there are more than 200 schedules. Ask for one by its name."""


class PlanPreview(msgspec.Struct, frozen=True):
    """When a schedule with some plan would fire."""

    words: str
    """The plan in English."""
    coming: list[ComingTick]
    """Fewer than asked for if the plan ends, or has fewer ticks in 400 years."""
    clock_changes: list[ClockChangeInfo]
    """When the clocks of its time zone are changed until the last of these ticks, in the next ten years; if
    they are not, the next change within a year."""


class BackfillPreview(msgspec.Struct, frozen=True):
    """What a backfill would do."""

    ticks: int
    """How many ticks there are in the range."""
    new: int
    """For so many of them a run would be started."""
    existing: int
    """So many have a run already."""
    first: list[BackfillTick]
    """The first 100 ticks."""


class BackfillTick(msgspec.Struct, frozen=True):
    tick: dt.datetime
    run: str
    """The id of the run."""
    exists: bool


def tick_window(begin: dt.datetime | None, end: dt.datetime | None, now: Instant) -> tuple[Instant, Instant]:
    """From `begin` to `end`; twelve hours before and after now if not given. Raises BadOption."""
    first = later(now, -_AROUND_NOW) if begin is None else checked_instant("begin", begin)
    last = later(now, _AROUND_NOW) if end is None else checked_instant("end", end)
    if not first < last <= later(first, _LONGEST):
        raise BadOption("end", moment(last), f"after begin, {moment(first)}, and no more than 400 days later")
    return first, last


def checked_instant(option: str, given: object) -> Instant:
    """Raises BadOption."""
    if not isinstance(given, dt.datetime) or given.utcoffset() is None:
        raise BadOption(option, given, "a datetime with a time zone")
    return instant(given)


def checked_outage(begin: object, end: object) -> tuple[Instant, Instant]:
    """Raises BadOption."""
    first, last = checked_instant("begin", begin), checked_instant("end", end)
    if last < first:
        raise BadOption("end", end, f"no earlier than begin, {begin}")
    if last > later(first, _LONGEST_OUTAGE):
        raise BadOption("end", end, f"no more than ten years after begin, {begin}")
    return first, last


def ticks_to_fill(
    record: ScheduleRecord, plan: Plan, begin: object, end: object, limit: int
) -> list[tuple[Instant, str]]:
    """The ticks from `begin` on and before `end`, each with the id of its run. Takes up to 0.4 s, so it is
    called in a thread. Raises BadOption."""
    first, last = Instant(checked_instant("begin", begin) - 1), Instant(checked_instant("end", end) - 1)
    span = f"{begin} to {end}"
    if last > later(first, _LONGEST_BACKFILL):
        raise BadOption("the range", span, "one of at most a hundred years")
    count = plan.count(first, last)
    if count > limit:
        raise BadOption("the range", span, f"one with at most {limit:,} ticks; this has {count:,}")
    return [(tick, run_id(record.name, tick)) for tick in plan.ticks(first, last)]


def plan_preview(name: str, plan: Plan, now: Instant, count: int) -> PlanPreview:
    """The name decides by how much jitter delays a tick. Takes up to 0.3 s, so it is called in a thread.
    Raises BadOption."""
    if type(count) is not int or not 1 <= count <= MOST_TICKS:
        raise BadOption("count", count, f"a whole number from 1 to {MOST_TICKS}")
    found = preview(name, plan, now, count)
    end = found[-1].tick if found else now
    coming = [ComingTick(moment(each.tick), moment(each.at)) for each in found]
    until = Instant(min(end, now + _YEARS_OF_CLOCK_CHANGES * _YEAR * _SECOND))
    zone = plan.timetable.zone if isinstance(plan.timetable, Cron) else None
    return PlanPreview(plan_words(plan), coming, [] if zone is None else _clock_changes(zone, now, until))


class TickReader:
    """Reads what became of the ticks of some schedules in a span of time."""

    def __init__(self, store: ScheduleStore, namespace: str, now: Instant) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now

    async def read(
        self, schedules: Sequence[tuple[ScheduleRecord, Plan]], begin: Instant, end: Instant
    ) -> list[TicksOfSchedule]:
        names = [record.name for record, _ in schedules]
        since, before = first_key_of(begin), first_key_of(Instant(end + _SECOND))
        rows = await self._store.list_scheduled_runs(self._namespace, names, since, before, MOST_TICKS + 1)
        sample = await self._store.list_scheduled_runs(
            self._namespace, names, first_key_of(Instant(0)), None, _SAMPLE
        )

        def all_planned() -> dict[str, list[Instant]]:
            return {record.name: self._planned(record, plan, begin, end) for record, plan in schedules}

        # In threads: the ticks of 200 schedules would hold up the event loop.
        planned = await asyncio.to_thread(all_planned)
        runs = _by_schedule([*rows, *await self._started_later(planned, rows, end)])
        samples = _by_schedule(sample)

        def all_told() -> list[TicksOfSchedule]:
            @cache
            def changes_in(zone: dt.tzinfo) -> list[ClockChangeInfo]:
                # Many schedules have the same zone, and the search takes 3 ms.
                return _clock_changes(zone, begin, end)

            return [
                self._told(
                    record,
                    plan,
                    planned[record.name],
                    runs,
                    samples,
                    begin,
                    end,
                    changes_in(plan.timetable.zone) if isinstance(plan.timetable, Cron) else [],
                )
                for record, plan in schedules
            ]

        return await asyncio.to_thread(all_told)

    def _told(
        self,
        record: ScheduleRecord,
        plan: Plan,
        planned: list[Instant],
        runs: Mapping[str, list[ScheduledRun]],
        samples: Mapping[str, list[ScheduledRun]],
        begin: Instant,
        end: Instant,
        changes: list[ClockChangeInfo],
    ) -> TicksOfSchedule:
        past = _past(record, planned, runs.get(record.name, []), begin, end)
        coming = self._coming(record, plan, begin, end)
        took = [_took(row) for row in samples.get(record.name, []) if row.status == "success"]
        known = [each for each in took if each is not None]
        return TicksOfSchedule(
            record.name,
            plan_words(plan),
            past[-MOST_TICKS:],
            coming[:MOST_TICKS],
            changes,
            statistics.median(known) if known else None,
            len(past) <= MOST_TICKS and len(coming) <= MOST_TICKS,
        )

    def _planned(self, record: ScheduleRecord, plan: Plan, begin: Instant, end: Instant) -> list[Instant]:
        """The newest ticks that have fired or should have, since there is the schedule."""
        after = Instant(max(begin - 1, record.created_at))
        until = Instant(min(end, cursor_at(record.name, plan, self._now)))
        return plan.newest(after, until, MOST_TICKS + 1) if after < until else []

    async def _started_later(
        self, planned: Mapping[str, list[Instant]], known: list[ScheduledRun], end: Instant
    ) -> list[ScheduledRun]:
        """Runs of ticks of this time that were started after it: caught up, or queued for long."""
        if end >= self._now:
            return []
        have = {row.id for row in known}
        ids = {run_id(name, tick): name for name, ticks in planned.items() for tick in ticks}
        missing = [id for id in ids if id not in have]
        keys = await self._store.find_keys(self._namespace, missing) if missing else {}
        runs = await self._store.find_runs(self._namespace, list(keys.values())) if keys else []
        return [
            ScheduledRun(ids[it.id], it.key, it.id, it.status, it.created_at, it.started_at, it.finished_at)
            for it in runs
            if it.id is not None
        ]

    def _coming(self, record: ScheduleRecord, plan: Plan, begin: Instant, end: Instant) -> list[ComingTick]:
        if record.is_paused:
            return []
        name, now = record.name, self._now
        after = Instant(max(record.cursor, cursor_at(name, plan, now), begin - 1))
        ticks = islice(plan.ticks(after, end), MOST_TICKS + 1)
        return [ComingTick(moment(tick), moment(fires_at(name, plan, tick))) for tick in ticks]


def _by_schedule(runs: Iterable[ScheduledRun]) -> dict[str, list[ScheduledRun]]:
    found: dict[str, list[ScheduledRun]] = {}
    for run in runs:
        found.setdefault(run.schedule, []).append(run)
    return found


def _past(
    record: ScheduleRecord,
    planned: list[Instant],
    runs: Sequence[ScheduledRun],
    begin: Instant,
    end: Instant,
) -> list[PastTick]:
    # If no tick was ever skipped, one that has no run is from before the plan, or from a pause that is over.
    ticks = {
        tick: _without_run(record, tick)
        for tick in planned
        if record.skipped or tick > record.cursor or tick in record.queued
    }
    by_hand: list[PastTick] = []
    for run in runs:
        tick = None if run.id is None else tick_of(record.name, run.id)
        if tick is None:
            by_hand.append(_with_run(run.created_at, run, "started by hand"))
        elif begin <= tick <= end:
            ticks[tick] = _with_run(tick, run, "")
    return sorted([*ticks.values(), *by_hand], key=lambda each: each.tick)


def _with_run(tick: Instant, run: ScheduledRun, note: str) -> PastTick:
    return PastTick(
        moment(tick),
        run.id or key_text(run.key),
        run.status,
        None if run.started_at is None else moment(run.started_at),
        None if run.finished_at is None else moment(run.finished_at),
        _took(run),
        note,
    )


def _without_run(record: ScheduleRecord, tick: Instant) -> PastTick:
    status, note = "skipped", "no run was started, or it has been deleted"
    if tick in record.queued:
        status, note = "queued", "waits until the run before has ended"
    elif tick > record.cursor:
        status, note = "due", "no node has fired it yet"
        if record.is_paused:
            status, note = "skipped", "the schedule is paused"
    return PastTick(moment(tick), None, status, note=note)


def _took(run: ScheduledRun) -> float | None:
    if run.started_at is None or run.finished_at is None or not RunStatus(run.status).is_final:
        return None
    return max(0, run.finished_at - run.started_at) / _SECOND


def _clock_changes(zone: dt.tzinfo, begin: Instant, end: Instant) -> list[ClockChangeInfo]:
    first, last = begin // _SECOND, end // _SECOND
    found = list(clock_changes(zone, first, last)) or list(islice(clock_changes(zone, last, last + _YEAR), 1))
    return [ClockChangeInfo(moment(Instant(it.at * _SECOND)), it.before, it.after) for it in found]
