"""The input of a run that a schedule starts: what the schedule says, with the tick filled in.

In any text of it, `{tick}` stands for the instant of the tick and `{date}` for its day, both on the clocks of
the schedule's time zone. A text that is only `{tick}` is an ISO 8601 datetime, as JSON carries it.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Final, cast

import msgspec

from holdfast.core.timetable import Cron, Plan
from holdfast.core.values import Instant, Payload, moment

TICK: Final = "{tick}"
DATE: Final = "{date}"


def varies(value: Any) -> bool:
    """Whether there is something in it to be filled in."""
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
