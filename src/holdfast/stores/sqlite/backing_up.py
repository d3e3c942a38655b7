"""Writes a copy of a SQLite file. Nodes and clients go on meanwhile."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

import apsw

from holdfast.core.schema import BackupInfo
from holdfast.errors import BadOption, StoreFull, StoreUnavailable
from holdfast.stores.sqlite.driver import SqliteDatabase

_EVERY: Final = 1.0
"""Seconds between two reports."""
_SIZE: Final = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"


def back_up_file(database: SqliteDatabase, target: Path, report: Callable[[int, int], None]) -> BackupInfo:
    """The copy appears under its name when it is whole, checked and on the disk."""
    with closing(database.connect()):
        pass  # says in its own words why the file cannot be used
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    began = time.monotonic()
    try:
        _copy(database, part, report)
        _sync(part)
        try:
            os.link(part, target)  # unlike a rename, writes over nothing
        except FileExistsError:
            raise BadOption(
                "file", str(target), "a file that there is not yet: nothing is written over"
            ) from None
        _sync(target.parent)
        return BackupInfo(database.name, str(target), target.stat().st_size, time.monotonic() - began)
    finally:
        part.unlink(missing_ok=True)


def _copy(database: SqliteDatabase, part: Path, report: Callable[[int, int], None]) -> None:
    # One read transaction, so the copy is what the database was at one moment, and nobody waits for it. The
    # backup interface of SQLite would begin again after each commit of another process.
    source: Any = apsw.Connection(database.path)
    failures: list[Exception] = []

    def work() -> None:
        try:
            source.execute("VACUUM INTO ?", (str(part),))
            _check(part)
        except Exception as error:
            failures.append(error)

    with closing(source):
        [(expected,)] = source.execute(_SIZE).fetchall()
        working = threading.Thread(target=work, daemon=True)
        working.start()
        try:
            working.join(_EVERY)
            while working.is_alive():
                with suppress(FileNotFoundError):
                    report(part.stat().st_size, expected)
                working.join(_EVERY)
        except BaseException:  # Ctrl-C
            source.interrupt()
            working.join()
            raise
    if failures:
        raise _explained(database, failures[0]) from failures[0]


def _check(part: Path) -> None:
    copy: Any = apsw.Connection(str(part), flags=apsw.SQLITE_OPEN_READONLY)
    with closing(copy):
        found = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise apsw.CorruptError(f"the copy is not sound ({found})")


def _explained(database: SqliteDatabase, error: Exception) -> Exception:
    if isinstance(error, apsw.FullError):
        return StoreFull("the folder of the backup", str(error))
    if isinstance(error, apsw.Error):
        return StoreUnavailable(database.name, str(error), may_pass=isinstance(error, apsw.BusyError))
    return error


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
