"""Runs with the other facts that a list shows. Each query reads for all runs of a page at once."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.core.values import Payload, RunKey
from holdfast.ports.runs import RunOverview
from holdfast.stores import records
from holdfast.stores.database import Row, Transaction


def read_overviews(tx: Transaction, namespace: str, runs: Sequence[RunKey]) -> list[RunOverview]:
    """The overviews of those runs that exist, in the given order."""
    rows = {row[0]: row for row in tx.many_returning("runs_of", [(run,) for run in runs], namespace)}
    found = records.readable("run", [rows[run] for run in runs if run in rows], records.run_record)
    keys: list[Row] = [(run.key,) for run in found]
    states: dict[RunKey, dict[str, Payload]] = {run.key: {} for run in found}
    for run, key, value in tx.many_returning("states_of", keys):
        states[run][key] = value
    open_runs: list[Row] = [(run.key,) for run in found if not run.status.is_final]
    queued = set(tx.many_returning("queued_of", open_runs))
    cancelling = set(tx.many_returning("cancelling_of", open_runs))
    return [
        RunOverview(run, states[run.key], (run.key,) in queued, (run.key,) in cancelling) for run in found
    ]
