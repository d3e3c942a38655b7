"""Sessions of people who have logged in with a browser. For the server.

A session is read from the store for each request, by its id. So a session that was ended, and one whose key
was revoked, is refused at once by every process.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Callable
from secrets import token_hex
from typing import Final

import msgspec

from holdfast.client.posting import twice
from holdfast.core.keys import ID_BYTES, SECRET_BYTES, KeyParts, Role, hash_of, is_secret
from holdfast.core.names import ALL_NAMESPACES, checked_name
from holdfast.core.sessions import read_session, session_text
from holdfast.core.values import Instant, instant, later, moment
from holdfast.errors import StoreError
from holdfast.ports.sessions import SessionRecord, SessionStore

_log = logging.getLogger("holdfast.client")

MOST_SESSIONS: Final = 20
"""Of one key, or of one person. If there are more, the oldest end."""
_MOST_LISTED: Final = 1_000
_NOTE_EVERY: Final = dt.timedelta(minutes=1)
_NO_IDLE_LIMIT: Final = dt.timedelta(0)
_ROLES: Final = frozenset(role.value for role in Role)


class SessionLimits(msgspec.Struct, frozen=True):
    lasts: dt.timedelta = dt.timedelta(hours=12)
    """How long a session may last, however much it is used."""
    idle: dt.timedelta = dt.timedelta(hours=2)
    """How long it may be unused. Zero: there is no such limit."""


class Login(msgspec.Struct, frozen=True):
    """Who has logged in, and how."""

    name: str
    role: str
    namespace: str
    """Or `ALL_NAMESPACES`."""
    subject: str
    """The same for all sessions of one key, or of one person."""
    key: str | None = None
    """The id of the key; None if there was none."""
    until: dt.datetime | None = None
    """When the session ends at the latest, if the limits would let it last longer."""


class SessionInfo(msgspec.Struct, frozen=True):
    """A session, without its secret."""

    id: str
    namespace: str
    """`*` if it is good for all namespaces."""
    name: str
    role: str
    key: str | None
    """The id of the key that it was made with; null if there was none."""
    subject: str
    """The id of the key, or the identity provider and what it calls the person."""
    created_at: dt.datetime
    expires_at: dt.datetime
    used_at: dt.datetime
    """When it was used last, to about a minute."""


class NewSession(msgspec.Struct, frozen=True):
    info: SessionInfo
    text: str
    """For the cookie."""

    def __repr__(self) -> str:
        return f"NewSession({self.info!r}, text='hfs_{self.info.id}_…')"  # it may end up in a log


class Sessions:
    def __init__(self, store: SessionStore, *, namespace: str, now: Callable[[], Instant]) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now
        self._noting: set[asyncio.Task[None]] = set()

    async def create(self, login: Login, limits: SessionLimits) -> NewSession:
        now = self._now()
        expires_at = later(now, limits.lasts)
        if login.until is not None:
            expires_at = min(expires_at, instant(login.until))
        while True:
            parts = KeyParts(token_hex(ID_BYTES), token_hex(SECRET_BYTES))
            record = SessionRecord(
                parts.id,
                login.namespace,
                login.name,
                login.role,
                hash_of(parts.secret),
                login.key,
                login.subject,
                now,
                expires_at,
                now,
            )
            # If the answer of the store was lost, the second try finds the id taken by the first.
            is_added = await twice(lambda it=record: self._store.add_session(it, MOST_SESSIONS))
            if is_added or await self._store.find_session(parts.id, now) == record:
                return NewSession(_info(record), session_text(parts))

    async def check(self, text: str, limits: SessionLimits) -> SessionInfo | None:
        """The session with that text, of any namespace. None if there is none, or if it has ended. Notes that
        it is used. Raises StoreError."""
        parts = read_session(text)
        if parts is None:
            return None
        record = await self._find(parts.id)
        if not is_secret(parts.secret, None if record is None else record.hash) or record is None:
            return None
        if not self._is_alive(record, limits):
            return None
        self._note_use(record, limits)
        return _info(record)

    async def is_alive(self, id: str, limits: SessionLimits) -> bool:
        """Does not count as a use. Raises StoreError."""
        record = await self._find(id)
        return record is not None and self._is_alive(record, limits)

    async def list(self, limits: SessionLimits, *, all_namespaces: bool = False) -> list[SessionInfo]:
        """Those of this namespace that have not ended, newest first. With `all_namespaces`, those that are
        good for all namespaces too."""
        spaces = [self._namespace, ALL_NAMESPACES] if all_namespaces else [self._namespace]
        now, found = self._now(), list[SessionRecord]()
        for space in spaces:
            found += await self._store.list_sessions(space, now, _MOST_LISTED)
        found.sort(key=lambda record: (record.created_at, record.id), reverse=True)
        return [_info(record) for record in found if self._is_alive(record, limits)]

    async def end(self, id: str, *, all_namespaces: bool = False) -> SessionInfo | None:
        """None if this namespace has no such session. A session that is good for all namespaces is ended with
        `all_namespaces`. Raises BadOption."""
        session = checked_name("id", id)
        for space in (self._namespace, ALL_NAMESPACES) if all_namespaces else (self._namespace,):
            found = await self._store.end_session(space, session)
            if found is not None:
                return _info(found)
        return None

    async def close(self) -> None:
        """Wait until it is noted which sessions were used, for a few seconds at most."""
        if self._noting:
            await asyncio.wait([*self._noting], timeout=5.0)

    async def _find(self, id: str) -> SessionRecord | None:
        return await twice(lambda: self._store.find_session(id, self._now()))

    def _is_alive(self, record: SessionRecord, limits: SessionLimits) -> bool:
        if record.role not in _ROLES:
            return False  # only a newer version knows it
        return limits.idle == _NO_IDLE_LIMIT or self._now() < later(record.used_at, limits.idle)

    def _note_use(self, record: SessionRecord, limits: SessionLimits) -> None:
        """Nobody waits for it, and no request fails because of it."""
        every = min(_NOTE_EVERY, limits.idle / 4) if limits.idle else _NOTE_EVERY
        if self._now() >= later(record.used_at, every):
            noting = asyncio.create_task(self._write_use(record.id), name="holdfast use of a session")
            self._noting.add(noting)
            noting.add_done_callback(self._noting.discard)

    async def _write_use(self, id: str) -> None:
        try:
            await self._store.note_session_used(id, self._now())
        except StoreError as error:
            _log.warning("%s; it is not noted that session %s was used", error, id)


def _info(record: SessionRecord) -> SessionInfo:
    return SessionInfo(
        record.id,
        record.namespace,
        record.name,
        record.role,
        record.key,
        record.subject,
        moment(record.created_at),
        moment(record.expires_at),
        moment(record.used_at),
    )
