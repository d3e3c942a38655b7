"""What a check of a chaos run says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple


class Verdict(NamedTuple):
    promise: str
    looked_at: int
    broken: list[str]
    """The impossible cases, each with the lines of the history that show it."""


def verdict_of(promise: str, cases: Sequence[Any], broken: Iterator[str]) -> Verdict:
    return Verdict(promise, len(cases), list(broken))
