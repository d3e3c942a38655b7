"""Migrations of Postgres: one process at a time, and none that holds up the nodes which go on meanwhile.

A statement that waits for a lock on a table makes everybody else wait behind it. So a migration waits for a
few seconds only, is rolled back, and is tried again when the others have had their turn.
"""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg import errors

from holdfast.errors import StoreUnavailable
from holdfast.stores.database import Row, Transaction, TransactionScript

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_log = logging.getLogger("holdfast.store")

_LOCK_SECONDS = 2
"""How long a migration waits for a lock on a table, and everybody else behind it."""
_PAUSE_SECONDS = 1.0
_PATIENCE = 600.0
"""How many seconds a migration tries to get its locks."""
_NOTICE_SECONDS = 10.0

# The number is "holdfast" in ASCII. No other program on this server is likely to use it as a lock. It is a
# lock of the transaction, because a pooler may give the session to somebody else. The transaction is idle
# while an index is built, and the role may have a limit for that and for statements.
_BEGIN = f"""
SET LOCAL lock_timeout = '{_LOCK_SECONDS}s';
SET LOCAL statement_timeout = 0;
SET LOCAL idle_in_transaction_session_timeout = 0;
SELECT pg_try_advisory_xact_lock(x'686f6c6466617374'::bigint)
"""

_HOLDERS = """
SELECT DISTINCT backend.pid, backend.application_name, date_trunc('second', now() - backend.xact_start)::text
FROM pg_locks
    JOIN pg_class ON pg_class.oid = pg_locks.relation
    JOIN pg_namespace ON pg_namespace.oid = relnamespace
    JOIN pg_stat_activity AS backend ON backend.pid = pg_locks.pid
WHERE nspname = 'holdfast' AND granted AND backend.pid <> pg_backend_pid() AND backend.xact_start IS NOT NULL
ORDER BY 3 DESC
LIMIT 3
"""

_INDEX = re.compile(r"CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+) ON (\w+)\.")


class _OtherMigrates(Exception):
    """Another process has the lock."""


def run_alone(
    connection: psycopg.Connection[Row],
    tx: Transaction,
    script: TransactionScript[T],
    *,
    name: str,
) -> T:
    """Run the script in a transaction, with the lock of migrations. Raises StoreUnavailable if it cannot get
    another lock in time."""
    deadline = time.monotonic() + _PATIENCE
    notice = _Notice(name)
    while True:
        try:
            with connection.transaction():
                if not _begin(connection):
                    raise _OtherMigrates
                return script(tx)
        except _OtherMigrates:
            notice("another process migrates it; waiting until that has ended")
        except errors.LockNotAvailable:
            holders = _describe_holders(connection)
            if time.monotonic() > deadline:
                reason = (
                    f"a migration cannot get its locks: {holders}; end these transactions, and start again"
                )
                raise StoreUnavailable(name, reason, may_pass=False) from None
            notice(f"a migration waits for {holders}; it is tried again, and others go on meanwhile")
        time.sleep(_PAUSE_SECONDS)


def _begin(connection: psycopg.Connection[Row]) -> bool:
    cursor = connection.execute(_BEGIN.encode(), prepare=False)
    while cursor.nextset():
        pass
    return bool(cursor.fetchall()[0][0])


def _describe_holders(connection: psycopg.Connection[Row]) -> str:
    found = connection.execute(_HOLDERS.encode(), prepare=False).fetchall()
    described = [f"pid {pid} ({application or 'unnamed'}, for {age})" for pid, application, age in found]
    return "the locks of " + (", ".join(described) or "a transaction that has ended since")


class _Notice:
    """Logs what is waited for, at most every ten seconds."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._next = 0.0

    def __call__(self, what: str) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _NOTICE_SECONDS
            _log.warning("%s: %s", self._name, what)


def build_index(
    connection: psycopg.Connection[Row], statement: str, log: Callable[..., Any] = _log.info
) -> None:
    """Build an index without blocking writers. The caller has the lock of migrations, so nobody else builds
    it."""
    match = _INDEX.match(" ".join(statement.split()))
    if match is None:
        raise ValueError(f"not a CREATE INDEX CONCURRENTLY: {statement}")
    index, schema = match.groups()
    # Waiting for older transactions blocks nobody here, so there is no limit.
    for setting in (b"SET lock_timeout = 0", b"SET statement_timeout = 0"):
        connection.execute(setting, prepare=False)
    is_valid = _is_valid(connection, schema, index)
    if is_valid:
        return
    if is_valid is False:
        # An interrupted build leaves an index that every write keeps up to date and no query uses.
        log("index %s was left half built; building it again", index)
        _drop(connection, schema, index)
    try:
        connection.execute(statement.encode(), prepare=False)
    except BaseException:
        if not connection.closed:
            _drop(connection, schema, index)
        raise


def _is_valid(connection: psycopg.Connection[Row], schema: str, index: str) -> bool | None:
    """None if there is no such index."""
    query = (
        "SELECT indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
        "JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relname = $2"
    )
    found = connection.execute(query.encode(), [schema, index], prepare=False).fetchall()
    return found[0][0] if found else None


def _drop(connection: psycopg.Connection[Row], schema: str, index: str) -> None:
    connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema}.{index}".encode(), prepare=False)
