"""The rows of a page of runs, and other facts that a list shows. Each query reads for many runs at once."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.core.records import RunRecord
from holdfast.core.values import Payload, RunKey
from holdfast.ports.runs import ListedRuns, RunFilter, RunOverview
from holdfast.stores import records
from holdfast.stores.bounded_reads import read_within
from holdfast.stores.database import Row, Transaction
from holdfast.stores.gil_pauses import in_slices
from holdfast.stores.run_lists import list_keys

_PAGE_BYTES = 8 * 1024 * 1024
_READ_AT_ONCE = 50
"""Postgres compresses: rows that are small in the database may be large."""


def read_listed(tx: Transaction, namespace: str, which: RunFilter, *, payloads: bool) -> ListedRuns:
    """A page of runs, cut where it would have more than 8 MB."""
    keys, end = list_keys(tx, namespace, which)
    common = (namespace, int(payloads))
    sizes = dict(tx.many_returning("listed_sizes", [(key,) for key in keys], *common))
    there = [key for key in keys if key in sizes]
    found: list[RunRecord] = []
    room = _PAGE_BYTES
    for first in range(0, len(there), _READ_AT_ONCE):
        some = there[first : first + _READ_AT_ONCE]

        def read(start: int, stop: int, some: Sequence[RunKey] = some) -> int:
            nonlocal room
            wanted: list[Row] = [(key,) for key in some[start:stop]]
            rows = {row[0]: row for row in tx.many_returning("listed_runs", wanted, *common)}
            in_order = [rows[key] for (key,) in wanted if key in rows]
            # In the thread of the lane, because ten thousand rows would hold up the event loop.
            for part in in_slices(in_order):
                found.extend(records.readable("run", part, records.run_record))
            size = sum(len(cell) for row in in_order for cell in row[7:10] if cell is not None)
            room -= size
            return size

        count = read_within(room, [sizes[key] for key in some], read)
        if count < len(some) or (room <= 0 and first + count < len(there)):
            return ListedRuns(found, some[count - 1])
    return ListedRuns(found, end)


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
