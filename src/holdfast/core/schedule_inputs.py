"""The input of a run that a schedule starts: the schedule's input, with the tick filled in.

In any string of the input, `{tick}` stands for the instant of the tick as an ISO 8601 datetime and `{date}`
for its date, both in the schedule's time zone.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Final, cast

import msgspec

from holdfast.core.timetable import Cron, Plan
from holdfast.core.values import Instant, Payload, moment

TICK: Final = "{tick}"
DATE: Final = "{date}"


def has_placeholder(value: Any) -> bool:
    """Whether it contains a placeholder."""
    text = msgspec.json.encode(value)
    return TICK.encode() in text or DATE.encode() in text


def fill_in(input: Payload, plan: Plan, tick: Instant) -> Payload:
    if b"{tick}" not in input and b"{date}" not in input:
        return input
    zone = plan.timetable.zone if isinstance(plan.timetable, Cron) else dt.UTC
    local = moment(tick).astimezone(zone)
    texts = {TICK: local.isoformat(), DATE: local.date().isoformat()}
    return Payload(msgspec.json.encode(_filled(msgspec.json.decode(input), texts)))


def _filled(value: Any, texts: dict[str, str]) -> Any:
    match value:
        case str():
            for placeholder, text in texts.items():
                value = value.replace(placeholder, text)
            return value
        case list():
            return [_filled(each, texts) for each in cast("list[Any]", value)]
        case dict():
            return {key: _filled(each, texts) for key, each in cast("dict[str, Any]", value).items()}
        case _:
            return value
