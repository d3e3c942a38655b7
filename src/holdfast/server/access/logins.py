"""Makes sessions of people who log in, and ends them.

A login that fails goes through the same throttle as a wrong key, and is in the audit log of the server's own
namespace: of each address as often as the throttle answers, and of all together a bounded number a minute.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar.datastructures import Cookie

from holdfast.client.audit import AuditEntry
from holdfast.client.client import Client
from holdfast.client.sessions import Login, NewSession, SessionLimits
from holdfast.core.keys import Role, read_key
from holdfast.core.names import ALL_NAMESPACES
from holdfast.core.oidc import OidcOptions
from holdfast.core.sessions import csrf_token, read_session
from holdfast.errors import BadOption, StoreError
from holdfast.server.access.callers import ActiveSession, Caller, set_caller
from holdfast.server.access.cookies import SESSION, is_https, new_cookie
from holdfast.server.access.identifying import Identifier
from holdfast.server.access.recording import Record
from holdfast.server.access.refusals import LoginRefused, Unauthorized
from holdfast.server.paths import OIDC_CALLBACK

if TYPE_CHECKING:
    from holdfast.server.oidc.provider import Provider

_MOST_FAILURES: Final = 60
"""So many failed logins get a row of the audit log in a minute."""
_LONGEST_REASON: Final = 500
_LONGEST_ADDRESS: Final = 100


class LoginOptions(msgspec.Struct, frozen=True):
    limits: SessionLimits = SessionLimits()
    public_url: str = ""
    """Where browsers find the server, if it is not where it listens."""
    oidc: OidcOptions | None = None
    """None: nobody can log in but with a key."""
    oidc_secret: str = ""

    def __repr__(self) -> str:
        return f"LoginOptions({self.public_url!r})"  # it has a secret


def _new_provider(options: LoginOptions) -> Provider | None:
    """Raises BadOption."""
    if options.oidc is None:
        return None
    if not options.public_url:
        expected = "the address of this server, since the identity provider has to send browsers back to it"
        raise BadOption("public_url", options.public_url, expected)
    try:
        from holdfast.server.oidc.provider import Provider
    except ModuleNotFoundError as error:
        expected = f"left out, since {error.name} is not installed: pip install 'holdfast[oidc]'"
        raise BadOption("oidc", options.oidc.issuer, expected) from None
    return Provider(options.oidc, options.oidc_secret, options.public_url + OIDC_CALLBACK)


class Logins:
    """Of one server. Belongs to one event loop."""

    def __init__(self, own: Client, identifier: Identifier, options: LoginOptions) -> None:
        self._own = own
        self._identifier = identifier
        self.options = options
        self.provider = _new_provider(options)
        self.own_namespace = own.namespace
        self._failures: deque[float] = deque()

    def let_in(self, scope: Any, made: NewSession, record: Record, address: str) -> Caller:
        """The request goes on as one of the owner of the session."""
        info, parts = made.info, read_session(made.text)
        assert parts is not None
        is_everywhere = info.namespace == ALL_NAMESPACES
        namespace = self._own.namespace if is_everywhere else info.namespace
        caller = Caller(info.name, info.role, namespace, info.key or "", info.id, is_everywhere)
        set_caller(scope, caller, ActiveSession(info, csrf_token(parts.secret)))
        record.target = info.id
        record.after = {"address": address, "role": info.role, "subject": info.subject}
        return caller

    def is_https(self, scope: Any) -> bool:
        return is_https(scope, self.options.public_url)

    def cookie_of(self, scope: Any, made: NewSession) -> Cookie:
        lasts = made.info.expires_at - made.info.created_at
        return new_cookie(SESSION, made.text, lasts, is_secure=self.is_https(scope))

    @property
    def are_needed(self) -> bool:
        return self._identifier.needs_key

    async def with_key(self, text: str, address: str) -> NewSession:
        """Raises Unauthorized, LoginRefused, TooManyAttempts, StoreError."""
        found = await self._own.keys.check(text)
        if found is None:
            parts = read_key(text)
            await self.fail(address, "the key is not valid", key=None if parts is None else parts.id)
            raise Unauthorized("the key is not valid: it does not exist, has expired or was revoked")
        if found.role == Role.WORKER:
            raise LoginRefused("the key of a worker is for programs, and cannot log in")
        login = Login(found.name, found.role, found.namespace, found.id, found.id, found.expires_at)
        return await self.begin(login)

    async def logout_url(self, session: ActiveSession | None) -> str | None:
        """Where a browser can log out at the identity provider, too; None if it has not logged in there."""
        if self.provider is None or session is None or session.info.key is not None:
            return None
        return await self.provider.logout_url(self.options.public_url + "/")

    async def begin(self, login: Login) -> NewSession:
        return await self._own.sessions.create(login, self.options.limits)

    async def fail(self, address: str, reason: str, **facts: Any) -> None:
        """Somebody was not let in. Returns when they may be told so. Raises TooManyAttempts."""
        await self._identifier.slow_down(address)
        await self._record(address, reason, facts)

    async def _record(self, address: str, reason: str, facts: dict[str, Any]) -> None:
        now = time.monotonic()
        while self._failures and self._failures[0] <= now - 60:
            self._failures.popleft()
        if len(self._failures) >= _MOST_FAILURES:
            return
        self._failures.append(now)
        after = {"address": address, "reason": reason[:_LONGEST_REASON], **facts}
        entry = AuditEntry(action="session.refused", target=address or "-", by="", after=after)
        with contextlib.suppress(StoreError):  # `record` has logged it, and the answer is the same
            await self._own.audit.record(entry)


def address_of(scope: Any) -> str:
    """Of the client, or of whom a trusted proxy names, which may be any text. Empty: nobody knows it."""
    client = scope.get("client")
    return client[0][:_LONGEST_ADDRESS] if client else ""
