"""What Python code logs goes to stderr, one line for each message."""

from __future__ import annotations

import logging
from collections.abc import Callable

from holdfast.cli.views.visible import visible


def log_to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_VisibleFormatter("%(levelname)s: %(message)s"))
    handler.addFilter(_without_repetition())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class _VisibleFormatter(logging.Formatter):
    """Log messages quote names that users chose, so they may contain control characters."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


def _without_repetition() -> Callable[[logging.LogRecord], bool]:
    """Drops a message that repeats the one before: an unreachable database is logged every second."""
    last = ""

    def is_new(record: logging.LogRecord) -> bool:
        nonlocal last
        before, last = last, record.getMessage()
        return last != before

    return is_new
