"""JSON arrays of numbers, as queries return them in one row: decoded and sorted with pauses.

A run may have 250,000 attempts. To decode so many times takes 40 ms, and to sort them 200 ms. Each of the two
would be one call that holds the GIL until it is done, so the event loop would stand still for as long.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from holdfast.stores.gil_pauses import in_slices, pause

_CHARACTERS_AT_ONCE: Final = 50_000
"""Some 3,000 times."""
_SORTED_AT_ONCE: Final = 5_000
_SAMPLED: Final = 50
"""One of so many numbers says where the parts of the sorted list begin."""

_decode = msgspec.json.Decoder(list[int | None]).decode


def decode_numbers(array: str) -> Iterator[list[int | None]]:
    """The numbers of a flat JSON array, in slices, with a pause between one slice and the next."""
    begin, last = 1, len(array) - 1
    while begin < last:
        if begin > 1:
            pause()
        comma = array.find(",", begin + _CHARACTERS_AT_ONCE)
        end = last if comma < 0 else comma
        yield _decode(f"[{array[begin:end]}]")
        begin = end + 1


def sorted_numbers(numbers: Sequence[int]) -> list[int]:
    """As `sorted`, with pauses."""
    slices = [sorted(some) for some in in_slices(numbers, _SORTED_AT_ONCE)]
    found: list[int] = []
    for part in _parts_between(slices, _borders(slices, len(numbers) // _SORTED_AT_ONCE)):
        part.sort()
        found += part
        pause()
    return found


def _borders(slices: Sequence[Sequence[int]], count: int) -> list[int]:
    """Numbers that cut all numbers into that many parts of about the same length. If many numbers are equal,
    a part is longer, but equal numbers are sorted at once."""
    sample = sorted(each for some in slices for each in some[::_SAMPLED])
    return [sample[len(sample) * number // count] for number in range(1, count)]


def _parts_between(slices: Sequence[Sequence[int]], borders: Sequence[int]) -> Iterator[list[int]]:
    """All numbers, a part after the other. A part has pieces of sorted slices one behind the other."""
    places = [0] * len(slices)
    for border in borders:
        ends = [bisect_left(some, border) for some in slices]
        yield [each for some, at, end in zip(slices, places, ends, strict=True) for each in some[at:end]]
        places = ends
    yield [each for some, at in zip(slices, places, strict=True) for each in some[at:]]
