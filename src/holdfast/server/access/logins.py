"""Makes sessions of people who log in, and ends them.

A login that fails goes through the same throttle as a wrong key, and is in the audit log of the server's own
namespace: of each address as often as the throttle answers, and of all together a bounded number a minute.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from typing import Any, Final

import msgspec
from litestar.datastructures import Cookie

from holdfast.client.audit import AuditEntry
from holdfast.client.client import Client
from holdfast.client.sessions import Login, NewSession, SessionLimits
from holdfast.core.keys import Role, read_key
from holdfast.core.names import ALL_NAMESPACES
from holdfast.core.sessions import csrf_token, read_session
from holdfast.errors import StoreError
from holdfast.server.access.callers import ActiveSession, Caller, set_caller
from holdfast.server.access.cookies import SESSION, is_https, new_cookie
from holdfast.server.access.identifying import Identifier
from holdfast.server.access.recording import Record
from holdfast.server.access.refusals import LoginRefused, Unauthorized

_MOST_FAILURES: Final = 60
"""So many failed logins get a row of the audit log in a minute."""
_LONGEST_REASON: Final = 500


class LoginOptions(msgspec.Struct, frozen=True):
    limits: SessionLimits = SessionLimits()
    public_url: str = ""
    """Where browsers find the server, if it is not where it listens."""


class Logins:
    """Of one server. Belongs to one event loop."""

    def __init__(self, own: Client, identifier: Identifier, options: LoginOptions) -> None:
        self._own = own
        self._identifier = identifier
        self.options = options
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
