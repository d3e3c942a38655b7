"""Reading the inputs of tasks of which a part is stored once for several tasks; see `core.shared_inputs`.

The last column of a row of `tasks` says which task has the other part. NULL: the input is whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.core.sealed import check_open
from holdfast.core.shared_inputs import SharedInput, whole_input
from holdfast.core.values import Payload, RunKey
from holdfast.errors import JournalCorrupt
from holdfast.stores.database import Row, Transaction

_INPUT = 7
"""The column of the input."""


def with_shared_inputs(tx: Transaction, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows with the shared part itself in the last column. Each part is in memory once. Where it is gone,
    the number stays, and the row cannot be read."""
    wanted = {(row[0], row[-1]) for row in rows if row[-1] is not None}
    if not wanted:
        return rows
    found: dict[Row, SharedInput] = {
        (run, seq): SharedInput(seq, fields)
        for run, seq, fields in tx.many_returning("shared_inputs_of", sorted(wanted))
    }
    return [row if row[-1] is None else (*row[:-1], found.get((row[0], row[-1]), row[-1])) for row in rows]


def with_whole_inputs(tx: Transaction, rows: Sequence[Row]) -> Sequence[Row]:
    joined: list[Row] = []
    for row in with_shared_inputs(tx, rows):
        if isinstance(row[-1], SharedInput):
            row = (*row[:_INPUT], whole_input(row[-1], row[_INPUT]), *row[_INPUT + 1 : -1], None)
        joined.append(row)
    return joined


def read_whole_input(tx: Transaction, run: RunKey, own: Payload, shares: int | None) -> Payload:
    """Raises JournalCorrupt."""
    check_open(own)
    if shares is None:
        return own
    found = tx.many_returning("shared_inputs_of", [(run, shares)])
    if not found:
        raise JournalCorrupt(None, f"the part of an input that task {shares} shares with others is gone")
    check_open(found[0][2])
    return whole_input(SharedInput(shares, found[0][2]), own)
