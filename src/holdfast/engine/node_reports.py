"""Writes down what this node says of itself: its version, its queues with their limits, and what waits there.

Only the node knows that. It is for people who look at the fleet: nothing is decided by it. So it is written a
moment after something has changed, and a node where nothing changes writes nothing.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Callable
from random import Random
from typing import Final, Protocol

from holdfast.core.values import Instant, NodeId
from holdfast.engine.after_commits import AfterCommits
from holdfast.errors import StoreError
from holdfast.ports.fleet import NodeReport

_log = logging.getLogger("holdfast.engine")

_EVERY: Final = dt.timedelta(seconds=2)
_KEPT: Final = dt.timedelta(minutes=1)
"""Written again after that, because a node that lost its lease has a new row."""


class WritesReports(Protocol):
    async def write_node_report(self, node: NodeId, report: NodeReport) -> None: ...


class NodeReporter(AfterCommits):
    def __init__(self, store: WritesReports, dice: Random, version: str) -> None:
        super().__init__(dice, dt.timedelta(0), "holdfast node reporter")
        self._store = store
        self._version = version
        self.describe: Callable[[str], tuple[NodeId, NodeReport]] | None = None
        """Makes the report of a node of that version of holdfast. Set once the node has been made."""
        self._written: tuple[NodeId, NodeReport] | None = None
        self._elapsed = dt.timedelta(0)

    async def look(self, now: Instant) -> None:
        """Write the report if it has changed. It is made after a pause: more may change in the meantime."""
        await asyncio.sleep(_EVERY.total_seconds())
        self._elapsed += _EVERY
        if self.describe is None:
            return
        report = self.describe(self._version)
        if report == self._written and self._elapsed < _KEPT:
            return
        try:
            await self._store.write_node_report(*report)
            self._written, self._elapsed = report, dt.timedelta(0)
        except StoreError as error:
            _log.debug("%s; the report of the node is written later", error)
