"""The runs that a node is for, where it is not for all: those that it was told of, and their children.

`holdfast run` is such a node. It would otherwise take up whatever else of its workflows is due, begin with
it, and leave it again when its own run has ended.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.core.values import RunKey
from holdfast.engine.residents import Residents


class RunScope:
    def __init__(self) -> None:
        self._members: set[RunKey] = set()

    def add(self, runs: Iterable[RunKey]) -> None:
        self._members.update(runs)

    def forget(self, runs: Iterable[RunKey]) -> None:
        """They have ended."""
        self._members.difference_update(runs)

    def absent_from(self, residents: Residents) -> list[RunKey]:
        """Those that this node does not have in memory."""
        return [run for run in self._members if run not in residents]
