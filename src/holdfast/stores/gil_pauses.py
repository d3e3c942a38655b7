"""Pauses in long conversions of rows, on threads beside the event loop's.

A thread that computes gives the GIL away every 5 ms only. A run needs the GIL some ten times between its
start and its result, on three threads, so each conversion beside it would cost it tens of milliseconds. A
short sleep lets all threads that wait have the GIL.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

_ROWS_BETWEEN: Final = 50
_SECONDS = 0.0002


def fetch(some: Callable[[int], list[T]]) -> list[T]:
    """All rows of a query, with pauses. `some` fetches the next ones, as many as it is told, if there are."""
    found = last = some(_ROWS_BETWEEN)
    while len(last) == _ROWS_BETWEEN:
        time.sleep(_SECONDS)
        last = some(_ROWS_BETWEEN)
        found += last
    return found


def in_slices(rows: Sequence[T], size: int = _ROWS_BETWEEN) -> Iterator[Sequence[T]]:
    """The rows in slices, with a pause between one slice and the next."""
    for first in range(0, len(rows), size):
        if first:
            pause()
        yield rows[first : first + size]


def pause() -> None:
    time.sleep(_SECONDS)
