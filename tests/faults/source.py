"""The source that faults are planted in, and what an edit of it is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src", "holdfast")
"""Below the root."""


class Disarmed(Exception):
    """An edit does not find its place exactly once, so it is unclear what it would break."""


def nearest(wanted: str, known: Iterable[str]) -> str:
    """The end of a message about a missing name: the most similar known one."""
    near = difflib.get_close_matches(wanted, known, n=1, cutoff=0.5)
    return f"; the nearest is `{near[0]}`" if near else ""


class Source:
    """The files of a package, with the changes that edits have made. Only `save` writes them."""

    def __init__(self, package: Path) -> None:
        self._package = package
        self.changed: dict[str, str] = {}
        """The new texts, by path below the package, such as `engine/tick.py`."""

    def find(self, pattern: str) -> list[str]:
        return sorted(path.relative_to(self._package).as_posix() for path in self._package.glob(pattern))

    def read(self, file: str) -> str:
        return self.changed.get(file) or (self._package / file).read_text(encoding="utf-8")

    def save(self) -> None:
        for file, text in self.changed.items():
            (self._package / file).write_text(text, encoding="utf-8")


class Edit(Protocol):
    @property
    def place(self) -> str:
        """The place as a text, such as `engine.tick:Tick.park`."""
        ...

    def apply(self, source: Source) -> None:
        """Raises Disarmed, and changes nothing, unless it finds what it changes exactly once."""
        ...
