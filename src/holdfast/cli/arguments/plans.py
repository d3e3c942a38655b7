"""Reads the options of `holdfast schedules` as plans, spans and times. Reports all mistakes at once."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.cli.views.output import say_error
from holdfast.core.mistakes import all_of
from holdfast.errors import BadOption, Refused

if TYPE_CHECKING:
    from holdfast.core.timetable import Plan

_SPAN = re.compile(r"(?:(?P<days>\d+)d)?(?:(?P<hours>\d+)h)?(?:(?P<minutes>\d+)m)?(?:(?P<seconds>\d+)s)?")
_CATCHUP = re.compile(r"(?P<mode>none|last|all)(?:(?<=all):(?P<most>\d{1,9}))?")


def read_all(*reads: Callable[[], Any]) -> list[Any]:
    """What each reader returns. If some raise, prints every error but the last, and raises the last."""
    found: list[Any] = []
    refused: list[Refused] = []
    for read in reads:
        try:
            found.append(read())
        except BadOption as error:
            refused += all_of(error)
        except Refused as error:
            refused.append(error)
    for error in refused[:-1]:
        say_error(str(error))
    for error in refused[-1:]:
        raise error
    return found


class PlanOptions(NamedTuple):
    """The options that make a plan, as the user typed them."""

    cron: str | None
    every: str | None
    timezone: str
    jitter: str | None
    overlap: str
    catchup: str


def read_plan(options: PlanOptions) -> Plan:
    """Raises Refused."""
    given: dict[str, Any] = {"timezone": options.timezone, "overlap": options.overlap}
    if options.cron is not None:
        given["cron"] = options.cron

    def read_given(name: str, text: str | None) -> None:
        if text is not None:
            given[name] = read_span(f"--{name}", text)

    *_, plan = read_all(
        lambda: _check_one(options),
        lambda: read_given("every", options.every),
        lambda: read_given("jitter", options.jitter),
        lambda: given.update(catchup=_read_catchup(options.catchup)),
        lambda: _plan_of(given, options),
    )
    return plan


def _check_one(options: PlanOptions) -> None:
    if options.cron is None and options.every is None:
        raise Refused("it is not said when it fires; give --cron '0 2 * * *', say, or --every 1h30m")
    if options.cron is not None and options.every is not None:
        raise Refused("it fires by --cron or --every, not by both; leave out one of them")


def _plan_of(given: dict[str, Any], options: PlanOptions) -> Plan:
    """The plan of the options that could be read. Its errors quote the options as the user typed them."""
    from holdfast.core.timetable import Plan

    if ("cron" in given) == ("every" in given):  # _check_one refuses this; go on to find further mistakes
        given = {"cron": "@daily"} | {name: value for name, value in given.items() if name != "every"}
    typed = options._asdict()
    try:
        return Plan.of(**given)
    except BadOption as error:
        mistakes = [BadOption(f"--{it.option}", typed[it.option], it.expected) for it in all_of(error)]
        first, *others = mistakes
        raise BadOption(first.option, first.value, first.expected, others) from None


def _read_catchup(text: str) -> str | dict[str, int]:
    found = _CATCHUP.fullmatch(text)
    if found is None:
        raise BadOption("--catchup", text, "none, last, all, or all:N for the newest N, such as all:10")
    return found["mode"] if found["most"] is None else {found["mode"]: int(found["most"])}


def read_span(option: str, text: str) -> dt.timedelta:
    """Raises BadOption."""
    found = _SPAN.fullmatch(text.strip())
    parts = {unit: int(number) for unit, number in found.groupdict().items() if number} if found else {}
    if not parts:
        raise BadOption(option, text, "a span such as 90s, 10m, 1h30m or 2d")
    try:
        return dt.timedelta(**parts)
    except OverflowError:
        raise BadOption(option, text, "at most a hundred years") from None


def read_range(begin: str, end: str) -> tuple[dt.datetime, dt.datetime]:
    """`--from` and `--to`. Raises Refused."""
    first, last = read_all(lambda: _read_time("--from", begin), lambda: _read_time("--to", end))
    if last < first:
        raise BadOption("--to", end, f"no earlier than --from, {begin}")
    return first, last


def _read_time(option: str, text: str) -> dt.datetime:
    try:
        found = dt.datetime.fromisoformat(text)
    except ValueError:
        raise BadOption(option, text, "a time such as 2026-01-31 or 2026-01-31T02:00:00+01:00") from None
    return found if found.tzinfo is not None else found.astimezone()  # without a zone: local time
