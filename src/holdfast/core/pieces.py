"""Long work in pieces: a generator that yields where it may pause, and returns the result at its end.

Nobody knows how long a history is. Who owns an event loop goes on with such work for some milliseconds, lets
the others run, and then goes on.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Pieces: TypeAlias = Generator[None, None, T]


def finish(work: Pieces[T]) -> T:
    """Do all of it at once."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value
