"""Days and moments as documents and JSON write them."""

from __future__ import annotations

import datetime as dt
import re

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})?"
)


def is_date(text: str) -> bool:
    """Whether it is a day of the calendar, as 2026-01-31."""
    if _DATE.fullmatch(text) is None:
        return False
    try:
        dt.date.fromisoformat(text)
    except ValueError:  # the 30th of February
        return False
    return True


def is_datetime(text: str) -> bool:
    """Whether it is a moment, as 2026-01-31T02:00:00Z or 2026-01-31 02:00:00.5+01:00."""
    moment = parse_datetime(text)
    return moment is not None and moment.tzinfo is not None


def parse_datetime(text: str) -> dt.datetime | None:
    """The moment, without a zone if the text has none. None if it is not one."""
    if _DATETIME.fullmatch(text) is None:
        return None
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        return None
