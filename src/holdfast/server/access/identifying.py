"""Finds out who sends a request: by a key or a session; or nobody in particular, if the server asks for none.

A key in the header counts before a session in a cookie: a program says the one, a browser adds the other by
itself. What a browser adds by itself, a page of somebody else can make it send. So a change with a session
needs the token of the session, too.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Final, NamedTuple

from holdfast.client.keys import Keys
from holdfast.client.operators import checked_sender
from holdfast.client.sessions import SessionLimits, Sessions
from holdfast.core.keys import Role
from holdfast.core.names import ALL_NAMESPACES, BURIED, checked_name
from holdfast.core.sessions import csrf_token, is_csrf_token, read_session
from holdfast.errors import BadOption
from holdfast.server.access.callers import ActiveSession, Caller
from holdfast.server.access.refusals import (
    CsrfTokenMissing,
    CsrfTokenWrong,
    Forbidden,
    TooManyAttempts,
    Unauthorized,
)
from holdfast.server.access.throttle import Throttle, TooMany

NAMESPACE_HEADER: Final = b"holdfast-namespace"
BY_HEADER: Final = b"holdfast-by"
CSRF_HEADER: Final = b"holdfast-csrf"
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""They change nothing."""
_BEARER: Final = "bearer "


class Asked(NamedTuple):
    """What a request says of its sender."""

    method: str
    headers: Mapping[bytes, str]
    address: str
    session: str | None
    """The text in the cookie."""


class Identified(NamedTuple):
    caller: Caller
    session: ActiveSession | None = None


class Identifier:
    def __init__(
        self, keys: Keys, sessions: Sessions, namespace: str, *, needs_key: bool, limits: SessionLimits
    ) -> None:
        """`namespace` is the server's own. Without `needs_key`, a caller who shows no key may do everything;
        one who shows a key may do what the key allows, all the same."""
        self._keys = keys
        self._sessions = sessions
        self._namespace = namespace
        self.needs_key = needs_key
        self._limits = limits
        self._throttle = Throttle(time.monotonic)

    async def identify(self, asked: Asked) -> Identified:
        """Raises Unauthorized, Forbidden, TooManyAttempts, BadOption; StoreError if the store does not
        answer."""
        given = asked.headers.get(b"authorization")
        if given is None:
            # Browsers send the cookies of all servers of a host to each of them. So a server that asks for no
            # keys takes no notice of sessions: this one may be of another server.
            if not self.needs_key:
                return Identified(self._nobody(asked.headers))
            if asked.session is None:
                raise Unauthorized("this server asks for a key")
            return await self._by_session(asked.session, asked)
        if not given.lower().startswith(_BEARER):
            raise Unauthorized("the header Authorization must be: Bearer <key>")
        found = await self._keys.check(given[len(_BEARER) :].strip())
        if found is None:
            await self.slow_down(asked.address)
            raise Unauthorized("the key is not valid: it does not exist, has expired or was revoked")
        caller = Caller(found.name, found.role, found.namespace, found.id)
        return Identified(self._placed(caller, asked.headers))

    async def is_still_valid(self, caller: Caller) -> bool:
        """Whether the key or session of a caller who was let in is still good. Raises StoreError."""
        if caller.session:
            return await self._sessions.is_alive(caller.session, self._limits)
        return not caller.key or await self._keys.is_active(caller.key)

    async def slow_down(self, address: str) -> None:
        """Somebody has shown a wrong key or session. Raises TooManyAttempts."""
        slowdown = self._throttle.failed(address)
        if isinstance(slowdown, TooMany):
            raise TooManyAttempts(slowdown.retry_after)
        await asyncio.sleep(slowdown.seconds)

    async def _by_session(self, text: str, asked: Asked) -> Identified:
        parts = read_session(text)
        info = None if parts is None else await self._sessions.check(text, self._limits)
        if info is None or parts is None:
            await self.slow_down(asked.address)
            raise Unauthorized("the session has ended: log in again")
        if asked.method not in SAFE_METHODS:
            _check_csrf(parts.secret, asked.headers.get(CSRF_HEADER))
        caller = Caller(info.name, info.role, info.namespace, info.key or "", info.id)
        return Identified(self._placed(caller, asked.headers), ActiveSession(info, csrf_token(parts.secret)))

    def _nobody(self, headers: Mapping[bytes, str]) -> Caller:
        namespace = headers.get(NAMESPACE_HEADER, self._namespace)
        name = _checked_by(headers.get(BY_HEADER, ""))
        return Caller(name, Role.ADMIN, _checked_namespace(namespace), all_namespaces=True)

    def _placed(self, caller: Caller, headers: Mapping[bytes, str]) -> Caller:
        """The caller in the namespace and with the name that the request asks for. Raises Forbidden."""
        is_everywhere = caller.namespace == ALL_NAMESPACES
        namespace = headers.get(NAMESPACE_HEADER, self._namespace if is_everywhere else caller.namespace)
        if namespace != caller.namespace and not is_everywhere:
            what = "session" if caller.session else "key"
            raise Forbidden(f"the {what} is of namespace {caller.namespace!r}, and not of {namespace!r}")
        name = _checked_by(headers[BY_HEADER]) if BY_HEADER in headers else caller.name
        if name != caller.name and caller.role != Role.ADMIN:
            raise Forbidden("only an admin may say who somebody else is (Holdfast-By)")
        return Caller(
            name,
            caller.role,
            _checked_namespace(namespace),
            caller.key,
            caller.session,
            is_everywhere,
        )


def _check_csrf(secret: str, given: str | None) -> None:
    """Raises CsrfTokenMissing and CsrfTokenWrong."""
    if given is None:
        raise CsrfTokenMissing(
            "a change with a session needs the header Holdfast-CSRF, with the token of GET /api/v1/session"
        )
    if not is_csrf_token(secret, given):
        raise CsrfTokenWrong("the token in the header Holdfast-CSRF is not that of the session")


def _checked_by(name: str) -> str:
    try:
        return checked_sender(_as_utf8(name))
    except BadOption as error:
        raise BadOption("the header Holdfast-By", error.value, error.expected) from None


def _checked_namespace(name: str) -> str:
    name = _as_utf8(name)
    if name in (ALL_NAMESPACES, BURIED):
        raise BadOption("the header Holdfast-Namespace", name, "the name of one namespace")
    return checked_name("the header Holdfast-Namespace", name)


def _as_utf8(text: str) -> str:
    """Headers are bytes, which were read as Latin-1."""
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text
