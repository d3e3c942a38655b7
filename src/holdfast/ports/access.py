"""Keys of people and programs that use the server, and the audit log of what they have changed.

Both belong to a namespace and not to a run. So they are not exported with runs, and deleting a run leaves its
rows of the audit log alone. Nodes remove old rows if the setting `audit_kept_seconds` says so; keys stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from holdfast.core.values import Instant, Payload


class KeyRecord(NamedTuple):
    id: str
    """Of this key alone, in all namespaces."""
    namespace: str
    """Or `ALL_NAMESPACES`."""
    name: str
    role: str
    hash: str
    """Of its secret, which is not stored."""
    created_at: Instant
    created_by: str
    expires_at: Instant | None = None
    used_at: Instant | None = None
    """About when it was used last."""
    revoked_at: Instant | None = None
    revoked_by: str | None = None


class NewAudit(NamedTuple):
    """A row to be added to the audit log."""

    at: Instant
    by: str
    key: str | None
    """The id of the key; None if there was none."""
    action: str
    target: str
    request: str | None
    """The id that the caller gave to the request."""
    before: Payload | None
    after: Payload | None
    uid: str
    """Of this row alone, in all namespaces."""


class AuditRecord(NamedTuple):
    number: int
    """Greater than those of all rows that were there when it was written. Of rows that are written at once,
    one with a smaller number may become visible later."""
    at: Instant
    by: str
    key: str | None
    action: str
    target: str
    request: str | None
    before: Payload | None
    after: Payload | None


class AuditRemoval(Protocol):
    """The method that a node needs to remove old rows."""

    async def remove_audit(self, namespace: str, before: Instant, rows: int) -> int:
        """Look at the oldest `rows` rows of the namespace, and remove those that were written before the
        instant. Returns how many: if it is `rows`, there may be more."""
        ...


class AccessStore(AuditRemoval, Protocol):
    """The methods that a client needs for keys and the audit log."""

    async def add_key(self, key: KeyRecord) -> bool:
        """False, with nothing changed, if the id is taken in any namespace."""
        ...

    async def find_key(self, id: str) -> KeyRecord | None:
        """The key of that id, in any namespace, also if it has expired or is revoked."""
        ...

    async def has_keys(self) -> bool:
        """Whether any namespace has a key, and be it one that has expired or is revoked."""
        ...

    async def list_keys(self, namespace: str) -> list[KeyRecord]:
        """All keys of exactly this namespace, newest first. `ALL_NAMESPACES` counts as one of its own."""
        ...

    async def revoke_key(self, namespace: str, id: str, by: str, now: Instant) -> KeyRecord | None:
        """The key, which is revoked. If it was before, it stays as it is. None, with nothing changed, if
        exactly this namespace has no such key."""
        ...

    async def note_key_used(self, id: str, now: Instant) -> None:
        """Does nothing if there is no such key, or if it was used later."""
        ...

    async def write_audit(self, namespace: str, rows: Sequence[NewAudit]) -> None:
        """Add all these rows or none, in this order. A row with a `uid` that is there already is not added
        again, so a caller that did not get the answer may repeat the call."""
        ...

    async def list_audit(
        self, namespace: str, before: int | None, limit: int, target: str | None, action: str | None
    ) -> list[AuditRecord]:
        """Up to `limit` rows with a number below `before`, newest first; all that are given must hold.

        A page of a target costs the same however many rows there are. A page of an action alone may read all
        rows of the namespace."""
        ...
