"""What a planted fault is: small edits of the source, the promise they break, and checks that should fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tests.faults.source import Disarmed, Edit, Source

_BATCH = 40
"""Seeds in one command."""


class Check(NamedTuple):
    """A command that passes on the source as it is, and should fail on the source with a fault."""

    module: str
    """What `python -m` runs."""
    arguments: tuple[str, ...]
    seconds: float = 90
    """After this time the command counts as hanging. It needs only a fraction of it."""

    @property
    def is_pytest(self) -> bool:
        return self.module == "pytest"

    def __str__(self) -> str:
        return " ".join(self.arguments if self.is_pytest else (self.module, *self.arguments))


class Fault(NamedTuple):
    name: str
    breaks: str
    """The promise, in a few words. A number in front is the number of the promise in the design."""
    edits: Sequence[Edit]
    checks: Sequence[Check]
    """One of them should fail. The cheapest comes first."""

    @property
    def places(self) -> str:
        return ", ".join(dict.fromkeys(edit.place for edit in self.edits))

    def plant(self, source: Source) -> None:
        """Raises Disarmed."""
        for edit in self.edits:
            try:
                edit.apply(source)
            except Disarmed as error:
                raise Disarmed(
                    f"{self.name} cannot be planted: {error}. Find where the source keeps this promise now, "
                    "and plant the fault there"
                ) from None


def cases(file: str, *names: str) -> list[Check]:
    """Tests of one file, by their full names. `test_faults` notices if one is renamed or gone."""
    return [Check("pytest", tuple(f"tests/{file}::{name}" for name in names))]


def simulations(seeds: int) -> list[Check]:
    """Simulated histories, in batches: most faults show in the first batch.

    Each batch runs in one process, since two faults are tried at a time already.
    """
    command = ("--jobs", "1", "--workload", "jobs", "--seeds", str(_BATCH), "--from")
    return [
        Check("tests.simulation", (*command, str(first)), seconds=300) for first in range(0, seeds, _BATCH)
    ]
