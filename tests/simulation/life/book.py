"""What the users of the workload remember. It outlives the processes of their client."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from tests.simulation.life.observing import Observer
from tests.simulation.life.programs import Script

from holdfast.client.client import Client
from holdfast.client.streams import StreamItem
from holdfast.core.values import RunKey
from holdfast.errors import NodeStopped, NotOpen, StoreError
from holdfast.testing.simulation.simulation import Simulation

T = TypeVar("T")

TROUBLE = (StoreError, NotOpen, NodeStopped)
"""Errors that are no mistake of the client. After one of them the outcome of the call is unknown."""


async def insist(call: Callable[[], Awaitable[T]]) -> T:
    while True:
        try:
            return await call()
        except TROUBLE:
            await asyncio.sleep(1)


class Planned:
    """A run that users want to start, or a child of one."""

    def __init__(self, id: str, script: Script | None) -> None:
        self.id = id
        self.script = script
        """None for a task that is started by itself."""
        self.keys: list[RunKey] = []
        """Of the runs that got this id, as users were told: more than one if the first was deleted, or
        lost its id to the next."""
        self.harms: list[str] = []
        """What was done to it that may keep it from its success."""
        self.tries: dict[tuple[str, str, int], int] = {}
        """How often each sender has tried to send each number, by the name of the signal."""
        self.acknowledged: list[tuple[RunKey, str, str, int]] = []


class Reply(NamedTuple):
    """What somebody has answered to a question, or tried to."""

    run: RunKey
    question: int
    name: str
    value: int
    by: str


class Reading:
    """A reader of a stream, and what it has read."""

    def __init__(self, id: str, stream: str, stops_after: Sequence[int]) -> None:
        self.id = id
        self.stream = stream
        self.stops_after = list(stops_after)
        self.key: RunKey | None = None
        self.items: list[StreamItem] = []
        self.is_over = False
        self.client: Client | None = None
        """Who reads now."""


class Book:
    def __init__(self, planned: dict[str, Planned], readings: list[Reading]) -> None:
        self.planned = planned
        self.readings = readings
        self.tags: dict[str, list[str]] = {}
        """The ids that were started with a tag, as far as users know, in order."""
        self.is_acting_over = False
        """Users will do no more of their own accord."""
        self.final: dict[RunKey, dict[str, Any]] = {}
        """What a client has read of each run that was there at the end: its state, messages and streams."""
        self.listed: dict[str, list[str]] = {}
        """The ids that the last lists by tag had."""
        self.answers: dict[tuple[RunKey, str, int], Any] = {}
        """The answers to updates, by sender and number."""
        self.replies: list[Reply] = []
        """To questions, including those whose outcome is unknown."""
        self.accepted: list[Reply] = []
        self.observer: Observer | None = None
        """Of all runs, if somebody watches them."""
        self.simulation: Simulation | None = None

    def claim(self, holds: bool, problem: str) -> None:
        if not holds:
            assert self.simulation is not None
            self.simulation.world.fail(problem)

    def note_started(self, id: str, key: RunKey) -> None:
        planned = self.planned[id]
        if key not in planned.keys and (self._has_lost_id(key) or self.is_deleted(key)):
            planned.keys.insert(0, key)  # the answer was late, and another run has the id by now
        elif key not in planned.keys:
            for earlier in planned.keys:
                self.claim(
                    self.is_deleted(earlier) or self._has_lost_id(earlier),
                    f"id {id} has got a second run, and the first is there",
                )
            planned.keys.append(key)

    def _has_lost_id(self, key: RunKey) -> bool:
        assert self.simulation is not None
        history = self.simulation.safety.history(key)
        return history is not None and history.run.id is None

    def is_deleted(self, key: RunKey) -> bool:
        assert self.simulation is not None
        return key in self.simulation.safety.deleted

    def harms_to(self, id: str) -> list[str]:
        """What was done to the run, or to one it descends from."""
        lines = id.split(".")
        ancestors = [".".join(lines[: length + 1]) for length in range(len(lines))]
        return [harm for each in ancestors if each in self.planned for harm in self.planned[each].harms]


def seconds(number: float) -> dt.timedelta:
    return dt.timedelta(seconds=number)
