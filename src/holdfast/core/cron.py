"""Cron expressions in a time zone: the times they name, and the instants of those times.

There are two steps. A `Pattern` knows no time zones: it finds and counts times on a wall clock. `CronClock`
cuts time wherever the zone's UTC offset changes. In each piece, a time on the wall clock is an instant plus a
fixed offset. `OffsetPeriod.wall` alone holds the rule for days on which the offset changes.

In this file an instant is in whole seconds since 1970 UTC, because cron has no smaller unit. A time on the
wall clock is in the same unit, as if the wall clock showed UTC.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
import zoneinfo
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import Final, NamedTuple, cast

from cronsim import CronSim, CronSimError

from holdfast.core.mistakes import Mistakes
from holdfast.errors import BadOption

NICKNAMES: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}

_FIELDS: Final = {
    "second": "0 to 59, as in '0' or '*/10'",
    "minute": "0 to 59, as in '0,30' or '*/15'",
    "hour": "0 to 23, as in '2', '9-17' or '*/6'",
    "day-of-month": "1 to 31, L (the last) or LW (the last from Monday to Friday), as in '1,15'",
    "month": "1 to 12 or JAN to DEC, as in 'JAN,JUL' or '*/3'",
    "day-of-week": "0 to 7 or SUN to SAT (0 and 7 are Sunday), as in 'MON-FRI', '5L' (the last Friday of the "
    "month) or '1#2' (its second Monday)",
}

_LONGEST_EXPRESSION: Final = 1000
_DAY: Final = 86_400
_YEAR_2000: Final = 946_684_800
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_EPOCH_ORDINAL: Final = dt.date(1970, 1, 1).toordinal()

# A month from either end of the calendar. Nearer to the ends, some dates have no next month or are out of
# range in some time zone.
_FIRST: Final = -62_135_596_800 + 32 * _DAY
_LAST: Final = 253_402_300_799 - 32 * _DAY

_FARTHEST: Final = 50 * 366 * _DAY
"""How far to look for the next tick. The longest real gap is 40 years: for a 29 February on a given day of
the week, around the year 2100, which has no 29 February."""

_WINDOW: Final = 2 * _DAY
"""More than the largest UTC offset and the largest change of one (a day, at the date line) together."""


# --- on a wall clock


class Pattern:
    """The times that an expression names on a wall clock without offset changes.

    cronsim reads the expression and decides which days match. It knows all the rules: L, LW, #, and whether
    the two fields for days are joined by *and* or by *or*. The times of a day are the product of three sets.
    """

    def __init__(self, expression: str) -> None:
        read = CronSim(expression, _EPOCH)
        self._hours = sorted(read.hours)
        self._minutes = sorted(read.minutes)
        self._seconds = sorted(read.seconds)
        self._months = read.months
        self._matches = read.match_day
        self._times_a_day = prod(map(len, (self._hours, self._minutes, self._seconds)))
        self.is_fixed = not any(field.startswith("*") for field in read.parts[:3])
        """Whether it names times of day (02:30), not an interval (every 15 minutes)."""

    def first(self, wall: int, before: int) -> int | None:
        """The first time it names in [wall, before)."""
        days = self._days(wall // _DAY, (before - 1) // _DAY)
        for day in days:
            time = self._first_time(wall % _DAY) if day == wall // _DAY else self._first_time(0)
            if time is not None:
                found = day * _DAY + time
                return found if found < before else None
        return None

    def count(self, wall: int, before: int) -> int:
        """How many times it names in [wall, before)."""
        if wall >= before:
            return 0
        days = sum(1 for _ in self._days(wall // _DAY, before // _DAY - 1))
        return days * self._times_a_day - self._times_before(wall) + self._times_before(before)

    def _days(self, first: int, last: int) -> Iterator[int]:
        """The days that match, both ends included, as days since 1970."""
        day = first
        while day <= last:
            date = dt.date.fromordinal(_EPOCH_ORDINAL + day)
            if date.month not in self._months:
                in_next_month = date.replace(day=28) + dt.timedelta(days=4)
                day = in_next_month.replace(day=1).toordinal() - _EPOCH_ORDINAL
                continue
            if self._matches(date):
                yield day
            day += 1

    def _first_time(self, time: int) -> int | None:
        """The first time of a day, in seconds, that is `time` or later."""
        hour, minute, second = time // 3600, time // 60 % 60, time % 60
        if hour in self._hours:
            if minute in self._minutes and second <= self._seconds[-1]:
                return time - second + self._seconds[bisect_left(self._seconds, second)]
            if minute < self._minutes[-1]:
                later = self._minutes[bisect_right(self._minutes, minute)]
                return hour * 3600 + later * 60 + self._seconds[0]
        if hour < self._hours[-1]:
            later = self._hours[bisect_right(self._hours, hour)]
            return later * 3600 + self._minutes[0] * 60 + self._seconds[0]
        return None

    def _times_before(self, wall: int) -> int:
        """How many times it names before `wall` on the same day."""
        day, time = divmod(wall, _DAY)
        if next(self._days(day, day), None) is None:
            return 0
        hour, minute, second = time // 3600, time // 60 % 60, time % 60
        count = bisect_left(self._hours, hour) * len(self._minutes) * len(self._seconds)
        if hour in self._hours:
            count += bisect_left(self._minutes, minute) * len(self._seconds)
            if minute in self._minutes:
                count += bisect_left(self._seconds, second)
        return count


# --- in a time zone


class OffsetPeriod(NamedTuple):
    """A piece of time with one UTC offset: the instants from `begin` to just before `end`.

    Its wall clock times run from `wall` to just before `end + offset`. Times before `begin + offset` were
    never shown, because the clocks were set forward over them. Together they fire once, at `begin`.
    """

    begin: int
    end: int
    offset: int
    wall: int


class CronClock:
    """When an expression fires in a time zone.

    An expression that names an interval follows the wall clock: a time that occurs twice fires twice, and a
    time that is left out does not fire. An expression that names times of day fires once for each: a time
    that occurs twice fires the first time, and a time that is left out fires when the clocks are set forward.
    """

    def __init__(self, pattern: Pattern, zone: dt.tzinfo) -> None:
        self._pattern = pattern
        self._zone = zone

    def ticks(self, after: int, until: int) -> Iterator[int]:
        """The instants t with after < t <= until, in order. Stops at a gap of 50 years."""
        begin = latest = max(after, _FIRST)
        until = min(until, _LAST)
        while begin < min(until, latest + _FARTHEST):
            end = min(begin + _WINDOW, until)
            for period in self._periods(begin, end):
                for latest in self._ticks_in(period, begin):
                    yield latest
            begin = end if latest > begin else self._search_from(end, latest + _FARTHEST)

    def count(self, after: int, until: int) -> int:
        """How many instants `ticks` would give, without generating them."""
        after, until = max(after, _FIRST), min(until, _LAST)
        if after >= until:
            return 0
        count = 0
        for period in self._periods(after, until):
            wall, end = self._first_wall(period, after), period.end + period.offset
            shown = max(wall, period.begin + period.offset + 1)
            if wall < shown:  # the times that were left out and the first one shown: one tick
                count += self._pattern.first(wall, min(shown, end)) is not None
            count += self._pattern.count(shown, end)
        return count

    def _ticks_in(self, period: OffsetPeriod, after: int) -> Iterator[int]:
        wall, end = self._first_wall(period, after), period.end + period.offset
        while (found := self._pattern.first(wall, end)) is not None:
            tick = max(found - period.offset, period.begin)
            yield tick
            wall = tick + period.offset + 1

    def _first_wall(self, period: OffsetPeriod, after: int) -> int:
        """The first wall clock time of the period whose instant is later than `after`."""
        return period.wall if after < period.begin else max(period.wall, after + period.offset + 1)

    def _search_from(self, end: int, farthest: int) -> int:
        """An instant from which to search on: at least `end`, and before the next tick."""
        # After `end`, no zone's clock shows a time before `end - _WINDOW`.
        wall = self._pattern.first(end - _WINDOW, min(farthest, _LAST))
        return farthest if wall is None else max(end, wall - _WINDOW)

    def _periods(self, begin: int, end: int) -> Iterator[OffsetPeriod]:
        """The pieces of the time after `begin` up to and including `end`. The first may begin earlier."""
        # If the clocks were set back just before, we must know which times had been shown by then.
        start = begin - _WINDOW if self._pattern.is_fixed else begin
        offset = _offset(self._zone, start)
        wall = start + offset
        for change in _changes(self._zone, start, end):
            yield OffsetPeriod(start, change, offset, wall)
            reached, offset = change + offset, _offset(self._zone, change)
            start, wall = change, reached if self._pattern.is_fixed else change + offset
        yield OffsetPeriod(start, end + 1, offset, wall)


def _offset(zone: dt.tzinfo, at: int) -> int:
    """The zone's UTC offset at that instant, in seconds."""
    offset = (_EPOCH + dt.timedelta(seconds=at)).astimezone(zone).utcoffset()
    return 0 if offset is None else offset.days * _DAY + offset.seconds


class ClockChange(NamedTuple):
    """The clocks of a zone are set forward or back. UTC offsets are in seconds."""

    at: int
    before: int
    after: int


def clock_changes(zone: dt.tzinfo, after: int, until: int) -> Iterator[ClockChange]:
    """The changes at instants t with after < t <= until, in order."""
    for at in _changes(zone, after, until):
        yield ClockChange(at, _offset(zone, at - 1), _offset(zone, at))


def _changes(zone: dt.tzinfo, after: int, until: int) -> Iterator[int]:
    """The instants t with after < t <= until at which the zone's UTC offset changes."""
    if zone is dt.UTC:
        return
    before = _offset(zone, after)
    # zoneinfo does not give out its table, so we compare the offset once a day. No zone ever changed its
    # offset twice within four days, so none is missed.
    for begin in range(after, until, _DAY):
        end = min(begin + _DAY, until)
        offset = _offset(zone, end)
        if offset != before:
            seconds = range(begin + 1, end + 1)
            yield seconds[bisect_left(seconds, True, key=lambda at: _offset(zone, at) == offset)]
            before = offset


# --- what users write


@lru_cache(maxsize=1024)
def cron_clock(expression: str, timezone: str) -> CronClock:
    """Raises BadOption that names each wrong field and a wrong zone, with the allowed values."""
    mistakes = Mistakes()
    pattern, zone = mistakes.read(_pattern, expression), mistakes.read(time_zone, timezone)
    mistakes.raise_if_any()
    clock = CronClock(cast("Pattern", pattern), cast("dt.tzinfo", zone))
    if next(clock.ticks(_YEAR_2000, _LAST), None) is None:
        raise BadOption("cron", expression, "an expression that fires: the times this names never come")
    return clock


def _pattern(expression: str) -> Pattern:
    if not expression.isascii() or len(expression) > _LONGEST_EXPRESSION:
        raise BadOption("cron", expression, "a cron expression, such as '0 2 * * *'")
    if expression.strip().startswith("@"):
        return Pattern(_nickname(expression))
    fields = expression.split()
    if len(fields) not in (5, 6):
        raise BadOption(
            "cron",
            expression,
            "5 fields (minute, hour, day of month, month, day of week), 6 with seconds before them, "
            f"or a word such as @daily; this has {len(fields)}",
        )
    try:
        return Pattern(expression)
    except CronSimError:
        raise BadOption("cron", expression, _expected(fields)) from None


def _nickname(expression: str) -> str:
    word = expression.strip().lower()
    if word not in NICKNAMES:
        meant = difflib.get_close_matches(word, NICKNAMES, n=1)
        hint = f"; did you mean {meant[0]}?" if meant else ""
        raise BadOption("cron", expression, f"a cron expression or one of {', '.join(NICKNAMES)}{hint}")
    return NICKNAMES[word]


def _expected(fields: list[str]) -> str:
    """What to write instead, for an expression that cronsim refused. cronsim stops at the first bad field;
    this names all of them."""
    names = list(_FIELDS)[-len(fields) :]  # seconds may be absent
    bad = [place for place, field in enumerate(fields) if not _is_good(field, place, len(fields))]
    if bad:
        # Examples are left out if several fields are bad, to keep the message short.
        may_be = {name: it if len(bad) == 1 else it.partition(", as in")[0] for name, it in _FIELDS.items()}
        of_each = [f"whose {names[at]} ({fields[at]!r} here) is {may_be[names[at]]}" for at in bad]
        return f"an expression {', and '.join(of_each)}"
    return f"an expression that names a day which comes: month {fields[-2]} has no day {fields[-3]}"


def _is_good(field: str, place: int, count: int) -> bool:
    """Whether the field is valid in that place when all others are `*`."""
    alone = ["*"] * count
    alone[place] = field
    try:
        CronSim(" ".join(alone), _EPOCH)
    except CronSimError:
        return False
    return True


# zoneinfo opens names as paths below the time zone database, so only what looks like a name is passed to it.
_ZONE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,63}(/[A-Za-z0-9_+-]{1,64}){0,3}")

# Other files in the same folder: the zone of this machine, and zones with leap seconds.
_NOT_ZONES = frozenset({"localtime", "posixrules", "Factory", "posix", "right"})


def time_zone(name: str) -> dt.tzinfo:
    """The zone of that name. Raises BadOption with similar names."""
    if name == "UTC":
        return dt.UTC
    if _ZONE_NAME.fullmatch(name) and name.partition("/")[0] not in _NOT_ZONES:
        try:
            return zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            pass  # no such zone, or a folder, or another file: refused below, with a hint
    raise BadOption("timezone", name, f"the name of a time zone, such as Europe/Berlin{_hint(name)}")


def _hint(name: str) -> str:
    known = zoneinfo.available_timezones() - _NOT_ZONES
    if not known:
        return "; no time zones are installed here: pip install tzdata"
    # Users write a city alone, or all in lower case.
    by_spelling = {zone.rpartition("/")[2].lower(): zone for zone in sorted(known)}
    by_spelling |= {zone.lower(): zone for zone in known}
    spelling = name.lower()[:100]
    close = [spelling] if spelling in by_spelling else difflib.get_close_matches(spelling, by_spelling, n=3)
    meant = dict.fromkeys(by_spelling[spelling] for spelling in close)
    return f"; did you mean {' or '.join(meant)}?" if meant else ""
