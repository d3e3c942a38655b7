"""Paths: where a flow finds a value. `$shared.order.items[0]`, `$params.limit`, `$input`.

What is not there is null. So a path never fails, and `exists` can ask.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, cast

ROOTS: Final = ("params", "shared", "input")

PathSteps: TypeAlias = tuple[str | int, ...]
"""Keys of maps, and places in lists."""

_SEGMENT = re.compile(r"([^.\[\]$][^.\[\]]*)((?:\[[0-9]{1,9}\])*)")
_PLACES = re.compile(r"\[([0-9]+)\]")
_ROOTED = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)((?:\[[0-9]{1,9}\])*)(?:\.(.*))?", re.DOTALL)


class Path(NamedTuple):
    root: str
    """One of `ROOTS`."""
    steps: PathSteps = ()

    def __str__(self) -> str:
        return f"${self.root}" + "".join(f"[{it}]" if isinstance(it, int) else f".{it}" for it in self.steps)


class BadPath(ValueError):
    """Why a text is no path: ends a sentence that begins with it."""


def is_rooted(text: str) -> bool:
    """Whether a text means a path wherever a value may stand too: `$5.00` is an amount of money."""
    return _ROOTED.match(text) is not None


def parse_path(text: str) -> Path:
    """A path; one without `$` is of shared. Raises BadPath."""
    if not text.startswith("$"):
        return Path("shared", parse_steps(text))
    found = _ROOTED.fullmatch(text)
    if found is None or found[1] not in ROOTS:
        names = ", ".join(f"${root}" for root in ROOTS)
        raise BadPath(f"a path begins with {names}, or is a key of $shared")
    places = tuple(int(place) for place in _PLACES.findall(found[2]))
    return Path(found[1], places + (() if found[3] is None else parse_steps(found[3])))


def parse_steps(text: str) -> PathSteps:
    """What comes after the root: `order.items[0]`. Raises BadPath."""
    steps: list[str | int] = []
    for segment in text.split("."):
        found = _SEGMENT.fullmatch(segment)
        if found is None:
            raise BadPath("a path is keys with dots between them, and [n] for a place in a list")
        steps.append(found[1])
        steps += [int(place) for place in _PLACES.findall(found[2])]
    return tuple(steps)


def follow(value: Any, steps: Sequence[str | int]) -> Any:
    """The value that the steps lead to; None if there is none."""
    for step in steps:
        if isinstance(step, int):
            items = cast("list[Any]", value) if isinstance(value, list) else []
            value = items[step] if step < len(items) else None
        else:
            value = cast("dict[str, Any]", value).get(step) if isinstance(value, dict) else None
    return value


class PathValues(NamedTuple):
    """What a node can see."""

    params: Mapping[str, Any]
    shared: Mapping[str, Any]
    input: Any = None

    def at(self, path: Path) -> Any:
        return follow(getattr(self, path.root), path.steps)
