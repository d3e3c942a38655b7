"""What every request passes before it is routed, and every answer before it is sent.

1. The name of the server, and the page that asks: without keys, a client that may send requests can do
   whatever this process can. Programs on this machine could do that anyway. Web pages in a browser must not.
2. Who sends it.
3. On the way back: the row of the audit log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import urlsplit

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.ports.tracing import TraceHeaders
from holdfast.server.access.callers import Caller, caller_of, set_caller
from holdfast.server.access.cookies import SESSION, is_https, no_cookie, read_cookie
from holdfast.server.access.identifying import (
    BY_HEADER,
    CSRF_HEADER,
    NAMESPACE_HEADER,
    SAFE_METHODS,
    Asked,
    Identified,
    Identifier,
)
from holdfast.server.access.recording import record_of
from holdfast.server.access.refusals import Forbidden, TooManyAttempts, Unauthorized
from holdfast.server.api.page.app import PATHS as PAGE
from holdfast.server.connections import TimelyBody
from holdfast.server.pages.app import is_page
from holdfast.server.paths import (
    API,
    DAGS,
    HEALTH,
    LOGIN,
    OIDC,
    OIDC_CALLBACK,
    V1,
    is_login,
    is_probe,
    is_v1,
    path_below,
)
from holdfast.server.paths import SESSION as SESSION_PATH
from holdfast.server.problems import MEDIA_TYPE, STOPPING, BadRequest, problem_of
from holdfast.server.tenants import Tenants

_log = logging.getLogger("holdfast.server")

_LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PUBLIC: Final = PAGE | {f"{base}/openapi.json" for base in (API, V1, DAGS)}
"""They say nothing about what is in the database."""
_READING: Final = frozenset({"GET", "HEAD"})
_FOR_ONE: Final = (b"vary", b"Cookie")
"""A cache that many share does not know of itself that an answer to a cookie is for one person."""
_SAFE: Final = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]
"""Of each answer that does not say it itself. What users have stored must not stay in a cache, and a browser
must not take it for a page."""
_ONCE: Final = (
    b"host",
    b"authorization",
    b"origin",
    b"content-length",
    b"transfer-encoding",
    NAMESPACE_HEADER,
    BY_HEADER,
    CSRF_HEADER,
)
"""Headers by which it is decided who asks, and where the request ends."""
_LOGINS: Final = frozenset({("POST", SESSION_PATH), ("GET", LOGIN), ("GET", OIDC), ("GET", OIDC_CALLBACK)})
"""For those who have neither a key nor a session."""


class Gateway:
    """The whole server as an application.

    `origins` are those of the web pages that are allowed; `*` allows all.
    """

    def __init__(
        self,
        app: ASGIApp,
        tenants: Tenants,
        identifier: Identifier,
        origins: Sequence[str] = (),
        *,
        public_url: str = "",
        before_close: Callable[[], Awaitable[None]] | None = None,
        trace_headers: TraceHeaders | None = None,
    ) -> None:
        self._trace_headers = trace_headers
        self._app = app
        self._tenants = tenants
        self._identifier = identifier
        self._origins = frozenset(origins)
        self._public_url = public_url
        self._own_origin = "/".join(public_url.split("/")[:3]) or None
        self._before_close = before_close
        self.is_local = False
        """The server listens on the loopback address only. Then the Host header must be a local name, unless
        keys are needed. Otherwise a page whose own name resolves to this address would count as the same
        origin."""

    def end_streams(self) -> None:
        self._tenants.streams.end()

    async def close(self) -> None:
        if self._before_close is not None:
            await self._before_close()
        await self._tenants.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers, doubt = _read_headers(cast("Any", scope)["headers"])
        if doubt:
            await _Answers(scope, send, [(b"connection", b"close")]).refuse(BadRequest(doubt))
            return
        problem = self._problem(scope, headers)
        if problem is not None:
            await _answer(send, 403, msgspec.json.encode({"error": problem}), _SAFE)
            return
        origin = headers.get(b"origin")
        answers = _Answers(scope, send, [] if origin is None else self._cors_headers(origin))
        if scope["method"] == "OPTIONS":
            await _answer(send, 204, b"", answers.headers)
            return
        try:
            identified = await self._identify(scope, headers)
        except Exception as error:
            await answers.refuse(error, self._cookies_to_forget(scope, headers, error))
            return
        set_caller(scope, *identified)
        if identified.session is not None:
            answers.headers.append(_FOR_ONE)
        if self._trace_headers is None or b"traceparent" not in headers:
            await self._pass_on(scope, receive, answers)
            return
        with self._trace_headers.entered(headers[b"traceparent"], headers.get(b"tracestate", "")):
            await self._pass_on(scope, receive, answers)

    async def _pass_on(self, scope: Scope, receive: Receive, answers: _Answers) -> None:
        async def send(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                record = record_of(scope)
                if record is not None:
                    caller = caller_of(scope)
                    await record.write(self._tenants.of(caller.namespace).client.audit, caller)
            await answers.send(message)

        try:
            await self._app(scope, TimelyBody(receive), send)
        except asyncio.CancelledError:  # the grace period of the shutdown is over
            await answers.refuse(None)

    async def _identify(self, scope: Scope, headers: Mapping[bytes, str]) -> Identified:
        path, method = path_below(scope), str(cast("Any", scope)["method"])
        origin, host = headers.get(b"origin"), headers.get(b"host", "")
        if (method, path) in _LOGINS and origin is not None and not self._is_own(scope, origin, host):
            raise Forbidden("only pages of this server may log in, not those of allowed_origins")
        is_anonymous = self._identifier.needs_key and b"authorization" not in headers
        is_public = path in _PUBLIC or (method in _READING and is_page(path))
        if is_public or (method, path) in _LOGINS or (path in HEALTH and is_anonymous):
            return Identified(Caller("", "", self._tenants.own.client.namespace))
        address = cast("Any", scope).get("client")
        session = self._session(scope, headers)
        return await self._identifier.identify(Asked(method, headers, address[0] if address else "", session))

    def _session(self, scope: Scope, headers: Mapping[bytes, str]) -> str | None:
        """The text in the cookie. Pages of other origins have none, also if they are allowed to ask."""
        origin = headers.get(b"origin")
        if origin is not None and not self._is_own(scope, origin, headers.get(b"host", "")):
            return None
        is_secure = is_https(scope, self._public_url)
        return read_cookie(headers.get(b"cookie"), SESSION, is_secure=is_secure)

    def _cookies_to_forget(
        self, scope: Scope, headers: Mapping[bytes, str], error: Exception
    ) -> Sequence[tuple[bytes, bytes]]:
        """If the session has ended, the browser need not send it again."""
        is_by_key = b"authorization" in headers
        if is_by_key or not isinstance(error, Unauthorized) or self._session(scope, headers) is None:
            return ()
        gone = no_cookie(SESSION, is_secure=is_https(scope, self._public_url))
        return [(b"set-cookie", gone.to_header(header="").encode())]

    def _problem(self, scope: Scope, headers: Mapping[bytes, str]) -> str | None:
        """Why the request is refused; None if it is not."""
        method = str(cast("Any", scope)["method"])
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        if self.is_local and not self._identifier.needs_key and _host_name(host) not in _LOCAL_NAMES:
            return f"this server is called localhost or 127.0.0.1, and not {host!r}"
        if origin is None:
            if headers.get(b"sec-fetch-site") == "cross-site" and method not in SAFE_METHODS:
                return "a page of another site has sent this, and does not say which"
            return None
        if self._is_allowed(origin) or self._is_own(scope, origin, host):
            return None
        return f"pages of {origin} may not ask; the setting allowed_origins says which may"

    def _is_own(self, scope: Scope, origin: str, host: str) -> bool:
        """Whether a page of that origin is one of this server. Whoever is on the way can put a page at the
        same host without HTTPS. A proxy may speak HTTPS that we do not know of."""
        secure, plain = f"https://{host}", f"http://{host}"
        is_by_https = cast("Any", scope)["scheme"] == "https" or secure == self._own_origin
        return origin in (self._own_origin, secure) or (origin == plain and not is_by_https)

    def _is_allowed(self, origin: str) -> bool:
        return origin in self._origins or "*" in self._origins

    def _cors_headers(self, origin: str) -> list[tuple[bytes, bytes]]:
        if not self._is_allowed(origin):
            return []
        return [
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (
                b"access-control-allow-headers",
                b"Content-Type, Authorization, Idempotency-Key, Last-Event-ID, "
                b"Holdfast-Namespace, Holdfast-By",
            ),
            (b"access-control-allow-methods", b"GET,POST,PUT,DELETE,OPTIONS"),
            (b"vary", b"Origin"),
        ]


async def refuse(scope: Scope, send: Send, error: Exception) -> None:
    """Answer a request that has not got as far as a gateway."""
    await _Answers(scope, send, []).refuse(error)


class _Answers:
    """The way back of one request."""

    def __init__(self, scope: Scope, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        self._scope = scope
        self._send = send
        self.headers = headers
        self._has_begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._has_begun = True
            message["headers"] = _with_safe([*message["headers"], *self.headers])
        await self._send(message)

    async def refuse(self, error: Exception | None, cookies: Sequence[tuple[bytes, bytes]] = ()) -> None:
        """In the form of the face that was asked. None: the server is stopping."""
        if self._has_begun:
            return
        problem = STOPPING if error is None else problem_of(error)
        if problem.status >= 500:
            _log.error("%s could not be answered", path_below(self._scope), exc_info=error)
        headers = [*self.headers, *cookies]
        if problem.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        if isinstance(error, TooManyAttempts):
            headers.append((b"retry-after", b"%d" % error.retry_after))
        is_problem = is_v1(self._scope) or is_probe(self._scope) or is_login(self._scope)
        body = problem if is_problem else {"error": problem.detail}
        kind = MEDIA_TYPE if is_problem else "application/json"
        await _answer(self._send, problem.status, msgspec.json.encode(body), [*headers, *_SAFE], kind)


def _read_headers(raw: Iterable[tuple[bytes, bytes]]) -> tuple[dict[bytes, str], str]:
    """The headers, and why the request is refused for them. A proxy may have looked at the one of two that we
    do not, or may see another end of the request."""
    found: dict[bytes, str] = {}
    for name, value in raw:
        text = value.decode("latin-1")
        if name in found:
            if name in _ONCE:
                return found, f"the header {name.decode('latin-1')} came twice"
            if name == b"cookie":  # HTTP/2 may send each by itself
                text = f"{found[name]}; {text}"
        found[name] = text
    if b"content-length" in found and b"transfer-encoding" in found:
        return found, "a request has the header Content-Length or Transfer-Encoding, and not both"
    return found, ""


def _with_safe(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    given = {name.lower() for name, _ in headers}
    return headers + [each for each in _SAFE if each[0] not in given]


def _host_name(host: str) -> str:
    """Without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def _answer(
    send: Send,
    status: int,
    body: bytes,
    headers: Sequence[tuple[bytes, bytes]] = (),
    kind: str = "application/json",
) -> None:
    all_headers = [*headers, (b"content-length", b"%d" % len(body))] if status != 204 else [*headers]
    if body:
        all_headers.append((b"content-type", kind.encode()))
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
