"""Postgres through psycopg 3, with blocking connections on the store's own threads."""

from __future__ import annotations

import logging
import math
import select
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import cache
from hashlib import blake2b
from struct import Struct
from typing import Any, NamedTuple, TypeVar

import psycopg
from psycopg import errors, pq
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.string import ByteaBinaryLoader

from holdfast.errors import BadUrl, CommitRefused, StoreUnavailable
from holdfast.stores import migrations
from holdfast.stores.database import Ask, Changes, Column, Connection, Row, TablePage, TransactionScript
from holdfast.stores.named_queries import Migration, load_migrations, load_queries
from holdfast.stores.postgres import migrating
from holdfast.stores.postgres.arrays import (
    MICROSECONDS_TO_2000,
    EncodeCell,
    encoders_of,
    payload_columns_of,
    split_by_size,
)
from holdfast.stores.postgres.failures import LONGEST_MESSAGE, explain_failure, is_stale
from holdfast.stores.postgres.notifications import CHANNEL, LINE, payload_of, watch
from holdfast.stores.postgres.pipeline import PatientConnection, Pipeline, Sent
from holdfast.stores.postgres.table_texts import insert_text, page_text, replace_text

T = TypeVar("T")

_log = logging.getLogger("holdfast.store")

_PACKAGE = "holdfast.stores.postgres"
_TRIES = 5
_MOST_BYTES = 16 * 1024 * 1024
"""Of payloads in one statement. Postgres refuses a message over 1 GB, and builds the arrays of a message in
memory."""
_SLOWEST_DISK = 4 * 1024 * 1024
"""In bytes a second."""

# Plans: every query here must use an index. Statistics lag behind a table that grows a thousandfold in a
# minute. Without these settings the planner would also plan every batch anew, and read the whole table for a
# large batch. With a bitmap it would sort a whole namespace to list its newest runs.
# Durable: a database or role may be set to answer before a commit is on the disk. Ours are answered after.
# Limits: a database or role may limit statements, sessions and transactions. Here only statements have a
# limit, above the time for which the connection waits for an answer. Older servers lack some of the others.
# That limit is set first: until then the database's own one holds, and may be a millisecond.
# Idle: a node that hangs inside a transaction keeps the row of its lease locked, and a reaper skips locked
# rows. With the timeout the server ends such a transaction.
_SETTINGS = """
SET statement_timeout = '20s';
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET jit = off;
SET default_transaction_isolation = 'read committed';
SET idle_in_transaction_session_timeout = '10s';
SELECT set_config(name, '0', false) FROM pg_settings
WHERE name IN ('lock_timeout', 'transaction_timeout', 'idle_session_timeout') AND setting <> '0';
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
SELECT pg_backend_pid(), current_setting('synchronous_commit')
"""

_NOTIFY = f"SELECT pg_notify('{CHANNEL}', $1::text)".encode()

_BEGIN_SNAPSHOT = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

_BACKEND_PID = "SELECT pg_backend_pid()"

_NOT_DURABLE = (
    "synchronous_commit stays off, so a commit could be lost after it was answered; allow sessions to set it"
)
_SHARED_SESSIONS = (
    "a pooler gives each transaction another session (as pgbouncer with pool_mode = transaction does), and "
    "holdfast needs what a session keeps: settings, prepared statements, LISTEN; use the address of Postgres "
    "itself, or of a pool with pool_mode = session"
)


class _Query(NamedTuple):
    name: bytes
    text: bytes
    encoders: list[EncodeCell]
    payload_columns: list[int]


@cache
def _queries() -> dict[str, _Query]:
    return {
        name: _Query(name.encode(), text.encode(), encoders_of(text), payload_columns_of(text))
        for name, text in load_queries(_PACKAGE).items()
    }


@cache
def _query_of(text: str) -> _Query:
    """A query that has no name. The server knows it by a hash of its text."""
    name = f"text_{blake2b(text.encode(), digest_size=16).hexdigest()}"
    return _Query(name.encode(), text.encode(), encoders_of(text), payload_columns_of(text))


class PostgresDatabase:
    has_one_writer = False

    def __init__(self, url: str) -> None:
        """Raises BadUrl."""
        try:
            parts = conninfo_to_dict(url)
        except (psycopg.Error, UnicodeError):
            # The error is left out, because its text quotes the URL with the password.
            raise BadUrl("postgresql://…", "expected postgresql://user@host/database") from None
        self._line = {name: value for name, value in LINE.items() if name not in parts}
        self._url = url
        self._password = str(parts.get("password") or "")
        self.name = f"Postgres database {parts.get('dbname', '')} at {parts.get('host', 'localhost')}"
        self._pids: set[int] = set()
        self._is_pool_checked = False

    def connect(self) -> PostgresConnection:
        """Raises StoreUnavailable, also if a pooler lies between that gives transactions to any session."""
        connection = PostgresConnection(self._url, self._line, self._explained, self._pids, self.name)
        if connection.is_pooled and not self._is_pool_checked:
            try:
                self._check_pool(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def _check_pool(self, connection: PostgresConnection) -> None:
        """A pooler that keeps a session for each of its clients gives another client another session."""
        try:
            with psycopg.connect(self._url, autocommit=True, **self._line) as other:
                found = other.execute(_BACKEND_PID, prepare=False).fetchone()
        except psycopg.Error as error:
            raise self._explained(error) from error
        if found == (connection.pid,) or connection.current_pid() != connection.pid:
            raise StoreUnavailable(self.name, _SHARED_SESSIONS, may_pass=False)
        self._is_pool_checked = True

    def connect_to_renew(self, patience: float) -> PostgresConnection:
        line = {**self._line, "connect_timeout": max(2, math.ceil(patience))}
        return PostgresConnection(self._url, line, self._explained, self._pids, self.name, patience)

    def migrate(self, connection: Connection) -> None:
        migrations.migrate(self, connection, self.migrations())

    @staticmethod
    def migrations() -> list[Migration]:
        return load_migrations(_PACKAGE)

    def build_index(self, statement: str) -> None:
        with closing(self.connect()) as connection:
            connection.build_index(statement)

    def watch(self, changes: Changes, ask: Ask) -> Callable[[], None]:
        return watch(self._url, self._line, changes, self._pids)

    def _explained(self, error: psycopg.Error) -> Exception:
        reason = " ".join(str(error).split())
        if self._password:
            reason = reason.replace(self._password, "***")
        return explain_failure(error, self.name, reason)


class _InstantLoader(Loader):
    format = pq.Format.BINARY
    _unpack = Struct(">q").unpack

    def load(self, data: Buffer) -> int:
        return self._unpack(data)[0] + MICROSECONDS_TO_2000


def _connect(url: str, line: Mapping[str, Any]) -> tuple[PatientConnection, int, str]:
    """Returns the connection, the number of its session, and its `synchronous_commit`.

    Raises psycopg.Error.
    """
    connection = PatientConnection.connect(
        url,
        **line,
        autocommit=True,  # transactions are begun and ended here, in as few messages as possible
        prepare_threshold=None,  # `Pipeline` prepares statements, and psycopg must not discard them
        cursor_factory=psycopg.RawCursor,
        client_encoding="utf8",
        application_name="holdfast",
    )
    try:
        cursor = connection.execute(_SETTINGS, prepare=False)
        while cursor.nextset():
            pass
        pid, durability = cursor.fetchall()[0]
    except BaseException:
        connection.close()
        raise
    return connection, pid, durability


def _adapt(connection: psycopg.Connection[Row]) -> None:
    adapters = connection.adapters
    adapters.register_loader("timestamptz", _InstantLoader)
    # The engine handles keys and payloads as bytes, so they are not decoded.
    adapters.register_loader("uuid", ByteaBinaryLoader)
    adapters.register_loader("json", ByteaBinaryLoader)


class PostgresConnection:
    def __init__(
        self,
        url: str,
        line: Mapping[str, Any],
        explained: Callable[[psycopg.Error], Exception],
        pids: set[int],
        name: str,
        patience: float | None = None,
    ) -> None:
        """`patience` is how many seconds to wait for an answer, if not as long as usual."""
        self._name = name
        self._patience = patience
        self._explained = explained
        self._pids = pids
        self.announced: set[str] = set()
        self.noted: list[Any] = []
        self.has_pauses = False
        self._parts = 0
        """How many parts of large batches the transaction under way has sent."""
        self.statements = 1
        try:
            connection, self.pid, durability = _connect(url, line)
        except psycopg.Error as error:
            raise explained(error) from error
        if durability == "off":
            connection.close()
            raise StoreUnavailable(name, _NOT_DURABLE, may_pass=False)
        self._connection = connection
        _adapt(connection)
        self._pipeline = Pipeline(connection)
        self._poll = select.poll()
        self._poll.register(connection.fileno(), select.POLLIN)
        self.is_pooled = connection.info.backend_pid != self.pid
        """Whether a pooler lies between: it gives its own number for the session, not that of the server."""
        pids.add(self.pid)

    @property
    def is_broken(self) -> bool:
        connection = self._connection
        # On a connection that nobody uses, the server says only that it closes it.
        while not connection.closed and self._poll.poll(0):
            try:
                connection.pgconn.consume_input()
            except psycopg.Error:
                connection.close()
        return connection.closed

    def close(self) -> None:
        self._connection.close()
        self._pids.discard(self.pid)

    def current_pid(self) -> int:
        try:
            return self._connection.execute(_BACKEND_PID.encode(), prepare=False).fetchall()[0][0]
        except psycopg.Error as error:
            raise self._told(error) from error

    def _told(self, error: psycopg.Error) -> Exception:
        """The error to raise."""
        # If it is read-only, another server may be the primary by now, and a session keeps the default that
        # it began with.
        if isinstance(error, errors.ReadOnlySqlTransaction) or is_stale(error):
            self._connection.close()
        return self._explained(error)

    # --- transactions

    def write(self, script: TransactionScript[T]) -> T:
        return self._transaction(b"BEGIN", script)

    def write_alone(self, script: TransactionScript[T]) -> T:
        # No pipeline: a migration is several statements in one message. Only the simple protocol allows that.
        return self._without_timeout(
            lambda: migrating.run_alone(self._connection, self, script, name=self._name)
        )

    def build_index(self, statement: str) -> None:
        self._without_timeout(lambda: migrating.build_index(self._connection, statement))

    def _without_timeout(self, work: Callable[[], T]) -> T:
        """A migration may rewrite a large table, or wait for another process that does."""
        self._connection.patience = math.inf
        try:
            return work()
        except psycopg.Error as error:
            raise self._told(error) from error
        finally:
            self._connection.patience = PatientConnection.patience

    def read(self, script: TransactionScript[T], *, snapshot: bool) -> T:
        if snapshot:
            return self._transaction(_BEGIN_SNAPSHOT, script)
        try:
            return script(self)
        except psycopg.Error as error:
            raise self._told(error) from error

    def _transaction(self, begin: bytes, script: TransactionScript[T]) -> T:
        for tries_left in reversed(range(_TRIES)):
            try:
                return self._attempt(begin, script)
            except (errors.DeadlockDetected, errors.SerializationFailure) as error:
                # The server has rolled back this transaction in favour of another.
                if not tries_left:
                    raise self._told(error) from error
            except psycopg.Error as error:
                raise self._told(error) from error
        raise AssertionError("the last try returns or raises")

    def _attempt(self, begin: bytes, script: TransactionScript[T]) -> T:
        send = self._pipeline.send
        self.announced = set()
        done: tuple[T, Sent] | None = None
        self._connection.patience, self._parts = self._patience or PatientConnection.patience, 0
        self.statements += 2
        try:
            with self._pipeline:
                send(begin, begin)
                result, news = script(self), payload_of(self.announced)
                done = result, send(b"COMMIT", b"COMMIT")
                if self.announced:
                    # After the commit, not in it: a transaction that notifies holds a lock of the whole
                    # server while it commits, and that includes the fsync.
                    self.statements += 1
                    send(b"notify", _NOTIFY, [news])
        except BaseException as error:
            if done is None or not done[1].has_committed or not isinstance(error, psycopg.Error):
                self._roll_back()
                raise
            _log.warning(
                "%s: after a commit, which stands: %s; if others were to be notified, they look later",
                self._name,
                error,
            )
        assert done is not None
        return done[0]

    def _roll_back(self) -> None:
        if self._connection.closed or self._connection.info.transaction_status == pq.TransactionStatus.IDLE:
            return
        try:
            self._connection.execute("ROLLBACK")
        except psycopg.Error:
            self._connection.close()  # the server rolls back, and the caller raises the first error

    # --- as a Transaction

    waited = 0.0

    def run(self, query: str, *params: Any) -> None:
        self._send(query, params)

    def rows(self, query: str, *params: Any) -> list[Row]:
        return self._send(query, params).rows(has_pauses=self.has_pauses)

    def send(self, query: str, *params: Any) -> Callable[[], list[Row]]:
        return self._send(query, params).rows

    def many(self, query: str, rows: Sequence[Row], *common: Any) -> int:
        return self._many(_queries()[query], rows, *common) if rows else 0

    def _many(self, query: _Query, rows: Sequence[Row], *common: Any) -> int:
        columns = list(zip(*rows, strict=True))
        payloads = [columns[number - len(common)] for number in query.payload_columns]
        changed = 0
        for part in split_by_size(rows, payloads, _MOST_BYTES):
            if part is rows:
                return self._send_query(query, (*common, *columns)).changed
            sent = self._send_query(query, (*common, *zip(*part, strict=True)))
            sent.wait()  # otherwise all parts would be in memory before the server has read the first
            # The answer to COMMIT comes after all of them are on disk.
            self._parts += 1
            self._connection.patience = PatientConnection.patience + self._parts * _MOST_BYTES / _SLOWEST_DISK
            changed += sent.changed
        return changed

    def many_returning(self, query: str, rows: Sequence[Row], *common: Any) -> list[Row]:
        return self.rows(query, *common, *zip(*rows, strict=True)) if rows else []

    def send_many(self, query: str, rows: Sequence[Row], *common: Any) -> Callable[[], list[Row]]:
        return self.send(query, *common, *zip(*rows, strict=True)) if rows else list

    def read_page(self, page: TablePage, where: Row, after: Row | None, limit: int) -> list[Row]:
        query = _query_of(page_text(page, is_first=after is None))
        return self._send_query(query, (*where, *(after or ()), limit)).rows(has_pauses=self.has_pauses)

    def insert_rows(self, table: str, columns: Sequence[Column], rows: Sequence[Row]) -> None:
        if rows:
            self._many(_query_of(insert_text(table, columns)), rows)

    def replace_cells(self, table: str, key: Sequence[Column], column: Column, rows: Sequence[Row]) -> int:
        # The old cell is compared as text: JSON has no equality.
        rows = [(*found, old.decode(), new) for *found, old, new in rows]
        sent = self._send_query(_query_of(replace_text(table, key, column)), tuple(zip(*rows, strict=True)))
        sent.wait()
        return sent.changed

    def _send(self, query: str, params: Sequence[Any]) -> Sent:
        return self._send_query(_queries()[query], params)

    def _send_query(self, query: _Query, params: Sequence[Any]) -> Sent:
        self.statements += 1
        name, text, encoders, _ = query
        try:
            encoded = [
                None if param is None else encode(param)
                for encode, param in zip(encoders, params, strict=True)
            ]
        except (UnicodeError, struct.error) as error:
            raise CommitRefused(self._name, str(error)) from error
        length = sum(len(each) for each in encoded if each is not None)
        if length > LONGEST_MESSAGE:
            raise CommitRefused(
                self._name, f"{length:,} bytes in one statement, and it takes a gigabyte at most"
            )
        return self._pipeline.send(name, text, encoded)

    def announce(self, *topics: str) -> None:
        self.announced.update(topics)

    def script(self, text: str) -> int:
        self.statements += 1
        cursor = self._connection.execute(text.encode(), prepare=False)
        while cursor.nextset():
            pass
        return cursor.rowcount
