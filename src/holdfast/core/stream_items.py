"""Items that tasks and workflows publish to the streams of their run, until a commit takes them.

A stream of a run is known by its name, and its items are numbered from 0. Many items are stored in one
row, as a JSON list, since a stream may have thousands of items a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, cast

import msgspec

from holdfast.core.codec import Codec
from holdfast.core.masking import Mask
from holdfast.core.names import checked_name
from holdfast.core.values import Instant, RunStatus
from holdfast.errors import BadOption, StreamOverflow

MOST_UNWRITTEN: Final = 10_000
"""How many items of an attempt may wait to be written. More are refused."""
MOST_UNWRITTEN_BYTES: Final = 8 * 1024 * 1024
_MANY, _MANY_BYTES = 1_000, 1024 * 1024
"""From so many on, who awaits `publish` waits until they are taken."""
MOST_STREAMS: Final = 1_000
"""To how many streams an attempt may publish."""
_ROW_BYTES = 64 * 1024
"""A row takes no further item once it has so many bytes."""


def encode_items(
    codec: Codec, stream: str, at: Instant, items: Iterable[object], mask: Mask | None = None
) -> list[bytes]:
    """Each item as it is stored: JSON of its instant and its value. Raises BadOption, CannotStore,
    PayloadTooLarge."""
    if isinstance(items, str | bytes | Mapping):  # it would be published letter by letter, or key by key
        given = cast("object", items)
        raise BadOption("items", given, "several items, such as a list; publish() takes one")
    what = f"an item of stream {stream!r}"
    if mask is not None:
        return [b"[%d,%b]" % (at, mask.payload(codec.encode(item, what))) for item in items]
    return [b"[%d,%b]" % (at, codec.encode(item, what)) for item in items]


def checked_stream(name: object) -> str:
    return checked_name("the name of a stream", name)


class ItemBatch(NamedTuple):
    """The items of one row."""

    stream: str
    is_first: bool
    """Nothing was published to this stream before, by the same attempt."""
    length: int
    """How many items."""
    items: bytes


class UnwrittenItems:
    """What an attempt, or the code of a workflow, has published and no commit has taken yet.

    Any thread may add. All else is done on the event loop's thread. There is no lock: a thread that can be
    interrupted could leave it locked.
    """

    __slots__ = ("_begun", "_items", "is_announced", "is_closed", "size")

    def __init__(self) -> None:
        self._items: deque[tuple[str, bytes]] = deque()
        self._begun: set[str] = set()
        self.size = 0
        """About how many bytes there are. Threads that add at once may miss each other's bytes, until the
        items are taken."""
        self.is_announced = False
        """The engine was told that there are items."""
        self.is_closed = False
        """The attempt is over for the engine, and what it publishes is dropped, as its result is."""

    def __len__(self) -> int:
        return len(self._items)

    def add(self, stream: str, items: Sequence[bytes]) -> None:
        if not self.is_closed:
            self._items.extend((stream, item) for item in items)
            self.size += sum(map(len, items))

    def check_room(self, stream: str, items: Sequence[bytes]) -> None:
        """Raises StreamOverflow if so much must not be added."""
        count, size = len(items) + len(self._items), sum(map(len, items)) + self.size
        if count > 1 and (count > MOST_UNWRITTEN or size > MOST_UNWRITTEN_BYTES) and not self.is_closed:
            raise StreamOverflow(
                stream,
                f"{count:,} items with {size:,} bytes would wait to be written, and {MOST_UNWRITTEN:,} items "
                f"and {MOST_UNWRITTEN_BYTES:,} bytes may; in async code write `await` before publish(), so "
                "that it waits for its turn, and pass fewer items to publish_many() at once",
            )
        if stream not in self._begun and len(self._begun) >= MOST_STREAMS:
            raise StreamOverflow(
                stream,
                f"one attempt may publish to {MOST_STREAMS:,} streams; publish to one stream, and say in "
                "each item what it is about",
            )

    @property
    def are_many(self) -> bool:
        """Whether who publishes should wait until they are taken."""
        return (len(self._items) >= _MANY or self.size >= _MANY_BYTES) and not self.is_closed

    def take(self) -> list[ItemBatch]:
        """All items, as rows. Items that are added meanwhile are announced again."""
        self.is_announced = False
        streams: dict[str, list[bytes]] = {}
        for _ in range(len(self._items)):
            stream, item = self._items.popleft()
            streams.setdefault(stream, []).append(item)
        self.size = 0
        self.note_taken()
        batches: list[ItemBatch] = []
        for stream, items in streams.items():
            for row in _in_rows(items):
                is_first = stream not in self._begun
                self._begun.add(stream)
                batches.append(ItemBatch(stream, is_first, len(row), b"[%b]" % b",".join(row)))
        return batches

    def close(self) -> None:
        """Drop what there is and what is added from now on."""
        self.is_closed = True
        self._items.clear()
        self.size = 0
        self.note_taken()

    def note_taken(self) -> None:
        """Called when the items were taken or dropped."""


def _in_rows(items: Sequence[bytes]) -> Iterable[Sequence[bytes]]:
    first = size = 0
    for number, item in enumerate(items):
        size += len(item)
        if size >= _ROW_BYTES:
            yield items[first : number + 1]
            first, size = number + 1, 0
    if first < len(items):
        yield items[first:]


class StreamRecord(msgspec.Struct, frozen=True, gc=False):
    """Some items of one stream: those of a row."""

    first: int
    """The offset of the first of them."""
    seq: int
    """The number of the task; `NO_TASK` if the code of the workflow published them."""
    attempt: int
    is_first: bool
    """The attempt has published nothing to this stream before these."""
    items: bytes
    """JSON: a list of instant and value."""
    task: str | None


class StreamPage(NamedTuple):
    records: list[StreamRecord]
    status: RunStatus | None
    """Of the run, as it was before the items were read: those of a run that has ended are all there. None if
    there is no such run."""
    next: int = 0
    """The offset that the next item of the stream had then. Whoever has read up to here has read all."""


class StreamSummary(NamedTuple):
    name: str
    first: int
    """The offset of the oldest item that is kept."""
    next: int
    """The offset that the next item will have."""
