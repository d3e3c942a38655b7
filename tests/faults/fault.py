"""What a planted fault is: a small edit of the source, the promise it breaks, and who should notice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src", "holdfast")
"""Below the root."""

_BATCH = 40
"""Of seeds."""


class Disarmed(Exception):
    """The text that a fault replaces is not in the source exactly once, so it would plant nothing known."""


class Edit(NamedTuple):
    file: str
    """Below the package, as in `engine/tick.py`."""
    old: str
    new: str

    def apply(self, package: Path) -> None:
        """Raises Disarmed, and changes nothing, unless the old text is there exactly once."""
        path = package / self.file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        times = text.count(self.old)
        if times != 1:
            raise Disarmed(
                f"the text to be replaced is {times} times in {self.file}, and not once: {self.old!r}; "
                "find where the promise is kept now, and plant the fault there"
            )
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


class Check(NamedTuple):
    """One command that fails on a broken source and passes on a whole one."""

    module: str
    """What `python -m` runs."""
    arguments: tuple[str, ...]
    seconds: float = 90
    """It may take this long before it counts as hanging: many times what it takes."""

    @property
    def is_pytest(self) -> bool:
        return self.module == "pytest"

    def __str__(self) -> str:
        return " ".join(self.arguments if self.is_pytest else (self.module, *self.arguments))


class Fault(NamedTuple):
    name: str
    breaks: str
    """The promise, in a few words. A number is that of a promise in the design."""
    edits: Sequence[Edit]
    checks: Sequence[Check]
    """Who should notice, the cheapest first."""

    @property
    def files(self) -> str:
        return ", ".join(dict.fromkeys(edit.file for edit in self.edits))


def cases(file: str, *names: str) -> Check:
    """Some tests of one file, by their full names, so that a test that is renamed or gone is missed here."""
    return Check("pytest", tuple(f"tests/{file}::{name}" for name in names))


def simulations(seeds: int) -> list[Check]:
    """So many histories on simulated machines, a batch at a time: most faults show in the first.

    In one process each, since two faults are tried at a time already.
    """
    command = ("--jobs", "1", "--workload", "jobs", "--seeds", str(_BATCH), "--from")
    return [
        Check("tests.simulation", (*command, str(first)), seconds=300) for first in range(0, seeds, _BATCH)
    ]
