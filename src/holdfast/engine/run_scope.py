"""Which runs a node works on: all that it can run, or only its own.

`holdfast run` limits its node to the run that it starts and the children of that run. Otherwise the node
would begin with other runs that are due, and leave them again when its own run has ended.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.core.values import RunKey
from holdfast.engine.residents import Residents


class RunScope:
    def __init__(self, *, own_runs_only: bool) -> None:
        self.is_limited = own_runs_only
        self._members: set[RunKey] = set()

    def add(self, runs: Iterable[RunKey]) -> None:
        if self.is_limited:
            self._members.update(runs)

    def remove(self, runs: Iterable[RunKey]) -> None:
        """These runs have ended."""
        if self.is_limited:
            self._members.difference_update(runs)

    def absent_from(self, residents: Residents) -> list[RunKey] | None:
        """The runs of the scope that are not in memory. None if the node works on all runs."""
        return [run for run in self._members if run not in residents] if self.is_limited else None
