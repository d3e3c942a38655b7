"""Server-sent events as bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from holdfast.core.changes import Change
from holdfast.server.live.packing import Packed, pack

_CHUNK_BYTES: Final = 16 * 1024
"""About so much is written at once. What a client does not read is in memory up to twice: one chunk here, and
one in the buffer of its connection beyond the limit at which writing waits."""

_encode = msgspec.json.Encoder().encode


class Chunk:
    """Some events in a row, whole. Subscribers who are told the same share it."""

    __slots__ = ("_packed", "data", "events")

    def __init__(self, data: bytes, events: int = 1) -> None:
        self.data = data
        self.events = events
        self._packed: Packed | None = None

    @property
    def packed(self) -> Packed:
        if self._packed is None:
            self._packed = pack(self.data)
        return self._packed


def event(kind: str, data: Any, id: str | None = None) -> bytes:
    """JSON has no line breaks outside of strings, and escapes those inside: so the data is one line."""
    head = b"" if id is None else b"id: %b\n" % id.encode()
    return b"%bevent: %b\ndata: %b\n\n" % (head, kind.encode(), _encode(data))


def event_of(change: Change) -> bytes:
    return event(change.kind, change, change.offset)


def comment(text: str, id: str | None = None) -> bytes:
    """With an id, the client comes back from there, although it is told nothing."""
    return f": {text}\n\n".encode() if id is None else f": {text}\nid: {id}\n\n".encode()


def chunks_of(events: Iterable[bytes]) -> Iterator[Chunk]:
    some: list[bytes] = []
    size = 0
    for each in events:
        some.append(each)
        size += len(each)
        if size >= _CHUNK_BYTES:
            yield Chunk(b"".join(some), len(some))
            some, size = [], 0
    if some:
        yield Chunk(b"".join(some), len(some))
