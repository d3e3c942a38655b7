"""Reads the schedule of a DAG."""

from __future__ import annotations

import datetime as dt
from typing import Any

from holdfast.authoring.dag.fields import PLAN_FIELDS
from holdfast.authoring.documents.field_values import read_fields
from holdfast.authoring.documents.nodes import Node, entries_of, is_broken, text_of, value_of
from holdfast.authoring.documents.problems import Problems
from holdfast.core.cron import time_zone
from holdfast.core.mistakes import all_of
from holdfast.core.timetable import Plan
from holdfast.errors import BadOption, show


def read_schedule(node: Node, problems: Problems) -> Plan | None:
    """None if something is wrong with it. The problem has been reported."""
    entries = entries_of(node)
    broken = {name for name, entry in entries.items() if is_broken(entry.value)}
    fields = {name: field for name, field in PLAN_FIELDS.items() if name not in broken}
    given: dict[str, Any] = {"cron": text_of(node)}
    if entries:
        given = read_fields(node, fields, problems)
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


def _zone(name: str) -> dt.tzinfo:
    try:
        return time_zone(name)
    except BadOption:
        return dt.UTC  # `Plan.of` reports the zone


def _in_zone(zone: dt.tzinfo, moment: dt.datetime) -> dt.datetime:
    """A day begins in the zone of the schedule, and a time without a zone is in it."""
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
