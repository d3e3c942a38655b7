"""Checks every request before it is routed: the name of the server, and the page that asks.

Without keys, a client that may send requests can do whatever this process can. Programs on this machine could
do that anyway. Web pages in a browser must not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, cast
from urllib.parse import urlsplit

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.server.access.callers import Caller, set_caller
from holdfast.server.tenants import Tenants

_API: Final = "/api"
_LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Gateway:
    """The whole server as an application: refuses requests of foreign web pages, and says who calls.

    `origins` are those of the web pages that are allowed; `*` allows all.
    """

    def __init__(self, app: ASGIApp, tenants: Tenants, origins: Sequence[str] = ()) -> None:
        self._app = app
        self._tenants = tenants
        self._origins = frozenset(origins)
        self.is_local = False
        """The server listens on the loopback address only. Then the Host header must be a local name.
        Otherwise a page whose own name resolves to this address would count as the same origin."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_api_path(path_below(scope)):
            await self._app(scope, receive, send)
            return
        raw_headers: list[tuple[bytes, bytes]] = list(cast("Any", scope)["headers"])
        headers = {name: value.decode("latin-1") for name, value in raw_headers}
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        problem = self._problem(host, origin)
        if problem is not None:
            await _answer(send, 403, msgspec.json.encode({"error": problem}))
            return
        allowed: list[tuple[bytes, bytes]] = []
        if origin is not None and self._is_allowed(origin):
            allowed = _cors_headers(origin)
        if scope["method"] == "OPTIONS":
            await _answer(send, 204, b"", allowed)
            return

        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                message["headers"] = [*message["headers"], *allowed]
            await send(message)

        set_caller(scope, Caller("", "admin", self._tenants.own.client.namespace))
        try:
            await self._app(scope, receive, send_with_headers)
        except asyncio.CancelledError:  # the grace period of the shutdown is over
            if not has_begun:
                await _answer(send, 503, b'{"error":"the server is stopping"}', allowed)

    def _problem(self, host: str, origin: str | None) -> str | None:
        """Why the request is refused; None if it is not."""
        if self.is_local and _host_name(host) not in _LOCAL_NAMES:
            return f"this server is called localhost or 127.0.0.1, and not {host!r}"
        if origin is None or self._is_allowed(origin) or origin.partition("://")[2] == host:
            return None
        return f"pages of {origin} may not ask; the setting allowed_origins says which may"

    def _is_allowed(self, origin: str) -> bool:
        return origin in self._origins or "*" in self._origins

    async def close(self) -> None:
        await self._tenants.close()


def path_below(scope: Any) -> str:
    """The path, without that at which another application has mounted this one."""
    return scope["path"].removeprefix(scope.get("root_path", ""))


def _host_name(host: str) -> str:
    """Without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _cors_headers(origin: str) -> list[tuple[bytes, bytes]]:
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-headers", b"Content-Type, Authorization"),
        (b"access-control-allow-methods", b"GET,POST,OPTIONS"),
        (b"vary", b"Origin"),
    ]


async def _answer(send: Send, status: int, body: bytes, headers: Sequence[tuple[bytes, bytes]] = ()) -> None:
    all_headers = [*headers, (b"content-length", b"%d" % len(body))] if status != 204 else [*headers]
    if body:
        all_headers.append((b"content-type", b"application/json"))
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _is_api_path(path: str) -> bool:
    return path == _API or path.startswith(f"{_API}/")
