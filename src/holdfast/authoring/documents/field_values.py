"""From nodes that have the right shape to the values of fields: numbers, durations, retries, schedules,
variables.

DAGs and flows are read with the same functions. A value that has the right shape and is still wrong is
reported.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any, Final

from holdfast.authoring.documents.dates import is_date, parse_datetime
from holdfast.authoring.documents.nodes import (
    ListNode,
    Node,
    ScalarNode,
    entries_of,
    is_broken,
    text_of,
    value_of,
)
from holdfast.authoring.documents.problems import Problems
from holdfast.core.cron import time_zone
from holdfast.core.mistakes import all_of
from holdfast.core.policies import LONGEST_DELAY, Retry
from holdfast.core.timetable import Plan
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
    """Seconds, or text such as 1h30m. None if it is too long or zero, which has been reported then."""
    value = node.value if isinstance(node, ScalarNode) else None
    span = dt.timedelta(0)
    if isinstance(value, str):
        for number, unit in _SPAN.findall(value):
            span += float(number) * _UNITS[unit]
    elif isinstance(value, (int, float)):
        span = dt.timedelta(seconds=value)
    if span > LONGEST_DELAY:
        problems.add(node.position, f"{title} must be at most a hundred years, not {show(value)}")
        return None
    if not span and not may_be_zero:
        problems.add(node.position, f"{title} must be a duration longer than zero, not {show(value)}")
        return None
    return span


def retry(node: Node, problems: Problems) -> Retry | None:
    """From a number, which counts the attempts after the first, or from a map."""
    if isinstance(node, ScalarNode):
        return Retry(max_attempts=whole(node) + 1)
    given: dict[str, Any] = {}
    for name, (_, value) in entries_of(node).items():
        match name:
            case "first_delay" | "max_delay":
                given[name] = duration(value, name, problems, may_be_zero=True)
            case "never_on":
                given[name] = tuple(names_in(value))
            case "max_attempts":
                given[name] = whole(value)
            case _:
                given[name] = float(value_of(value))
    return None if None in given.values() else Retry(**given)


def whole(node: Node | None) -> int:
    """The value of a node that is known to be a whole number; 4.0 is one too. 0 if there is no node."""
    value = node.value if isinstance(node, ScalarNode) else None
    return int(value) if isinstance(value, (int, float)) else 0


def milliseconds(node: Node | None) -> dt.timedelta:
    """The value of a node that is known to be a number of milliseconds. Zero if there is no node."""
    value = node.value if isinstance(node, ScalarNode) else None
    return dt.timedelta(milliseconds=value) if isinstance(value, (int, float)) else dt.timedelta(0)


def names_in(node: Node) -> list[str]:
    """The texts of a node that is a text or a list of texts."""
    return [text_of(item) for item in node.items] if isinstance(node, ListNode) else [text_of(node)]


def environment(node: Node | None, problems: Problems) -> dict[str, str]:
    """Variables by name. Values are kept as they were written: 1.10 is the text 1.10."""
    found: dict[str, str] = {}
    for name, (key, value) in entries_of(node).items():
        if name.startswith(_RESERVED_VARIABLES):
            problems.add(key.position, f"{name} cannot be set: variables that begin with HOLDFAST_ are ours")
        elif isinstance(value, ScalarNode):
            found[name] = value.text
    return found


# --- schedules


def schedule(node: Node, problems: Problems) -> Plan | None:
    """None if there is something wrong with it, which has been reported then."""
    entries = entries_of(node)
    given: dict[str, Any] = {} if entries else {"cron": text_of(node)}
    for name, (_, value) in entries.items():
        match name:
            case "every" | "jitter":
                given[name] = duration(value, name, problems, may_be_zero=name == "jitter")
            case "input":
                pass  # it belongs to the runs, not to the plan
            case _ if is_broken(value):
                pass
            case "start" | "end":
                given[name] = _moment(value, name, problems)
            case _:
                given[name] = value_of(value)
    is_good = not (None in given.values() or is_broken(node))
    given = {name: value for name, value in given.items() if value is not None}
    if ("cron" in given) == ("every" in given):
        is_good = False  # the shape has been reported, or that one of the two cannot be read
        given = {"cron": "@daily"} | {name: value for name, value in given.items() if name != "every"}
    zone = _zone(given.get("timezone", "UTC"))
    for name in given.keys() & {"start", "end"}:
        given[name] = _in_zone(zone, given[name])
    try:
        plan = Plan.of(**given)
    except BadOption as error:
        for mistake in all_of(error):
            at = entries[mistake.option].value if mistake.option in entries else node
            problems.add(
                at.position, f"{mistake.option} is {show(value_of(at))}, but must be {mistake.expected}"
            )
        return None
    return plan if is_good else None


def _moment(node: Node, name: str, problems: Problems) -> dt.datetime | None:
    text = text_of(node)
    moment = parse_datetime(f"{text}T00:00:00" if is_date(text) else text)
    if moment is None:
        expected = "a day or a time, such as 2026-01-31, 2026-01-31T02:00:00 or 2026-01-31T02:00:00Z"
        problems.add(node.position, f"{name} must be {expected}, not {show(text)}")
    return moment


def _zone(name: str) -> dt.tzinfo:
    try:
        return time_zone(name)
    except BadOption:
        return dt.UTC  # `Plan.of` reports the zone


def _in_zone(zone: dt.tzinfo, moment: dt.datetime) -> dt.datetime:
    """A day begins in the zone of the schedule, and a time without a zone is in it."""
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
