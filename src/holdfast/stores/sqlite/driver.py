"""SQLite through apsw: a file in WAL mode. Every commit is synced to disk before it returns."""

from __future__ import annotations

import asyncio
import errno
import itertools
import json
import logging
import os
import random
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from typing import Any, TypeVar

import apsw

from holdfast.errors import CommitRefused, StoreFull, StoreUnavailable
from holdfast.stores import gil_pauses, migrations
from holdfast.stores.database import Ask, Changes, Column, Connection, Row, TablePage, TransactionScript
from holdfast.stores.named_queries import Migration, load_migrations, load_queries
from holdfast.stores.sqlite.table_texts import insert_text, page_text, replace_text
from holdfast.stores.sqlite.watching import OwnCommits, Sighting, watch

T = TypeVar("T")

MEMORY = ":memory:"

_log = logging.getLogger("holdfast.store")

_PACKAGE = "holdfast.stores.sqlite"
_BUSY_SECONDS = 10.0
_BUSY_RETRY_SECONDS = 0.001
_MIGRATION_SECONDS = 600.0
"""How long a migration waits for the lock."""

# synchronous = NORMAL would lose the last commits in a power cut, and with them the results of tasks.
# On macOS fsync leaves the data in the cache of the drive; fullfsync makes SQLite flush that too.
# Elsewhere fullfsync has no effect.
# The cache of 64 MB holds the upper levels of every index, and the rows of open runs.
_SETTINGS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA fullfsync = ON;
PRAGMA cache_size = -65536;
PRAGMA temp_store = MEMORY;
"""

# A lease that a power cut takes back was the lease of a node that the power cut has ended. So nothing is
# synced: the next commit syncs it along with its own pages. Checkpoints are left to the other connections.
_SETTINGS_TO_RENEW = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA wal_autocheckpoint = 0;
"""

_BEGIN_TO_READ = "BEGIN"
# IMMEDIATE takes the write lock up front. A transaction that starts as a reader and upgrades later can fail
# at once with SQLITE_BUSY, whatever the timeout says.
_BEGIN_TO_WRITE = "BEGIN IMMEDIATE"

_OVER_QUOTA = (errno.EDQUOT, errno.EFBIG)

# The cause is not the statement but the file, its disk or another process.
_UNAVAILABLE = (
    apsw.BusyError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.LockedError,
    apsw.ProtocolError,
    apsw.ReadOnlyError,
    apsw.PermissionsError,
    apsw.AuthError,
    apsw.NotADBError,
    apsw.CorruptError,
)

# The errors among these that do not pass by themselves.
_UNUSABLE = (
    apsw.CantOpenError,
    apsw.ReadOnlyError,
    apsw.PermissionsError,
    apsw.AuthError,
    apsw.NotADBError,
    apsw.CorruptError,
)


# The cause is a row, so that a retry would not help.
_REFUSALS = (apsw.ConstraintError, apsw.TooBigError, apsw.MismatchError, apsw.RangeError)


@cache
def _queries() -> dict[str, str]:
    return load_queries(_PACKAGE)


_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' LIMIT 3"
_OUR_COLUMN = "SELECT 1 FROM pragma_table_info('schema_migrations') WHERE name = 'number'"


class SqliteDatabase:
    has_one_writer = True

    def __init__(self, path: str) -> None:
        # Absolute, because connections are opened later as well, and a task may change the working directory.
        self.path = path if path == MEMORY else os.path.abspath(path)
        self._commits = OwnCommits()
        self._is_known = path == MEMORY
        self.name = f"SQLite file {path}" if path != MEMORY else "SQLite in memory"

    def connect(self) -> SqliteConnection:
        folder = os.path.dirname(self.path)
        if folder and not os.path.isdir(folder):
            raise StoreUnavailable(self.name, f"there is no folder {folder}", may_pass=False)
        if os.path.isdir(self.path):
            raise StoreUnavailable(self.name, "it is a folder; name a file in it", may_pass=False)
        if not self._is_known:
            self._refuse_file_of_others()
            self._is_known = True
        return SqliteConnection(self.path, self.name, commits=self._commits)

    def _refuse_file_of_others(self) -> None:
        """Before the file is opened to write, because that changes it."""
        try:
            file: Any = apsw.Connection(self.path, flags=apsw.SQLITE_OPEN_READONLY)  # see SqliteConnection
            with closing(file):
                tables = [name for (name,) in file.execute(_TABLES)]
                is_ours = not tables or bool(file.execute(_OUR_COLUMN).fetchall())
        except apsw.Error:
            return  # there is no file yet; or it cannot be read, and that is told when it is opened
        if not is_ours:
            raise StoreUnavailable(
                self.name,
                f"it belongs to another program, with the tables {', '.join(tables)}; name another file",
                may_pass=False,
            )

    def connect_to_renew(self, patience: float) -> SqliteConnection:
        return SqliteConnection(self.path, self.name, patience, _SETTINGS_TO_RENEW)

    def migrate(self, connection: Connection) -> None:
        migrations.migrate(self, connection, self.migrations())

    @staticmethod
    def migrations() -> list[Migration]:
        return load_migrations(_PACKAGE)

    def build_index(self, statement: str) -> None:
        raise NotImplementedError("a migration of SQLite builds indexes in its transaction")

    def watch(self, changes: Changes, ask: Ask) -> Callable[[], None]:
        def changed() -> None:
            changes.tell(None)

        def look(_: Connection) -> Sighting | None:
            return self._commits.look(self.path)

        watching = asyncio.create_task(
            watch(self.path, changed, self._commits, lambda: ask(look)), name="holdfast-watch"
        )

        def stop() -> None:
            watching.cancel()

        return stop


class SqliteConnection:
    def __init__(
        self,
        path: str,
        name: str,
        patience: float = _BUSY_SECONDS,
        settings: str = _SETTINGS,
        commits: OwnCommits | None = None,
    ) -> None:
        self._name = name
        self._commits = commits or OwnCommits()
        self.has_pauses = False
        self.statements = 0
        self.announced: set[str] = set()
        self.noted: list[Any] = []
        self.is_broken = False
        try:
            # Any: apsw's annotations use collections.abc.Buffer, which Python 3.11 does not have.
            self._connection: Any = apsw.Connection(path)
            self._busy = _BusyHandler(patience)
            self._connection.set_busy_handler(self._busy)
            _configure(self._connection, settings, patience)
        except apsw.Error as error:
            raise self._explained(error) from error

    def write(self, script: TransactionScript[T]) -> T:
        return self._transaction(_BEGIN_TO_WRITE, script)

    def write_alone(self, script: TransactionScript[T]) -> T:
        # SQLite has one writer at a time anyway. A process that migrates a large file holds the lock for
        # longer than our timeout.
        deadline = time.monotonic() + _MIGRATION_SECONDS
        while True:
            try:
                return self.write(script)
            except StoreUnavailable as error:
                if self.is_broken or time.monotonic() > deadline:  # if broken, it was not a lock
                    raise
                _log.warning("%s; waiting for another process, to migrate the file", error)

    def read(self, script: TransactionScript[T], *, snapshot: bool) -> T:
        if snapshot:
            return self._transaction(_BEGIN_TO_READ, script)
        try:
            return script(self)
        except apsw.Error as error:
            raise self._explained(error) from error

    def close(self) -> None:
        self._connection.close()

    def _transaction(self, begin: str, script: TransactionScript[T]) -> T:
        execute = self._connection.execute
        self.statements += 2
        self._busy.waited = 0.0
        self.announced = set()
        before = self._pages_written()
        try:
            execute(begin)
            try:
                result = script(self)
                if begin == _BEGIN_TO_READ:
                    execute("COMMIT")
                else:
                    self._commit(before)
            except BaseException:
                # After some errors, such as a full disk, SQLite has already rolled back.
                if self._connection.in_transaction:
                    execute("ROLLBACK")
                raise
        except apsw.Error as error:
            raise self._explained(error) from error
        return result

    def _commit(self, before: int) -> None:
        """`before` is how many pages were written before this transaction. Changed rows would not do: a row
        that gets the values that it has is a change, and nothing is written."""
        is_counted = False
        self._commits.begin()
        try:
            self._connection.execute("COMMIT")
            is_counted = self._pages_written() != before
        finally:
            self._commits.end(is_counted=is_counted)

    def _pages_written(self) -> int:
        return self._connection.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE)[0]

    def _explained(self, error: apsw.Error) -> Exception:
        if isinstance(error, apsw.FullError) or self._is_over_quota(error):
            return StoreFull(self._name, str(error))
        if isinstance(error, _UNAVAILABLE):
            # A connection that only failed to get a lock still works.
            self.is_broken = not isinstance(error, (apsw.BusyError, apsw.LockedError))
            return StoreUnavailable(self._name, str(error), may_pass=not isinstance(error, _UNUSABLE))
        if isinstance(error, _REFUSALS):
            return CommitRefused(self._name, str(error))
        return error

    def _is_over_quota(self, error: apsw.Error) -> bool:
        """SQLite reports only ENOSPC as a full disk; a quota or a file size limit is an I/O error to it."""
        return isinstance(error, apsw.IOError) and self._connection.system_errno in _OVER_QUOTA

    # --- as a Transaction

    @property
    def waited(self) -> float:
        return self._busy.waited

    def run(self, query: str, *params: Any) -> None:
        self.statements += 1
        self._connection.execute(_queries()[query], _bound(params))

    def rows(self, query: str, *params: Any) -> list[Row]:
        self.statements += 1
        return self._fetch(self._connection.execute(_queries()[query], _bound(params)))

    def _fetch(self, cursor: Any) -> list[Row]:
        if not self.has_pauses:
            return cursor.fetchall()
        return gil_pauses.fetch(lambda most: list(itertools.islice(cursor, most)))

    def send(self, query: str, *params: Any) -> Callable[[], list[Row]]:
        rows = self.rows(query, *params)
        return lambda: rows

    def many(self, query: str, rows: Sequence[Row], *common: Any) -> int:
        if not rows:
            return 0
        self.statements += 1
        before = self._connection.total_changes()
        self._connection.executemany(_queries()[query], map(common.__add__, rows) if common else rows)
        return self._connection.total_changes() - before

    def many_returning(self, query: str, rows: Sequence[Row], *common: Any) -> list[Row]:
        if not rows:
            return []
        self.statements += 1
        common = _bound(common)
        return self._fetch(
            self._connection.executemany(_queries()[query], map(common.__add__, rows) if common else rows)
        )

    def send_many(self, query: str, rows: Sequence[Row], *common: Any) -> Callable[[], list[Row]]:
        found = self.many_returning(query, rows, *common)
        return lambda: found

    def read_page(self, page: TablePage, where: Row, after: Row | None, limit: int) -> list[Row]:
        self.statements += 1
        text = page_text(page, is_first=after is None)
        return self._fetch(self._connection.execute(text, (*where, *(after or ()), limit)))

    def insert_rows(self, table: str, columns: Sequence[Column], rows: Sequence[Row]) -> None:
        self.statements += 1
        self._connection.executemany(insert_text(table, columns), rows)

    def replace_cells(self, table: str, key: Sequence[Column], column: Column, rows: Sequence[Row]) -> int:
        self.statements += 1
        before = self._connection.total_changes()
        text = replace_text(table, key, column)
        self._connection.executemany(text, [(new, *found, old) for *found, old, new in rows])
        return self._connection.total_changes() - before

    def announce(self, *topics: str) -> None:
        # For this process. Others watch the write-ahead log, which every commit changes.
        self.announced.update(topics)

    def script(self, text: str) -> int:
        self.statements += 1
        self._connection.execute(text)
        return self._connection.changes()


def _bound(params: tuple[Any, ...]) -> tuple[Any, ...]:
    """A list is passed as JSON, which the query reads with json_each."""
    return tuple(json.dumps(param) if isinstance(param, list) else param for param in params)


def _configure(connection: Any, settings: str, patience: float) -> None:
    # If two processes switch a new file to WAL at once, both may get SQLITE_BUSY in spite of the busy
    # handler: SQLite does not let them wait for each other while each holds a lock.
    deadline = time.monotonic() + patience
    while True:
        try:
            # Otherwise SQLite plans a statement anew for each new value that it compares with the condition
            # of a partial index. That takes ten times as long as the statement.
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            # fetchall, because apsw stops at a statement that returns rows, as the first one does.
            connection.execute(settings).fetchall()
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_BUSY_RETRY_SECONDS)


class _BusyHandler:
    """Waits for another writer, with a timeout.

    SQLite's own handler waits longer every time, up to 100 ms. A process that commits without a pause
    releases the lock only for moments. A handler that tries so seldom would starve.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._began = 0.0
        self.waited = 0.0
        """Seconds, in the last wait."""

    def __call__(self, times_called: int) -> bool:
        now = time.monotonic()
        if times_called == 0:
            self._began = now
        # Random, so that two waiting processes do not try in step.
        time.sleep(_BUSY_RETRY_SECONDS * random.uniform(0.2, 1.0))
        self.waited = time.monotonic() - self._began
        return self.waited < self._patience
