"""How far a command is, if it takes longer than a second: `holdfast runs prune`, `export` and `import`,
and acts on many runs."""

from __future__ import annotations

import time
from typing import Final

from holdfast.cli.views.output import say
from holdfast.client.retention import PruneReport
from holdfast.client.selection import BulkReport

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


class BulkCount:
    def __init__(self, expected: int, verb: str) -> None:
        self._expected = expected
        self._verb = verb
        self._seldom = Seldom()

    def show(self, report: BulkReport) -> None:
        if self._seldom.is_due():
            say(f"{self._verb}: {report.done + report.refusals:,} of {self._expected:,} runs")
