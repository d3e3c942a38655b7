"""The file format of exported runs: one JSON object on each line.

    {"kind":"holdfast","format":1,"version":"0.5.0"}      first
    {"kind":"definition","row":{…}}                       a workflow, before the first run of it
    {"kind":"flow","row":{…}}
    {"kind":"run","run":"0198…","root":"0198…","row":{…}} a run; `root` is the first run of its family. If its
                                                          children were left out, `open` has the keys of those
                                                          that have not ended
    {"kind":"tasks","row":{…}}                            its rows, with the names of their tables
    {"kind":"end","run":"0198…","lines":12,"sha256":"…"}  its lines from the first to the one before this
    {"kind":"end of file","runs":3}                       last

Rows have the columns of the database. JSON is text in them, instants are microseconds since 1970, keys are
UUIDs and other bytes are base64. The same runs give the same lines, whatever database they are in. Files can
be joined one behind the other.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

import msgspec

from holdfast.core.values import RunKey, RunStatus, key_from_text, key_text
from holdfast.errors import BadArchive

FORMAT: Final = 1
RUN: Final = "run"
DEFINITION: Final = "definition"
FLOW: Final = "flow"
NUMBERED: Final = {"messages": "id", "logs": "number"}
"""The kinds of rows that are numbered for a whole database, each with the column of the number."""

_HEADER: Final = "holdfast"
_END: Final = "end"
_FOOTER: Final = "end of file"
_KEYS: Final = frozenset({"run", "key", "parent"})
"""Columns of bytes that are keys of runs."""
_NEEDED: Final = {
    RUN: ("key", "id", "workflow", "version", "status"),
    DEFINITION: ("name", "version", "hash", "status"),
    FLOW: ("id",),
    "journal": ("position", "step"),
    **{kind: (column,) for kind, column in NUMBERED.items()},
}
_LAST_INSTANT: Final = 253_402_300_799_999_999
"""The end of the year 9999, in microseconds since 1970."""
_HIGHEST_COUNT: Final = 2**30
_HIGHEST_NUMBER: Final = 2**43
_NUMBERS: Final = frozenset({"id", "number", "message", "first_offset", "next_offset", "total_bytes"})
"""Columns that count what a whole database or a whole stream has."""
_STATUSES: Final = frozenset(status.value for status in RunStatus)
_encode = msgspec.json.Encoder().encode


class ArchiveWriter:
    """Makes the lines."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._digest = hashlib.sha256()
        self._run: RunKey | None = None
        self._lines = self.runs = 0

    def header(self) -> bytes:
        return _line({"kind": _HEADER, "format": FORMAT, "version": self._version})

    def row(self, kind: str, row: Mapping[str, Any]) -> bytes:
        return self._counted(_line({"kind": kind, "row": _written(row)}))

    def begin_run(
        self, key: RunKey, root: RunKey, row: Mapping[str, Any], open_children: Iterable[RunKey]
    ) -> bytes:
        self._run, self._lines, self._digest = key, 0, hashlib.sha256()
        line: dict[str, Any] = {"kind": RUN, "run": key_text(key), "root": key_text(root)}
        if children := [key_text(child) for child in open_children]:
            line["open"] = children
        return self._counted(_line(line | {"row": _written(row)}))

    def end_run(self) -> bytes:
        assert self._run is not None
        end = {
            "kind": _END,
            "run": key_text(self._run),
            "lines": self._lines,
            "sha256": self._digest.hexdigest(),
        }
        self._run = None
        self.runs += 1
        return _line(end)

    def footer(self) -> bytes:
        return _line({"kind": _FOOTER, "runs": self.runs})

    def _counted(self, line: bytes) -> bytes:
        if self._run is not None:
            self._lines += 1
            self._digest.update(line)
        return line


def _line(value: Mapping[str, Any]) -> bytes:
    return _encode(value) + b"\n"


def _written(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        column: _text_of(column, value) if isinstance(value, bytes) else value
        for column, value in row.items()
    }


def _text_of(column: str, value: bytes) -> str:
    return key_text(RunKey(value)) if column in _KEYS else base64.b64encode(value).decode()


# --- reading


class RowRead(msgspec.Struct, frozen=True):
    kind: str
    row: dict[str, Any]


class ArchivedRun(msgspec.Struct, frozen=True):
    key: RunKey
    root: RunKey
    row: dict[str, Any]
    open_children: tuple[RunKey, ...] = ()
    """Those that have not ended and were left out."""

    @property
    def is_live(self) -> bool:
        return not RunStatus(self.row["status"]).is_final

    @property
    def name(self) -> str:
        return self.row["id"] or key_text(self.key)


class EndOfRun(msgspec.Struct, frozen=True):
    pass


class ArchiveReader:
    """Reads lines, and checks that they are whole. Raises BadArchive with the number of the line.

    `columns` are the columns that the store has, each with its type, by kind.
    """

    def __init__(self, columns: Mapping[str, Mapping[str, type]]) -> None:
        self._columns = columns
        self._number = 0
        self._version = ""
        self._is_open = False
        """Whether a header was read, and not yet the end of that file."""
        self._run: ArchivedRun | None = None
        self._lines = self._runs = 0
        self._digest = hashlib.sha256()

    def read(self, line: bytes) -> RowRead | ArchivedRun | EndOfRun | None:
        """None for a line that has nothing to import."""
        self._number += 1
        fields = self._fields(line)
        kind = str(fields.get("kind"))
        if kind == _HEADER:
            return self._begin_file(fields)
        if not self._is_open:
            raise self._bad("this is no file of exported runs: it does not begin with a header of holdfast")
        if kind == _END:
            return self._end_run(fields)
        if kind == _FOOTER:
            return self._end_file(fields)
        row = self._row(kind, fields)
        if kind == RUN:
            return self._begin_run(fields, line, row)
        if kind in (DEFINITION, FLOW):
            if self._run is not None:
                raise self._bad(f"a {kind} inside a run")
            return RowRead(kind, row)
        if self._run is None:
            raise self._bad(f"a row of {kind} outside a run")
        self._count(line)
        return RowRead(kind, row)

    def close(self) -> None:
        """Raises BadArchive if lines are missing at the end."""
        if self._run is not None:
            raise BadArchive(self._number, f"the file is cut: run {self._run.name!r} has no end")
        if self._is_open:
            raise BadArchive(self._number, "the file is cut: it has no last line with the number of runs")
        if self._number == 0:
            raise BadArchive(0, "the file is empty")

    def _fields(self, line: bytes) -> dict[str, Any]:
        if not line.endswith(b"\n"):
            raise self._bad("the file is cut: the line has no end")
        try:
            fields = msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._bad(f"it is not a JSON object ({error})") from None
        return fields

    def _begin_file(self, fields: dict[str, Any]) -> None:
        if self._is_open:
            raise self._bad("a header in the middle of a file")
        written, self._version = fields.get("format"), str(fields.get("version"))
        if not isinstance(written, int) or written < 1:
            raise self._bad("the header has no number of a format")
        if written > FORMAT:
            raise self._bad(
                f"the file has format {written}, of holdfast {self._version}, and this one knows formats up "
                f"to {FORMAT}; upgrade it"
            )
        self._is_open, self._runs = True, 0

    def _end_file(self, fields: dict[str, Any]) -> None:
        if self._run is not None:
            raise self._bad(f"run {self._run.name!r} has no end")
        if fields.get("runs") != self._runs:
            raise self._bad(f"the file should have {fields.get('runs')} runs, and has {self._runs}")
        self._is_open = False

    def _begin_run(self, fields: dict[str, Any], line: bytes, row: dict[str, Any]) -> ArchivedRun:
        if self._run is not None:
            raise self._bad(f"run {self._run.name!r} has no end")
        key, root = (_key(fields.get(name)) for name in ("run", "root"))
        if key is None or root is None or row["key"] != key:
            raise self._bad("the key of the run is no UUID, or not that of its row")
        if row["status"] not in _STATUSES:
            raise self._bad(f"a run is {row['status']!r}, which this holdfast does not know; upgrade it")
        children: Any = fields.get("open", [])
        found = (
            tuple(_key(it) for it in cast("list[Any]", children)) if isinstance(children, list) else (None,)
        )
        if None in found:
            raise self._bad("the keys of its children are no UUIDs")
        self._run = ArchivedRun(key, root, row, cast("tuple[RunKey, ...]", found))
        self._lines, self._digest = 0, hashlib.sha256()
        self._count(line)
        return self._run

    def _end_run(self, fields: dict[str, Any]) -> EndOfRun:
        run = self._run
        if run is None or fields.get("run") != key_text(run.key):
            raise self._bad("the end of a run that was not begun")
        if fields.get("lines") != self._lines:
            raise self._bad(f"run {run.name!r} has {self._lines} lines of {fields.get('lines')}")
        if fields.get("sha256") != self._digest.hexdigest():
            raise self._bad(f"the lines of run {run.name!r} were changed: their checksum is another")
        self._run = None
        self._runs += 1
        return EndOfRun()

    def _count(self, line: bytes) -> None:
        self._lines += 1
        self._digest.update(line)

    def _row(self, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
        columns, row = self._columns.get(kind), fields.get("row")
        if columns is None:
            raise self._bad(f"kind {kind!r} is unknown; the file is of holdfast {self._version}")
        if not isinstance(row, dict):
            raise self._bad(f"a line of kind {kind!r} has no row")
        found: dict[str, Any] = {}
        for column, value in cast("dict[str, Any]", row).items():
            if column in columns:
                found[column] = self._value(column, columns[column], value)
            elif value is not None:
                raise self._bad(
                    f"column {column!r} of {kind} is unknown here; the file is of holdfast {self._version}"
                )
        for column in _NEEDED.get(kind, ()):
            if column not in found or (found[column] is None and column != "id"):
                raise self._bad(f"column {column!r} of {kind} is missing")
        return found

    def _value(self, column: str, expected: type, value: Any) -> Any:
        if value is None:
            return None
        if expected is bytes and isinstance(value, str):
            found = _stored(column, value)
            if found is not None:
                return found
        elif type(value) is expected and (expected is not int or _is_plausible(column, value)):
            return value
        raise self._bad(f"column {column!r} has {value!r}, which cannot be stored there")

    def _bad(self, reason: str) -> BadArchive:
        return BadArchive(self._number, reason)


def read_row(line: bytes, columns: Mapping[str, Mapping[str, type]]) -> tuple[str, dict[str, Any]]:
    """The kind and the row of a line that an `ArchiveReader` has read before."""
    fields = msgspec.json.decode(line)
    kind: str = fields["kind"]
    types = columns[kind]
    return kind, {
        column: _stored(column, value) if types[column] is bytes and value is not None else value
        for column, value in fields["row"].items()
        if column in types
    }


def _is_plausible(column: str, number: int) -> bool:
    """A number that nobody has counted to is forged. The database could store some of these, and could not
    count on from there: a node that takes such a run would fail, and so would all who number messages."""
    if column == "at" or column.endswith("_at"):
        return 0 <= number <= _LAST_INSTANT
    first = -1 if column == "seq" else 0  # the code of a workflow stands for -1
    return first <= number <= (_HIGHEST_NUMBER if column in _NUMBERS else _HIGHEST_COUNT)


def _stored(column: str, text: str) -> bytes | None:
    return _key(text) if column in _KEYS else _bytes(text)


def _key(text: Any) -> RunKey | None:
    return key_from_text(text) if isinstance(text, str) else None


def _bytes(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return None
