"""Reading the streams of a run: the items so far, and new items as they come."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import msgspec

from holdfast.client.stream_readers import StreamReaders
from holdfast.core.sealed import check_open
from holdfast.core.stream_items import StreamPage, StreamRecord
from holdfast.core.values import Instant, Payload, RunKey, moment
from holdfast.errors import BadOption, JournalCorrupt, RunNotFound, StoreUnavailable, StreamGap
from holdfast.ports.runs import RunStore

_ROWS, _BYTES = 64, 1024 * 1024
"""How much to read at once."""
_POLL_SECONDS = 1.0
"""In case a notification was lost."""
_RECONNECT_SECONDS = 1.0
_MOST: Final = 2**62

_log = logging.getLogger(__name__)

_decode = msgspec.json.Decoder(list[tuple[int, msgspec.Raw]]).decode


class StreamItem(msgspec.Struct, frozen=True):
    offset: int
    """Its number in the stream, from 0. Pass it as `after` to read on behind it."""
    value: Any
    task: str | None
    """None if the code of the workflow has published it."""
    attempt: int
    """0 if the code of the workflow has published it."""
    at: dt.datetime
    is_first: bool = False
    """It is the first item of its attempt in this stream. An attempt that is made again begins anew: what
    the attempts at this task before it have published may come a second time."""
    seq: int = -1
    """The number of the task."""


class StreamInfo(msgspec.Struct, frozen=True):
    name: str
    first: int
    """The offset of the oldest item that is kept."""
    count: int
    """How many items were published so far, those that were dropped too."""


class StreamReading(msgspec.Struct, frozen=True):
    """What to read, and how."""

    store: RunStore
    readers: StreamReaders
    namespace: str
    id: str
    """Of the run."""
    name: str
    follow: bool
    unpack: Callable[[Payload], Any]

    async def items(
        self, find_key: Callable[[], Awaitable[RunKey]], after: int | None
    ) -> AsyncIterator[StreamItem]:
        """The items after the offset `after`, or all that are kept. With `follow` also new ones until the run
        has ended, and it keeps trying while the store is unavailable. Raises StreamGap."""
        wanted = 0 if after is None else after + 1
        is_begun = after is not None
        run = await find_key()
        with self.readers.reading(run) as changed:
            while True:
                changed.clear()
                page = await self._read(run, wanted)
                if page is None:
                    continue
                if page.status is None:
                    raise RunNotFound(self.id, self.namespace)
                for record in page.records:
                    if record.first > wanted and is_begun:
                        raise StreamGap(self.id, self.name, wanted, record.first)
                    wanted = max(wanted, record.first)  # the items of a row that is empty are gone
                    for item in self._items_of(record):
                        if item.offset >= wanted:
                            wanted, is_begun = item.offset + 1, True
                            yield item
                if wanted < page.next:
                    continue
                if page.status.is_final or not self.follow:
                    return
                await _wait(changed)

    async def _read(self, run: RunKey, since: int) -> StreamPage | None:
        try:
            return await self.store.read_stream(self.namespace, run, self.name, since, _ROWS, _BYTES)
        except StoreUnavailable as error:
            if not error.may_pass or not self.follow:
                raise
            _log.warning("%s; still reading stream %r", error, self.name)
            await asyncio.sleep(_RECONNECT_SECONDS)
            return None

    def _items_of(self, record: StreamRecord) -> list[StreamItem]:
        check_open(record.items)
        try:
            found = _decode(record.items)
        except msgspec.MsgspecError as error:
            raise JournalCorrupt(None, f"items of stream {self.name!r} ({error})") from None
        return [
            StreamItem(
                record.first + number,
                self.unpack(Payload(bytes(value))),
                record.task,
                record.attempt,
                moment(Instant(at)),
                record.is_first and not number,
                record.seq,
            )
            for number, (at, value) in enumerate(found)
        ]


async def _wait(changed: asyncio.Event) -> None:
    timer = asyncio.get_running_loop().call_later(_POLL_SECONDS, changed.set)
    try:
        await changed.wait()
    finally:
        timer.cancel()


def checked_offset(after: Any) -> int | None:
    if after is not None and (type(after) is not int or not -1 <= after < _MOST):
        raise BadOption("after", after, "the offset of an item, or -1 for the beginning")
    return after
