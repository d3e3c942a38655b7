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
_LONGEST_PAUSE: Final = dt.timedelta(minutes=1)
"""Between writes that fail."""


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
        """Write the report until what is written is what is so. It is made after a pause: more may change in
        the meantime. A commit during a write is seen here alone, and none may follow it."""
        pause = _EVERY
        while True:
            await asyncio.sleep(pause.total_seconds())
            found = None if self.describe is None else self.describe(self._version)
            if found is None or found == self._written:
                return
            node, _, report = found
            try:
                await self._store.write_node_report(node, report)
                self._written, pause = found, _EVERY
            except StoreError as error:
                pause = min(pause * 2, _LONGEST_PAUSE)
                _log.debug("%s; the report of the node is written again in %s", error, pause)
