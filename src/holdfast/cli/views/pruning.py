"""How far a command is, if it takes longer than a second: `holdfast runs prune`, `export` and `import`."""

from __future__ import annotations

import time
from typing import Final

from holdfast.cli.views.output import say
from holdfast.client.retention import PruneReport

_EVERY: Final = 1.0
"""Seconds."""


class Seldom:
    """Says once a second that it is time to say something."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def is_due(self) -> bool:
        now = time.monotonic()
        if now - self._last < _EVERY:
            return False
        self._last = now
        return True


class PruneProgress:
    def __init__(self, expected: int) -> None:
        self._expected = expected
        self._seldom = Seldom()

    def show(self, report: PruneReport) -> None:
        if self._seldom.is_due():
            say(f"{report.runs:,} of {self._expected:,} runs deleted")
