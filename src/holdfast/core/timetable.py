"""When a schedule fires: a timetable with its bounds, as a value. No clock is read here.

A *tick* is an instant that the timetable names, and it identifies the run that is started for it. The tick
may fire a little later, by jitter: see `fires_at`.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, TypeAlias, TypeVar, assert_never, cast

import msgspec

from holdfast.core.cron import cron_clock, time_zone
from holdfast.core.mistakes import Mistakes
from holdfast.core.names import checked_span, written_span
from holdfast.core.policies import LONGEST_DELAY, make_plain
from holdfast.core.values import LAST_INSTANT, Instant, instant, is_instant, microseconds, moment
from holdfast.errors import BadOption

MOST_CAUGHT_UP: Final = 1000
"""How many missed ticks a schedule can catch up on at most. Backfill is for more."""

_SECOND: Final = 1_000_000
_NO_TIME: Final = dt.timedelta(0)
_SHORTEST_INTERVAL: Final = dt.timedelta(seconds=1)

_FEW: Final = 1000
"""How many ticks more than asked for `Plan.newest` may generate."""


class Cron(msgspec.Struct, frozen=True, tag="cron"):
    """The times that a cron expression names in a time zone.

    The expression has five fields (minute, hour, day of month, month, day of week), or six with seconds
    first, or it is one of @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly. Names of
    months and days may be in upper or lower case.
    """

    expression: str
    timezone: str = "UTC"

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        expression: Any = self.expression
        if not isinstance(expression, str):
            mistakes.add("cron", expression, "text, such as '0 2 * * *'")
        timezone: Any = self.timezone
        if not isinstance(timezone, str):
            mistakes.add("timezone", timezone, "the name of a time zone, such as 'Europe/Berlin'")
        mistakes.raise_if_any()
        make_plain(self)
        cron_clock(self.expression, self.timezone)

    @property
    def zone(self) -> dt.tzinfo:
        return time_zone(self.timezone)

    def ticks(self, after: Instant, until: Instant) -> Iterator[Instant]:
        clock = cron_clock(self.expression, self.timezone)
        return (Instant(tick * _SECOND) for tick in clock.ticks(after // _SECOND, until // _SECOND))

    def count(self, after: Instant, until: Instant) -> int:
        return cron_clock(self.expression, self.timezone).count(after // _SECOND, until // _SECOND)


class Every(msgspec.Struct, frozen=True, tag="every"):
    """Multiples of an interval, counted from the plan's start, or from 1970-01-01 UTC if it has none.

    It measures elapsed time, so daylight saving time makes no difference.
    """

    interval: dt.timedelta

    def __post_init__(self) -> None:
        interval = checked_span("every", self.interval)
        if not _SHORTEST_INTERVAL <= interval <= LONGEST_DELAY:
            raise BadOption("every", interval, "between one second and a hundred years")
        make_plain(self)

    def ticks(self, base: Instant, after: Instant, until: Instant) -> Iterator[Instant]:
        step = microseconds(self.interval)
        return map(Instant, range(base + ((after - base) // step + 1) * step, until + 1, step))

    def count(self, base: Instant, after: Instant, until: Instant) -> int:
        step = microseconds(self.interval)
        return max(0, (until - base) // step - (after - base) // step)


Timetable: TypeAlias = Cron | Every


class Overlap(StrEnum):
    """What to do when a tick comes and the schedule's previous run has not ended."""

    SKIP = "skip"
    ALLOW = "allow"
    QUEUE = "queue"
    CANCEL_PREVIOUS = "cancel_previous"


class CatchupMode(StrEnum):
    NONE = "none"
    LAST = "last"
    ALL = "all"


class Catchup(msgspec.Struct, frozen=True):
    """Which missed ticks still start a run. A tick is missed if no node was up to see it."""

    mode: CatchupMode = CatchupMode.LAST
    most: int = 100
    """With `all`, how many of the newest missed ticks."""

    def __post_init__(self) -> None:
        mode: Any = self.mode
        if not isinstance(mode, CatchupMode):
            raise BadOption("catchup", mode, _one_of(CatchupMode))
        most: Any = self.most
        if type(most) is not int or not 1 <= most <= MOST_CAUGHT_UP:
            raise BadOption(
                "catchup", most, f"at least 1 and at most {MOST_CAUGHT_UP} ticks; backfill the rest"
            )


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides when a schedule fires. Raises BadOption that lists all mistakes."""

    timetable: Timetable
    jitter: dt.timedelta = _NO_TIME
    start: Instant | None = None
    """Inclusive."""
    end: Instant | None = None
    """Inclusive."""
    overlap: Overlap = Overlap.SKIP
    catchup: Catchup = Catchup()

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        timetable: Any = self.timetable
        if not isinstance(timetable, Cron | Every):
            mistakes.add("timetable", timetable, "a Cron or an Every")
        mistakes.read(_check_jitter, self.jitter, timetable)
        mistakes.read(_check_bounds, self.start, self.end)
        overlap: Any = self.overlap
        if not isinstance(overlap, Overlap):
            mistakes.add("overlap", overlap, _one_of(Overlap))
        catchup: Any = self.catchup
        if not isinstance(catchup, Catchup):
            mistakes.add("catchup", catchup, "a Catchup")
        mistakes.raise_if_any()
        # Not make_plain: it would turn the overlap, an enum, into a string.
        jitter = self.jitter
        plain = dt.timedelta(jitter.days, jitter.seconds, jitter.microseconds)
        msgspec.structs.force_setattr(self, "jitter", plain)

    @classmethod
    def of(
        cls,
        *,
        cron: str | None = None,
        every: dt.timedelta | None = None,
        timezone: str = "UTC",
        jitter: dt.timedelta | None = None,
        start: dt.datetime | None = None,
        end: dt.datetime | None = None,
        overlap: str = "skip",
        catchup: str | Mapping[str, int] | Catchup = "last",
    ) -> Plan:
        """A plan from what users write. Takes either `cron` or `every`. `catchup` is "none", "last", "all",
        or {"all": 10} for the newest 10. Raises BadOption that lists all mistakes."""
        mistakes = Mistakes()
        # A default replaces each wrong value, so that the others can still be checked.
        plan = mistakes.read(
            cls,
            timetable=_timetable(cron, every, timezone, mistakes) or _ANY_TIMETABLE,
            jitter=_NO_TIME if jitter is None else jitter,
            start=mistakes.read(_instant, "start", start),
            end=mistakes.read(_instant, "end", end),
            overlap=mistakes.read(_member, Overlap, "overlap", overlap) or Overlap.SKIP,
            catchup=mistakes.read(_catchup, catchup) or Catchup(),
        )
        mistakes.raise_if_any()
        return cast("Plan", plan)

    def after(self, at: Instant) -> Instant | None:
        """The first tick later than `at`; None if there is none. Cron looks 50 years ahead."""
        return next(self.ticks(at, LAST_INSTANT), None)

    def ticks(self, after: Instant, until: Instant) -> Iterator[Instant]:
        """The ticks t with after < t <= until, in order, generated lazily."""
        after, until = self._within(after, until)
        match self.timetable:
            case Cron() as cron:
                return cron.ticks(after, until)
            case Every() as every:
                return every.ticks(self.start or Instant(0), after, until)
            case _:
                assert_never(self.timetable)

    def count(self, after: Instant, until: Instant) -> int:
        """The number of ticks t with after < t <= until. Does not generate them."""
        after, until = self._within(after, until)
        match self.timetable:
            case Cron() as cron:
                return cron.count(after, until)
            case Every() as every:
                return every.count(self.start or Instant(0), after, until)
            case _:
                assert_never(self.timetable)

    def newest(self, after: Instant, until: Instant, most: int) -> list[Instant]:
        """The last `most` of the ticks t with after < t <= until, in order. Does not generate the others."""
        after, until = self._within(after, until)
        # Look back four times as far each time until there are enough ticks. If there are far too many,
        # bisect. Ticks are at least a second apart, so the first reach has few enough.
        reach = (most + _FEW) * _SECOND
        begin = near = until
        while begin > after and self.count(begin, until) < most:
            begin, near = Instant(max(after, until - reach)), begin
            reach *= 4
        while self.count(begin, until) > most + _FEW:
            middle = Instant((begin + near) // 2)
            if self.count(middle, until) < most:
                near = middle
            else:
                begin = middle
        return list(self.ticks(begin, until))[-most:] if most else []

    def _within(self, after: Instant, until: Instant) -> tuple[Instant, Instant]:
        first = after if self.start is None else max(after, self.start - 1)
        last = until if self.end is None else min(until, self.end)
        return Instant(first), Instant(min(last, LAST_INSTANT))


_ANY_TIMETABLE: Final = Every(LONGEST_DELAY)


def _timetable(cron: Any, every: Any, timezone: Any, mistakes: Mistakes) -> Timetable | None:
    if (cron is None) == (every is None):
        mistakes.add("schedule", {"cron": cron, "every": every}, "given by either cron or every")
    elif every is not None and timezone != "UTC":
        mistakes.add("timezone", timezone, "left out beside every, which is the same in all time zones")
    by_interval = None if every is None else mistakes.read(Every, every)
    if cron is None and every is not None:
        return by_interval
    return mistakes.read(Cron, "@daily" if cron is None else cron, timezone)


def _check_jitter(jitter: Any, timetable: Any) -> None:
    checked_span("jitter", jitter)
    if not _NO_TIME <= jitter <= LONGEST_DELAY:
        raise BadOption("jitter", jitter, "between zero and a hundred years")
    if isinstance(timetable, Every) and jitter > timetable.interval:
        raise BadOption("jitter", jitter, f"no longer than the interval, {written_span(timetable.interval)}")


def _check_bounds(start: Any, end: Any) -> None:
    mistakes = Mistakes()
    for name, at in (("start", start), ("end", end)):
        if at is not None and not (type(at) is int and is_instant(at)):
            mistakes.add(name, at, "an instant between the years 1 and 9999")
    mistakes.raise_if_any()
    if start is not None and end is not None and end < start:
        raise BadOption("end", moment(end), f"no earlier than start, {moment(start)}")


def fires_at(name: str, plan: Plan, tick: Instant) -> Instant:
    """When the tick fires: the tick plus a share of `plan.jitter` that depends on schedule name and tick.

    So all nodes agree, and schedules with the same cron expression do not all fire at once. A tick always
    fires before the next tick: if that is nearer than the jitter, the distance to it is shared instead.
    """
    if not plan.jitter:
        return tick
    room = microseconds(plan.jitter)
    following = plan.after(tick)
    if following is not None:
        room = min(room, following - tick)
    digest = hashlib.blake2b(f"{tick} {name}".encode(), digest_size=8).digest()
    return Instant(tick + (int.from_bytes(digest) * room >> 64))


def _instant(option: str, given: Any) -> Instant | None:
    if given is None:
        return None
    if not isinstance(given, dt.datetime) or given.utcoffset() is None:
        raise BadOption(option, given, "a datetime with a time zone")
    return instant(given)


_Member = TypeVar("_Member", bound=StrEnum)


def _member(kind: type[_Member], option: str, value: Any) -> _Member:
    try:
        return kind(value)
    except ValueError:
        raise BadOption(option, value, _one_of(kind)) from None


def _one_of(kind: type[StrEnum]) -> str:
    return "one of " + ", ".join(repr(member.value) for member in kind)


def _catchup(given: Any) -> Catchup:
    if isinstance(given, Catchup):
        return given
    match given:
        case "none" | "last" | "all":
            return Catchup(CatchupMode(given))
        case {"all": most, **others} if not others:
            return Catchup(CatchupMode.ALL, most)
        case _:
            raise BadOption(
                "catchup", given, 'one of "none", "last", "all", or {"all": 10} for the newest 10'
            )
