"""What every request passes before it is routed: may a page of another origin ask, and names in queries."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from litestar.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.server.wire import folded

_API: Final = "/api"
_CORS: Final = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-headers", b"Content-Type, Authorization"),
    (b"access-control-allow-methods", b"GET,POST,OPTIONS"),
]
_MOST_FIELDS: Final = 100


class Gateway:
    """Pages of any origin may ask, and names in queries are matched like those in bodies.

    `names` are those that routes have. An empty value is one that is not there.
    """

    def __init__(self, app: ASGIApp, names: list[str]) -> None:
        self._app = app
        self._names = {folded(name): name for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_api(scope["path"]):
            await self._app(scope, receive, send)
            return
        if scope["method"] == "OPTIONS":
            await send({"type": "http.response.start", "status": 204, "headers": [*_CORS]})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_CORS]
            await send(message)

        if scope["query_string"]:
            scope["query_string"] = self._read_query(scope["query_string"])
        await self._app(scope, receive, send_with_headers)

    def _read_query(self, query: bytes) -> bytes:
        found: dict[str, Any] = {}
        for name, value in parse_qsl(query.decode("latin-1"), errors="replace")[:_MOST_FIELDS]:
            # The first counts, as it does for the programs' own server.
            found.setdefault(self._names.get(folded(name), name), value)
        return urlencode(found).encode()


def _is_api(path: str) -> bool:
    return path == _API or path.startswith(f"{_API}/")
