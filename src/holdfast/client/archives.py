"""Exporting runs to JSON lines, and importing them again: into this database or another, SQLite or Postgres.

Files of any length pass through: a family of runs at a time is in a temporary file, and a page of rows in
memory. `core/archive_lines` describes the format.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import tempfile
from array import array
from collections import Counter
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Sequence,
)
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, Protocol, TypeAlias, TypedDict, cast

import msgspec

from holdfast.core.alerts import ALERTS, WEBHOOK
from holdfast.core.archive_lines import (
    DEFINITION,
    FLOW,
    NUMBERED,
    ArchivedRun,
    ArchiveReader,
    ArchiveWriter,
    EndOfRun,
    RowRead,
    read_row,
)
from holdfast.core.bulk import BULK
from holdfast.core.records import Definition
from holdfast.core.values import Instant, RunKey, key_text
from holdfast.errors import BadFile, BadOption, CannotImport, VersionConflict
from holdfast.ports.archives import ArchiveStore, ArrivingRun, ColumnTypes, RowValues, Standing
from holdfast.ports.definitions import DefinitionStore
from holdfast.ports.runs import RunFilter, RunStore

_AT_ONCE: Final = 200
"""How many runs are listed, exported or imported together, if they are small."""
_BYTES_AT_ONCE: Final = 4 * 1024 * 1024
_LINES_AT_ONCE: Final = 500
"""After so many lines, others on the event loop get their turn."""
_MOST_NAMED: Final = 20
_OWN: Final = frozenset({ALERTS, WEBHOOK, BULK})

_LIVE: Final = (
    "it has not ended; with live=True (--live) it would go on here, so first make sure that it does not go "
    "on where it came from"
)
_LACKS: Final = (
    "it may wait for its child {}, which is neither in the file nor here; export the run with its children"
)
_REASONS: Final = {
    Standing.OTHER: "it is here with other content; skip_existing=True (--skip-existing) leaves it as it is",
    Standing.ID_TAKEN: "another run here has its id; skip_existing=True (--skip-existing) leaves it out",
    Standing.ELSEWHERE: "another namespace of this database has the same run, or it is being deleted",
    Standing.PARENT_ELSEWHERE: "another namespace of this database has its parent, or it is being deleted",
}

ArchiveSource: TypeAlias = "str | Path | Iterable[str | bytes] | AsyncIterable[str | bytes]"
"""A path, or lines."""


class ImportReport(msgspec.Struct, frozen=True):
    checked: int = 0
    """How many runs of the file were checked. All are, before the first is imported."""
    runs: int = 0
    """How many runs were imported; in a dry run, how many would be."""
    live: int = 0
    """How many of them have not ended."""
    existing: int = 0
    """How many were there already and are the same."""
    skipped: int = 0
    """How many were left out because of `skip_existing`."""


class ImportOptions(TypedDict, total=False):
    live: bool
    skip_existing: bool
    dry_run: bool
    progress: Callable[[ImportReport], None] | None


class _Store(ArchiveStore, DefinitionStore, RunStore, Protocol):
    pass


class Archives:
    def __init__(
        self,
        store: _Store,
        *,
        namespace: str,
        now: Callable[[], Instant],
        calls: Callable[[Definition], Sequence[str]],
    ) -> None:
        """`calls` gives the names of the workflows that a published flow may call."""
        self._store = store
        self._namespace = namespace
        self._now = now
        self._calls = calls

    # --- exporting

    async def export_lines(
        self, runs: Sequence[RunKey], which: RunFilter, *, children: bool, ended: bool
    ) -> AsyncIterator[str]:
        from importlib.metadata import version  # takes 10 ms to import

        writer = ArchiveWriter(version("holdfast"))
        yield writer.header().decode()
        pages = _one_page(runs) if runs else self._listed(which, children=children)
        seen: set[tuple[str, str]] = set()
        async for page in pages:
            while page:
                with _spool() as file:
                    sink = _FileSink(file, writer, seen)
                    done = await self._store.export_runs(
                        self._namespace, page, sink, children=children, ended=ended
                    )
                    page = page[done:]
                    async for line in self._called(writer, seen, sink.published):
                        yield line
                    file.seek(0)
                    for line in file:
                        yield line.decode()
        yield writer.footer().decode()

    async def _called(
        self, writer: ArchiveWriter, seen: set[tuple[str, str]], published: list[Definition]
    ) -> AsyncIterator[str]:
        """The flows that these may call, and those that they may call. A run that has not ended, or is
        retried, may call them where it is imported."""
        while published:
            for name in self._calls(published.pop()):
                newest = await self._store.find_published_definition(self._namespace, name, None)
                if newest is None:
                    continue
                with _spool() as file:
                    sink = _FileSink(file, writer, seen)
                    await self._store.export_definition(self._namespace, newest.name, newest.version, sink)
                    published += sink.published
                    file.seek(0)
                    for line in file:
                        yield line.decode()

    async def _listed(self, which: RunFilter, *, children: bool) -> AsyncIterator[list[RunKey]]:
        """The runs that match, newest first. With `children`, without those that come with their parent.

        Without holdfast's own, unless they are asked for: the one that looks for alerts never ends, and what
        a job or a message has left to do is for this database.
        """
        which = which._replace(limit=_AT_ONCE)
        while page := await self._store.list_runs(self._namespace, which):
            which = which._replace(before=page[-1].key)
            if children:
                parents = {run.parent for run in page if run.parent is not None}
                there = {run.key for run in await self._store.find_runs(self._namespace, parents)}
                page = [run for run in page if run.parent not in there]
            yield [run.key for run in page if run.workflow not in _OWN or run.workflow == which.workflow]

    # --- importing

    async def import_runs(self, source: ArchiveSource, options: ImportOptions) -> ImportReport:
        """Raises BadArchive, CannotImport, VersionConflict and BadFile."""
        columns = await self._store.archive_columns()
        async with opened(source) as file:
            # The whole file is checked before anything is written.
            check = _Import(self._store, self._namespace, self._now, options, writes=False)
            await _read_archive(file, columns, check)
            await check.refuse_parents()
            report = check.finish()
            if options.get("dry_run", False):
                return report
            file.seek(0)
            importing = _Import(self._store, self._namespace, self._now, options, writes=True)
            importing.checked = report.checked
            await _read_archive(file, columns, importing)
            return importing.finish()


async def _one_page(runs: Sequence[RunKey]) -> AsyncIterator[list[RunKey]]:
    yield list(dict.fromkeys(runs))


class _FileSink:
    """Writes lines, on the thread of the store. Definitions are written once."""

    def __init__(self, file: IO[bytes], writer: ArchiveWriter, seen: set[tuple[str, str]]) -> None:
        self._file = file
        self._writer = writer
        self._seen = seen
        self.published: list[Definition] = []
        """Definitions of published flows, as they were written."""

    @property
    def is_full(self) -> bool:
        return self._file.tell() >= _BYTES_AT_ONCE

    def begin_run(self, key: RunKey, root: RunKey, row: RowValues, open_children: Sequence[RunKey]) -> None:
        self._file.write(self._writer.begin_run(key, root, row, open_children))

    def add(self, kind: str, row: RowValues) -> None:
        if kind in ("definition", "flow"):
            name = (kind, f"{row['name']}@{row['version']}" if kind == "definition" else row["id"])
            if name in self._seen:
                return
            self._seen.add(name)
            if kind == DEFINITION and row["number"] is not None:
                facts = [row[column] for column in ("name", "version", "kind", "hash", "source")]
                self.published.append(Definition(*facts, is_published=True))
        self._file.write(self._writer.row(kind, row))

    def end_run(self) -> None:
        self._file.write(self._writer.end_run())


class _Arrived(NamedTuple):
    run: ArrivingRun
    name: str
    is_live: bool
    size: int
    """In bytes of the file."""


async def _read_archive(file: IO[bytes], columns: dict[str, ColumnTypes], importing: _Import) -> None:
    """Reads the file from its beginning, and gives runs to `importing` in batches."""
    reader, batch, offset = ArchiveReader(columns), _Batch(), 0
    begun: ArchivedRun | None = None
    begins_at = lines = 0
    numbers: dict[str, array[int]] = {}
    for number in itertools.count(1):
        line = file.readline()
        if not line:
            break
        offset += len(line)
        match reader.read(line):
            case ArchivedRun() as begun:
                begins_at, lines, numbers = offset, 0, {}
                importing.note_family(begun)
                if batch.must_go_before(begun):
                    await importing.take(batch.empty())
                    file.seek(offset)
            case EndOfRun() if begun is not None:
                rows = _rows_at(file, begins_at, lines, columns)
                run = ArrivingRun(begun.key, begun.row, rows, numbers)
                batch.add(_Arrived(run, begun.name, begun.is_live, offset - begins_at), begun.root)
            case RowRead(kind, row) if kind in (DEFINITION, FLOW):
                await importing.take_definition(kind, row)
            case RowRead(kind, row):
                lines += 1
                if kind in NUMBERED:
                    numbers.setdefault(kind, array("q")).append(row[NUMBERED[kind]])
            case _:
                pass
        if number % _LINES_AT_ONCE == 0:
            await asyncio.sleep(0)
    reader.close()
    await importing.take(batch.empty())


def _rows_at(
    file: IO[bytes], offset: int, lines: int, columns: dict[str, ColumnTypes]
) -> Callable[[], Iterator[tuple[str, RowValues]]]:
    def rows() -> Iterator[tuple[str, RowValues]]:
        file.seek(offset)
        for _ in range(lines):
            yield read_row(file.readline(), columns)

    return rows


class _Batch:
    """Runs that are imported in one transaction: some small ones, or a family with a run that has not ended.
    A node may claim such a run as soon as it is there, and then its children must be there too."""

    def __init__(self) -> None:
        self._runs: list[_Arrived] = []
        self._size = 0
        self._live_root: RunKey | None = None
        self._taken: set[RunKey | str] = set()

    def must_go_before(self, next_run: ArchivedRun) -> bool:
        if self._live_root is not None and next_run.root == self._live_root:
            return False
        is_twice = next_run.key in self._taken or next_run.row["id"] in self._taken
        return is_twice or len(self._runs) >= _AT_ONCE or self._size >= _BYTES_AT_ONCE

    def add(self, run: _Arrived, root: RunKey) -> None:
        self._runs.append(run)
        self._size += run.size
        self._taken.update((run.run.key, run.name))
        if run.is_live:
            self._live_root = root

    def empty(self) -> list[_Arrived]:
        runs = self._runs
        self.__init__()
        return runs


class _Import:
    """One pass through a file: to check it, or to write what it has."""

    def __init__(
        self,
        store: _Store,
        namespace: str,
        now: Callable[[], Instant],
        options: ImportOptions,
        *,
        writes: bool,
    ) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now
        self._allows_live = options.get("live", False)
        self._skips = options.get("skip_existing", False)
        self._progress = options.get("progress")
        self._writes = writes
        self._refused: list[tuple[str, str]] = []
        self._refusals = 0
        self._counts: Counter[str] = Counter()
        self._open: set[RunKey] = set()
        self._waits_for: list[tuple[str, tuple[RunKey, ...]]] = []
        self.checked = 0

    def note_family(self, run: ArchivedRun) -> None:
        if run.is_live:
            self._open.add(run.key)
            if run.open_children:
                self._waits_for.append((run.name, run.open_children))

    async def refuse_parents(self) -> None:
        """Those that would wait for ever, because a child is neither in the file nor here."""
        for parent, children in self._waits_for if self._allows_live else ():
            here = {run.key for run in await self._store.find_runs(self._namespace, children)}
            missing = [child for child in children if child not in here and child not in self._open]
            if missing:
                self._refuse(parent, _LACKS.format(key_text(missing[0])))

    async def take_definition(self, kind: str, row: RowValues) -> None:
        """Raises VersionConflict."""
        if self._writes:
            rows = [row]
            is_flow = kind == FLOW
            await self._store.import_definitions(
                self._namespace, [] if is_flow else rows, rows if is_flow else []
            )
        elif kind == DEFINITION:
            which = (row["name"], row["version"])
            for known in await self._store.find_definitions(self._namespace, [which]):
                if known.hash != row["hash"]:
                    raise VersionConflict(*which)

    async def take(self, arrived: Sequence[_Arrived]) -> None:
        """Raises CannotImport, if this writes."""
        if self._writes and not self._allows_live:
            # The check has found that they are here already.
            self._counts["existing"] += sum(each.is_live for each in arrived)
            arrived = [each for each in arrived if not each.is_live]
        runs = [each.run for each in arrived]
        if self._writes:
            standings = await self._store.import_runs(self._namespace, runs, self._now())
        else:
            standings = await self._store.compare_runs(self._namespace, runs)
            self.checked += len(runs)
        for each, standing in zip(arrived, standings, strict=True):
            self._count(each, standing)
        if self._writes and self._refusals:
            self.finish()
        if self._progress is not None:
            # Nothing is imported while the file is checked.
            report = self.report()
            self._progress(report if self._writes else msgspec.structs.replace(report, runs=0, live=0))

    def _count(self, arrived: _Arrived, standing: Standing) -> None:
        if standing is Standing.SAME:
            self._counts["existing"] += 1
        elif standing in (Standing.OTHER, Standing.ID_TAKEN) and self._skips:
            self._counts["skipped"] += 1
        elif standing is not Standing.NEW:
            self._refuse(arrived.name, _REASONS[standing])
        elif arrived.is_live and not self._allows_live:
            self._refuse(arrived.name, _LIVE)
        else:
            self._counts["runs"] += 1
            self._counts["live"] += arrived.is_live

    def _refuse(self, name: str, reason: str) -> None:
        self._refusals += 1
        if len(self._refused) < _MOST_NAMED:
            self._refused.append((name, reason))

    def report(self) -> ImportReport:
        found = self._counts
        return ImportReport(self.checked, found["runs"], found["live"], found["existing"], found["skipped"])

    def finish(self) -> ImportReport:
        """Raises CannotImport."""
        if self._refusals:
            raise CannotImport(self._refused, self._refusals)
        return self.report()


def _spool() -> IO[bytes]:
    return cast("IO[bytes]", tempfile.SpooledTemporaryFile(max_size=_BYTES_AT_ONCE))


@contextlib.asynccontextmanager
async def opened(source: ArchiveSource) -> AsyncGenerator[IO[bytes]]:
    """A file that can be read twice. Raises BadFile."""
    if isinstance(source, (str, Path)):
        with _file_at(source) as file:
            yield file
        return
    with _spool() as file:
        if isinstance(source, AsyncIterable):
            async for line in source:
                file.write(_whole_line(line))
        elif isinstance(source, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            for line in source:
                file.write(_whole_line(line))
        else:
            raise BadOption("source", source, "the path of a file, or lines")
        file.seek(0)
        yield file


def _file_at(path: str | Path) -> IO[bytes]:
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise BadFile.unreadable("source", str(path), error) from None


def _whole_line(line: Any) -> bytes:
    if not isinstance(line, (str, bytes)):
        raise BadOption("source", line, "the path of a file, or lines")
    found = line.encode() if isinstance(line, str) else line
    return found if found.endswith(b"\n") else found + b"\n"
