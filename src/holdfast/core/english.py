"""Numbers and spans of time in sentences."""

from __future__ import annotations

from typing import Final

_NUMBERS: Final = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_UNITS: Final = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


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
    """With two units at most: `41 min`, `3 min 40 s`, `19 h 2 min`. Less than a second in ms."""
    if seconds < 1:
        return f"{max(0, round(seconds * 1000))} ms"
    whole = round(seconds)
    for place, (unit, name) in enumerate(_UNITS):
        count, rest = divmod(whole, unit)
        if count and place + 1 < len(_UNITS):
            smaller, next_name = _UNITS[place + 1]
            few = rest // smaller
            return f"{count:,} {name} {few} {next_name}" if few else f"{count:,} {name}"
    return f"{whole} s"
