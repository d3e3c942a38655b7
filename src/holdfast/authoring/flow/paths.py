"""Paths: where a flow finds a value. `$shared.order.items[0]`, `$params.limit`, `$input`.

What is not there is null. So a path never fails, and `exists` can ask.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from holdfast.authoring.documents.references import Path, Steps, find

ROOTS: Final = ("params", "shared", "input")

_SEGMENT = re.compile(r"([^.\[\]$][^.\[\]]*)((?:\[[0-9]{1,9}\])*)")
_INDEXES = re.compile(r"\[([0-9]+)\]")
_ROOTED = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)((?:\[[0-9]{1,9}\])*)(?:\.(.*))?", re.DOTALL)


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
    indexes = tuple(int(index) for index in _INDEXES.findall(found[2]))
    return Path(found[1], indexes + (() if found[3] is None else parse_steps(found[3])))


def parse_steps(text: str) -> Steps:
    """What comes after the root: `order.items[0]`. Raises BadPath."""
    steps: list[str | int] = []
    for segment in text.split("."):
        found = _SEGMENT.fullmatch(segment)
        if found is None:
            raise BadPath("a path is keys with dots between them, and [n] for a place in a list")
        steps.append(found[1])
        steps += [int(index) for index in _INDEXES.findall(found[2])]
    return tuple(steps)


class PathValues(NamedTuple):
    """What a node can see."""

    params: Mapping[str, Any]
    shared: Mapping[str, Any]
    input: Any = None

    def at(self, path: Path) -> Any:
        return find(getattr(self, path.root), path.steps)
