"""Shrinks a failure: leaves items out as long as it still fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def shrink(items: Sequence[T], still_fails: Callable[[Sequence[T]], bool], *, tries: int = 200) -> list[T]:
    """A part of `items` that still fails. Unless the tries run out, no single item of it can be left out.

    Halves are left out first, then quarters, and so on, because most of a long list is irrelevant.
    """
    kept = list(items)
    size = max(1, len(kept) // 2)
    while kept and tries > 0:
        start, has_shrunk = 0, False
        while start < len(kept) and tries > 0:
            without = kept[:start] + kept[start + size :]
            tries -= 1
            if still_fails(without):
                kept, has_shrunk = without, True
            else:
                start += size
        if size > 1:
            size = max(1, size // 2)
        elif not has_shrunk:
            break
    return kept
