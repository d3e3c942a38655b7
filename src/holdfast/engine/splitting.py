"""Splitting a commit that the database refuses, to find the run whose rows it refuses.

The rows of one run stay together, with the children that it starts and the messages that it sends: its step
is atomic. The rows of different runs are independent of each other.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

import msgspec

from holdfast.core.values import RunKey
from holdfast.ports.commits import ROWS_FOR_OTHERS, ROWS_OF_RUNS, Commit


def runs_in(commit: Commit) -> list[RunKey]:
    """The runs that have rows in the commit, each once, in order. Children that a run starts belong to it."""
    starters = _starters(commit)
    runs = dict.fromkeys(starters.get(run.key, run.key) for run in commit.created)
    runs |= dict.fromkeys(starters.get(held.run, held.run) for held in commit.held)
    return list(runs)


def only_runs(commit: Commit, runs: AbstractSet[RunKey], tick: int) -> Commit:
    """A commit with the rows of these runs. It claims nothing, and collects no mail."""
    starters = _starters(commit)

    def is_kept(run: RunKey | None) -> bool:
        return run is not None and starters.get(run, run) in runs

    rows: dict[str, list[Any]] = {
        name: [row for row in getattr(commit, name) if is_kept(row.run)] for name in ROWS_OF_RUNS
    }
    for name in ROWS_FOR_OTHERS:
        rows[name] = [row for row in getattr(commit, name) if is_kept(row.sender)]
    rows["created"] = [run for run in commit.created if is_kept(run.key)]
    return msgspec.structs.replace(commit, tick=tick, is_retry=False, claim=None, collect=False, **rows)


def children_of(commit: Commit, run: RunKey) -> set[RunKey]:
    """The children that the run starts with this commit."""
    return {child for child, starter in _starters(commit).items() if starter == run}


def _starters(commit: Commit) -> dict[RunKey, RunKey]:
    return {run.key: run.parent for run in commit.created if run.parent is not None}
