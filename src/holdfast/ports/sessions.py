"""Sessions of people who have logged in with a browser.

A session belongs to a namespace and not to a run. So it is not exported with runs. It ends by itself: when it
expires, or with the key that it was made with.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from holdfast.core.values import Instant


class SessionRecord(NamedTuple):
    id: str
    """Of this session alone, in all namespaces."""
    namespace: str
    """Or `ALL_NAMESPACES`."""
    name: str
    role: str
    hash: str
    """Of its secret, which is not stored."""
    key: str | None
    """The id of the key that it was made with; None if there was none."""
    subject: str
    """Who has logged in: the id of the key, or what the identity provider says."""
    created_at: Instant
    expires_at: Instant
    used_at: Instant
    """About when it was used last."""


class SessionStore(Protocol):
    async def add_session(self, session: SessionRecord, most: int) -> bool:
        """Of the sessions of its subject, only the newest `most` are kept. Some that had expired when it was
        created are removed, too. False, with no session added, if the id is taken in any namespace."""
        ...

    async def find_session(self, id: str, now: Instant) -> SessionRecord | None:
        """The session of that id, in any namespace. None if it has expired, or if the key that it was made
        with has expired, is revoked, or does not exist."""
        ...

    async def list_sessions(self, namespace: str, now: Instant, limit: int) -> list[SessionRecord]:
        """Of exactly this namespace, those that `find_session` would find: the newest `limit`, newest
        first."""
        ...

    async def end_session(self, namespace: str, id: str) -> SessionRecord | None:
        """The session, which is removed. None, with nothing changed, if exactly this namespace has no such
        session."""
        ...

    async def note_session_used(self, id: str, now: Instant) -> None:
        """Does nothing if there is no such session, or if it was used later."""
        ...
