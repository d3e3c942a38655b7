"""Pauses in long conversions of rows, on threads beside the event loop's.

A thread that computes gives the GIL away every 5 ms only. A run needs the GIL some ten times between its
start and its result, on three threads, so each conversion beside it would cost it tens of milliseconds. A
short sleep lets all threads that wait have the GIL.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

ROWS_BETWEEN_PAUSES: Final = 50
_SECONDS = 0.0002


def pause() -> None:
    time.sleep(_SECONDS)


def in_slices(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """The rows in slices, with a pause between one slice and the next."""
    for first in range(0, len(rows), ROWS_BETWEEN_PAUSES):
        if first:
            pause()
        yield rows[first : first + ROWS_BETWEEN_PAUSES]
