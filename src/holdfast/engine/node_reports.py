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


class WritesReports(Protocol):
    async def write_node_report(self, node: NodeId, report: NodeReport) -> None: ...


class NodeReporter(AfterCommits):
    def __init__(self, store: WritesReports, dice: Random, version: str) -> None:
        super().__init__(dice, dt.timedelta(0), "holdfast node reporter")
        self._store = store
        self._version = version
        self.describe: Callable[[str], tuple[NodeId, Instant | None, NodeReport]] | None = None
        """Makes the report of a node of that version of holdfast. Set once the node has been made."""
        self._written: tuple[NodeId, Instant | None, NodeReport] | None = None
        """With the lease: a node that begins a new one has a new row."""

    async def look(self, now: Instant) -> None:
        """Write the report if it has changed. It is made after a pause: more may change in the meantime."""
        await asyncio.sleep(_EVERY.total_seconds())
        if self.describe is None:
            return
        found = self.describe(self._version)
        if found == self._written:
            return
        node, _, report = found
        try:
            await self._store.write_node_report(node, report)
            self._written = found
        except StoreError as error:
            _log.debug("%s; the report of the node is written later", error)
