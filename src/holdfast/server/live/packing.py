"""Events that many clients are told are compressed once for all of them.

The content encoding `deflate` (RFC 1950) is a header, blocks, and a checksum of everything. The blocks of a
chunk refer to nothing before it, so the same bytes fit into every stream; and the checksum of two texts is
computed from those of each, so no stream is summed up by itself. Browsers and most clients accept it.
"""

from __future__ import annotations

import zlib
from typing import Final, NamedTuple

_LEVEL: Final = 1
_HEADER: Final = b"\x78\x01"
_LAST_BLOCK: Final = b"\x03\x00"
_BASE: Final = 65_521
"""Of the checksum: Adler-32."""


class Packed(NamedTuple):
    data: bytes
    """Blocks that end at a byte, so that a client sees everything at once."""
    size: int
    """Of the text."""
    sum: int


def pack(text: bytes) -> Packed:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH)
    return Packed(data, len(text), zlib.adler32(text))


class PackedStream:
    """Puts packed texts together."""

    def __init__(self) -> None:
        self._sum = 1
        self._head = _HEADER

    def add(self, packed: Packed) -> bytes:
        """What to write for it."""
        self._sum = _sum_of_both(self._sum, packed)
        head, self._head = self._head, b""
        return head + packed.data if head else packed.data

    def end(self) -> bytes:
        return self._head + _LAST_BLOCK + self._sum.to_bytes(4, "big")


def _sum_of_both(before: int, packed: Packed) -> int:
    """The sum of a text is two numbers: the sum of its bytes and 1, and the sum of all sums on the way."""
    low, high = before & 0xFFFF, before >> 16
    more_low, more_high = packed.sum & 0xFFFF, packed.sum >> 16
    both_low = (low + more_low - 1) % _BASE
    both_high = (high + more_high + packed.size * (low - 1)) % _BASE
    return both_high << 16 | both_low


def accepts_packed(accept_encoding: str) -> bool:
    """Whether the header `Accept-Encoding` names the encoding."""
    for each in accept_encoding.split(","):
        name, _, weight = each.partition(";")
        if name.strip().lower() == "deflate":
            return weight.replace(" ", "").lower().rstrip("0.") != "q="
    return False
