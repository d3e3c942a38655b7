"""Paths of a flow: `$shared.order.items[0]`, `$params.limit`, `$input`.

A value that is not there is null, so a path never fails, and `exists` can ask.
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
    """Why a text is no path: the end of a sentence that begins with the text."""


def is_rooted(text: str) -> bool:
    """Whether a text means a path where a value may be written, too. `$5.00` does not."""
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
    """The values that the paths of a node can lead to."""

    params: Mapping[str, Any]
    shared: Mapping[str, Any]
    input: Any = None

    def at(self, path: Path) -> Any:
        return find(getattr(self, path.root), path.steps)
