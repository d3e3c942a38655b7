"""Numbers and spans of time in sentences."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

_NUMBERS: Final = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_UNITS: Final = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_LONG_DAYS: Final = 10
"""From so many days on, hours are left out."""


def number_words(number: int) -> str:
    """`four`, `1,731`."""
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else f"{number:,}"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 run`, `1,731 runs`."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def times_words(number: int) -> str:
    """`once`, `twice`, `36 times`."""
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")


def span_words(seconds: float) -> str:
    """As on the pages, with two units at most: `340 ms`, `1.8 s`, `41 min`, `3 min 05 s`, `19 h 02 min`."""
    if seconds < 0.9995:
        return f"{max(0, round(seconds * 1000))} ms"
    if seconds < 9.95:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    whole = round(seconds)
    for (unit, name), (smaller, next_name) in pairwise(_UNITS):
        count, rest = divmod(whole, unit)
        few = rest // smaller
        if count and (few == 0 or (name == "d" and count >= _LONG_DAYS)):
            return f"{count:,} {name}"
        if count:
            return f"{count:,} {name} {few if next_name == 'h' else f'{few:02}'} {next_name}"
    return f"{whole} s"
