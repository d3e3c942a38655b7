"""The audit log: who has changed what, when, and what it was before: `hf.audit`.

Rows are only added. They are written in groups (group_writing.py), so many callers at once share a
transaction. Whoever writes a row must see to it that it has no secrets.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from holdfast.client.group_writing import GroupWriter
from holdfast.client.operators import checked_sender
from holdfast.client.posting import new_uid, twice
from holdfast.client.run_filters import check_number
from holdfast.core.codec import Codec
from holdfast.core.names import checked_name
from holdfast.core.values import Instant, Payload, moment
from holdfast.ports.access import AccessStore, AuditRecord, NewAudit

_log = logging.getLogger("holdfast.client")

_LONGEST_ACTION: Final = 100
_LARGEST_VALUE: Final = 16_384
"""In bytes of JSON. A page has many rows, and what is larger belongs in the run or the definition."""
_LARGEST_NUMBER: Final = 2**62

_encode = Codec(2**62).encode


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody has done."""

    action: str
    """Such as `runs.cancel`."""
    target: str
    """Such as the id of the run."""
    by: str = ""
    key: str | None = None
    """The id of the key that was used."""
    request: str | None = None
    """The id that the caller gave to the request."""
    before: Any = None
    after: Any = None
    """What it was, and what it is now, as far as that is worth knowing. A value of more than 16,384 bytes of
    JSON is replaced by `{"left_out": {"bytes": …, "sha256": …}}`: the row is written in any case."""


class AuditInfo(msgspec.Struct, frozen=True):
    """A row of the audit log."""

    number: int
    """Newer rows have greater numbers."""
    at: dt.datetime
    by: str
    key: str | None
    action: str
    target: str
    request: str | None
    before: Any
    after: Any


class Audit:
    def __init__(self, store: AccessStore, *, namespace: str, now: Callable[[], Instant]) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now
        self._writer: GroupWriter[NewAudit, None] = GroupWriter(self._write, _size, "holdfast audit")

    async def record(self, entry: AuditEntry) -> None:
        """Add a row. Returns when it is written. It is written also if the caller is cancelled meanwhile,
        because what it tells of has been done.

        Raises BadOption and CannotStore, and StoreError if it could not be written; this is logged, too.
        """
        row = _row(entry, self._now())
        [written] = self._writer.hand_in([row])
        written.add_done_callback(partial(_log_failure, row))
        await asyncio.shield(written)

    async def list(
        self,
        *,
        limit: int = 100,
        after: int | None = None,
        target: str | None = None,
        action: str | None = None,
    ) -> list[AuditInfo]:
        """Rows of this namespace, newest first. `after` is the number of the last row of the previous page.

        A target or an action must be the same as in the row. Raises BadOption.
        """
        check_number("limit", limit, 1, 1_000)
        if after is not None:
            check_number("after", after, 0, _LARGEST_NUMBER)
        found = await self._store.list_audit(
            self._namespace,
            after,
            limit,
            None if target is None else checked_name("target", target),
            None if action is None else checked_name("action", action),
        )
        return [_info(record) for record in found]

    async def close(self) -> None:
        """Write what waits, for a few seconds at most."""
        await self._writer.close()

    async def _write(self, rows: Sequence[NewAudit]) -> Sequence[None]:
        # If the connection breaks, nobody knows whether they were written. The store adds no row twice.
        await twice(lambda: self._store.write_audit(self._namespace, rows))
        return [None] * len(rows)


def _row(entry: AuditEntry, now: Instant) -> NewAudit:
    return NewAudit(
        now,
        checked_sender(entry.by),
        None if entry.key is None else checked_name("key", entry.key),
        checked_name("action", entry.action, _LONGEST_ACTION),
        checked_name("target", entry.target),
        None if entry.request is None else checked_name("request", entry.request),
        _value("before", entry.before),
        _value("after", entry.after),
        new_uid(),
    )


def _value(what: str, value: Any) -> Payload | None:
    if value is None:
        return None
    payload = _encode(value, what)
    if len(payload) <= _LARGEST_VALUE:
        return payload
    left_out = {"bytes": len(payload), "sha256": hashlib.sha256(payload).hexdigest()}
    return Payload(msgspec.json.encode({"left_out": left_out}))


def _size(row: NewAudit) -> int:
    return len(row.before or b"") + len(row.after or b"") + len(row.target)


def _log_failure(row: NewAudit, written: asyncio.Future[None]) -> None:
    error = None if written.cancelled() else written.exception()
    if error is not None:
        _log.error("the audit log lacks that %r did %s to %r: %s", row.by, row.action, row.target, error)


def _info(record: AuditRecord) -> AuditInfo:
    number, at, by, key, action, target, request, before, after = record
    return AuditInfo(number, moment(at), by, key, action, target, request, _read(before), _read(after))


def _read(payload: Payload | None) -> Any:
    return None if payload is None else msgspec.json.decode(payload)
