"""The pruner: deletes ended runs that are older than the setting `retention` keeps them.

Every node with the setting looks now and then. Several nodes may prune at once: each run is deleted by one of
them. The work is done on the lanes of clients, so commits of the engine go first.

A look walks the ended runs of each workflow and status in the order in which they were created, from where
the last look has stopped. So it does not find at once a run that was created long ago and ended late, nor one
that was kept because a child had not ended or its parent was still there. Every few looks begin with the
oldest run again, and meet them.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Sequence
from random import Random
from typing import Final, Protocol

from holdfast.core.retention import RetentionRule
from holdfast.core.values import RunKey, RunStatus, later
from holdfast.errors import StoreError
from holdfast.ports.clock import Clock
from holdfast.ports.retention import FIRST_KEY, EndedRange

_log = logging.getLogger("holdfast.engine")

_LONGEST: Final = dt.timedelta(minutes=5)
_SHORTEST: Final = dt.timedelta(seconds=1)
_LOOKS_A_WALK: Final = 12
"""After so many looks, the next one begins with the oldest run."""


class PruneReport(Protocol):
    @property
    def runs(self) -> int: ...


class Pruned(Protocol):
    @property
    def report(self) -> PruneReport: ...

    @property
    def places(self) -> list[EndedRange]: ...


class RunDeleter(Protocol):
    async def ranges(self, rules: Sequence[RetentionRule]) -> list[EndedRange]: ...

    async def prune(self, ranges: Sequence[EndedRange]) -> Pruned: ...


class Pruner:
    def __init__(
        self, deleter: RunDeleter, rules: Sequence[RetentionRule], clock: Clock, dice: Random
    ) -> None:
        self._deleter = deleter
        self._rules = rules
        self._clock = clock
        self._dice = dice
        self._task: asyncio.Task[None] | None = None
        self._walked: dict[tuple[str, RunStatus], RunKey] = {}
        """The last run that was looked at."""
        self._looks = 0

    @property
    def every(self) -> dt.timedelta | None:
        """How often to look; None if the rules let go of nothing. Often enough for the shortest age, and at
        most every few minutes: an idle node should be silent."""
        ages = [rule.age for rule in self._rules if rule.age is not None]
        return min(max(min(ages) / 4, _SHORTEST), _LONGEST) if ages else None

    def start(self) -> None:
        every = self.every
        if every is not None:
            self._task = asyncio.create_task(self._run(every), name="holdfast pruner")

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self, every: dt.timedelta) -> None:
        never = asyncio.Event()
        while True:
            # At a random time, so that the nodes of a fleet do not look together.
            await self._clock.wait(never, later(self._clock.now(), every * self._dice.uniform(0.5, 1.0)))
            try:
                await self.look()
            except StoreError as error:
                _log.warning("%s; pruning again later", error)
            except Exception:
                _log.exception("pruning has failed; it is tried again later")

    async def look(self) -> None:
        """Delete what is too old, as far as this look gets to see it."""
        if self._looks % _LOOKS_A_WALK == 0:
            self._walked.clear()
        self._looks += 1
        ranges = [
            each._replace(after=self._walked.get((each.workflow, each.status), FIRST_KEY))
            for each in await self._deleter.ranges(self._rules)
        ]
        pruned = await self._deleter.prune(ranges)
        self._walked |= {(each.workflow, each.status): each.after for each in pruned.places}
        if pruned.report.runs:
            _log.info(
                "%d runs were deleted, because they are older than `retention` says", pruned.report.runs
            )
