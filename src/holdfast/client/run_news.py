"""When runs begin and end, for a log beside an engine: it costs little, and tells a sample if there is much.

The changes of the store are read, so a run is not missed however short its life was. One read has a limited
number of changes; if there are more, the rest is skipped, and that is said.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Final, NamedTuple

from holdfast.client.run_reading import RunReading
from holdfast.core.changes import LAST_OF_ROW, Change, Place, offset_text
from holdfast.core.values import Failure, RunStatus
from holdfast.errors import BadOption, OffsetGone, StoreError
from holdfast.ports.changes import ChangeFilter, ChangePage

MOST_NEWS: Final = 200
"""So many changes are told at once. If there are more, the others are left out."""
_REST_SECONDS: Final = 2.0
_AWAY_SECONDS: Final = 1.0
_BEFORE_ALL: Final = Place(0, 0)
"""Where nobody has begun."""
_HAVE_REASONS: Final = frozenset({RunStatus.FAILED, RunStatus.PARKED, RunStatus.CANCELLED})


class NewsPage(NamedTuple):
    changes: Sequence[Change]
    failures: Mapping[str, Failure]
    """Why runs of these changes failed or are parked, by their keys."""
    is_cut: bool
    """More has happened, which is left out."""


class RunNews:
    def __init__(self, client: RunReading) -> None:
        which = ChangeFilter(only_runs=True, most=MOST_NEWS)
        self._watching = client.watching(which)
        self._watching.is_in_background = True
        self._place = _BEFORE_ALL

    @property
    def offset(self) -> str:
        """How far it was read."""
        return offset_text(self._place)

    async def begin(self, after: str | None = None) -> None:
        """Tell what comes behind that offset. Without an offset, or if it is gone: what comes from now on."""
        if after is not None:
            with contextlib.suppress(OffsetGone, BadOption):
                self._place = await self._watching.place_of(after)
                return
        self._place = await self._watching.newest()

    async def pages(self, every: float) -> AsyncGenerator[NewsPage]:
        """As it comes, and then what comes in so many seconds together. Pages may be empty. Does not end, and
        goes on when the store is back."""
        while True:
            try:
                if self._place == _BEFORE_ALL:
                    await self.begin()
                async with contextlib.aclosing(self._read(every)) as pages:
                    async for page in pages:
                        yield page
            except StoreError:  # the node waits for the store, and logs that
                await asyncio.sleep(_AWAY_SECONDS)

    async def rest(self) -> AsyncGenerator[NewsPage]:
        """What is committed by now. Does not wait long for transactions that others have open."""
        with contextlib.suppress(StoreError, TimeoutError):
            async with asyncio.timeout(_REST_SECONDS):
                goal = await self._watching.newest()
                if self._place < goal:
                    async with contextlib.aclosing(self._read(0)) as pages:
                        async for page in pages:
                            yield page
                            if self._place >= goal:
                                break

    async def _read(self, every: float) -> AsyncGenerator[NewsPage]:
        """Until something is left out."""
        told = 0
        try:
            async with contextlib.aclosing(self._watching.pages(self._place)) as pages:
                async for page in pages:
                    if page is None:
                        continue
                    told += len(page.changes)
                    is_behind = page.place < Place(page.bounds.last, LAST_OF_ROW)
                    news = await self._news(page, is_cut=is_behind and told >= MOST_NEWS)
                    yield news
                    if news.is_cut or not is_behind:
                        await asyncio.sleep(every)
                        told = 0
                    if news.is_cut:
                        return
        except OffsetGone:
            self._place = await self._watching.newest()
            yield NewsPage((), {}, is_cut=True)

    async def _news(self, page: ChangePage, *, is_cut: bool) -> NewsPage:
        failures = await self._watching.failures(it.key for it in page.changes if it.status in _HAVE_REASONS)
        # From here on without an await: `pages` and `rest` may read the same, and it is told once.
        before, end = self.offset, page.place
        if is_cut:
            end = Place(page.bounds.last, LAST_OF_ROW)
        self._place = max(self._place, end)
        return NewsPage([it for it in page.changes if it.offset > before], failures, is_cut)
