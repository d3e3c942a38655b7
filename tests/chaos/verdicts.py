"""What a check of a chaos run says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple


class Verdict(NamedTuple):
    promise: str
    looked_at: int
    broken: list[str]
    """What cannot be, with the lines of the history that say so."""


def verdict_of(promise: str, cases: Sequence[Any], broken: Iterator[str]) -> Verdict:
    return Verdict(promise, len(cases), list(broken))
