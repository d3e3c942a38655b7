"""These routes as an application of their own: lenient queries, and errors as `{"error": text}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from litestar import Litestar, MediaType, Router
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.types import ASGIApp, Receive, Scope, Send

from holdfast.server.access.rules import check_all_have_rules, check_rule
from holdfast.server.compat.error_responses import HANDLERS
from holdfast.server.compat.flows import flows, queue, tasks, workers
from holdfast.server.compat.wire import folded

NOUNS: Final[Mapping[str, Sequence[HTTPRouteHandler]]] = {
    "flows": flows.ROUTES,
    "tasks": tasks.ROUTES,
    "workers": workers.ROUTES,
    "queue": queue.ROUTES,
}
_QUERY_NAMES: Final = [
    "flow_id",
    "flow_version_id",
    "from",
    "id",
    "page",
    "page_size",
    "run_id",
    "service",
    "status",
    "task_id",
    "to",
    "ttl",
]
_MOST_FIELDS: Final = 100


def make_flows_app(dependencies: Mapping[str, Any], *, max_body_bytes: int, version: str) -> ASGIApp:
    check_all_have_rules(NOUNS)
    app = Litestar(
        route_handlers=[Router("/api", route_handlers=routes, tags=[noun]) for noun, routes in NOUNS.items()],
        dependencies=dependencies,
        exception_handlers=HANDLERS,
        guards=[check_rule],
        request_max_body_size=max_body_bytes,
        openapi_config=_openapi(version),
        logging_config=None,
    )
    return _LenientQueries(app)


class _LenientQueries:
    """Matches names in queries like those in bodies. An empty value counts as missing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._names = {folded(name): name for name in _QUERY_NAMES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["query_string"]:
            scope["query_string"] = self._read(scope["query_string"])
        await self._app(scope, receive, send)

    def _read(self, query: bytes) -> bytes:
        found: dict[str, Any] = {}
        for name, value in parse_qsl(query.decode("latin-1"), errors="replace")[:_MOST_FIELDS]:
            # The first value counts, as in the server that existing clients were written for.
            found.setdefault(self._names.get(folded(name), name), value)
        return urlencode(found).encode()


def _openapi(version: str) -> OpenAPIConfig:
    # By default Litestar serves several pages below this path. We want only the JSON document.
    document = JsonRenderPlugin(path="/", media_type=MediaType.JSON)
    return OpenAPIConfig(
        title="holdfast, as a scheduler of flows",
        version=version,
        path="/api/openapi.json",
        render_plugins=[document],
        use_handler_docstrings=True,
    )
