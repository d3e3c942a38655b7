"""Runs as rows that can be written to a file, and put into another database.

What a file holds is in `core/archive_lines`. A store reads and writes rows as plain values by column,
whatever columns a table has. So a column that a migration adds is carried without a change here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeAlias

from holdfast.core.values import Instant, RunKey

RowValues: TypeAlias = dict[str, Any]
"""The values of a row by column: text, whole numbers, bytes and None."""

ColumnTypes: TypeAlias = Mapping[str, type]
"""The columns of a table, each with `str`, `int` or `bytes`."""


class RunSink(Protocol):
    """Takes the rows of runs, on the thread of the store."""

    @property
    def is_full(self) -> bool: ...

    def begin_run(self, key: RunKey, root: RunKey, row: RowValues, open_children: Sequence[RunKey]) -> None:
        """`open_children` have not ended, and are left out although the run may wait for them."""
        ...

    def add(self, kind: str, row: RowValues) -> None:
        """A row of the run that was begun last, or of what it needs: `definition` and `flow` come before the
        run."""
        ...

    def end_run(self) -> None: ...


class ArrivingRun(NamedTuple):
    """A run that was read from a file, and was checked."""

    key: RunKey
    row: RowValues
    rows: Callable[[], Iterator[tuple[str, RowValues]]]
    """Its rows in other tables, each with the name of the table, in the order of a `RunSink`. May be called
    several times, on the thread of the store."""
    numbers: Mapping[str, Sequence[int]]
    """The numbers of its rows in tables that are numbered for the whole database."""


class Standing(StrEnum):
    """What the store has of a run that is to be imported."""

    NEW = "new"
    SAME = "same"
    """The same run, with the same rows. Whether a node has it and when it wakes may differ."""
    OTHER = "other"
    """A run with the same key, and other rows."""
    ID_TAKEN = "id taken"
    ELSEWHERE = "elsewhere"
    """A run with the same key, in another namespace, or one that is being deleted."""
    PARENT_ELSEWHERE = "parent elsewhere"
    """A new run whose parent is in another namespace, or is being deleted."""


class ArchiveStore(Protocol):
    async def archive_columns(self) -> dict[str, ColumnTypes]:
        """By kind: `run`, `definition`, `flow`, and the tables with rows of runs."""
        ...

    async def export_runs(
        self, namespace: str, roots: Sequence[RunKey], sink: RunSink, *, children: bool, ended: bool
    ) -> int:
        """Give the rows of these runs to the sink, all in one snapshot. With `children`, a run is followed by
        its children and theirs, also those that were started detached. With `ended`, runs are left out
        that have not ended, or have a child that has not. Stops behind a family when the sink is full.
        Returns how many of `roots` it has looked at."""
        ...

    async def export_definition(self, namespace: str, name: str, version: str, sink: RunSink) -> None:
        """Give the definition of a workflow to the sink, and the flow that it belongs to."""
        ...

    async def compare_runs(self, namespace: str, runs: Sequence[ArrivingRun]) -> list[Standing]: ...

    async def import_definitions(
        self, namespace: str, definitions: Sequence[RowValues], flows: Sequence[RowValues]
    ) -> None:
        """Add those that are not there. Raises VersionConflict if one is there with another content."""
        ...

    async def import_runs(self, namespace: str, runs: Sequence[ArrivingRun], now: Instant) -> list[Standing]:
        """Add those that are new, all in one transaction. Messages and log lines get other numbers if theirs
        are taken, and the journal is changed to refer to these. A run that a node had is due at once."""
        ...
