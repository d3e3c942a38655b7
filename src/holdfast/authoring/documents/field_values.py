"""From nodes that have the right shape to the values of fields: numbers, durations, texts, variables.

DAGs and flows are read with the same functions. A value that has the right shape and is still wrong is
reported.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, Final

from holdfast.authoring.documents.dates import is_date, parse_datetime
from holdfast.authoring.documents.nodes import Node, ScalarNode, entries_of, text_of, value_of
from holdfast.authoring.documents.problems import Problems
from holdfast.authoring.documents.shapes import VARIABLES, Field, FieldReader, Number
from holdfast.core.policies import LONGEST_DELAY
from holdfast.errors import show

_SPAN = re.compile(r"([0-9.]+)(ms|s|m|h|d)")
_UNITS: Final = {
    "ms": dt.timedelta(milliseconds=1),
    "s": dt.timedelta(seconds=1),
    "m": dt.timedelta(minutes=1),
    "h": dt.timedelta(hours=1),
    "d": dt.timedelta(days=1),
}
_RESERVED_VARIABLES: Final = "HOLDFAST_"


def read_fields(node: Node | None, fields: Mapping[str, Field], problems: Problems) -> dict[str, Any]:
    """The values of those `fields` that the node has; the model has the defaults of the others. A field that
    cannot be read is reported, and its value is None."""
    return {
        name: _value(entry.value, fields[name], name, problems)
        for name, entry in entries_of(node).items()
        if name in fields
    }


def _value(node: Node, field: Field, title: str, problems: Problems) -> Any:
    if field.read is not None:
        return field.read(node, title, problems)
    if isinstance(field.shape, Number):
        return whole(node) if field.shape.is_whole else float(value_of(node))
    return environment(node, problems) if field.shape is VARIABLES else value_of(node)


def map_of(read: FieldReader) -> FieldReader:
    """Reads a map, each value by itself. Values that cannot be read are left out."""

    def read_map(node: Node, title: str, problems: Problems) -> dict[str, Any]:
        values = {
            name: read(entry.value, f"{title}.{name}", problems) for name, entry in entries_of(node).items()
        }
        return {name: value for name, value in values.items() if value is not None}

    return read_map


def duration(node: Node, title: str, problems: Problems, *, may_be_zero: bool = False) -> dt.timedelta | None:
    """Seconds, or text such as 1h30m. None if it is too long or zero; that is reported."""
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


def whole(node: Node | None) -> int:
    """The value of a node that is known to be a whole number; 4.0 is one too. 0 if there is no node."""
    value = node.value if isinstance(node, ScalarNode) else None
    return int(value) if isinstance(value, (int, float)) else 0


def milliseconds(node: Node | None) -> dt.timedelta:
    """The value of a node that is known to be a number of milliseconds. Zero if there is no node."""
    value = node.value if isinstance(node, ScalarNode) else None
    return dt.timedelta(milliseconds=value) if isinstance(value, (int, float)) else dt.timedelta(0)


def environment(node: Node | None, problems: Problems) -> dict[str, str]:
    """Variables by name. Values are kept as they were written: 1.10 is the text 1.10."""
    found: dict[str, str] = {}
    for name, (key, value) in entries_of(node).items():
        if name.startswith(_RESERVED_VARIABLES):
            problems.add(key.position, f"{name} cannot be set: variables that begin with HOLDFAST_ are ours")
        elif isinstance(value, ScalarNode):
            found[name] = value.text
    return found


def moment(node: Node, title: str, problems: Problems) -> dt.datetime | None:
    text = text_of(node)
    found = parse_datetime(f"{text}T00:00:00" if is_date(text) else text)
    if found is None:
        expected = "a day or a time, such as 2026-01-31, 2026-01-31T02:00:00 or 2026-01-31T02:00:00Z"
        problems.add(node.position, f"{title} must be {expected}, not {show(text)}")
    return found
