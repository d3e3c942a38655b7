"""Our own API as an application: its routes, and its OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import unquote

from litestar import Litestar, MediaType, Router
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.types import ASGIApp, Receive, Scope, Send

from holdfast.core.failures import capture_value
from holdfast.server.access.rules import check_all_have_rules, check_rule
from holdfast.server.api.v1 import access, questions, run_acts, run_parts, runs, schedules, workflows
from holdfast.server.paths import V1
from holdfast.server.problems import HANDLERS

NOUNS: Final[Mapping[str, Sequence[HTTPRouteHandler]]] = {
    "workflows": workflows.ROUTES,
    "runs": [*runs.ROUTES, *run_parts.ROUTES, *run_acts.ROUTES],
    "questions": questions.ROUTES,
    "schedules": schedules.ROUTES,
    "access": access.ROUTES,
}

_SLASH: Final = "\0"
"""Stands for a `/` in a part of the path. No name may have it."""


def make_v1_app(dependencies: Mapping[str, Any], *, max_body_bytes: int, version: str) -> ASGIApp:
    check_all_have_rules(NOUNS)
    app = Litestar(
        route_handlers=[Router(V1, route_handlers=routes, tags=[noun]) for noun, routes in NOUNS.items()],
        dependencies=dependencies,
        exception_handlers=HANDLERS,
        guards=[_restore_slashes, check_rule],
        type_encoders={BaseException: capture_value},
        request_max_body_size=max_body_bytes,
        openapi_config=_openapi(version),
        logging_config=None,
    )
    return _EscapedSlashes(app)


class _EscapedSlashes:
    """Lets a part of the path have a `/`, written as %2F. Servers decode it before the path is routed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw: bytes = cast("Any", scope).get("raw_path", b"")
        if scope["type"] == "http" and b"%2f" in raw.lower():
            parts = raw.split(b"/")
            scope["path"] = "/".join(unquote(part.decode("latin-1")).replace("/", _SLASH) for part in parts)
        await self._app(scope, receive, send)


async def _restore_slashes(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """A guard, since guards are called between routing and reading the parameters."""
    values: dict[str, Any] = connection.scope["path_params"]
    for name, value in values.items():
        if isinstance(value, str) and _SLASH in value:
            values[name] = value.replace(_SLASH, "/")


def _openapi(version: str) -> OpenAPIConfig:
    document = JsonRenderPlugin(path="/", media_type=MediaType.JSON)
    return OpenAPIConfig(
        title="holdfast",
        version=version,
        path=f"{V1}/openapi.json",
        render_plugins=[document],
        use_handler_docstrings=True,
    )
