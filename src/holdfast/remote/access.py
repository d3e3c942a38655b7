"""Keys of the server and its audit log, over HTTP. Sessions are for browsers."""

from __future__ import annotations

import builtins
import datetime as dt

import msgspec

from holdfast.client.audit import Audit, AuditInfo
from holdfast.client.keys import KeyInfo, Keys, NewKey
from holdfast.client.run_filters import check_number
from holdfast.client.sessions import Sessions
from holdfast.core.keys import Role
from holdfast.core.names import checked_name
from holdfast.errors import NotOverHttp
from holdfast.remote.addressing import Page, refused, time_text
from holdfast.remote.connection import Connection, path_of

_FOR_BROWSERS = "a browser logs in itself: docs/how-to/login.md"
_ALL_NAMESPACES = "holdfast keys … --all-namespaces --db URL does it, where the database is"


class _NewKeyAnswer(msgspec.Struct, frozen=True):
    key: KeyInfo
    text: str


class RemoteKeys(Keys):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def create(
        self,
        name: str,
        role: Role | str,
        *,
        expires: dt.timedelta | dt.datetime | None = None,
        all_namespaces: bool = False,
        by: str = "",
    ) -> NewKey:
        _check_namespaces(all_namespaces)
        if isinstance(expires, dt.timedelta):
            expires = dt.datetime.now(dt.UTC) + expires
        body = {"name": name, "role": str(role), "expires": time_text(expires)}
        made = await self._connection.ask("POST", "/keys", _NewKeyAnswer, body=body, by=by)
        return NewKey(made.key, made.text)

    async def list(self, *, all_namespaces: bool = False) -> list[KeyInfo]:
        _check_namespaces(all_namespaces)
        return (await self._connection.ask("GET", "/keys", Page[KeyInfo])).items

    async def revoke(self, id: str, *, all_namespaces: bool = False, by: str = "") -> KeyInfo:
        _check_namespaces(all_namespaces)
        return await self._connection.ask("DELETE", path_of("keys", checked_name("id", id)), KeyInfo, by=by)

    async def close(self) -> None:
        pass  # nothing waits to be written

    exist = refused("keys.exist", "only the server needs to know")
    check = refused("keys.check", "only the server needs to know")
    is_active = refused("keys.is_active", "list() tells the state of each key")


def _check_namespaces(all_namespaces: bool) -> None:
    if all_namespaces:
        raise NotOverHttp("all_namespaces=True", _ALL_NAMESPACES)


class RemoteAudit(Audit):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def list(
        self,
        *,
        limit: int = 100,
        after: int | None = None,
        target: str | None = None,
        action: str | None = None,
    ) -> builtins.list[AuditInfo]:
        check_number("limit", limit, 1, 1_000)
        query = {"limit": limit, "after": after, "target": target, "action": action}
        return (await self._connection.ask("GET", "/audit", Page[AuditInfo], query=query)).items

    async def close(self) -> None:
        pass  # nothing waits to be written

    record = refused("audit.record", "the server writes what it has changed")


class RemoteSessions(Sessions):
    def __init__(self) -> None:
        pass

    async def close(self) -> None:
        pass  # nothing waits to be written

    create = refused("sessions.create", _FOR_BROWSERS)
    check = refused("sessions.check", _FOR_BROWSERS)
    is_alive = refused("sessions.is_alive", _FOR_BROWSERS)
    list = refused("sessions.list", _FOR_BROWSERS)
    end = refused("sessions.end", _FOR_BROWSERS)
