"""What an error of Postgres means: whether waiting helps, and what does not work whatever one does."""

from __future__ import annotations

from typing import Final

import psycopg
from psycopg import errors

from holdfast.errors import CommitRefused, StoreFull, StoreUnavailable

LONGEST_MESSAGE: Final = (1 << 30) - (1 << 16)
"""In bytes. The server closes the connection when a statement is longer, and does not say why."""

# Waiting helps: the server or the connection is at fault.
_MAY_PASS = (psycopg.OperationalError, psycopg.InterfaceError, errors.IdleInTransactionSessionTimeout)

# Somebody must do something first. A node that runs waits for it, a process that is opened does not.
_UNUSABLE = (
    errors.InsufficientPrivilege,
    errors.UndefinedTable,
    errors.InvalidSchemaName,
    errors.DataCorrupted,
    errors.IndexCorrupted,
)

# Classes of error codes: data that cannot be stored, a violated constraint, a value over a limit. The rows
# are at fault, so a retry would not help.
_REFUSALS = ("22", "23", "54")


# A prepared statement that somebody else has removed, or left.
_STALE = (errors.InvalidSqlStatementName, errors.DuplicatePreparedStatement)


def is_stale(error: psycopg.Error) -> bool:
    """Whether the prepared statements of the session do not fit any more, as after a migration that has
    changed the type of a column. A new session helps, and nothing was written."""
    is_changed = isinstance(error, errors.FeatureNotSupported) and (
        error.diag.source_function == "RevalidateCachedQuery"
    )
    return is_changed or isinstance(error, _STALE)


def explain_failure(error: psycopg.Error, store: str, reason: str) -> Exception:
    """The error to raise for it. An error that is our own defect, as in a statement, is returned as it is."""
    if isinstance(error, errors.DiskFull):
        return StoreFull(store, reason)
    if (error.sqlstate or "")[:2] in _REFUSALS:
        return CommitRefused(store, reason)
    if isinstance(error, errors.ReadOnlySqlTransaction):  # until it is promoted, or another server is
        return StoreUnavailable(store, f"it is read-only now ({reason})")
    if isinstance(error, _UNUSABLE):
        return StoreUnavailable(store, reason, may_pass=False)
    if isinstance(error, _MAY_PASS) or is_stale(error):
        return StoreUnavailable(store, reason)
    return error
