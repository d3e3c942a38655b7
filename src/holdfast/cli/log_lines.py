"""What Python code logs goes to stderr: one line for each message, for people or as JSON."""

from __future__ import annotations

import datetime as dt
import json
import logging
from collections.abc import Callable
from typing import Any

from holdfast.cli.views.visible import message, visible
from holdfast.errors import BadOption


def log_to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_VisibleFormatter("%(levelname)s: %(message)s"))
    handler.addFilter(_without_repetition())
    handler.addFilter(_is_not_shown_elsewhere)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def use_log_format(name: str) -> None:
    """For the records that `log_to_stderr` writes, of a command that serves. Raises BadOption."""
    from holdfast.settings import LOG_FORMATS

    if name not in LOG_FORMATS:
        raise BadOption("--log-format", name, " or ".join(LOG_FORMATS))
    for handler in logging.getLogger().handlers:
        handler.removeFilter(_is_not_shown_elsewhere)
        if name == "json" and isinstance(handler.formatter, _VisibleFormatter):
            handler.setFormatter(_JsonFormatter())


class _VisibleFormatter(logging.Formatter):
    """Log messages quote names that users chose, so they may contain control characters."""

    def format(self, record: logging.LogRecord) -> str:
        return message(super().format(record))


class _JsonFormatter(logging.Formatter):
    """One object a line. Control characters are escaped twice: in the text, so that whoever prints a field on
    a terminal is safe, and by JSON, so that no text can begin a line of its own."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "time": _time_of(record),
            "level": visible(str(record.levelname)),
            "logger": visible(str(record.name)),
            "message": visible(record.getMessage()),
        }
        origin: dict[str, str | int] = getattr(record, "holdfast_origin", {})
        fields |= {name: visible(it) if isinstance(it, str) else it for name, it in origin.items()}
        if record.exc_info and record.exc_info[0] is not None:
            fields["exception"] = visible(self.formatException(record.exc_info))
        return json.dumps(fields, ensure_ascii=False)


def _is_not_shown_elsewhere(record: logging.LogRecord) -> bool:
    """Commands such as `holdfast run` show themselves what has failed."""
    return record.name != "holdfast.failures"


def _time_of(record: logging.LogRecord) -> str:
    try:
        at = dt.datetime.fromtimestamp(record.created, dt.UTC)
    except (ValueError, OverflowError, OSError):  # made with a clock that shows anything
        at = dt.datetime.fromtimestamp(0, dt.UTC)
    return at.isoformat(timespec="milliseconds")


def _without_repetition() -> Callable[[logging.LogRecord], bool]:
    """Drops a message that repeats the one before: an unreachable database is logged every second."""
    last: tuple[str, object] = "", None

    def is_new(record: logging.LogRecord) -> bool:
        nonlocal last
        before, last = last, (record.getMessage(), getattr(record, "holdfast_origin", None))
        return last != before

    return is_new
