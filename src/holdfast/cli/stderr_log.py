"""What is logged while a command works, for people: on stderr, a line each."""

from __future__ import annotations

import logging
from collections.abc import Callable

from holdfast.cli.views.visible import visible


def log_to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_Visible("%(levelname)s: %(message)s"))
    handler.addFilter(_not_again())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class _Visible(logging.Formatter):
    """What is logged tells of users' workflows in their own words."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


def _not_again() -> Callable[[logging.LogRecord], bool]:
    """Lets a line through that differs from the one before: a database that is away is news every second."""
    last = ""

    def is_new(record: logging.LogRecord) -> bool:
        nonlocal last
        before, last = last, record.getMessage()
        return last != before

    return is_new
