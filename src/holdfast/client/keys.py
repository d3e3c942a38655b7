"""Keys of people and programs that use the server: `hf.keys`.

A key belongs to one namespace, or to all. It is listed and revoked in its own namespace; a key of all
namespaces only by a client that says so. Its text is shown once, when it is made: the store has only a hash.

`check` is for the server. It reads a key from the store every 5 seconds at most, however many requests come
with it. So a key that another process has revoked is refused after 5 seconds at the latest. A key that this
object has revoked is refused at once, and an expired one at the instant at which it expires.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections import OrderedDict
from collections.abc import Callable
from secrets import token_hex
from typing import Any, Final, NamedTuple

import msgspec

from holdfast.client.operators import checked_sender
from holdfast.client.posting import twice
from holdfast.core.keys import (
    ID_BYTES,
    SECRET_BYTES,
    KeyParts,
    Role,
    checked_role,
    hash_of,
    is_secret,
    key_of,
    read_key,
)
from holdfast.core.names import ALL_NAMESPACES, checked_name, checked_span
from holdfast.core.values import Instant, instant, is_instant, later, moment
from holdfast.errors import BadOption, KeyNotFound, StoreError
from holdfast.ports.access import AccessStore, KeyRecord

_log = logging.getLogger("holdfast.client")

_LONGEST_NAME: Final = 200
_READ_EVERY: Final = dt.timedelta(seconds=5)
_NOTE_EVERY: Final = dt.timedelta(minutes=1)
_MOST_KNOWN: Final = 1_000
"""How many keys are remembered between two checks. Keys that there are not count, too."""
_CLOSE_SECONDS: Final = 5.0
_ROLES: Final = frozenset(role.value for role in Role)

ACTIVE: Final = "active"
EXPIRED: Final = "expired"
REVOKED: Final = "revoked"


class KeyInfo(msgspec.Struct, frozen=True):
    """A key, without its secret."""

    id: str
    namespace: str
    """`*` if it is good for all namespaces."""
    name: str
    role: str
    """A `Role`; or one that only a newer version knows, whose keys this version refuses."""
    state: str
    """`active`, `expired` or `revoked`, at the instant at which it was read."""
    created_at: dt.datetime
    created_by: str
    expires_at: dt.datetime | None
    used_at: dt.datetime | None
    """When it was used last, to about a minute."""
    revoked_at: dt.datetime | None
    revoked_by: str | None


class NewKey(msgspec.Struct, frozen=True):
    info: KeyInfo
    text: str
    """The key itself. Nobody can get it again."""

    def __repr__(self) -> str:
        return f"NewKey({self.info!r}, text='hf_{self.info.id}_…')"  # it may end up in a log


class _Known(NamedTuple):
    record: KeyRecord | None
    """None if there is no such key."""
    read_at: Instant
    noted_at: Instant | None
    """When this object has noted its last use."""


class Keys:
    def __init__(self, store: AccessStore, *, namespace: str, now: Callable[[], Instant]) -> None:
        self._store = store
        self._namespace = namespace
        self._now = now
        self._known: OrderedDict[str, _Known] = OrderedDict()
        """By id. The one that was checked last is the last."""
        self._reading: dict[str, asyncio.Task[KeyRecord | None]] = {}
        self._noting: set[asyncio.Task[None]] = set()

    async def create(
        self,
        name: str,
        role: Role | str,
        *,
        expires: dt.timedelta | dt.datetime | None = None,
        all_namespaces: bool = False,
        by: str = "",
    ) -> NewKey:
        """Make a key of this namespace, or of all. `expires` says after how long or when it is refused.

        Several keys may have one name. Raises BadOption.
        """
        now = self._now()
        checked = (checked_name("name", name, _LONGEST_NAME), checked_role(role).value)
        sender, expires_at = checked_sender(by), _expiry(expires, now)
        space = ALL_NAMESPACES if all_namespaces else self._namespace
        while True:
            parts = KeyParts(token_hex(ID_BYTES), token_hex(SECRET_BYTES))
            record = KeyRecord(parts.id, space, *checked, hash_of(parts.secret), now, sender, expires_at)
            # If the answer of the store was lost, the second try finds the id taken by the first.
            if await twice(lambda it=record: self._store.add_key(it)) or await self._is_stored(record):
                return NewKey(_info(record, now), key_of(parts))

    async def _is_stored(self, record: KeyRecord) -> bool:
        return await self._store.find_key(record.id) == record

    async def list(self, *, all_namespaces: bool = False) -> list[KeyInfo]:
        """The keys of this namespace, newest first, also those that have expired or are revoked. With
        `all_namespaces`, those that are good for all namespaces too."""
        spaces = [self._namespace, ALL_NAMESPACES] if all_namespaces else [self._namespace]
        found = [record for space in spaces for record in await self._store.list_keys(space)]
        found.sort(key=lambda record: (record.created_at, record.id), reverse=True)
        return [_info(record, self._now()) for record in found]

    async def exist(self) -> bool:
        """Whether there is a key in any namespace, and be it one that has expired or is revoked. Then a
        server asks for keys, unless it is told not to."""
        return await self._store.has_keys()

    async def revoke(self, id: str, *, all_namespaces: bool = False, by: str = "") -> KeyInfo:
        """Refuse the key from now on. If it was revoked before, nothing changes.

        A key that is good for all namespaces is revoked with `all_namespaces`. Raises KeyNotFound.
        """
        key, sender = checked_name("id", id), checked_sender(by)
        found = None
        for space in (self._namespace, ALL_NAMESPACES) if all_namespaces else (self._namespace,):
            found = found or await self._revoke(space, key, sender)
        if found is None:
            raise KeyNotFound(key, self._namespace)
        self._known.pop(key, None)
        self._reading.pop(key, None)  # what it reads may be older
        return _info(found, self._now())

    async def _revoke(self, space: str, id: str, by: str) -> KeyRecord | None:
        return await twice(lambda: self._store.revoke_key(space, id, by, self._now()))

    # --- for the server

    async def check(self, text: str) -> KeyInfo | None:
        """The key with that text, of any namespace. None if there is no such key, or if it has expired or is
        revoked. Raises StoreError if the store has to be asked and does not answer."""
        parts = read_key(text)
        if parts is None:
            return None
        record = await self._find(parts.id)
        if not is_secret(parts.secret, None if record is None else record.hash) or record is None:
            return None
        now = self._now()
        info = _info(record, now)
        if info.state != ACTIVE:
            return None
        if info.role not in _ROLES:
            _log.warning("key %s has the role %r, which this version does not know", record.id, info.role)
            return None
        self._note_use(record, now)
        return info

    async def is_active(self, id: str) -> bool:
        """Whether the key has neither expired nor was revoked, as the store has it now. Raises StoreError."""
        record = await twice(lambda: self._store.find_key(id))
        return record is not None and _info(record, self._now()).state == ACTIVE

    async def close(self) -> None:
        """Wait until it is noted which keys were used, for a few seconds at most."""
        if self._noting:
            await asyncio.wait([*self._noting], timeout=_CLOSE_SECONDS)

    async def _find(self, id: str) -> KeyRecord | None:
        known = self._known.get(id)
        # If the clock was set back, it is read again, too.
        if known is not None and known.read_at <= self._now() < later(known.read_at, _READ_EVERY):
            self._known.move_to_end(id)
            return known.record
        reading = self._reading.get(id)
        if reading is None:
            reading = self._reading[id] = asyncio.create_task(self._read(id), name="holdfast key")
            reading.add_done_callback(_ignore_error)
        # All who wait for one key share one read. If one of them is cancelled, the others still get it.
        return await asyncio.shield(reading)

    async def _read(self, id: str) -> KeyRecord | None:
        task, read_at = asyncio.current_task(), self._now()
        try:
            record = await twice(lambda: self._store.find_key(id))
        finally:
            is_current = self._reading.get(id) is task
            if is_current:
                del self._reading[id]
        if is_current:
            before = self._known.get(id)
            self._known[id] = _Known(record, read_at, None if before is None else before.noted_at)
            self._known.move_to_end(id)
            while len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        return record

    def _note_use(self, record: KeyRecord, now: Instant) -> None:
        """Nobody waits for it, and no request fails because of it."""
        known = self._known.get(record.id)
        for last in (record.used_at, None if known is None else known.noted_at):
            if last is not None and now < later(last, _NOTE_EVERY):
                return
        if known is not None:
            self._known[record.id] = known._replace(noted_at=now)
        noting = asyncio.create_task(self._write_use(record.id, now), name="holdfast use of a key")
        self._noting.add(noting)
        noting.add_done_callback(self._noting.discard)

    async def _write_use(self, id: str, now: Instant) -> None:
        try:
            await self._store.note_key_used(id, now)
        except StoreError as error:
            _log.warning("%s; it is not noted that key %s was used", error, id)
        except Exception:
            _log.exception("it could not be noted that key %s was used", id)


def _ignore_error(reading: asyncio.Task[Any]) -> None:
    if not reading.cancelled():
        reading.exception()  # nobody may be left who waits for it, and asyncio would log it


def _expiry(expires: Any, now: Instant) -> Instant | None:
    if expires is None:
        return None
    if not isinstance(expires, dt.datetime):
        at = later(now, checked_span("expires", expires))
    elif expires.tzinfo is None:
        raise BadOption("expires", expires, "a datetime with a time zone, such as datetime.now(UTC)")
    else:
        at = instant(expires)
    if at <= now or not is_instant(at):
        raise BadOption("expires", expires, "in the future, and before the year 10000")
    return at


def _info(record: KeyRecord, now: Instant) -> KeyInfo:
    state = ACTIVE
    if record.revoked_at is not None:
        state = REVOKED
    elif record.expires_at is not None and record.expires_at <= now:
        state = EXPIRED
    return KeyInfo(
        record.id,
        record.namespace,
        record.name,
        record.role,
        state,
        moment(record.created_at),
        record.created_by,
        _moment(record.expires_at),
        _moment(record.used_at),
        _moment(record.revoked_at),
        record.revoked_by,
    )


def _moment(at: Instant | None) -> dt.datetime | None:
    return None if at is None else moment(at)
