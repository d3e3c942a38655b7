"""Lets a part of a path have a `/`, written as %2F: ids of runs may have one.

Servers decode %2F before the path is routed. So it is replaced before the routing, and restored after it.
"""

from __future__ import annotations

from typing import Any, Final, cast
from urllib.parse import unquote

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

_SLASH: Final = "\0"
"""Stands for a `/` in a part of the path. No name may have it."""


class EscapedSlashes:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw: bytes = cast("Any", scope).get("raw_path", b"")
        if scope["type"] == "http" and b"%2f" in raw.lower():
            parts = raw.split(b"/")
            scope["path"] = "/".join(unquote(part.decode("latin-1")).replace("/", _SLASH) for part in parts)
        await self._app(scope, receive, send)


async def restore_slashes(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """A guard, since guards are called between routing and reading the parameters."""
    values: dict[str, Any] = connection.scope["path_params"]
    for name, value in values.items():
        if isinstance(value, str) and _SLASH in value:
            values[name] = value.replace(_SLASH, "/")
