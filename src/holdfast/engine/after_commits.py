"""Something that a node does now and then, after a commit. So a node that has nothing to do sends nothing.

Each node that works does it, and short-lived ones do with some chance, so it is done as often as rows are
written.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from abc import ABC, abstractmethod
from random import Random

from holdfast.core.values import Instant, later


class AfterCommits(ABC):
    def __init__(self, dice: Random, every: dt.timedelta, name: str) -> None:
        self._dice = dice
        self._every = every
        self._name = name
        self._look_at: Instant | None = None
        self._task: asyncio.Task[None] | None = None

    def note_commit(self, now: Instant) -> None:
        if self._look_at is None:
            # At a random time, so that the nodes of a fleet do not look together.
            self._look_at = later(now, self._every * self._dice.random())
        if now >= self._look_at and (self._task is None or self._task.done()):
            self._look_at = later(now, self._every)
            self._task = asyncio.create_task(self.look(now), name=self._name)

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    @abstractmethod
    async def look(self, now: Instant) -> None: ...
