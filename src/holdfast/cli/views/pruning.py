"""How far `holdfast runs prune` is, if it takes longer than a second."""

from __future__ import annotations

import time
from typing import Final

from holdfast.cli.views.output import say
from holdfast.client.retention import PruneReport

_EVERY: Final = 1.0
"""Seconds."""


class PruneProgress:
    def __init__(self, expected: int) -> None:
        self._expected = expected
        self._shown_at = time.monotonic()

    def show(self, report: PruneReport) -> None:
        now = time.monotonic()
        if now - self._shown_at >= _EVERY:
            self._shown_at = now
            say(f"{report.runs:,} of {self._expected:,} runs deleted")
