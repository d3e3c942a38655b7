"""An observer of all runs: reads what is committed from offset to offset, across crashes.

What it is told is compared with what the rows went through: each status of each run comes once, in order, and
the last one is that of the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any

from holdfast.client.client import Client
from holdfast.core.changes import Change, ChangeKind
from holdfast.core.values import RunKey, RunStatus, key_text

_CATCHES_UP = 1800.0
"""Seconds of simulated time, so that no fault lasts longer."""
_AT_ONCE = 3
"""After so many changes it rests."""
_AT_FIRST = (RunStatus.PENDING, RunStatus.RUNNING)
_STATUS = (ChangeKind.RUN_CREATED, ChangeKind.RUN_STATUS)


class Observer:
    def __init__(self, rests: Iterable[float]) -> None:
        """`rests` is how long it stays away each time it has seen some changes, in seconds."""
        self._rests = list(rests)
        self.offset: str | None = None
        self.seen: dict[str, list[str]] = {}
        """The statuses of each run, by key. A status that is told again because the run waits for something
        else is there once."""
        self.deleted: set[str] = set()
        self.problems: list[str] = []
        self._client: Client | None = None

    async def begin(self, client: Client) -> None:
        """Before anything happens."""
        if self.offset is None:
            self.offset = await client.watch_offset()

    async def observe(self, client: Client, trouble: tuple[type[Exception], ...]) -> None:
        """Until it is cancelled, or a newer client goes on."""
        self._client = client
        while self._client is client:
            try:
                room = _AT_ONCE if self._rests else None
                async for change in client.watch(after=self.offset):
                    if self._client is not client:
                        return
                    self._note(change)
                    room = None if room is None else room - 1
                    if room == 0:
                        break
            except trouble:
                pass
            await asyncio.sleep(self._rests.pop() if self._rests else 1)

    async def catch_up(self, statuses: Callable[[], Awaitable[Mapping[str, str]]]) -> None:
        """Returns when it has been told of all statuses, or will not be."""
        for _ in range(int(_CATCHES_UP)):
            if self.told() == await statuses():
                return
            await asyncio.sleep(1)

    def told(self) -> dict[str, str]:
        """The last status of each run that was not deleted."""
        return {key: statuses[-1] for key, statuses in self.seen.items() if key not in self.deleted}

    def _note(self, change: Change) -> None:
        if self.offset is not None and change.offset <= self.offset:
            self.problems.append(f"an observer was told of {change.offset} after {self.offset}")
        self.offset = change.offset
        if change.key in self.deleted:
            self.problems.append(f"an observer was told of run {change.key} after its deletion: {change}")
        if change.kind is ChangeKind.RUN_DELETED:
            self.deleted.add(change.key)
        elif change.kind in _STATUS:
            statuses = self.seen.setdefault(change.key, [])
            if bool(statuses) is (change.kind is ChangeKind.RUN_CREATED):
                self.problems.append(f"an observer was told {change} of a run that was {statuses}")
            if statuses[-1:] != [str(change.status)]:
                statuses.append(str(change.status))


def observer_problems(
    observer: Observer, went_through: dict[RunKey, list[Any]], deleted: Iterable[RunKey]
) -> Iterator[str]:
    yield from observer.problems
    gone = {key_text(key) for key in deleted}
    if observer.deleted != gone & ({key_text(key) for key in went_through}):
        yield f"an observer was told that {observer.deleted} were deleted, and {gone} were"
    for key, statuses in went_through.items():
        name = key_text(key)
        if name in gone:
            continue  # what happened to it before is not told
        told = observer.seen.get(name, [])
        # The transaction that created it may have claimed it too, and have ended it.
        more = max(0, len(told) - len(statuses))
        told = [*(it for it in told[:more] if it not in _AT_FIRST), *told[more:]]
        if told != [str(status) for status in statuses]:
            yield f"an observer was told that run {name} became {told}, and it became {statuses}"
