"""A plan in plain English: `every day at 02:00, Berlin`.

Two expressions with the same words fire at the same times. So a form of words is used only for what it fully
describes; for everything else the words are the expression itself. On days on which the clocks change,
expressions that name times of day fire differently from those that name an interval (see `CronClock`), so
each form of words is for one of the two.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, assert_never

from cronsim import CronSim

from holdfast.core.cron import NICKNAMES
from holdfast.core.timetable import Cron, Every, Plan
from holdfast.core.values import moment

_MOST_TIMES: Final = 6
_MOST_NAMED: Final = 4
_ANY_TIME: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_WEEKDAYS: Final = (1, 2, 3, 4, 5)
_DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")

_REGIONS: Final = frozenset(
    {
        "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian",
        "Pacific",
    }
)  # fmt: skip
"""In these, a zone is known by its city. Elsewhere it is not: US/Eastern and Canada/Eastern differ."""


def plan_words(plan: Plan) -> str:
    """When the plan fires, in English, with the clocks that it goes by."""
    match plan.timetable:
        case Cron() as cron:
            return f"{cron_words(cron.expression)}, {zone_words(cron.timezone)}"
        case Every() as every:
            words = f"every {_span(every.interval)}"
            if plan.start is None:
                return words
            return f"{words}, counted from {moment(plan.start):%Y-%m-%d %H:%M:%S} UTC"
        case _:
            assert_never(plan.timetable)


def zone_words(timezone: str) -> str:
    """What a time zone is called: its city, if it has one."""
    region, _, city = timezone.partition("/")
    if region in _REGIONS and city:
        return city.rpartition("/")[2].replace("_", " ")
    return timezone


@lru_cache(maxsize=1024)
def cron_words(expression: str) -> str:
    """The expression in English. If there are no simple words for it, the expression itself."""
    written = " ".join(expression.split())
    cron = CronSim(NICKNAMES.get(written.lower(), written), _ANY_TIME)
    times, days, months = _times(cron), _days(cron), _months(cron)
    if times is None or days is None or months is None:
        return written
    if len(cron.months) == 1 and days.day_of_month is not None:
        days = _date(days.day_of_month, _MONTHS[next(iter(cron.months)) - 1])
        months = ""
    if times.is_list:
        what = f"{days.before}at {times.text}" if days.before else _every_day(times.text)
    else:
        what = f"{times.text}{days.behind}"
    return what + months


# --- times of a day


class _Times(NamedTuple):
    text: str
    is_list: bool
    """Whether these are times of day, such as 06:00 and 18:00. Otherwise an interval."""


def _times(cron: CronSim) -> _Times | None:
    is_fixed = not any(field.startswith("*") for field in cron.parts[:3])
    hours, minutes = sorted(cron.hours), sorted(cron.minutes)
    if cron.seconds != {0}:
        step = _step(cron.seconds, 60)
        if step is None or is_fixed or len(minutes) < 60 or len(hours) < 24:
            return None
        return _Times("every second" if step == 1 else f"every {step} s", is_list=False)
    return _fixed_times(hours, minutes) if is_fixed else _interval(hours, minutes)


def _fixed_times(hours: list[int], minutes: list[int]) -> _Times | None:
    if len(minutes) == 1 and 3 <= len(hours) < 24 and _is_range(hours):
        first, last = _clock(hours[0], minutes[0]), _clock(hours[-1], minutes[0])
        return _Times(f"every hour from {first} to {last}", is_list=False)
    if len(hours) * len(minutes) > _MOST_TIMES:
        return None
    return _Times(_listed([_clock(hour, minute) for hour in hours for minute in minutes]), is_list=True)


def _interval(hours: list[int], minutes: list[int]) -> _Times | None:
    step = _step(minutes, 60)
    if step is not None:
        text = "every minute" if step == 1 else f"every {step} min"
        if len(hours) == 24:
            return _Times(text, is_list=False)
        if not _is_range(hours):
            return None
        first, last = _clock(hours[0], 0), _clock(hours[-1], 60 - step)
        return _Times(f"{text} from {first} to {last}", is_list=False)
    if len(hours) == 24 and len(minutes) <= _MOST_NAMED:
        past = _listed([str(minute) for minute in minutes])
        return _Times("every hour" if minutes == [0] else f"{past} min past every hour", is_list=False)
    of_hours = _step(hours, 24)
    if of_hours is not None and len(minutes) == 1:
        since = "" if minutes == [0] else f" from {_clock(0, minutes[0])}"
        return _Times(f"every {of_hours} hours{since}", is_list=False)
    return None


def _step(values: Iterable[int], whole: int) -> int | None:
    """The step if these are all multiples of a step that divides the whole, more than one of them."""
    found = sorted(values)
    if len(found) < 2 or whole % len(found) or found != list(range(0, whole, whole // len(found))):
        return None
    return whole // len(found)


def _clock(hour: int, minute: int) -> str:
    return f"{hour:02}:{minute:02}"


# --- days and months


class _Days(NamedTuple):
    before: str
    """In front of a list of times; empty for every day."""
    behind: str
    """Behind an interval."""
    day_of_month: int | None = None
    """If it is one day of the month."""


_EVERY_DAY: Final = _Days("", "")


def _days(cron: CronSim) -> _Days | None:
    any_date = cron.days.issuperset(range(1, 32))
    weekdays = {each % 7 if isinstance(each, int) else (each[0] % 7, each[1]) for each in cron.weekdays}
    any_weekday = weekdays.issuperset(range(7))
    if any_date if cron.day_and else any_date or any_weekday:
        return _EVERY_DAY if any_weekday or not cron.day_and else _of_week(weekdays)
    return _of_month(cron.days) if cron.day_and and any_weekday else None


def _of_week(weekdays: set[int | tuple[int, int]]) -> _Days | None:
    plain = sorted(each for each in weekdays if isinstance(each, int))
    if len(plain) < len(weekdays):
        if len(weekdays) > 1:
            return None
        ((day, number),) = (each for each in weekdays if not isinstance(each, int))
        which = "last" if number == CronSim.LAST else _ORDINALS[number - 1]
        return _day_of_month(f"{which} {_DAYS[day]}")
    if tuple(plain) == _WEEKDAYS:
        return _Days("every weekday ", " on weekdays")
    plain.sort(key=lambda day: (day - 1) % 7)  # a week begins on Monday
    names = [_DAYS[day] for day in plain]
    if len(plain) > 2 and _is_range([(day - 1) % 7 for day in plain]):
        return _Days(f"{names[0]} to {names[-1]} ", f" on {names[0]} to {names[-1]}")
    return _Days(f"every {_listed(names)} ", f" on {_listed([f'{name}s' for name in names])}")


def _of_month(days: set[int]) -> _Days | None:
    if days == {CronSim.LAST_WEEKDAY}:
        return _day_of_month("last weekday")
    if days == {CronSim.LAST}:
        return _day_of_month("last day")
    plain = sorted(day for day in days if day > 0)
    if CronSim.LAST_WEEKDAY in days or len(plain) > _MOST_NAMED:
        return None
    last = ["last day"] if CronSim.LAST in days else []
    found = _day_of_month(_listed([*(f"{day}{_suffix(day)}" for day in plain), *last]))
    return found._replace(day_of_month=plain[0]) if len(plain) == 1 and not last else found


def _day_of_month(which: str) -> _Days:
    return _Days(f"{which} of the month ", f" on the {which} of the month")


def _date(day: int, month: str) -> _Days:
    return _Days(f"on {day} {month} ", f" on {day} {month}")


def _months(cron: CronSim) -> str | None:
    months = sorted(cron.months)
    names = [_MONTHS[month - 1] for month in months]
    if len(months) == 12:
        return ""
    if len(months) > 2 and _is_range(months):
        return f" from {names[0]} to {names[-1]}"
    return f" in {_listed(names)}" if len(months) <= _MOST_NAMED else None


# --- English


def _every_day(times: str) -> str:
    return f"at {times}" if " " in times else f"every day at {times}"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _is_range(values: Sequence[int]) -> bool:
    return list(values) == list(range(values[0], values[-1] + 1))


def _suffix(day: int) -> str:
    return "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _span(interval: dt.timedelta) -> str:
    for unit, one, many in ((86_400, "day", "days"), (3600, "hour", "hours"), (60, "minute", "min")):
        count, rest = divmod(interval, dt.timedelta(seconds=unit))
        if count and not rest:
            return one if count == 1 else f"{count:,} {many}"
    seconds = interval.total_seconds()
    return "second" if seconds == 1 else f"{seconds:,.6f}".rstrip("0").rstrip(".") + " s"
