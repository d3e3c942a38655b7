"""Parameters in Postgres's binary format, a whole column at a time.

A batch is sent as one array for each column, and the query unnests the arrays. psycopg would build these
arrays one element at a time. At ten thousand rows a second that would be most of the work. Here a whole
column is packed at once. The query says how: every parameter has a cast, as in `$3::int4[]`.

Binary instants also save a conversion: Postgres counts microseconds too, but from the year 2000.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from struct import Struct, pack
from typing import Any, Final, NamedTuple, TypeAlias

EncodeCell: TypeAlias = Callable[[Any], bytes]

MICROSECONDS_TO_2000: Final = 946_684_800_000_000

_PARAMETER = re.compile(r"\$(\d+)(?:::(\w+)(\[\])?)?")
_NULL: Final = b"\xff\xff\xff\xff"

_int4 = Struct(">i").pack
_int8 = Struct(">q").pack
_int4_cell = Struct(">ii").pack
_int8_cell = Struct(">iq").pack
_header = Struct(">iiiii").pack


class _ArrayType(NamedTuple):
    oid: int
    encode: EncodeCell
    """Encodes one value that is not None."""
    cells: Callable[[Sequence[Any]], bytes]
    """Encodes a column of values, each preceded by its length."""


def _encode_text(value: str) -> bytes:
    return value.encode()


def _encode_bytes(value: bytes) -> bytes:
    return value


def _encode_instant(value: int) -> bytes:
    return _int8(value - MICROSECONDS_TO_2000)


def _uuid_cells(values: Sequence[Any]) -> bytes:
    length = _int4(16)
    if None in values:
        return b"".join([_NULL if value is None else length + value for value in values])
    return length + length.join(values)


def _bytes_cells(values: Sequence[Any]) -> bytes:
    return b"".join([_NULL if value is None else _int4(len(value)) + value for value in values])


def _text_cells(values: Sequence[Any]) -> bytes:
    # Names, statuses and owners repeat often, so each distinct value is encoded once.
    distinct = set(values)
    if len(distinct) > len(values) // 2:
        return _bytes_cells([None if value is None else value.encode() for value in values])
    cells = {value: _bytes_cells([None if value is None else value.encode()]) for value in distinct}
    return b"".join([cells[value] for value in values])


def _int4_cells(values: Sequence[Any]) -> bytes:
    if None in values:
        return b"".join([_NULL if value is None else _int4_cell(4, value) for value in values])
    flat = [4] * (2 * len(values))
    flat[1::2] = values
    return pack(f">{len(flat)}i", *flat)


def _int8_cells(values: Sequence[Any]) -> bytes:
    return b"".join([_NULL if value is None else _int8_cell(8, value) for value in values])


def _instant_cells(values: Sequence[Any]) -> bytes:
    # Most rows of a commit have the same instant, that of the tick.
    distinct = set(values)
    cells = {
        value: _NULL if value is None else _int8_cell(8, value - MICROSECONDS_TO_2000) for value in distinct
    }
    return b"".join([cells[value] for value in values])


_TYPES: Final = {
    "uuid": _ArrayType(2950, _encode_bytes, _uuid_cells),
    "text": _ArrayType(25, _encode_text, _text_cells),
    "json": _ArrayType(114, _encode_bytes, _bytes_cells),
    "bytea": _ArrayType(17, _encode_bytes, _bytes_cells),
    "int4": _ArrayType(23, _int4, _int4_cells),
    "int8": _ArrayType(20, _int8, _int8_cells),
    "timestamptz": _ArrayType(1184, _encode_instant, _instant_cells),
}


_LARGE: Final = ("json", "bytea")
"""The types of payloads. Texts are names, which are short."""


def _array_of(kind: _ArrayType) -> EncodeCell:
    def encode(values: Sequence[Any]) -> bytes:
        if not values:
            return pack(">iii", 0, 0, kind.oid)
        # One dimension, nulls allowed, with the lower bound 1.
        return _header(1, 1, kind.oid, len(values), 1) + kind.cells(values)

    return encode


def payload_columns_of(query: str) -> list[int]:
    """Which parameters of the query, counted from 0, are columns of payloads."""
    found = {
        int(number) - 1 for number, name, brackets in _PARAMETER.findall(query) if brackets and name in _LARGE
    }
    return sorted(found)


def split_by_size(
    rows: Sequence[Any], columns: Sequence[Sequence[bytes | None]], most: int
) -> Iterator[Sequence[Any]]:
    """Parts of the rows in their order, so that the cells of these columns have no more than `most` bytes in
    each part. A row that is larger than that is a part of its own."""
    if sum(map(_size, columns)) <= most:
        yield rows
        return
    begin = size = 0
    for end, cells in enumerate(zip(*columns, strict=True)):
        added = _size(cells)
        if size + added > most and end > begin:
            yield rows[begin:end]
            begin, size = end, 0
        size += added
    yield rows[begin:]


def _size(cells: Sequence[bytes | None]) -> int:
    return sum(map(len, filter(None, cells)))


def encoders_of(query: str) -> list[EncodeCell]:
    """The encoder of each parameter of the query, in order. Raises ValueError if a cast is missing."""
    found: dict[int, EncodeCell] = {}
    for number, name, brackets in _PARAMETER.findall(query):
        if name:
            kind = _TYPES[name]
            found[int(number)] = _array_of(kind) if brackets else kind.encode
        elif int(number) not in found:
            raise ValueError(f"parameter ${number} has no cast where it is first used in: {query}")
    return [found[number] for number in range(1, len(found) + 1)]
