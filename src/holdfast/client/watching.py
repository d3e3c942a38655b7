"""Watching: what is committed, as it is committed, from an offset on."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable
from typing import Final, NamedTuple, Protocol

import msgspec

from holdfast.client.change_readers import ChangeReaders
from holdfast.client.run_filters import RunConditions, run_filter
from holdfast.core.changes import LAST_OF_ROW, Change, ChangeKind, Place, offset_text, read_offset
from holdfast.core.records import RunRecord
from holdfast.core.values import Failure, RunKey, key_from_text, key_text
from holdfast.errors import BadOption, OffsetGone, RunNotFound, StoreUnavailable
from holdfast.ports.changes import ChangeFilter, ChangePage, ChangeStore, Horizon, WatchedState

_WATCHED_CONDITIONS: Final = {"status", "workflow", "tag", "created_after", "created_before"}
_POLL_SECONDS: Final = 1.0
"""In case a notification was lost."""
_BACKGROUND_POLL_SECONDS: Final = 5.0
_RECONNECT_SECONDS: Final = 1.0
_HELD_SECONDS: Final = 0.01
"""How soon to look again for changes that an open transaction holds up. It is doubled each time."""
_LONG_HELD_SECONDS: Final = 10.0
_RUNS_AT_ONCE: Final = 20
"""Each may have a large input."""
_BEHIND_ALL: Final = Place(2**62, LAST_OF_ROW)

_log = logging.getLogger(__name__)


def change_filter(conditions: RunConditions) -> ChangeFilter:
    """Raises BadOption."""
    which = run_filter(conditions, None, 1)
    if which.fingerprint is not None:
        raise BadOption("fingerprint", which.fingerprint, "left out: a change does not say why a run failed")
    for name in conditions.keys() - _WATCHED_CONDITIONS:
        if (value := conditions.get(name)) is not None:
            raise BadOption(name, value, "left out: a change does not say it")
    if len(which.statuses or ()) > 1 or len(which.tags) > 1:
        raise BadOption("conditions", conditions, "one state and one tag at most, since runs are watched")
    status, tag = next(iter(which.statuses or ()), None), next(iter(which.tags), None)
    return ChangeFilter(None, which.workflow, tag, status, which.since, which.before)


class _Goal(NamedTuple):
    """Where the changes of a run that has ended are all read."""

    epoch: int
    row: int

    def is_reached(self, place: Place) -> bool:
        return place >= Place(self.row, LAST_OF_ROW)


class WatchedStore(ChangeStore, Protocol):
    """What watchers need of the store."""

    async def find_runs(self, namespace: str, runs: Collection[RunKey]) -> list[RunRecord]: ...


class Watching(msgspec.Struct):
    """One watcher: what it reads, and how far it is."""

    store: WatchedStore
    readers: ChangeReaders
    namespace: str
    which: ChangeFilter
    id: str = ""
    """Of the one run, as the caller has named it."""
    goal: _Goal | None = None
    held_seconds: float = 0.0
    is_in_background: bool = False
    """Whether it reads beside an engine, and may be late with what other nodes do. Then no node is asked to
    announce its commits, the store is polled less often, and the engine logs that the store is away."""

    async def now(self) -> Place:
        """The place behind all that is committed."""
        bounds = await self.store.change_bounds()
        goal = bounds.newest
        while bounds.last < goal:
            await self._wait_for_transactions(asyncio.Event())
            bounds = await self.store.change_bounds(bounds.horizon)
        return Place(bounds.last, LAST_OF_ROW)

    async def newest(self) -> Place:
        """The place behind all that is committed. Transactions that are open now may add changes before."""
        return Place((await self.store.change_bounds()).newest, LAST_OF_ROW)

    async def changes(self, after: str | None) -> AsyncIterator[Change]:
        """Raises OffsetGone; RunNotFound if the one run is deleted already."""
        place = await self.now() if after is None else await self.place_of(after)
        async with contextlib.aclosing(self.pages(place)) as pages:
            async for page in pages:
                if page is None:
                    continue
                for change in page.changes:
                    yield change
                    if change.kind is ChangeKind.RUN_DELETED and self.which.run is not None:
                        return
                if self.which.run is not None and await self._has_ended(page):
                    return

    async def pages(self, place: Place) -> AsyncGenerator[ChangePage | None]:
        """What comes behind the place, as it comes; also pages without changes, every second at the latest.
        None: the store does not answer, and will be asked again. Raises OffsetGone."""
        with self.readers.reading() as changed:
            horizon: Horizon | None = None
            while True:
                changed.clear()
                page = await self._read(place, horizon)
                if page is None:
                    yield None
                    await asyncio.sleep(_RECONNECT_SECONDS)
                    continue
                if page.bounds.first > place.row:
                    raise OffsetGone(offset_text(place), "changes after it have been removed")
                is_over, place, horizon = page.place == place, page.place, page.bounds.horizon
                yield page
                if is_over and horizon is not None and page.bounds.newest > place.row:
                    await self._wait_for_transactions(changed)
                elif is_over:
                    self.held_seconds, horizon = 0.0, None
                    seconds = _BACKGROUND_POLL_SECONDS if self.is_in_background else _POLL_SECONDS
                    await _wait(changed, seconds)

    async def place_of(self, after: str) -> Place:
        """Raises BadOption and OffsetGone."""
        place = read_offset(after)
        bounds = await self.store.change_bounds()
        if place.row > bounds.newest:
            raise OffsetGone(after, "this database has not come so far")
        if bounds.first > place.row:
            raise OffsetGone(after, "changes after it have been removed")
        return place

    async def end_of(self, run: RunKey) -> tuple[WatchedState | None, Place]:
        """The state of a run, and a place behind all its changes up to then. None: there is no such run."""
        page = await self.store.read_changes(self.namespace, _BEHIND_ALL, ChangeFilter(run=run))
        return page.state, Place(page.bounds.newest, LAST_OF_ROW)

    async def failures(self, runs: Iterable[str]) -> dict[str, Failure]:
        """What the rows of these runs have as their failures, by key."""
        keys = [key for run in dict.fromkeys(runs) if (key := key_from_text(run)) is not None]
        found: dict[str, Failure] = {}
        for first in range(0, len(keys), _RUNS_AT_ONCE):
            for run in await self.store.find_runs(self.namespace, keys[first : first + _RUNS_AT_ONCE]):
                if run.failure is not None:
                    found[key_text(run.key)] = run.failure
        return found

    async def _read(self, place: Place, horizon: Horizon | None) -> ChangePage | None:
        try:
            if not self.is_in_background:
                await self.readers.tell_watched(self.store)
            return await self.store.read_changes(self.namespace, place, self.which, horizon)
        except StoreUnavailable as error:
            if not error.may_pass:
                raise
            level = logging.DEBUG if self.is_in_background else logging.WARNING
            _log.log(level, "%s; still watching", error)
            return None

    async def _has_ended(self, page: ChangePage) -> bool:
        """Whether the run has ended, and the last of its changes is read. Its end is written together with
        the change, so the change is among the rows that are there once the end was seen."""
        state = page.state
        if state is not None and not state.status.is_final:
            self.goal = None
            return False
        epoch = -1 if state is None else state.epoch
        if self.goal is None or self.goal.epoch != epoch:
            self.goal = _Goal(epoch, (await self.store.change_bounds()).newest)
        if not self.goal.is_reached(page.place):
            return False
        if state is None:  # it was deleted before the first change that was read
            raise RunNotFound(self.id, self.namespace)
        return True

    async def _wait_for_transactions(self, changed: asyncio.Event) -> None:
        """Those that may add changes before some that are there. They take milliseconds, if they are ours."""
        seconds = min(_POLL_SECONDS, max(_HELD_SECONDS, self.held_seconds))
        before, self.held_seconds = self.held_seconds, self.held_seconds + seconds
        if before < _LONG_HELD_SECONDS <= self.held_seconds:
            _log.warning(
                "watchers have waited %d s for a transaction that is open on the database server: it may "
                "have changes that come first; end it, or wait",
                _LONG_HELD_SECONDS,
            )
        await _wait(changed, seconds)


async def _wait(changed: asyncio.Event, seconds: float) -> None:
    timer = asyncio.get_running_loop().call_later(seconds, changed.set)
    try:
        await changed.wait()
    finally:
        timer.cancel()
