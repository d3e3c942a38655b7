"""What a schedule does at an instant, as a pure function of where it stands.

Every tick has one end: a run is started for it, or it is skipped with a reason. Between, it may wait in the
queue of its schedule. Nodes may look at any time and as often as they like: that changes no answer, but for
what catch-up says of ticks at which nobody looked in time.
"""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from itertools import islice
from typing import Final, NamedTuple, assert_never

import msgspec

from holdfast.core.names import is_name
from holdfast.core.timetable import CatchupMode, Overlap, Plan, fires_at
from holdfast.core.values import FIRST_INSTANT, LAST_INSTANT, Instant, later, moment
from holdfast.errors import BadOption

GRACE: Final = dt.timedelta(seconds=60)
"""A tick that is later than this was missed. Less is a node that was busy, or a lease that had to run out."""

MOST_QUEUED: Final = 1000
"""How many ticks may wait for a run to end. A schedule that falls behind for ever must not grow for ever."""

LONGEST_SCHEDULE_NAME: Final = 200


class SkipReason(StrEnum):
    MISSED = "missed"
    """Nobody was there in time, and catch-up says to let it go."""
    OVERLAP = "overlap"
    """The run before it had not ended."""
    REPLACED = "replaced"
    """A newer tick came before it could be started."""
    QUEUE_FULL = "queue_full"


class Skipped(msgspec.Struct, frozen=True):
    """A tick for which no run is started; or of those missed, all from `first` to `last`: `count` of them."""

    first: Instant
    last: Instant
    count: int
    reason: SkipReason


class Standing(msgspec.Struct, frozen=True):
    """What is remembered of a schedule between two looks at it.

    A schedule that is new, or whose plan has changed, or that is resumed without making up for the pause,
    starts with the instant of that as its cursor.
    """

    cursor: Instant
    """All ticks up to and including it are dealt with, or queued."""
    queued: tuple[Instant, ...] = ()
    """Ticks that wait for the run before them to end, in order."""


class Decision(msgspec.Struct, frozen=True):
    start: list[Instant]
    """Ticks to start a run for, in order."""
    cancel: bool
    """Whether to ask the run that is active to end."""
    skipped: list[Skipped]
    standing: Standing
    next_at: Instant | None
    """When to look again. A tick in the queue needs no time: the end of the active run wakes the schedule."""


class DueTick(msgspec.Struct, frozen=True):
    tick: Instant
    at: Instant


def decide(name: str, plan: Plan, standing: Standing, now: Instant, *, is_active: bool) -> Decision:
    """What to do now. `is_active`: the last run that this schedule started has not ended."""
    due = _due(name, plan, standing.cursor, now)
    waiting = [*standing.queued, *due.counting]
    start: list[Instant] = []
    queued: list[Instant] = []
    skipped = due.skipped.copy()
    cancel = False
    match plan.overlap:
        case Overlap.ALLOW:
            start = waiting
        case Overlap.SKIP:
            start = [] if is_active else waiting[:1]
            skipped += _each(waiting[len(start) :], SkipReason.OVERLAP)
        case Overlap.QUEUE:
            start = [] if is_active else waiting[:1]
            rest = waiting[len(start) :]
            queued = rest[-MOST_QUEUED:]
            skipped += _each(rest[:-MOST_QUEUED], SkipReason.QUEUE_FULL)
        case Overlap.CANCEL_PREVIOUS:
            newest = waiting[-1:]
            start, queued = ([], newest) if is_active else (newest, [])
            skipped += _each(waiting[:-1], SkipReason.REPLACED)
            # Asked for once, when the tick comes: the run may take its time to end.
            cancel = tuple(queued) != standing.queued
        case _:
            assert_never(plan.overlap)
    return Decision(
        start=start,
        cancel=cancel and is_active,
        skipped=skipped,
        standing=Standing(due.cursor, tuple(queued)),
        next_at=_next_at(name, plan, due.cursor),
    )


class _DueTicks(NamedTuple):
    counting: list[Instant]
    """The ticks for which a run is to be started, if overlap lets it."""
    skipped: list[Skipped]
    cursor: Instant


def _due(name: str, plan: Plan, cursor: Instant, now: Instant) -> _DueTicks:
    """The ticks after the cursor that have fired by now, and what catch-up says of those that were missed.

    Ticks fire in order, each before the next one comes. So of the ticks up to some instant, all have fired by
    then but for the last, perhaps; and the work to be done here does not grow with how many were missed.
    """
    first = plan.after(cursor)
    if first is None or first > now:
        return _DueTicks([], [], cursor)
    edge = later(now, -GRACE)
    for tick in plan.newest(cursor, edge, 1) if first <= edge else []:
        if fires_at(name, plan, tick) >= edge:
            edge = Instant(tick - 1)  # by jitter, it is not one of those that were missed
    since_edge = plan.ticks(Instant(max(cursor, edge)), now)
    on_time = [tick for tick in since_edge if fires_at(name, plan, tick) <= now]
    missed = plan.count(cursor, edge)
    kept = min(missed, _made_up_for(plan, is_on_time=bool(on_time)))
    newest = plan.newest(cursor, edge, min(missed, kept + 1))
    counting = newest[len(newest) - kept :] + on_time
    skipped = [Skipped(first, newest[0], missed - kept, SkipReason.MISSED)] if missed > kept else []
    return _DueTicks(counting, skipped, [cursor, *newest, *on_time][-1])


def _made_up_for(plan: Plan, *, is_on_time: bool) -> int:
    """How many of the missed ticks count, the newest."""
    match plan.catchup.mode:
        case CatchupMode.NONE:
            return 0
        case CatchupMode.LAST:
            # A tick that has just come is later than all that were missed. To start the one before it would
            # make up for nothing, and with `skip` it would stand in the way.
            return 0 if is_on_time else 1
        case CatchupMode.ALL:
            return plan.catchup.most
        case _:
            assert_never(plan.catchup.mode)


def _next_at(name: str, plan: Plan, cursor: Instant) -> Instant | None:
    tick = plan.after(cursor)
    return None if tick is None else fires_at(name, plan, tick)


def _each(ticks: list[Instant], reason: SkipReason) -> list[Skipped]:
    return [Skipped(tick, tick, 1, reason) for tick in ticks]


# --- looking ahead


def preview(
    name: str, plan: Plan, now: Instant, count: int, cursor: Instant = FIRST_INSTANT
) -> list[DueTick]:
    """The next `count` firings, or as many as there are. Ticks up to `cursor` are dealt with, also those that
    would fire later."""
    ticks = plan.ticks(max(cursor, _dealt_with(name, plan, now)), LAST_INSTANT)
    return [DueTick(tick, fires_at(name, plan, tick)) for tick in islice(ticks, count)]


def after_outage(name: str, plan: Plan, begin: Instant, end: Instant) -> Decision:
    """What would be done at `end`, if nobody had looked since `begin` and nothing is active."""
    return decide(name, plan, Standing(_dealt_with(name, plan, begin)), end, is_active=False)


def _dealt_with(name: str, plan: Plan, now: Instant) -> Instant:
    """The cursor of a schedule for which all is done that has fired by now."""
    for tick in plan.newest(FIRST_INSTANT, now, 1):
        if fires_at(name, plan, tick) > now:
            return Instant(tick - 1)
    return now


def run_id(schedule: str, tick: Instant) -> str:
    """The id of the run that the tick starts: one, however many nodes try, and however often."""
    timespec = "microseconds" if tick % 1_000_000 else "seconds"
    return f"{schedule}@{moment(tick).replace(tzinfo=None).isoformat(timespec=timespec)}Z"


def checked_schedule_name(name: str) -> str:
    """The name as plain text. Raises BadOption if it is one from which no run id could be made."""
    if not is_name(name) or len(name) > LONGEST_SCHEDULE_NAME:
        raise BadOption(
            "schedule",
            name,
            f"text of 1 to {LONGEST_SCHEDULE_NAME} characters that UTF-8 can carry, without NUL",
        )
    return str.__str__(name)
