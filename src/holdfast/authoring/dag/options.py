"""Durations, retries, schedules and the environment, from nodes whose shape is right to the values they
mean."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any, Final

from holdfast.authoring.dag.problems import Problems
from holdfast.authoring.dag.types import is_date, parse_datetime
from holdfast.authoring.dag.yaml_text import ListNode, MapNode, Node, Scalar, is_broken, plain, text_of
from holdfast.core.policies import LONGEST_DELAY, Retry
from holdfast.core.timetable import Cron, Plan
from holdfast.errors import BadOption, show

_SPAN = re.compile(r"([0-9.]+)(ms|s|m|h|d)")
_UNITS: Final = {
    "ms": dt.timedelta(milliseconds=1),
    "s": dt.timedelta(seconds=1),
    "m": dt.timedelta(minutes=1),
    "h": dt.timedelta(hours=1),
    "d": dt.timedelta(days=1),
}
_RESERVED_VARIABLES: Final = "HOLDFAST_"


def duration(node: Node, title: str, problems: Problems, *, may_be_zero: bool = False) -> dt.timedelta | None:
    """None if it is one that nobody can wait for, which has been reported then."""
    value = node.value if isinstance(node, Scalar) else None
    span = dt.timedelta(0)
    if isinstance(value, str):
        for number, unit in _SPAN.findall(value):
            span += float(number) * _UNITS[unit]
    elif isinstance(value, (int, float)):
        span = dt.timedelta(seconds=value)
    if span > LONGEST_DELAY:
        problems.add(node.place, f"{title} must be at most a hundred years, not {show(value)}")
        return None
    if not span and not may_be_zero:
        problems.add(node.place, f"{title} must be a duration longer than zero, not {show(value)}")
        return None
    return span


def retry(node: Node, problems: Problems) -> Retry | None:
    """A number counts the times after the first."""
    if isinstance(node, Scalar):
        return Retry(max_attempts=whole(node) + 1)
    given: dict[str, Any] = {}
    for name, (_, value) in node.entries.items() if isinstance(node, MapNode) else ():
        match name:
            case "first_delay" | "max_delay":
                given[name] = duration(value, name, problems, may_be_zero=True)
            case "never_on":
                given[name] = tuple(names_in(value))
            case "max_attempts":
                given[name] = whole(value)
            case _:
                given[name] = float(plain(value))
    return None if None in given.values() else Retry(**given)


def whole(node: Node) -> int:
    """Of a node that is known to be a whole number; 4.0 is one too."""
    return int(plain(node))


def names_in(node: Node) -> list[str]:
    """Of a node that is a text, or a list of texts."""
    return [text_of(item) for item in node.items] if isinstance(node, ListNode) else [text_of(node)]


def environment(node: Node, problems: Problems) -> dict[str, str]:
    """Values are kept as they were written: 1.10 is the text 1.10."""
    found: dict[str, str] = {}
    for name, (key, value) in node.entries.items() if isinstance(node, MapNode) else ():
        if name.startswith(_RESERVED_VARIABLES):
            problems.add(key.place, f"{name} cannot be set: variables that begin with HOLDFAST_ are ours")
        elif isinstance(value, Scalar):
            found[name] = value.text
    return found


# --- schedules


_SOUND: dict[str, Any] = {"cron": "@daily", "every": LONGEST_DELAY}


def schedule(node: Node, problems: Problems) -> Plan | None:
    """None if there is something wrong with it, which has been reported then."""
    entries = node.entries if isinstance(node, MapNode) else {}
    given: dict[str, Any] = {} if entries else {"cron": text_of(node)}
    moments: dict[str, dt.datetime | None] = {}
    for name, (_, value) in entries.items():
        match name:
            case "every" | "jitter":
                given[name] = duration(value, name, problems, may_be_zero=name == "jitter")
            case "input":
                pass  # belongs to the runs, not to the plan
            case _ if is_broken(value):
                pass
            case "start" | "end":
                moments[name] = _moment(value, name, problems)
            case _:
                given[name] = plain(value)
    is_good = not (None in given.values() or None in moments.values() or is_broken(node))
    given = {name: value for name, value in given.items() if value is not None}
    moments = {name: at for name, at in moments.items() if at is not None}
    if "cron" in given and "every" in given:
        return None  # has been said: there is one of the two
    if "cron" not in given and "every" not in given:
        is_good = False  # that has been said as well
        given["cron"] = _SOUND["cron"]
    while True:
        try:
            plan = Plan.of(**given)
            dated: dict[str, Any] = given | {name: _in_zone_of(plan, at) for name, at in moments.items()}
            plan = Plan.of(**dated)
        except BadOption as error:
            is_good = False
            at = entries[error.option].value if error.option in entries else node
            problems.add(at.place, f"{error.option} is {show(plain(at))}, but must be {error.expected}")
            if not _without(error.option, given, moments):
                return None
        else:
            return plan if is_good else None


def _without(option: str, given: dict[str, Any], moments: dict[str, dt.datetime | None]) -> bool:
    """Leave out what is wrong, to see what else is. False if it was not given."""
    if option in _SOUND:
        was_given = given.get(option, _SOUND[option]) != _SOUND[option]
        given[option] = _SOUND[option]
        return was_given
    return given.pop(option, None) is not None or moments.pop(option, None) is not None


def _moment(node: Node, name: str, problems: Problems) -> dt.datetime | None:
    text = text_of(node)
    moment = parse_datetime(f"{text}T00:00:00" if is_date(text) else text)
    if moment is None:
        expected = "a day or a time, such as 2026-01-31, 2026-01-31T02:00:00 or 2026-01-31T02:00:00Z"
        problems.add(node.place, f"{name} must be {expected}, not {show(text)}")
    return moment


def _in_zone_of(plan: Plan, moment: dt.datetime | None) -> dt.datetime | None:
    """A day begins, and a time without a zone is meant, in the zone of the schedule."""
    if moment is None or moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=plan.timetable.zone if isinstance(plan.timetable, Cron) else dt.UTC)
