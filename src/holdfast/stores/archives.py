"""Transaction scripts for runs that are exported to a file, or imported from one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from holdfast.core.archive_lines import NUMBERED
from holdfast.core.run_options import read_run_options
from holdfast.core.values import Instant, RunKey, RunStatus, later
from holdfast.errors import CannotImport, VersionConflict
from holdfast.ports.archives import ArrivingRun, ColumnTypes, RowValues, RunSink, Standing
from holdfast.ports.flows import DRAFT
from holdfast.ports.store_life import DUE
from holdfast.stores.database import Row, Transaction
from holdfast.stores.run_tables import RunColumns, all_rows, renumbered
from holdfast.stores.sql_role import SqlRole

_OPEN: Final = frozenset(status.value for status in RunStatus if not status.is_final)
_WRITTEN_ROWS: Final = 500
_WRITTEN_BYTES: Final = 4 * 1024 * 1024
"""How much is kept in memory before it is written."""
_ASKED_AT_ONCE: Final = 1000
_LAST_RESERVED: Final = 2**59
"""The numbers behind this one are for what happens here. Otherwise some files with forged numbers could use
up those of the whole database."""
_NO_NUMBERS: Final = "too few numbers are left in this database; import into another one"
_OF_THE_NODE: Final = frozenset({"owner", "wake_at"})
"""Columns of a run that differ after an import: no node has the run, and it may be due."""
_STREAMS: Final = "stream_items"
_ITEMS_KEPT: Final = dt.timedelta(days=1)
"""How long items of streams are kept after an import at least: their time may be over, as in an archive."""


class SqlArchiveStore(SqlRole):
    async def archive_columns(self) -> dict[str, ColumnTypes]:
        return await self._driver.read(lambda tx: RunColumns(tx).types())

    async def export_runs(
        self, namespace: str, roots: Sequence[RunKey], sink: RunSink, *, children: bool, ended: bool
    ) -> int:
        def script(tx: Transaction) -> int:
            export = _Export(tx, namespace, sink)
            for count, root in enumerate(roots, 1):
                family = _family(tx, namespace, root) if children else {root: None}
                if not ended or export.has_ended(family):
                    for key in family:
                        export.write(key, root, with_children=children)
                if sink.is_full:
                    return count
            return len(roots)

        return await self._driver.read(script, snapshot=True, may_be_long=True)

    async def export_definition(self, namespace: str, name: str, version: str, sink: RunSink) -> None:
        await self._driver.read(lambda tx: _Export(tx, namespace, sink).write_definition(name, version))

    async def compare_runs(self, namespace: str, runs: Sequence[ArrivingRun]) -> list[Standing]:
        return await self._driver.read(
            lambda tx: _compare(tx, RunColumns(tx), namespace, runs), snapshot=True, may_be_long=True
        )

    async def import_definitions(
        self, namespace: str, definitions: Sequence[RowValues], flows: Sequence[RowValues]
    ) -> None:
        def script(tx: Transaction) -> None:
            columns = RunColumns(tx)
            for row in definitions:
                name, version = row["name"], row["version"]
                known = columns.find(tx, "definition", namespace, name, version)
                if known is None:
                    columns.insert(tx, "definition", [row | {"namespace": namespace}])
                elif _meaning(known) != _meaning(row):
                    raise VersionConflict(name, version)
            for row in flows:
                if columns.find(tx, "flow", namespace, row["id"]) is None:
                    columns.insert(tx, "flow", [row | {"namespace": namespace}])

        await self._driver.write(script)

    async def import_runs(self, namespace: str, runs: Sequence[ArrivingRun], now: Instant) -> list[Standing]:
        found = await self.compare_runs(namespace, runs)
        new = [run for run, standing in zip(runs, found, strict=True) if standing is Standing.NEW]
        shifts: dict[RunKey, dict[str, int]] = {}
        if any(numbers for run in new for numbers in run.numbers.values()):
            shifts = await self._driver.write(lambda tx: _reserve_numbers(tx, new))

        def script(tx: Transaction) -> dict[RunKey, Standing]:
            columns = RunColumns(tx)
            standings = _compare(tx, columns, namespace, new)  # another process may import the same file
            writer = _Writer(tx, columns, namespace)
            for run, standing in zip(new, standings, strict=True):
                if standing is Standing.NEW:
                    writer.add_run(run, shifts.get(run.key, {}), now)
            writer.flush()
            tx.announce(DUE)
            return {run.key: standing for run, standing in zip(new, standings, strict=True)}

        written = await self._driver.write_and_tell(script) if new else {}
        return [written.get(run.key, standing) for run, standing in zip(runs, found, strict=True)]


# --- exporting


class _Export:
    def __init__(self, tx: Transaction, namespace: str, sink: RunSink) -> None:
        self._tx = tx
        self._namespace = namespace
        self._sink = sink
        self._columns = RunColumns(tx)
        self._definitions: set[tuple[str, str]] = set()

    def has_ended(self, family: Mapping[RunKey, str | None]) -> bool:
        (root, _), *others = family.items()
        row = self._columns.find(self._tx, "run", self._namespace, root)
        statuses = {row["status"] if row else None, *(status for _, status in others)}
        return _OPEN.isdisjoint(statuses)

    def write(self, key: RunKey, root: RunKey, *, with_children: bool) -> None:
        """Nothing if the run is not there: it may have been deleted since it was listed."""
        row = self._columns.find(self._tx, "run", self._namespace, key)
        if row is None:
            return
        self.write_definition(row["workflow"], row["version"])
        left_out = [] if with_children or row["status"] not in _OPEN else self._open_children(key)
        self._sink.begin_run(key, root, row, left_out)
        for table, each in all_rows(self._tx, self._columns, key):
            self._sink.add(table, each)
        self._sink.end_run()

    def _open_children(self, parent: RunKey) -> list[RunKey]:
        children = self._tx.rows("children_to_export", self._namespace, parent)
        return sorted(key for key, status in children if status in _OPEN)

    def write_definition(self, name: str, version: str) -> None:
        if (name, version) in self._definitions:
            return
        self._definitions.add((name, version))
        definition = self._columns.find(self._tx, "definition", self._namespace, name, version)
        flow = self._columns.find(self._tx, "flow", self._namespace, name)
        if definition is not None:
            self._sink.add("definition", definition)
        if flow is not None:
            self._sink.add("flow", flow)


def _family(tx: Transaction, namespace: str, root: RunKey) -> dict[RunKey, str | None]:
    """The run, its children and theirs, a parent before its children. Each has its status, except the
    root."""
    family: dict[RunKey, str | None] = {root: None}
    parents = [root]
    while parents:
        found = [row for parent in parents for row in tx.rows("children_to_export", namespace, parent)]
        family |= dict(sorted(found))
        parents = sorted(key for key, _ in found)
    return family


# --- comparing


def _meaning(row: RowValues) -> tuple[Any, bool]:
    """A version that was deleted here or there is still the same version."""
    return row["hash"], row["status"] == DRAFT


def _compare(
    tx: Transaction, columns: RunColumns, namespace: str, runs: Sequence[ArrivingRun]
) -> list[Standing]:
    named: list[Row] = [(run.key, run.row["id"]) for run in runs]
    taken: dict[RunKey, set[RunKey]] = {}
    for key, known in tx.many_returning("find_taken", named, namespace):
        taken.setdefault(key, set()).add(known)
    elsewhere: set[RunKey] = set()
    for (other,) in tx.rows("run_namespaces", namespace):
        keys: list[Row] = [(key, None) for run in runs for key in (run.key, run.row.get("parent")) if key]
        elsewhere.update(key for key, _ in tx.many_returning("find_taken", keys, other))
    standings: list[Standing] = []
    for run in runs:
        if run.key in taken.get(run.key, ()):
            standings.append(_standing(tx, columns, namespace, run))
        elif run.key in taken:
            standings.append(Standing.ID_TAKEN)
        elif run.key in elsewhere:
            standings.append(Standing.ELSEWHERE)
        else:
            # Whoever reads the children of a run takes them for those of its namespace.
            is_stray = run.row.get("parent") in elsewhere
            standings.append(Standing.PARENT_ELSEWHERE if is_stray else Standing.NEW)
    return standings


def _standing(tx: Transaction, columns: RunColumns, namespace: str, run: ArrivingRun) -> Standing:
    """Of a run that is there. Its messages and log lines may have other numbers."""
    known = columns.find(tx, "run", namespace, run.key)
    if known is None or not _has(known, run.row, _OF_THE_NODE):
        return Standing.OTHER
    shifts: dict[str, int] = {}
    pairs = zip_longest(_lasting(run.rows()), _lasting(all_rows(tx, columns, run.key)), fillvalue=None)
    for arriving, stored in pairs:
        if arriving is None or stored is None or arriving[0] != stored[0]:
            return Standing.OTHER
        (table, row), (_, kept) = arriving, stored
        if table in NUMBERED:
            column = NUMBERED[table]
            shifts.setdefault(table, kept[column] - row[column])
        if not _has(kept, renumbered(table, row, shifts)):
            return Standing.OTHER
    return Standing.SAME


def _lasting(rows: Iterable[tuple[str, RowValues]]) -> Iterator[tuple[str, RowValues]]:
    """Without items of streams: the database drops them when they are old, and the file has them still."""
    return (each for each in rows if each[0] != _STREAMS)


def _has(stored: RowValues, row: RowValues, besides: frozenset[str] = frozenset()) -> bool:
    """Whether the stored row has these values. It may have columns that the file does not."""
    return all(column in besides or stored.get(column) == value for column, value in row.items())


# --- importing


def _reserve_numbers(tx: Transaction, runs: Sequence[ArrivingRun]) -> dict[RunKey, dict[str, int]]:
    """By how much the numbers of each run are moved. A run keeps its numbers if all are free; otherwise all
    are moved by as much, so that their order stays. Whatever is written from now on gets higher numbers."""
    tx.run("hold_numbers")
    ((last_message, last_log),) = tx.rows("last_numbers")
    shifts: dict[RunKey, dict[str, int]] = {run.key: {} for run in runs}
    for table, last in (("messages", last_message), ("logs", last_log)):
        next_number = last + 1
        taken = _taken(tx, table, [number for run in runs for number in run.numbers.get(table, ())])
        for run in runs:
            numbers = run.numbers.get(table, ())
            if not numbers:
                continue
            shift = 0
            if any(number in taken for number in numbers):
                shift = shifts[run.key][table] = next_number - min(numbers)
            taken.update(number + shift for number in numbers)
            next_number = max(next_number, max(numbers) + shift + 1)
        if next_number > _LAST_RESERVED:
            raise CannotImport([(f"all runs with {table}", _NO_NUMBERS)], len(runs))
        if next_number - 1 > last:
            tx.run(f"reserve_{table}", next_number - 1)
    return shifts


def _taken(tx: Transaction, table: str, numbers: Sequence[int]) -> set[int]:
    found: set[int] = set()
    for first in range(0, len(numbers), _ASKED_AT_ONCE):
        asked: list[Row] = [(number,) for number in numbers[first : first + _ASKED_AT_ONCE]]
        found.update(number for (number,) in tx.many_returning(f"taken_{table}", asked))
    return found


class _Place(NamedTuple):
    """Rows of one table with the same columns are written together."""

    kind: str
    columns: tuple[str, ...]


class _Writer:
    """Collects rows and writes them in batches, all in one transaction."""

    def __init__(self, tx: Transaction, columns: RunColumns, namespace: str) -> None:
        self._tx = tx
        self._columns = columns
        self._namespace = namespace
        self._rows: dict[_Place, list[RowValues]] = {}
        self._count = self._size = 0

    def add_run(self, run: ArrivingRun, shifts: Mapping[str, int], now: Instant) -> None:
        row = run.row | {"namespace": self._namespace}
        if row["status"] in _OPEN and row.get("owner") is not None:
            row |= {"owner": None, "wake_at": now}  # as after the death of its node
        self._add("run", row)
        for table, each in run.rows():
            owned = renumbered(table, each, shifts) | {"run": run.key}
            if table == _STREAMS and owned.get("drop_at") is not None:
                owned["drop_at"] = max(owned["drop_at"], later(now, _ITEMS_KEPT))
            self._add(table, owned | self._columns.namespace_in(table, self._namespace))
        self._tag(run)

    def _tag(self, run: ArrivingRun) -> None:
        options = run.row.get("options")
        if options:
            tags = read_run_options(options.encode()).tags
            self._tx.many("insert_tags", [(tag, run.key) for tag in tags], self._namespace)

    def _add(self, kind: str, row: RowValues) -> None:
        self._rows.setdefault(_Place(kind, tuple(row)), []).append(row)
        self._count += 1
        self._size += sum(len(value) for value in row.values() if isinstance(value, (str, bytes)))
        if self._count >= _WRITTEN_ROWS or self._size >= _WRITTEN_BYTES:
            self.flush()

    def flush(self) -> None:
        for (kind, _), rows in self._rows.items():
            self._columns.insert(self._tx, kind, rows)
        self._rows, self._count, self._size = {}, 0, 0
