"""What a schedule does at an instant, as a pure function of its state.

Every tick ends in one of two ways: a run is started for it, or it is skipped with a reason. Until then it may
wait in the schedule's queue. Nodes may call `decide` at any time and as often as they like. The answers are
the same, except for ticks that no node saw in time: `catchup` decides about those.
"""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from itertools import islice
from typing import Final, NamedTuple, assert_never

import msgspec

from holdfast.core.names import checked_name
from holdfast.core.timetable import CatchupMode, Overlap, Plan, fires_at
from holdfast.core.values import FIRST_INSTANT, Instant, instant, later, moment

GRACE: Final = dt.timedelta(seconds=60)
"""A tick that nobody saw for longer than this was missed. A busy node, or a lease that must expire first,
causes shorter delays."""

MOST_QUEUED: Final = 1000
"""How many ticks may wait for a run to end. It bounds the row of a schedule that always falls behind."""

LONGEST_SCHEDULE_NAME: Final = 200

_LOOKED_AHEAD: Final = dt.timedelta(days=400 * 366)
"""How far `preview` looks, from the first instant at which a tick can come. 400 years have a 29 February 97
times, and a Sunday on that day 13 times. Without a bound, a search for 200 such Sundays goes on until the
year 8156."""


class SkipReason(StrEnum):
    MISSED = "missed"
    """No node saw it in time, and `catchup` does not ask for it."""
    OVERLAP = "overlap"
    """The previous run had not ended."""
    REPLACED = "replaced"
    """A newer tick came before its run could start."""
    QUEUE_FULL = "queue_full"


class Skipped(msgspec.Struct, frozen=True):
    """Ticks for which no run is started: `count` of them, from `first` to `last`. Only missed ticks are
    reported together."""

    first: Instant
    last: Instant
    count: int
    reason: SkipReason


class ScheduleState(msgspec.Struct, frozen=True):
    """What a schedule remembers between two decisions.

    The cursor of a new schedule is the current instant. So it is when the plan changes, or when the schedule
    is resumed without catching up on the pause.
    """

    cursor: Instant
    """All ticks up to and including this instant are decided or queued."""
    queued: tuple[Instant, ...] = ()
    """Ticks that wait for the previous run to end, in order."""


class Decision(msgspec.Struct, frozen=True):
    start: list[Instant]
    """Ticks to start a run for, in order."""
    cancel: bool
    """Whether to cancel the active run."""
    skipped: list[Skipped]
    state: ScheduleState
    next_at: Instant | None
    """When to decide again. Queued ticks do not count: the end of the active run wakes the schedule."""


class DueTick(msgspec.Struct, frozen=True):
    tick: Instant
    at: Instant
    """When it fires: the tick plus jitter."""


def decide(name: str, plan: Plan, state: ScheduleState, now: Instant, *, is_active: bool) -> Decision:
    """What to do now. `is_active`: the last run that this schedule started has not ended."""
    due = _due(name, plan, state.cursor, now)
    waiting = [*state.queued, *due.counting]
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
            # Cancel once, when the tick comes. The run may take a while to end.
            cancel = tuple(queued) != state.queued
        case _:
            assert_never(plan.overlap)
    return Decision(
        start=start,
        cancel=cancel and is_active,
        skipped=skipped,
        state=ScheduleState(due.cursor, tuple(queued)),
        next_at=_next_at(name, plan, due.cursor),
    )


class _DueTicks(NamedTuple):
    counting: list[Instant]
    """The ticks that start a run, if `overlap` allows it."""
    skipped: list[Skipped]
    cursor: Instant


def _due(name: str, plan: Plan, cursor: Instant, now: Instant) -> _DueTicks:
    """The ticks after the cursor that have fired by now, with `catchup` applied to those that were missed.

    Ticks fire in order, each before the next tick. So of the ticks up to an instant, only the last may not
    have fired by then. That is why the work done here does not grow with the number of missed ticks.
    """
    first = plan.after(cursor)
    if first is None or first > now:
        return _DueTicks([], [], cursor)
    edge = later(now, -GRACE)
    for tick in plan.newest(cursor, edge, 1) if first <= edge else []:
        if fires_at(name, plan, tick) >= edge:
            edge = Instant(tick - 1)  # jitter made it fire later, so it was not missed
    since_edge = plan.ticks(Instant(max(cursor, edge)), now)
    on_time = [tick for tick in since_edge if fires_at(name, plan, tick) <= now]
    missed = plan.count(cursor, edge)
    kept = min(missed, _most_caught_up(plan, is_on_time=bool(on_time)))
    newest = plan.newest(cursor, edge, min(missed, kept + 1))
    counting = newest[len(newest) - kept :] + on_time
    skipped = [Skipped(first, newest[0], missed - kept, SkipReason.MISSED)] if missed > kept else []
    return _DueTicks(counting, skipped, [cursor, *newest, *on_time][-1])


def _most_caught_up(plan: Plan, *, is_on_time: bool) -> int:
    """How many of the missed ticks, the newest ones, still start a run."""
    match plan.catchup.mode:
        case CatchupMode.NONE:
            return 0
        case CatchupMode.LAST:
            # The tick that has just come is newer than every missed one, so it is the last. With `skip`, a
            # run for the last missed tick would even prevent its run.
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
    """The next `count` ticks to fire, or fewer if the plan ends or names fewer in 400 years. Ticks up to
    `cursor` are left out, even if jitter would make one fire later."""
    after = max(cursor, cursor_at(name, plan, now))
    begin = after if plan.start is None else max(after, plan.start)
    ticks = plan.ticks(after, later(begin, _LOOKED_AHEAD))
    return [DueTick(tick, fires_at(name, plan, tick)) for tick in islice(ticks, count)]


def after_outage(name: str, plan: Plan, begin: Instant, end: Instant) -> Decision:
    """The decision at `end` if no node was up since `begin` and no run is active."""
    return decide(name, plan, ScheduleState(cursor_at(name, plan, begin)), end, is_active=False)


def cursor_at(name: str, plan: Plan, now: Instant) -> Instant:
    """The cursor of a schedule that has decided every tick that has fired by now."""
    for tick in plan.newest(FIRST_INSTANT, now, 1):
        if fires_at(name, plan, tick) > now:
            return Instant(tick - 1)
    return now


def run_id(schedule: str, tick: Instant) -> str:
    """The id of the run for this tick. It is always the same, so a tick starts one run however many nodes
    try."""
    timespec = "microseconds" if tick % 1_000_000 else "seconds"
    return f"{schedule}@{moment(tick).replace(tzinfo=None).isoformat(timespec=timespec)}Z"


def tick_of(schedule: str, run: str) -> Instant | None:
    """The tick of a run by its id, as `run_id` makes it. None if the id is not of that form."""
    prefix, _, written = run.rpartition("@")
    if prefix != schedule or not written.endswith("Z"):
        return None
    try:
        tick = instant(dt.datetime.fromisoformat(written[:-1]).replace(tzinfo=dt.UTC))
    except ValueError:
        return None
    return tick if run_id(schedule, tick) == run else None


def checked_schedule_name(name: str) -> str:
    """The name as plain text. Raises BadOption if no run id can be made from it."""
    return checked_name("schedule", name, LONGEST_SCHEDULE_NAME)
